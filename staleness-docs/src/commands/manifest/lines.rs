//! Reads YAML manifests line by line. Only names in obvious places are read. If the file contains an anchor, a tag or a
//! name in brackets, the list of targets counts as incomplete.

use super::{TargetKind, Targets, digest_of};

/// Reads the tasks of a taskfile and their aliases.
pub(super) fn tasks(text: &str) -> Targets {
    let mut targets = Targets::default();
    let mut section = "";
    // Indentation of the names in the section.
    let mut indent = None;
    let mut task: Option<(String, String)> = None;
    let mut aliases = false;
    for line in text.lines() {
        let line = line.trim_end();
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let depth = line.len() - content.len();
        if depth == 0 && !content.starts_with('-') {
            let (key, rest) = content.split_once(':').unwrap_or((content, ""));
            section = match key {
                "tasks" | "includes" => key,
                _ => "",
            };
            targets.open |= !section.is_empty() && !is_plain_value(rest);
            indent = None;
            continue;
        }
        if section.is_empty() {
            continue;
        }
        if *indent.get_or_insert(depth) == depth {
            finish(&mut targets, task.take());
            aliases = false;
            match key_of(content) {
                Some((name, rest)) if section == "tasks" => {
                    task = Some((name.to_owned(), rest.to_owned()));
                }
                Some((name, _)) => targets.add_pattern(&format!("{name}:%")),
                None => targets.open = true,
            }
        } else if section == "includes" {
            targets.open |= content.starts_with("flatten:");
        } else if let Some((name, runs)) = &mut task {
            let list = content.strip_prefix("aliases:").map(str::trim);
            let item = content.strip_prefix("- ").filter(|_| aliases);
            for alias in list.or(item).into_iter().flat_map(names) {
                targets.add(TargetKind::Task, alias, digest_of(&format!("alias of {name}")));
            }
            aliases = list.is_some() || item.is_some();
            runs.push('\n');
            runs.push_str(content);
        }
    }
    finish(&mut targets, task);
    targets
}

fn finish(targets: &mut Targets, task: Option<(String, String)>) {
    match task {
        Some((name, _)) if name.contains('*') => targets.add_pattern(&name.replace('*', "%")),
        Some((name, runs)) => targets.add(TargetKind::Task, &name, digest_of(&runs)),
        None => {}
    }
}

/// Reads the ids and aliases of pre-commit hooks.
pub(super) fn hooks(text: &str) -> Targets {
    let mut targets = Targets::default();
    for line in text.lines() {
        let content = line.trim_start().trim_start_matches("- ").trim_start();
        for part in content.split(['{', ',']).map(|part| part.trim().trim_end_matches(['}', ']'])) {
            let name = part.strip_prefix("id:").or_else(|| part.strip_prefix("alias:"));
            for name in name.into_iter().flat_map(names) {
                targets.add(TargetKind::Hook, name, 0);
            }
        }
    }
    targets
}

/// Splits a line `key: rest`.
fn key_of(content: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(rest) = content.strip_prefix(quote) {
            let (key, rest) = rest.split_once(quote)?;
            return Some((key, rest.trim_start().strip_prefix(':')?));
        }
    }
    // A key may contain colons. It ends at the first colon before a space, or at a final colon.
    let end = content.find(": ").or_else(|| content.ends_with(':').then(|| content.len() - 1))?;
    let key = &content[..end];
    let plain = !key.is_empty() && !key.contains(['&', '!', '{', '[', '<', '"', '?']);
    plain.then(|| (key, &content[end + 1..]))
}

/// Returns the names in a value: a single name, or several names in brackets.
fn names(value: &str) -> impl Iterator<Item = &str> {
    let value = value.split(" #").next().unwrap_or(value).trim();
    let value = value.trim_start_matches('[').trim_end_matches(']');
    value.split(',').map(|name| name.trim().trim_matches(['"', '\''])).filter(|it| !it.is_empty())
}

/// Returns true if a key has no value except a comment.
fn is_plain_value(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with('#') || rest == "{}"
}
