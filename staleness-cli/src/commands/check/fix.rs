//! `check --fix`: the changes are shown, agreed to and written.

use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Write, stderr, stdin, stdout};

use serde_json::{Value, json};
use staleness_core::text::counted;
use staleness_service::escape_lines;
use staleness_service::fixes::Fixes;

use crate::args::CheckArgs;
use crate::error::{CliError, in_words};
use crate::output::{Cell, Output, Paint, diff, escape};

/// Rows of what is left that are shown at most.
const ROWS: usize = 25;
/// The reason of what nothing could be done about.
const UNNAMED: &str = "has no certain new name";

/// Errors if nobody could be asked whether to write.
pub(super) fn may_write(args: &CheckArgs, out: &Output) -> Result<(), CliError> {
    let sees = stdout().is_terminal() && stderr().is_terminal() && !out.json;
    let may_ask = sees && stdin().is_terminal();
    if args.dry_run || args.yes || may_ask {
        return Ok(());
    }
    Err(CliError::invalid("--fix changes files, and nobody can be asked here")
        .hint("see the changes with --dry-run, then add --yes"))
}

/// Shows the changes, and writes them if that is agreed to.
pub(super) fn run(args: &CheckArgs, fixes: &mut Fixes, out: &Output) -> Result<bool, CliError> {
    let is_silent = out.json || out.quiet && args.yes;
    if !is_silent {
        out.text(&diffs(fixes, out))?;
    }
    let agreed = !fixes.documents.is_empty() && !args.dry_run && (args.yes || is_agreed(fixes)?);
    if agreed {
        fixes.write();
    }
    Ok(agreed && !fixes.documents.is_empty())
}

fn diffs(fixes: &Fixes, out: &Output) -> String {
    let mut text = String::new();
    for (path, document) in &fixes.documents {
        let shown = |text: &str| escape_lines(&text.replace("\r\n", "\n")).into_owned();
        let (before, after) = (shown(&document.before), shown(&document.after()));
        let path = escape(path);
        for line in diff::unified([&path, &path], &before, &after).lines() {
            let line = match line.as_bytes().first() {
                Some(b'+') => out.paint.good(line),
                Some(b'-') => out.paint.bad(line),
                Some(b'@') => out.paint.dim(line),
                _ => line.to_owned(),
            };
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

/// Asks the person at the terminal.
fn is_agreed(fixes: &Fixes) -> Result<bool, CliError> {
    let trouble = |error| CliError::invalid(format!("nobody answered: {}", in_words(&error)));
    let count = counted(fixes.lines(), "line", "lines");
    write!(stderr(), "Change {count}? [y/N] ").and_then(|()| stderr().flush()).map_err(trouble)?;
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(trouble)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// What was mended, and what was left with the reason.
pub(super) fn summary(fixes: &Fixes, written: bool, out: &Output) -> String {
    let mut text = String::new();
    let told: Vec<_> = fixes.left.iter().filter(|left| left.reason != UNNAMED).collect();
    let row = |left: &&staleness_service::fixes::Left| -> Vec<Cell> {
        let place = format!("{}:{}", left.path, left.line.unwrap_or(1));
        vec![(place, None), (format!("{} {}", left.name, left.reason), Some(Paint::dim))]
    };
    if !told.is_empty() {
        text.push_str(&format!("{}\n", out.paint.bold("left as it is")));
        text.push_str(&out.table(told.iter().take(ROWS).map(row)));
        text.push_str(&out.more(told.len().saturating_sub(ROWS), "--json lists all"));
    }
    let documents = fixes.documents.len();
    text.push_str(&format!(
        "{} in {} {}",
        counted(fixes.lines(), "line", "lines"),
        counted(documents, "document", "documents"),
        if written || documents == 0 { "mended" } else { "could be mended" },
    ));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    fixes.left.iter().for_each(|left| *reasons.entry(&left.reason).or_default() += 1);
    if let Some(unnamed) = reasons.get(UNNAMED) {
        let names = counted(*unnamed, "name has", "names have");
        text.push_str(&format!("; {names} no certain successor"));
    }
    text.push('\n');
    text
}

/// The edits and what is left, for `--json`.
pub(super) fn told(fixes: &Fixes, written: bool) -> Value {
    let edits = fixes.documents.iter().flat_map(|(path, document)| {
        document.edits.iter().map(move |edit| {
            json!({
                "path": path,
                "line": edit.line,
                "column": edit.column,
                "end_column": edit.end_column,
                "old": document.before.get(edit.start..edit.end),
                "new": edit.new,
            })
        })
    });
    let left = fixes.left.iter().map(|left| {
        json!({
            "path": left.path,
            "line": left.line,
            "name": left.name,
            "renamed_to": left.new,
            "reason": left.reason,
        })
    });
    json!({
        "written": written,
        "lines": fixes.lines(),
        "documents": fixes.documents.len(),
        "edits": edits.collect::<Vec<_>>(),
        "left": left.collect::<Vec<_>>(),
    })
}
