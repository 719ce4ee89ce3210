//! `check --fix`: shows the changes, asks for consent and writes them.

use serde_json::{Value, json};
use staleness_core::text::counted;
use staleness_service::fixes::Fixes;

use crate::args::CheckArgs;
use crate::commands::typed::{can_ask, is_agreed};
use crate::error::CliError;
use crate::output::{Cell, Output, Paint, diff, escape};

/// Maximum number of rows for names that were not fixed.
const ROWS: usize = 25;

/// Errors if writing needs consent but there is no terminal on which to ask.
fn may_write(args: &CheckArgs, out: &Output) -> Result<(), CliError> {
    if args.dry_run || args.yes || can_ask(out) {
        return Ok(());
    }
    Err(CliError::invalid("--fix needs confirmation, and there is no terminal to ask on")
        .hint("see the changes with --dry-run, then add --yes"))
}

/// Shows the changes, and writes them after consent. Returns true if they were written.
pub(super) fn run(args: &CheckArgs, fixes: &mut Fixes, out: &Output) -> Result<bool, CliError> {
    if !fixes.documents.is_empty() {
        may_write(args, out)?;
    }
    let is_silent = out.json || out.quiet && args.yes;
    if !is_silent {
        out.text(&diffs(fixes, out))?;
    }
    let question = format!("Change {}?", counted(fixes.lines(), "line", "lines"));
    let may_agree = !fixes.documents.is_empty() && !args.dry_run;
    let agreed = may_agree && (args.yes || is_agreed(&question)?);
    if agreed {
        fixes.write();
    }
    Ok(agreed && !fixes.documents.is_empty())
}

fn diffs(fixes: &Fixes, out: &Output) -> String {
    let documents = fixes.documents.iter();
    documents
        .map(|(path, document)| {
            let path = escape(path);
            diff::painted(&diff::unified([&path, &path], &document.before, &document.after()), out)
        })
        .collect()
}

/// Formats the number of fixed lines, and a row with the reason for each name that was not fixed.
pub(super) fn summary(fixes: &Fixes, written: bool, dry_run: bool, out: &Output) -> String {
    let mut text = String::new();
    let (told, unnamed): (Vec<_>, Vec<_>) = fixes.left.iter().partition(|left| left.new.is_some());
    let row = |left: &&staleness_service::fixes::Unfixed| -> Vec<Cell> {
        let place = format!("{}:{}", left.path, left.line.unwrap_or(1));
        vec![(place, None), (format!("{} {}", left.name, left.reason), Some(Paint::dim))]
    };
    if !told.is_empty() {
        text.push_str(&format!("{}\n", out.paint.bold("left unchanged")));
        text.push_str(&out.table(told.iter().take(ROWS).map(row)));
        text.push_str(&out.more(told.len().saturating_sub(ROWS), "--json lists all"));
    }
    let documents = fixes.documents.len();
    text.push_str(&format!(
        "{} in {} {}",
        counted(fixes.lines(), "line", "lines"),
        counted(documents, "document", "documents"),
        if written || documents == 0 && !dry_run { "fixed" } else { "can be fixed" },
    ));
    if !unnamed.is_empty() {
        let names = counted(unnamed.len(), "name has", "names have");
        text.push_str(&format!("; {names} no certain new name"));
    }
    text.push('\n');
    text
}

/// Returns the edits and the names that were not fixed, for `--json`.
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
