//! Justfiles.

use super::{TargetKind, Targets, digest_of};

/// Reads the recipes, aliases and modules of a justfile.
pub(super) fn read(text: &str) -> Targets {
    let mut targets = Targets::default();
    let mut recipe: Option<(&str, String)> = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, runs)) = &mut recipe {
                runs.push('\n');
                runs.push_str(line.trim());
            }
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        finish(&mut targets, recipe.take());
        let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        match first {
            "alias" => {
                if let Some((name, of)) = rest.split_once(":=") {
                    targets.add(
                        TargetKind::Just,
                        name.trim(),
                        digest_of(&format!("alias of {}", of.trim())),
                    );
                }
            }
            "mod" | "mod?" => {
                let name = rest.split([' ', '\t']).next().unwrap_or_default();
                targets.add(TargetKind::Just, name, 0);
            }
            "import" | "import?" | "!include" => match rest.trim_matches(['"', '\'']) {
                path if is_literal(path) => targets.includes.push(path.to_owned()),
                _ => targets.open = true,
            },
            _ => {
                recipe = recipe_of(line).map(|(name, needs)| (name, needs.to_owned()));
            }
        }
    }
    finish(&mut targets, recipe);
    targets
}

fn finish(targets: &mut Targets, recipe: Option<(&str, String)>) {
    if let Some((name, runs)) = recipe {
        targets.add(TargetKind::Just, name, digest_of(&runs));
    }
}

/// Splits a recipe line into its name and dependencies: `@name first='a' *rest: needed`.
fn recipe_of(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix('@').unwrap_or(line);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let end = line.bytes().position(|byte| !is_name(&byte))?;
    let name = &line[..end];
    if name.is_empty() || !line[end..].starts_with([' ', '\t', ':']) {
        return None;
    }
    // The default value of a parameter may contain a colon.
    let (mut quote, bytes) = (None, line.as_bytes());
    let colon = (end..bytes.len()).find(|at| {
        match (quote, bytes[*at]) {
            (Some(open), byte) if open == byte => quote = None,
            (None, byte @ (b'"' | b'\'' | b'`')) => quote = Some(byte),
            (None, b':') => return true,
            _ => {}
        }
        false
    })?;
    // `name := value` is a variable.
    (bytes.get(colon + 1) != Some(&b'=')).then(|| (name, &line[colon + 1..]))
}

pub(super) fn is_literal(path: &str) -> bool {
    !path.is_empty() && !path.contains(['$', '`', '*', '?', '[', '~', '%', '{', '\\'])
}
