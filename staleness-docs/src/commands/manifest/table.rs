//! Manifests in TOML.

use toml::{Table, Value};

use super::{TargetKind, Targets, digest_of};

/// Reads the aliases in `.cargo/config.toml`.
pub(super) fn aliases(text: &str) -> Option<Targets> {
    let file: Table = text.parse().ok()?;
    let mut targets = Targets::default();
    add(&mut targets, TargetKind::Alias, file.get("alias"));
    Some(targets)
}

/// Reads the package, binaries, examples and features in `Cargo.toml`.
pub(super) fn cargo(text: &str) -> Option<Targets> {
    let file: Table = text.parse().ok()?;
    let mut targets = Targets::default();
    if let Some(name) = file.get("package").and_then(|it| it.get("name")).and_then(Value::as_str) {
        targets.add(TargetKind::Package, name, 0);
        targets.add(TargetKind::Binary, name, 0);
    }
    for (key, kind) in [("bin", TargetKind::Binary), ("example", TargetKind::Example)] {
        for each in file.get(key).and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = each.get("name").and_then(Value::as_str) {
                let path = each.get("path").and_then(Value::as_str).unwrap_or_default();
                targets.add(kind, name, digest_of(path));
            }
        }
    }
    targets.add(TargetKind::Feature, "default", 0);
    add(&mut targets, TargetKind::Feature, file.get("features"));
    // An optional dependency is a feature.
    for kind in ["dependencies", "build-dependencies"] {
        for (name, value) in members(file.get(kind)) {
            if value.get("optional").and_then(Value::as_bool) == Some(true) {
                targets.add(TargetKind::Feature, name, 0);
            }
        }
    }
    Some(targets)
}

/// Reads `pyproject.toml`: the scripts of the package, and the tasks of tools that store them there.
pub(super) fn python(text: &str) -> Option<Targets> {
    let file: Table = text.parse().ok()?;
    let mut targets = Targets::default();
    for path in [
        "project scripts",
        "project gui-scripts",
        "tool poetry scripts",
        "tool pdm scripts",
        "tool poe tasks",
        "tool rye scripts",
    ] {
        add(&mut targets, TargetKind::Python, at(&file, path));
    }
    for (_, environment) in members(at(&file, "tool hatch envs")) {
        add(&mut targets, TargetKind::Python, environment.get("scripts"));
    }
    targets.open = at(&file, "tool poe include").is_some();
    Some(targets)
}

fn at<'t>(file: &'t Table, path: &str) -> Option<&'t Value> {
    let mut parts = path.split(' ');
    let first = file.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_table).into_iter().flatten()
}

fn add(targets: &mut Targets, kind: TargetKind, scripts: Option<&Value>) {
    for (name, value) in members(scripts) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        targets.add(kind, name, digest_of(&text));
    }
}
