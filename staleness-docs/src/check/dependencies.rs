//! The dependencies of a project. Their names may change without a trace in this project.

use std::collections::HashSet;

/// The supported manifests.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "package.json", "pyproject.toml"];

/// The names of a project and its dependencies, as code writes them: with `_` instead of `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    ours: HashSet<String>,
    theirs: HashSet<String>,
}

/// Returns true if the path is that of a supported manifest.
pub(super) fn is_manifest(path: &str) -> bool {
    MANIFESTS.contains(&path.rsplit('/').next().unwrap_or(path))
}

impl Dependencies {
    /// Returns the last part of a name such as `tower::ServiceBuilder` if it begins with a dependency.
    pub(super) fn owned_by_others<'a>(&self, name: &'a str) -> Option<&'a str> {
        let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let (first, rest) = name.split_once(part)?;
        let last = rest.rsplit(part).find(|part| !part.is_empty())?;
        (self.theirs.contains(first) && !self.ours.contains(first)).then_some(last)
    }

    /// Adds names of other projects that no manifest tells.
    pub(super) fn add<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.theirs.extend(names.map(str::to_owned));
    }

    /// Reads a manifest. Ignores it if it cannot be parsed.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        match path.rsplit('/').next().unwrap_or(path) {
            "package.json" => {
                if let Ok(file) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
                    self.package(&file);
                }
            }
            "Cargo.toml" => {
                if let Ok(file) = text.parse() {
                    self.cargo(&file);
                }
            }
            _ => {
                if let Ok(file) = text.parse() {
                    self.python(&file);
                }
            }
        }
    }

    fn enter(&mut self, name: &str, ours: bool) {
        let name = name.rsplit('/').next().unwrap_or(name).replace(['-', '.'], "_");
        if ours { &mut self.ours } else { &mut self.theirs }.insert(name);
    }

    fn cargo(&mut self, file: &toml::Table) {
        let own = file.get("package").and_then(|package| package.get("name"));
        let lib = file.get("lib").and_then(|lib| lib.get("name"));
        for name in [own, lib].into_iter().flatten().filter_map(toml::Value::as_str) {
            self.enter(name, true);
        }
        let targets = file.get("target").and_then(toml::Value::as_table);
        let targets = targets.into_iter().flat_map(|targets| targets.values());
        let workspace = file.get("workspace").and_then(toml::Value::as_table);
        let tables = targets.filter_map(toml::Value::as_table).chain(workspace).chain([file]);
        for table in tables {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let some = table.get(kind).and_then(toml::Value::as_table);
                for (name, value) in some.into_iter().flatten() {
                    // The workspace manifest declares this dependency.
                    if value.get("workspace").is_some() {
                        continue;
                    }
                    let ours = value.get("path").is_some();
                    self.enter(name, ours);
                    if let Some(package) = value.get("package").and_then(toml::Value::as_str) {
                        self.enter(package, ours);
                    }
                }
            }
        }
    }

    fn package(&mut self, file: &serde_json::Value) {
        if let Some(name) = file.get("name").and_then(serde_json::Value::as_str) {
            self.enter(name, true);
        }
        for kind in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
        {
            let some = file.get(kind).and_then(serde_json::Value::as_object);
            for (name, version) in some.into_iter().flatten() {
                let version = version.as_str().unwrap_or_default();
                let local = ["file:", "link:", "workspace:", "portal:"];
                self.enter(name, local.iter().any(|begin| version.starts_with(begin)));
            }
        }
    }

    fn python(&mut self, file: &toml::Table) {
        let project = file.get("project").and_then(toml::Value::as_table);
        let poetry = file.get("tool").and_then(|tool| tool.get("poetry"));
        let poetry = poetry.and_then(toml::Value::as_table);
        for name in [project, poetry].into_iter().flatten().filter_map(|table| table.get("name")) {
            self.enter(name.as_str().unwrap_or_default(), true);
        }
        let list = |value: Option<&toml::Value>| -> Vec<String> {
            let list = value.and_then(toml::Value::as_array);
            let texts = list.into_iter().flatten().filter_map(toml::Value::as_str);
            let name = |text: &str| {
                let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)));
                text[..end.unwrap_or(text.len())].to_owned()
            };
            texts.map(name).collect()
        };
        let optional = project.and_then(|project| project.get("optional-dependencies"));
        let optional = optional.and_then(toml::Value::as_table);
        let mut names = list(project.and_then(|project| project.get("dependencies")));
        names.extend(optional.into_iter().flat_map(|it| it.values()).flat_map(|it| list(Some(it))));
        let some = poetry.and_then(|poetry| poetry.get("dependencies"));
        names.extend(
            some.and_then(toml::Value::as_table).into_iter().flatten().map(|it| it.0.clone()),
        );
        for name in names.iter().filter(|name| !name.is_empty()) {
            self.enter(name, false);
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
        assert_eq!(npm.owned_by_others("express.Router"), Some("Router"));
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
