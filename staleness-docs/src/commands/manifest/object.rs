//! Manifests in JSON.

use serde_json::{Map, Value};

use super::{TargetKind, Targets, digest_of};

/// `package.json` and `composer.json`: their scripts as targets of a kind, and the name of the package, its
/// programs and those of its dependencies.
pub(super) fn package(text: &str, kind: TargetKind) -> Option<Targets> {
    let file: Value = serde_json::from_str(text).ok()?;
    let mut targets = Targets::default();
    add(&mut targets, kind, file.get("scripts"));
    if let Some(name) = file.get("name").and_then(Value::as_str) {
        targets.add(TargetKind::Package, name, 0);
    }
    for kind in ["dependencies", "devDependencies"] {
        for name in members(file.get(kind)).map(|(name, _)| name) {
            targets.add(TargetKind::Tool, name.rsplit('/').next().unwrap_or(name), 0);
        }
    }
    // The package's own programs are run as those of dependencies are.
    let own =
        file.get("bin").filter(|bin| bin.is_string()).and(file.get("name")).and_then(Value::as_str);
    for name in members(file.get("bin")).map(|(name, _)| &**name).chain(own) {
        let name = name.rsplit('/').next().unwrap_or(name);
        targets.add(TargetKind::Tool, name, 0);
        targets.add(TargetKind::Binary, name, 0);
    }
    Some(targets)
}

/// Reads the tasks of `deno.json` or `deno.jsonc`.
pub(super) fn deno(text: &str) -> Option<Targets> {
    let file: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let mut targets = Targets::default();
    add(&mut targets, TargetKind::Deno, file.get("tasks"));
    Some(targets)
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn add(targets: &mut Targets, kind: TargetKind, scripts: Option<&Value>) {
    for (name, value) in members(scripts) {
        let runs = value.get("command").unwrap_or(value);
        let text = runs.as_str().map_or_else(|| runs.to_string(), str::to_owned);
        targets.add(kind, name, digest_of(&text));
    }
}

/// Replaces comments, and commas before a closing bracket, by spaces.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut quoted = false;
    // Position of a comma that nothing has followed yet.
    let mut comma = None;
    while let Some(c) = rest.next() {
        match (quoted, c, rest.peek()) {
            (true, '\\', Some(_)) => {
                out.push(c);
                out.extend(rest.next());
                continue;
            }
            (false, '/', Some('/')) => {
                while rest.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            (false, '/', Some('*')) => {
                let mut before = ' ';
                for c in rest.by_ref().skip(1) {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
                continue;
            }
            (false, ']' | '}', _) => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
            }
            (_, '"', _) => quoted = !quoted,
            _ => {}
        }
        if !quoted && c == ',' {
            comma = Some(out.len());
        } else if !c.is_whitespace() {
            comma = None;
        }
        out.push(c);
    }
    out
}
