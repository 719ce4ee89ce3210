//! The dependencies of a project. Their names may change without a trace in this project.

use std::collections::HashSet;

use serde_json::Value;

use crate::manifest::{self, members};

const MANIFESTS: [&str; 3] = ["Cargo.toml", "package.json", "pyproject.toml"];
/// Keys of a manifest with the project's own names and its dependencies.
const NAMES: [&str; 5] = ["lib name", "name", "package name", "project name", "tool poetry name"];
#[rustfmt::skip]
const LISTS: [&str; 8] = [
    "build-dependencies", "dependencies", "dev-dependencies", "devDependencies", "optionalDependencies",
    "peerDependencies", "project dependencies", "tool poetry dependencies",
];
/// Prefixes of versions that refer to parts of the project.
const LOCAL: [&str; 4] = ["file:", "link:", "portal:", "workspace:"];

/// The names of a project and its dependencies, as code writes them: with `_` instead of `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    ours: HashSet<String>,
    theirs: HashSet<String>,
}

pub(super) fn is_manifest(path: &str) -> bool {
    MANIFESTS.contains(&path.rsplit('/').next().unwrap_or(path))
}

impl Dependencies {
    /// Returns the last part of a name such as `tower::ServiceBuilder` if it begins with a dependency.
    pub(super) fn owned_by_others<'a>(&self, name: &'a str) -> Option<&'a str> {
        let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let (first, rest) = name.split_once(part)?;
        let last = rest.rsplit(part).find(|part| !part.is_empty())?;
        let small = first.to_ascii_lowercase();
        let is_in = |names: &HashSet<String>| names.contains(first) || names.contains(&small);
        (is_in(&self.theirs) && !is_in(&self.ours)).then_some(last)
    }

    /// Adds names of other projects that are not in a manifest.
    pub(super) fn add<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.theirs.extend(names.map(str::to_owned));
    }

    /// Reads a manifest. Ignores it if it cannot be parsed.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let Some(file) = manifest::parse(path, text) else { return };
        for name in NAMES.iter().filter_map(|keys| manifest::text(&file, keys)) {
            self.enter(name, true);
        }
        let targets = members(file.get("target")).map(|(_, target)| target);
        for part in targets.chain(file.get("workspace")).chain([&file]) {
            for list in LISTS.iter().filter_map(|keys| manifest::at(part, keys)) {
                self.list(list);
            }
        }
        for (_, list) in members(manifest::at(&file, "project optional-dependencies")) {
            self.list(list);
        }
    }

    /// Adds a list of dependencies: names with versions, or members.
    fn list(&mut self, list: &Value) {
        for text in list.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)));
            self.enter(&text[..end.unwrap_or(text.len())], false);
        }
        for (name, value) in members(Some(list)) {
            // The workspace manifest declares this dependency.
            if value.get("workspace").is_some() {
                continue;
            }
            let version = value.as_str().unwrap_or_default();
            let ours =
                value.get("path").is_some() || LOCAL.iter().any(|it| version.starts_with(it));
            self.enter(name, ours);
            if let Some(package) = manifest::text(value, "package") {
                self.enter(package, ours);
            }
        }
    }

    fn enter(&mut self, name: &str, ours: bool) {
        let name = name.rsplit('/').next().unwrap_or(name).replace(['-', '.'], "_");
        if !name.is_empty() {
            if ours { &mut self.ours } else { &mut self.theirs }.insert(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Complete manifests, in the order of their names.
    const WHOLE: [&str; 3] = [
        "[package]\nname = \"my-lib\"\nversion = \"1.2.0\"\n[dependencies]\ntower = \"0.4\"\n\
         old = { package = \"new-one\", version = \"1\" }\n[target.'cfg(unix)'.dev-dependencies]\nnix = \"1\"\n",
        "{\"name\": \"@me/own\", \"version\": \"1.2.0\", \"dependencies\": {\"express\": \"4\", \"near\": \"workspace:*\"}}",
        "[project]\nname = \"own\"\nversion = \"1.2.0\"\ndependencies = [\"numpy>=1\"]\n\
         [tool.poetry.dependencies]\nclick = \"8\"\n",
    ];
    /// Replacements for a part of a manifest.
    #[rustfmt::skip]
    const PUT: [&str; 14] = [
        "", "", "1", "[]", "{}", "null", "\"a\"", "\n", "=", "é", "\u{1b}[2J", "\u{202e}",
        "\u{feff}", "1979-05-27",
    ];

    fn of(path: &str, text: &str) -> Dependencies {
        let mut all = Dependencies::default();
        all.read(path, text);
        all
    }

    #[test]
    fn what_begins_with_a_dependency_is_the_dependencys() {
        let cargo = of(
            "a/Cargo.toml",
            "[package]\nname = \"my-lib\"\n[dependencies]\ntower = \"0.4\"\nold = { package = \"new-one\", version = \"1\" }\n\
             my-macros = { path = \"macros\" }\nshared = { workspace = true }\n[target.'cfg(unix)'.dev-dependencies]\nnix-er = \"1\"\n\
             [workspace.dependencies]\nhttp-body = \"1\"\n",
        );
        for (name, last) in [
            ("tower::ServiceBuilder", "ServiceBuilder"),
            ("new_one::a::B", "B"),
            ("old::B", "B"),
            ("nix_er.run", "run"),
            ("http_body::Body", "Body"),
        ] {
            assert_eq!(cargo.owned_by_others(name), Some(last), "{name}");
        }
        for name in ["tower", "my_lib::A", "my_macros::A", "shared::A", "towers::A", "a::tower"] {
            assert_eq!(cargo.owned_by_others(name), None, "{name}");
        }
        let npm = "{\"name\": \"@me/own\", \"devDependencies\": {\"express\": \"4\", \"near\": \"workspace:*\"}}";
        let npm = of("package.json", npm);
        for name in ["express.Router", "Express.Router"] {
            assert_eq!(npm.owned_by_others(name), Some("Router"));
        }
        assert_eq!(npm.owned_by_others("near.Router").or(npm.owned_by_others("own.Router")), None);
        let python = of(
            "pyproject.toml",
            "[project]\nname = \"own\"\ndependencies = [\"numpy>=1\"]\n[project.optional-dependencies]\nx = [\"rich-text[a]\"]\n\
             [tool.poetry.dependencies]\nclick = \"8\"\n",
        );
        for name in ["numpy.Array", "rich_text.Table", "click.Group"] {
            assert!(python.owned_by_others(name).is_some(), "{name}");
        }
        for (path, text) in [("Cargo.toml", "[["), ("package.json", "[1]"), ("pyproject.toml", "")]
        {
            assert_eq!(of(path, text), Dependencies::default());
        }
    }

    #[test]
    fn no_manifest_makes_it_panic() {
        let open = prop::sample::select(vec!["", "[", "{a=", "{\"a\":", "[a.", "\"\"\""]);
        let deep = prop_oneof![9 => 0_usize..2, 1 => 0_usize..50_000];
        let put = prop::sample::select(PUT.to_vec());
        let changed = (0..WHOLE.len(), 0_usize..200, 0_usize..12, put, open, deep);
        let read = std::cell::Cell::new(0);
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let tried = runner.run(&changed, |(which, at, cut, put, open, deep)| {
            let whole = WHOLE[which];
            let at = at % whole.len();
            let end = (at + cut).min(whole.len());
            let text = [&whole[..at], put, &open.repeat(deep), &whole[end..]].concat();
            let mut all = Dependencies::default();
            all.read(MANIFESTS[which], &text);
            read.set(read.get() + usize::from(all != Dependencies::default()));
            all.owned_by_others(&text);
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(MANIFESTS[which]), &text).unwrap();
            let version = crate::version::declared_version(folder.path());
            prop_assert!(version.is_none_or(|version| version.len() <= 64 && version.is_ascii()));
            Ok(())
        });
        tried.unwrap();
        assert!(read.get() > 20, "{} could be read", read.get());
    }
}
