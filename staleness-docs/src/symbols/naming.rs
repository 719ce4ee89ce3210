//! The owner of the names in a file. The path of the file determines the owner.

/// Settings files of other programs, which define the names in them.
#[rustfmt::skip]
const FOREIGN: [&str; 29] = [
    "build.gradle", "cargo.lock", "cargo.toml", "clippy.toml", "composer.json", "deny.toml",
    "dockerfile", "go.mod", "go.sum", "lerna.json", "mkdocs.yml", "netlify.toml",
    "package-lock.json", "package.json", "pipfile", "pnpm-lock.yaml", "poetry.lock", "pom.xml",
    "pyproject.toml", "pytest.ini", "requirements.txt", "rustfmt.toml", "setup.cfg", "setup.py", "tox.ini",
    "tsconfig.json", "vercel.json", "yarn.lock", "docker-compose.yml",
];

/// Folders anywhere in a project that contain other people's files: vendored code and test data.
#[rustfmt::skip]
const OTHERS: [&str; 15] = [
    "3rd_party", "3rdparty", "__fixtures__", "__snapshots__", "bower_components", "fixtures",
    "node_modules", "test-data", "test_data", "testdata", "third-party", "third_party",
    "thirdparty", "vendor", "vendored",
];
/// More of these folders, with capitals in their names. In lower case, `pods` may be the project's own.
const OTHERS_IN_CAPITALS: [&str; 2] = ["Carthage", "Pods"];
/// Folders with vendored code, but only at the root of a project.
const OTHERS_AT_ROOT: [&str; 4] = ["deps", "external", "externals", "subprojects"];

/// Words in names of folders with example files, or with templates for generated files.
#[rustfmt::skip]
const SHOWN_IN: [&str; 14] = [
    "demo", "demos", "example", "examples", "playground", "playgrounds", "references", "sample", "samples", "snippets",
    "starter", "starters", "template", "templates",
];

/// Extensions of data files. Their keys are not items.
#[rustfmt::skip]
const DATA: [&str; 17] = [
    "cfg", "conf", "csv", "env", "ini", "json", "json5", "jsonc", "lock", "properties", "snap",
    "svg", "toml", "tsv", "xml", "yaml", "yml",
];

/// Extensions of images and texts. They are not sources.
const SHOWN: [&str; 3] = ["html", "png", "txt"];

/// Owner of the names in a file. For a file in several places, the first variant wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// The project, if the file defines the names.
    Code,
    /// The project. Keys are not items.
    Data,
    /// The project. Flags and files in a test are only used, not defined.
    Test,
    Foreign,
}

impl Naming {
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_foreign(path) {
            Self::Foreign
        } else if ends_as(name.as_bytes(), &DATA) {
            Self::Data
        } else if is_test(path) {
            Self::Test
        } else {
            Self::Code
        }
    }
}

/// Returns true for the name of a data, text or image file.
pub(super) fn is_data(name: &[u8]) -> bool {
    ends_as(name, &DATA) || ends_as(name, &SHOWN)
}

fn ends_as(name: &[u8], endings: &[&str]) -> bool {
    let end = name.iter().rposition(|byte| *byte == b'.').map(|at| &name[at + 1..]);
    end.is_some_and(|end| endings.iter().any(|known| known.as_bytes() == end))
}

/// Returns true if the project does not own the names in a file: a hidden file, settings of another program,
/// vendored code or test data.
fn is_foreign(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with('.')
        || path.contains("/.")
        || is_in(&FOREIGN, name)
        || is_requirements(path)
        || is_of_others(path)
}

/// Returns true for vendored code and test data.
pub(crate) fn is_of_others(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| is_in(&OTHERS, folder) || OTHERS_IN_CAPITALS.contains(&folder))
        || folders.split('/').next().is_some_and(|root| is_in(&OTHERS_AT_ROOT, root))
}

/// Returns true for a folder of examples or templates. A path in such a folder may end with the path of one of
/// the reader's own files: `templates/app/src/main.rs` ends with `src/main.rs`.
pub(crate) fn is_shown_in(folder: &[u8]) -> bool {
    let is_shown = |word: &[u8]| std::str::from_utf8(word).is_ok_and(|it| is_in(&SHOWN_IN, it));
    folder == b"docs_src" || folder.split(|byte| matches!(byte, b'-' | b'_')).any(is_shown)
}

/// Returns true for a folder of vendored code or test data.
pub(crate) fn is_folder_of_others(folder: &[u8]) -> bool {
    std::str::from_utf8(folder).is_ok_and(|folder| is_in(&OTHERS, folder))
}

fn is_in(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns true for a file of tests: `tests/a.py`, `test_a.py`, `a_test.go`, `a.spec.ts`.
fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_word = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs" | "__tests__");
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ends = |word: Option<&str>| word.is_some_and(is_word);
    folders.split('/').any(is_word)
        || ends(stem.split('_').next())
        || ends(stem.rsplit(['_', '.']).next())
}

/// Returns true if a file lists packages for `pip`: `requirements-dev.txt`, `requirements/base.txt`.
fn is_requirements(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    name.ends_with(".txt") && (name.starts_with("requirements") || folder == "requirements")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_other_projects_and_data_for_tests_are_named_by_others() {
        let foreign = "vendor/a/b.c src/third_party/b.c ios/Pods/b.m node_modules/b/c.js \
                       tests/fixtures/b.py pkg/testdata/b.go deps/uv/b.c external/b.c \
                       .github/b.yml a/Cargo.toml requirements-dev.txt a/requirements/base.txt";
        for path in foreign.split(' ') {
            assert_eq!(Naming::of(path), Naming::Foreign, "{path}");
        }
        let own = "src/vendor.rs src/deps/b.rs src/pods/b.go examples/b.go lib/external/b.js \
                   fixtures.py a/b.c src/testing.rs latest.py";
        for path in own.split(' ') {
            assert_eq!(Naming::of(path), Naming::Code, "{path}");
        }
        for path in "tests/a.py a/test_b.py a_test.go src/a.spec.ts b/__tests__/a.js".split(' ') {
            assert_eq!(Naming::of(path), Naming::Test, "{path}");
        }
    }

    #[test]
    fn keys_of_data_are_no_items() {
        for path in ["a/b.yml", "b.toml", "b.ini", "a/b.properties", "b.json5", "a.b/c.xml"] {
            assert_eq!(Naming::of(path), Naming::Data, "{path}");
        }
        for path in ["b.tf", "b.sql", "b.proto", "b.graphql", "b.txt", "toml", "yml/b", "b.py"] {
            assert_eq!(Naming::of(path), Naming::Code, "{path}");
        }
    }
}
