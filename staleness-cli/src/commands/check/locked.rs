//! `check --locked`: lists the changes since `agents.lock` was written.

use serde_json::json;
use staleness_core::text::counted;
use staleness_service::lock::{Comparison, FILE, Lock, Move, Unchecked, current};

use super::{github, sarif};
use crate::args::documents_args::ReportFormat;
use crate::commands::definitions::diff_of;
use crate::error::CliError;
use crate::output::{Cell, Output, Paint, Painter, escape};
use crate::settings::{Access, Settings};

/// The state of a tool with a change that no person has accepted.
pub(super) const NOT_ACCEPTED: &str = "not accepted";

/// Prints the changes. Returns true if anything was changed, could not be read, or is withheld.
pub(super) fn run(
    settings: &Settings,
    format: ReportFormat,
    out: &Output,
) -> Result<bool, CliError> {
    let Some(locked) = Lock::read(settings)? else {
        return Err(CliError::invalid(format!("this project has no {FILE}"))
            .hint("write it with `staleness lock`, and commit it"));
    };
    let told = current(settings, &settings.open(Access::Look)?)?.compare(&locked);
    match format {
        ReportFormat::Json => {
            let mut document = json!(told);
            document["entries"] = locked.len().into();
            out.json(&document)?;
        }
        ReportFormat::Sarif => out.json(&sarif::moved(&told))?,
        ReportFormat::Github => out.text(&(github::moved(&told) + &summary(&told)))?,
        ReportFormat::Table => out.text(&table(&told, out))?,
    }
    Ok(!told.holds())
}

fn summary(told: &Comparison) -> String {
    let unaccepted = match told.unaccepted.len() {
        0 => String::new(),
        more => format!("; {more} {NOT_ACCEPTED}"),
    };
    let (moved, same) = (told.moved.len(), counted(told.same, "entry", "entries"));
    let unchecked = match told.unchecked.len() {
        0 => String::new(),
        more => format!("; {more} not checked"),
    };
    format!("{FILE}: {moved} changed, {same} unchanged{unaccepted}{unchecked}\n")
}

fn table(told: &Comparison, out: &Output) -> String {
    let moved = told.moved.iter().map(|each| -> Vec<Cell> {
        let paint: Painter = match each.change {
            Move::Added | Move::Changed => Paint::bad,
            Move::Removed => Paint::warn,
        };
        vec![
            (each.change.as_str().into(), Some(paint)),
            (each.kind.clone(), Some(Paint::dim)),
            (each.name.clone() + &each.class(), Some(Paint::bold)),
        ]
    });
    let unaccepted = told.unaccepted.iter().map(|each| -> Vec<Cell> {
        let paint: Painter = if each.withheld { Paint::bad } else { Paint::warn };
        let name = format!("{} ({})", each.name, each.class.as_str());
        vec![
            (NOT_ACCEPTED.into(), Some(paint)),
            ("tool".into(), Some(Paint::dim)),
            (name, Some(Paint::bold)),
        ]
    });
    let mut text = out.details(moved.chain(unaccepted)) + &not_checked(&told.unchecked, out);
    text.push_str(&summary(told));
    if let Some(first) = told.unaccepted.first() {
        text.push_str(&out.hint(&format!(
            "`{}` shows the change; `staleness tools accept` accepts it",
            diff_of(&first.name)
        )));
    }
    if told.moved.is_empty() && !told.unchecked.iter().any(Unchecked::is_unread) {
        return text;
    }
    if told.moved.iter().any(|each| each.kind == "tool") {
        let known = "tools are compared with the lists that this machine knows; `staleness scan \
                         --probe` asks their servers again";
        text.push_str(&out.hint(known));
    }
    text.push_str(&out.hint("review the changes, then run `staleness lock`"));
    text
}

/// Lists the content that was not compared.
pub(crate) fn not_checked(unchecked: &[Unchecked], out: &Output) -> String {
    let line = |each: &Unchecked| {
        let (name, reason) = (escape(&each.name), escape(&each.reason));
        out.lines(&format!("not checked: {} {name}: {reason}", each.kind))
    };
    unchecked.iter().map(line).collect()
}
