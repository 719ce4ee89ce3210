//! Renders knowledge items.

use staleness::Timestamp;
use staleness::knowledge::ItemKind;
use staleness::report::KnowledgeReport;
use staleness::verdict::Level;
use staleness_core::report::RecallReport;

use super::found::{paint_of, reasons, state};
use super::tools::joined;
use super::{Cell, Output, Paint, escape, wrap_all};
use staleness_service::when::ago;
use staleness_service::words::two_decimals;

/// Renders a list of items with level and freshness. An item that is not fresh has its reasons instead of its title.
pub(crate) fn list(told: &[KnowledgeReport], now: Timestamp, out: &Output) -> String {
    out.table(told.iter().map(|each| line(each, now)))
}

fn line(each: &KnowledgeReport, now: Timestamp) -> Vec<Cell> {
    let verdict = &each.verdict;
    let seen = match (each.done_at, each.verified_at) {
        (Some(at), _) => format!("done {}", ago(now, at)),
        (None, Some(at)) => format!("verified {}", ago(now, at)),
        (None, None) => format!("added {}", ago(now, each.added_at)),
    };
    let reasons: Vec<&str> = verdict.signals.iter().map(|signal| signal.reason.as_str()).collect();
    let what = if verdict.level == Level::Fresh || reasons.is_empty() {
        each.title.clone()
    } else {
        reasons.join("; ")
    };
    vec![
        (verdict.level.as_str().into(), Some(paint_of(verdict.level))),
        (two_decimals(verdict.freshness), Some(Paint::dim)),
        (each.id.clone(), Some(Paint::bold)),
        (each.kind.as_str().into(), Some(Paint::dim)),
        (seen, Some(Paint::dim)),
        (what, None),
    ]
}

/// Renders recalled items with their score. Items that cannot be relied on are marked.
pub(crate) fn recalled(told: &[RecallReport], out: &Output) -> String {
    let mut text = String::new();
    for each in told {
        let item = &each.item;
        let mark = each.mark.map(|mark| format!("{mark} ")).unwrap_or_default();
        text.push_str(&format!(
            "{}  {}{}  {}\n",
            two_decimals(each.score),
            paint_of(item.verdict.level)(out.paint, &mark),
            out.paint.bold(&escape(&item.id)),
            out.paint.dim(item.kind.as_str())
        ));
        for line in body(item, out) {
            text.push_str(&format!("      {line}\n"));
        }
        if item.verdict.level != Level::Fresh {
            reasons(&item.verdict, 6, out, &mut text);
        }
    }
    text
}

/// Renders an item that was just added or changed, in two lines.
pub(crate) fn noted(told: &KnowledgeReport, dry_run: bool, out: &Output) -> String {
    let done = if told.done_at.is_some() { "  done" } else { "" };
    let would = if dry_run { "  nothing was written" } else { "" };
    let mut text = format!(
        "{}  {}{done}{}\n",
        out.paint.bold(&escape(&told.id)),
        state(&told.verdict, out),
        out.paint.dim(would)
    );
    let title = super::fitting(&escape(&told.title), out.width.saturating_sub(2));
    text.push_str(&format!("  {}\n", out.paint.dim(&title)));
    reasons(&told.verdict, 2, out, &mut text);
    text
}

/// Renders everything known about an item, with its last change in words.
pub(crate) fn show(told: &KnowledgeReport, last_change: String, out: &Output) -> String {
    let paint = out.paint;
    let mut text = format!("{}  {}\n", paint.bold(&escape(&told.id)), state(&told.verdict, out));
    for line in body(told, out) {
        text.push_str(&format!("  {line}\n"));
    }
    reasons(&told.verdict, 2, out, &mut text);
    let mut row = |key: &str, value: String| text.push_str(&out.row(key, 12, &value));
    let at = |time: Option<Timestamp>| time.map(|at| at.to_string()).unwrap_or_default();
    row("kind", told.kind.as_str().into());
    row("scope", told.scope.word().into());
    row("file", told.path.clone().unwrap_or_default());
    row("keywords", told.keywords.join(", "));
    row("added", told.added_at.to_string());
    row("changed", at(told.updated_at.filter(|at| *at != told.added_at)));
    row("verified", at(told.verified_at));
    row("last change", last_change);
    row("written for", told.version_context.clone().unwrap_or_default());
    row("evergreen", if told.evergreen { "yes".into() } else { String::new() });
    row("due", at(told.due));
    row("done", at(told.done_at));
    row("expires", at(told.expires_at));
    row("cites", joined(&told.citations));
    row("replaces", joined(&told.supersedes));
    row("replaced by", joined(&told.superseded_by));
    row("depends on", joined(&told.related));
    let recalls = match told.recalled_at {
        Some(last) => format!("{}, last {last}", told.recalls),
        None => told.recalls.to_string(),
    };
    row("recalls", recalls);
    if told.kind == ItemKind::Todo && told.done_at.is_none() {
        row("open", "yes".into());
    }
    text
}

/// Wraps an item's text to the terminal's width.
fn body(told: &KnowledgeReport, out: &Output) -> Vec<String> {
    let text = told.body.as_deref().unwrap_or(&told.title);
    wrap_all(text, out.width.saturating_sub(6))
}
