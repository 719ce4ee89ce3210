//! The owner of the names in a file, by its path.

/// Files with settings of other programs: what stands in them is named by those.
#[rustfmt::skip]
const FOREIGN: [&str; 29] = [
    "build.gradle", "cargo.lock", "cargo.toml", "clippy.toml", "composer.json", "deny.toml",
    "dockerfile", "go.mod", "go.sum", "lerna.json", "mkdocs.yml", "netlify.toml",
    "package-lock.json", "package.json", "pipfile", "pnpm-lock.yaml", "poetry.lock", "pom.xml",
    "pyproject.toml", "pytest.ini", "requirements.txt", "rustfmt.toml", "setup.cfg", "setup.py", "tox.ini",
    "tsconfig.json", "vercel.json", "yarn.lock", "docker-compose.yml",
];

/// Folders of what others wrote, wherever they are: copies of other projects, and data for tests.
#[rustfmt::skip]
const OTHERS: [&str; 15] = [
    "3rd_party", "3rdparty", "__fixtures__", "__snapshots__", "bower_components", "fixtures",
    "node_modules", "test-data", "test_data", "testdata", "third-party", "third_party",
    "thirdparty", "vendor", "vendored",
];
/// Such folders that are known by their capitals: `pods` may be a project's own.
const OTHERS_IN_CAPITALS: [&str; 2] = ["Carthage", "Pods"];
/// Folders of copies of other projects, where they are at the root of a project: deeper down a
/// project calls its own so.
const OTHERS_AT_ROOT: [&str; 4] = ["deps", "external", "externals", "subprojects"];

/// Endings of files whose keys are data, and make no items.
#[rustfmt::skip]
const DATA: [&str; 17] = [
    "cfg", "conf", "csv", "env", "ini", "json", "json5", "jsonc", "lock", "properties", "snap",
    "svg", "toml", "tsv", "xml", "yaml", "yml",
];

/// Endings of pictures and texts, which are no sources either.
const SHOWN: [&str; 3] = ["html", "png", "txt"];

/// Owner of the names in a file. A file in several places counts as the first of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// The project, where it makes it.
    Code,
    /// The project, but a key is no item.
    Data,
    Foreign,
}

impl Naming {
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_foreign(path) {
            Self::Foreign
        } else if ends_as(name.as_bytes(), &DATA) {
            Self::Data
        } else {
            Self::Code
        }
    }
}

/// Returns true if the name of a file is that of data or text, and of no source.
pub(super) fn is_data(name: &[u8]) -> bool {
    ends_as(name, &DATA) || ends_as(name, &SHOWN)
}

fn ends_as(name: &[u8], endings: &[&str]) -> bool {
    let end = name.iter().rposition(|byte| *byte == b'.').map(|at| &name[at + 1..]);
    end.is_some_and(|end| endings.iter().any(|known| known.as_bytes() == end))
}

/// Returns true if what stands in a file is not named by the project, by its path: settings of other programs,
/// which are hidden or of a name that they give, copies of other projects, and data for tests.
fn is_foreign(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with('.')
        || path.contains("/.")
        || is_in(&FOREIGN, name)
        || is_requirements(path)
        || is_of_others(path)
}

/// Returns true if a file is one of a copy of another project, or of data for tests.
pub(crate) fn is_of_others(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| is_in(&OTHERS, folder) || OTHERS_IN_CAPITALS.contains(&folder))
        || folders.split('/').next().is_some_and(|root| is_in(&OTHERS_AT_ROOT, root))
}

fn is_in(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns true if a file names packages for `pip`: `requirements-dev.txt`, `requirements/base.txt`.
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
                   fixtures.py a/b.c";
        for path in own.split(' ') {
            assert_eq!(Naming::of(path), Naming::Code, "{path}");
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
