//! Manifests in TOML and JSON.

use serde_json::Value;

use super::{TargetKind, Targets, digest_of};
use crate::manifest::{at, members, text};

/// Paths of scripts in `pyproject.toml`: those of the package, and the tasks of tools that store them there.
const PYTHON: [&str; 6] = [
    "project scripts",
    "project gui-scripts",
    "tool poetry scripts",
    "tool pdm scripts",
    "tool poe tasks",
    "tool rye scripts",
];

/// Returns the targets at a path of keys in a manifest.
pub(super) fn of(file: &Value, kind: TargetKind, place: &str) -> Targets {
    let mut targets = Targets::default();
    add(&mut targets, kind, at(file, place));
    targets
}

/// Returns the scripts of `package.json` or `composer.json` as targets of a kind, and the name of the package, its own
/// programs and those of its dependencies.
pub(super) fn package(file: &Value, kind: TargetKind) -> Targets {
    let mut targets = of(file, kind, "scripts");
    if let Some(name) = text(file, "name") {
        targets.add(TargetKind::Package, name, 0);
    }
    for kind in ["dependencies", "devDependencies"] {
        for name in members(file.get(kind)).map(|(name, _)| name) {
            targets.add(TargetKind::Tool, name.rsplit('/').next().unwrap_or(name), 0);
        }
    }
    // The package's own programs are run like those of its dependencies.
    let own = text(file, "bin").and_then(|_| text(file, "name"));
    for name in members(file.get("bin")).map(|(name, _)| &**name).chain(own) {
        let name = name.rsplit('/').next().unwrap_or(name);
        targets.add(TargetKind::Tool, name, 0);
        targets.add(TargetKind::Binary, name, 0);
    }
    targets
}

/// Returns the package, binaries, examples and features in `Cargo.toml`.
pub(super) fn cargo(file: &Value) -> Targets {
    let mut targets = of(file, TargetKind::Feature, "features");
    if let Some(name) = text(file, "package name") {
        targets.add(TargetKind::Package, name, 0);
        targets.add(TargetKind::Binary, name, 0);
    }
    for (key, kind) in [("bin", TargetKind::Binary), ("example", TargetKind::Example)] {
        for each in file.get(key).and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = text(each, "name") {
                targets.add(kind, name, digest_of(text(each, "path").unwrap_or_default()));
            }
        }
    }
    targets.add(TargetKind::Feature, "default", 0);
    // An optional dependency is a feature.
    for kind in ["dependencies", "build-dependencies"] {
        for (name, value) in members(file.get(kind)) {
            if value.get("optional") == Some(&Value::Bool(true)) {
                targets.add(TargetKind::Feature, name, 0);
            }
        }
    }
    targets
}

/// Returns the scripts in `pyproject.toml`.
pub(super) fn python(file: &Value) -> Targets {
    let mut targets = Targets::default();
    let environments = members(at(file, "tool hatch envs")).map(|(_, it)| it.get("scripts"));
    for scripts in PYTHON.iter().map(|place| at(file, place)).chain(environments) {
        add(&mut targets, TargetKind::Python, scripts);
    }
    targets.open = at(file, "tool poe include").is_some();
    targets
}

fn add(targets: &mut Targets, kind: TargetKind, scripts: Option<&Value>) {
    for (name, value) in members(scripts) {
        let runs = value.get("command").unwrap_or(value);
        let text = runs.as_str().map_or_else(|| runs.to_string(), str::to_owned);
        targets.add(kind, name, digest_of(&text));
    }
}
