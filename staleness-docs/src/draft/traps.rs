//! Names that look like names of the project but belong to something else.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// Lower-case words. The words are fixed, so nobody can force hash collisions.
type Words = LazyLock<HashSet<&'static str, FixedState>>;

fn set(words: &'static str) -> HashSet<&'static str, FixedState> {
    words.split_ascii_whitespace().collect()
}

/// Words in placeholder names.
static STAND_INS: Words = Words::new(|| {
    set("
    acme bar baz dummy example examples foo foobar ipsum lorem my myapp mypackage
    placeholder quux qux some something tbd todo whatever xxx your yyy
")
});

/// Names of products that look like code identifiers, in lower case.
static PRODUCTS: Words = Words::new(|| {
    set("
    airtable appveyor bigquery bitbucket buildkite centos chatgpt circleci clickhouse
    clickup codecov codeql coffeescript couchdb datadog deepseek devops devtools dockerhub
    duckdb dynamodb elasticsearch fastapi fedora freebsd github gitlab goland graphql
    gruntjs hackerone huggingface intellij iterm javascript jetbrains langchain latex
    libreoffice linkedin mariadb mastodon mathjax matrix mongodb mysql neovim netbsd nodejs
    numpy openai openapi openbsd openrouter opensearch opentelemetry paypal postgresql
    powershell pycharm pypi pytorch rabbitmq readme rubygems rubymine serverless sonarqube
    stackblitz stackoverflow tensorflow typescript virtualbox vscode webassembly webstorm
    wordpress youtube
")
});

/// Words of languages and standard libraries, which occur in documents although the project does not define them.
static COMMON: Words = Words::new(|| {
    set("
    abort abstract alias alloc alpha anyhow append apply args array arraylist asref assert
    async asyncfn auto await base beta body bool boolean boxed break btreemap btreeset
    buffer build bytes call callback case catch char check class clean clear clone close
    cols command config const constructor content context continue copy count crate create
    data date datetime debug default delete dependencies deps deref dict display double drop
    else empty enum eprintln error errors eval event every exec exit export extends extern
    false field file files filter final finally find float flush fnmut fnonce foreach format
    from fromstr func function global hash hashmap hashset head header help host html http
    https impl implements import index info init input insert install instanceof integer
    interface into intoiterator items iter iterator json keys label latest length lines list
    load local localhost lock loop macro main make master match mode module move mutex name
    namespace next nightly none null nullptr number object option options ordering output
    override package panic param params partialeq pass path pathbuf print println private
    promise prop props protected public query range read release require result return root
    rows rust rwlock self send setup size some source stable start static stderr stdin stdout stop
    string stringify struct super switch sync systemtime target teardown test testcase tests text this throw
    time timeout title tostring trace trait true tuple type typeof types undefined
    unimplemented unsafe unwrap update user usize value values vecdeque vector version
    virtual void volatile wait warn warning where while width with write yaml yield

    anthropic_api_key aws_access_key_id aws_profile aws_region aws_secret_access_key aws_session_token
    google_application_credentials openai_api_key
    cargo_home cargo_manifest_dir cargo_target_dir extras_require force_color github_actions
    github_token http_proxy https_proxy install_requires java_home lc_all ld_library_path
    ld_preload no_color no_proxy node_env node_options node_path pkg_config_path python_requires
    rust_backtrace rust_log rustflags ssh_auth_sock unreleased xdg_cache_home xdg_config_dirs
    xdg_config_home xdg_data_dirs xdg_data_home xdg_runtime_dir xdg_state_home
")
});

/// File names that usually mean a file of the reader.
static USUAL_FILES: Words = Words::new(|| {
    set("
    __init__.py __main__.py .babelrc .editorconfig .env .eslintrc .eslintrc.json .gitignore .gitlab-ci.yml .npmrc
    .prettierrc .travis.yml app.js appveyor.yml azure-pipelines.yml build.gradle build.rs
    cargo.lock cargo.toml clippy.toml compose.yaml composer.json config.json config.toml
    config.yaml config.yml deny.toml docker-compose.yaml docker-compose.yml dockerfile go.mod
    go.sum index.html index.js index.ts lerna.json lib.rs main.go main.py main.rs makefile manifest.in
    mkdocs.yml mod.rs netlify.toml package-lock.json package.json pipfile pnpm-lock.yaml
    poetry.lock pom.xml pyproject.toml pytest.ini readme.md requirements.txt rustfmt.toml settings.json
    setup.cfg setup.py tox.ini tsconfig.json vercel.json yarn.lock
")
});

fn has(list: &Words, word: &str) -> bool {
    if word.bytes().any(|b| b.is_ascii_uppercase()) {
        list.contains(word.to_ascii_lowercase().as_str())
    } else {
        list.contains(word)
    }
}

/// Returns true if a name is a placeholder for the reader to fill in.
pub(crate) fn is_stand_in(name: &str) -> bool {
    if name.contains("...") || name.contains("path/to") {
        return true;
    }
    if name.contains(|c: char| "<>{}$%*?|\\…\"'`^;".contains(c)) {
        return true;
    }
    // `Foo2`
    let is_digit = |c: char| c.is_ascii_digit();
    parts(name).any(|part| has(&STAND_INS, part.trim_end_matches(is_digit)))
}

/// Splits a name into words: the first word of `my_thing`, `my-thing`, `myThing` and `MyThing` is `my`.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|word| {
        let cut = |at: &usize| {
            let bytes = word.as_bytes();
            *at > 0 && bytes[*at].is_ascii_uppercase() && bytes[*at - 1].is_ascii_lowercase()
        };
        let mut from = 0;
        let mut ends: Vec<usize> = (0..word.len()).filter(cut).collect();
        ends.push(word.len());
        ends.into_iter().map(move |end| {
            let part = &word[from..end];
            from = end;
            part
        })
    })
}

pub(crate) fn is_product(word: &str) -> bool {
    has(&PRODUCTS, word)
}

/// Returns true if a word belongs to a language, its libraries or its environment rather than to a project. A
/// single word in capitals is usually a keyword (`LISTEN`), a protocol (`HTTP2`) or a system variable
/// (`TERM`).
pub(crate) fn is_common(word: &str) -> bool {
    let word = word.trim_matches('_');
    word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        || has(&COMMON, word)
        || is_usual_file(word)
}

/// Returns true if a file name usually means a file of the reader.
pub(crate) fn is_usual_file(name: &str) -> bool {
    has(&USUAL_FILES, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_surroundings_are_not_the_projects() {
        let common =
            "LISTEN HTTP2 TERM AWS_PROFILE Unreleased install_requires RUST_LOG XDG_DATA_HOME";
        for word in common.split(' ') {
            assert!(is_common(word), "{word}");
        }
        for word in ["MAX_BYTES", "WGPU_BACKEND", "Router", "released"] {
            assert!(!is_common(word), "{word}");
        }
    }

    #[test]
    fn stand_ins_are_known_in_every_style() {
        let stand_ins = "foo Foo2 my_crate MyWidget myWidget YOUR_TOKEN path/to/file.rs --my-flag \
                         src/<name>.rs *.rs a…b example.rs $HOME/x {name} some_function";
        for name in stand_ins.split(' ') {
            assert!(is_stand_in(name), "{name}");
        }
        for name in
            ["mystic", "football", "barrier", "MyriadMode".trim_start_matches("My"), "src/a.rs"]
        {
            assert!(!is_stand_in(name), "{name}");
        }
    }
}
