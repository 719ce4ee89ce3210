//! Finds the subcommands that source code defines with common libraries. Subcommands defined in other ways are not
//! found.

use super::{TargetKind, Targets};

/// Names of files and folders that define the command line of a program.
pub(super) const PLACES: &[&str] =
    &["app", "args", "cli", "cmd", "command", "commands", "main", "opts", "root", "subcommands"];
/// File extensions of the supported languages.
const ENDINGS: [&str; 6] = ["go", "js", "mjs", "py", "rs", "ts"];
/// Text that precedes a string with the name of a subcommand.
const MARKS: [&str; 4] = [".command(", "add_parser(", "subcommand(", "Use:"];
/// Text that may stand between a mark and the string.
const BETWEEN: [&str; 5] =
    ["clap::", "App::new(", "Command::new(", "SubCommand::with_name(", "name="];
/// Maximum distance of a Python function from its decorator, in bytes.
const MAX_APART: usize = 2_000;

pub(super) fn may_define(path: &str) -> bool {
    let end = path.rsplit_once('.').map(|(_, end)| end);
    end.is_some_and(|end| ENDINGS.contains(&end))
        && path.split(['/', '.', '-', '_']).any(|part| PLACES.contains(&part))
}

pub(super) fn read(path: &str, text: &str) -> Targets {
    let mut targets = Targets::default();
    let mut add = |name: &str| {
        if name.starts_with(|c: char| c.is_ascii_lowercase()) {
            targets.add(TargetKind::Subcommand, name, 0);
        }
    };
    for mark in MARKS.into_iter().filter(|mark| *mark != "Use:" || path.ends_with(".go")) {
        for (at, _) in text.match_indices(mark) {
            let rest = text[at + mark.len()..].trim_start();
            let rest = BETWEEN.iter().fold(rest, |rest, it| rest.strip_prefix(it).unwrap_or(rest));
            match rest.strip_prefix(['"', '\'', '`']) {
                Some(name) => add(word(name)),
                None if path.ends_with(".py") && mark == ".command(" => {
                    function(rest).into_iter().for_each(|name| add(&name));
                }
                None => {}
            }
        }
    }
    for (at, _) in text.match_indices("Subcommand").filter(|_| path.ends_with(".rs")) {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        if line.trim_start().starts_with("#[derive(") {
            variants(&text[at..], &mut add);
        }
    }
    targets
}

/// Returns the word at the beginning of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the name of the subcommand that a Python decorator creates from the function below it.
fn function(text: &str) -> Option<String> {
    let (before, name) = text.split_once("def ")?;
    let name = word(name).replace('_', "-");
    // Some versions of the library omit these endings.
    let is_plain = !["-command", "-cmd", "-group"].iter().any(|end| name.ends_with(end));
    (before.len() < MAX_APART && is_plain).then_some(name)
}

/// Adds the variants of an enum from which clap derives subcommands. `text` begins in its `derive`.
fn variants(text: &str, add: &mut dyn FnMut(&str)) {
    let Some((head, body)) = text.split_once('{') else { return };
    if !head.contains("enum ") || head.contains("rename_all") {
        return;
    }
    let (mut depth, mut named) = (0_usize, None);
    for line in body.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if depth == 0 && line.starts_with("#[") {
            let name = line.split_once("(name = \"").map(|(_, name)| word(name));
            let is_other = line.contains("flatten") || line.contains("external_subcommand");
            named = name.or(named).or(is_other.then_some(""));
        } else if depth == 0 && line.starts_with(|c: char| c.is_ascii_uppercase()) {
            add(&named.take().map_or_else(|| kebab(word(line)), str::to_owned));
        }
        for byte in line.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
    }
}

/// Converts `DryRun` to `dry-run`.
fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && kebab.ends_with(|c: char| c != '-') {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}
