//! Renders the findings of a check.

use std::collections::BTreeMap;

use serde::Serialize;
use staleness::Timestamp;
use staleness::knowledge::Context;
use staleness::report::KnowledgeReport;
use staleness::verdict::{Level, Signal, Verdict};
use staleness_core::text::counted;
use staleness_docs::{Report, remedy};
use staleness_service::findings::{Finding, Findings, Group, Levels};
use staleness_service::remembered::Remembered;
use staleness_service::words::{need, two_decimals};
use unicode_width::UnicodeWidthStr;

use super::{Cell, ColorArg, Output, Paint, Painter, escape, section, wrap};

/// Maximum number of findings to show on a terminal.
const MOST: usize = 200;
/// Maximum number of skipped files, and of notes, to show.
const ROWS: usize = 25;
/// Minimum number of findings with the same cause that are shown as a group.
const ALIKE: usize = 3;

/// The result of comparing findings with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Compared {
    /// Number of findings that are not in the baseline.
    pub new: usize,
    /// Number of findings that are in the baseline.
    pub known: usize,
    /// Number of baseline entries that were no longer found.
    pub gone: usize,
}

pub(crate) const fn paint_of(level: Level) -> Painter {
    match level {
        Level::Fresh => Paint::good,
        Level::Review => Paint::warn,
        Level::Stale => Paint::bad,
    }
}

/// Renders the findings: first groups with a common cause, then the others by document, worst first, and a
/// summary line.
pub(crate) fn table(
    found: &Findings,
    report: &Report,
    compared: Option<Compared>,
    context: &Context,
    out: &Output,
) -> String {
    let mut text = String::new();
    let most = if out.width == usize::MAX { usize::MAX } else { MOST };
    let (mut shown, mut left, mut faint) = (0, 0, 0);
    let causes = causes(found, context);
    for places in causes.values() {
        let rows_shown = places.len().min(most - shown);
        left += places.len() - rows_shown;
        shown += rows_shown;
        if rows_shown > 0 {
            text.push_str(&together(places, rows_shown, out));
        }
    }
    for group in &found.groups {
        // Blocks with only weak signals stay fresh and are not shown.
        let (rows, fresh): (Vec<&Finding>, Vec<_>) = group
            .found
            .iter()
            .filter(|each| each.cause(context).is_none_or(|cause| !causes.contains_key(&cause)))
            .partition(|each| out.verbose || each.told.verdict.level != Level::Fresh);
        faint += fresh.len();
        let rows_shown = rows.len().min(most - shown);
        left += rows.len() - rows_shown;
        shown += rows_shown;
        if rows_shown > 0 {
            text.push_str(&heading(group, rows.len(), out));
            rows[..rows_shown].iter().for_each(|each| row(&each.told, out, &mut text));
            text.push('\n');
        }
    }
    if left > 0 {
        text.push_str(&out.paint.dim(&format!("… and {left} more; --json lists all\n")));
    }
    text.push_str(&aside(report, out));
    text.push_str(&summary(found, report, compared, out));
    text.push_str(&hints(found, faint, compared, out));
    text
}

/// Groups findings by their common cause, omitting groups smaller than [`ALIKE`].
fn causes<'f>(found: &'f Findings, context: &Context) -> BTreeMap<u64, Vec<&'f Finding>> {
    let mut causes: BTreeMap<u64, Vec<&Finding>> = BTreeMap::new();
    for each in found.all() {
        if let Some(cause) = each.cause(context) {
            causes.entry(cause).or_default().push(each);
        }
    }
    causes.retain(|_, places| places.len() >= ALIKE);
    causes
}

/// Renders a group with a common cause: `stale  8 places`, the reason, and one line each.
fn together(places: &[&Finding], shown: usize, out: &Output) -> String {
    let Some(first) = places.first() else { return String::new() };
    let worst = places.iter().map(|each| each.told.verdict.level).max().unwrap_or(Level::Stale);
    let mut text = format!(
        "{}  {}\n",
        paint_of(worst)(out.paint, worst.as_str()),
        out.paint.bold(&counted(places.len(), "place", "places")),
    );
    if let Some(signal) = first.told.verdict.signals.first() {
        reason(signal, 2, out, &mut text);
    }
    places[..shown].iter().for_each(|each| place(&each.told, out, &mut text));
    text.push('\n');
    text
}

/// Renders a document's heading: `stale  docs/guide.md  3 of 41 blocks`.
fn heading(group: &Group, count: usize, out: &Output) -> String {
    let level = group.worst.0;
    let blocks = if group.blocks > 1 {
        format!("  {count} of {} blocks", group.blocks)
    } else {
        String::new()
    };
    format!(
        "{}  {}{}\n",
        paint_of(level)(out.paint, level.as_str()),
        out.paint.bold(&escape(&group.path)),
        out.paint.dim(&blocks)
    )
}

/// Returns the separator between two parts of a line of `width` columns. The second part moves to the next line if
/// they do not fit.
pub(crate) fn gap(width: usize, out: &Output) -> &'static str {
    if width > out.width { "\n    " } else { "  " }
}

/// Appends a finding's place: `docs/guide.md:3  stale 0.24 → update`.
fn place(told: &KnowledgeReport, out: &Output, text: &mut String) {
    let place =
        format!("{}:{}", escape(told.path.as_deref().unwrap_or_default()), told.line.unwrap_or(1));
    let state = state(&told.verdict, out);
    // A place is never truncated, so that it can be clicked.
    let gap = gap(place.width() + 24, out);
    text.push_str(&format!("  {}{gap}{state}\n", out.paint.bold(&place)));
}

/// Appends a finding: its place, all reasons, and the beginning of its text.
pub(crate) fn row(told: &KnowledgeReport, out: &Output, text: &mut String) {
    place(told, out, text);
    reasons(&told.verdict, 4, out, text);
    let title = super::fitting(&escape(&told.title), out.width.saturating_sub(4));
    if !title.is_empty() {
        text.push_str(&format!("    {}\n", out.paint.dim(&title)));
    }
}

/// Formats a verdict: `stale 0.24 → update`.
pub(crate) fn state(verdict: &Verdict, out: &Output) -> String {
    let level = paint_of(verdict.level)(out.paint, verdict.level.as_str());
    format!("{level} {} → {}", two_decimals(verdict.freshness), verdict.action.as_str())
}

/// Appends all reasons, wrapped to the terminal's width.
pub(crate) fn reasons(verdict: &Verdict, indent: usize, out: &Output, text: &mut String) {
    verdict.signals.iter().for_each(|signal| reason(signal, indent, out, text));
}

fn reason(signal: &Signal, indent: usize, out: &Output, text: &mut String) {
    let mut reason = escape(&signal.reason).into_owned();
    if let Some(note) = &signal.note {
        reason.push_str(&format!(": {}", escape(note)));
    }
    for (at, line) in wrap(&reason, out.width.saturating_sub(indent + 2)).iter().enumerate() {
        let mark = if at == 0 { "- " } else { "  " };
        text.push_str(&format!("{:indent$}{mark}{line}\n", ""));
    }
    if out.verbose {
        let section = out.paint.dim(&section(signal.kind.as_str()));
        text.push_str(&format!("{:indent$}  {section}\n", ""));
    }
}

/// Renders the skipped files and the notes.
fn aside(report: &Report, out: &Output) -> String {
    let mut text = String::new();
    let mut push = |title: &str, rows: Vec<(String, String)>| {
        let count = rows.len();
        if count == 0 {
            return;
        }
        let row = |(path, what)| -> Vec<Cell> { vec![(path, None), (what, Some(Paint::dim))] };
        text.push_str(&format!("{}\n", out.paint.bold(title)));
        text.push_str(&out.table(rows.into_iter().take(ROWS).map(row)));
        text.push_str(&out.more(count.saturating_sub(ROWS), "--json lists all"));
    };
    let blind = report
        .blind
        .iter()
        .map(|each| (each.path.clone(), format!("{}: {}", each.reason, remedy(each.kind))));
    push("incomplete", blind.collect());
    let skipped = report.skipped.iter().map(|each| (each.path.clone(), each.reason.clone()));
    push("not checked", skipped.collect());
    let notes = report.notes.iter().map(|note| {
        let place = match (&note.path, note.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            (Some(path), None) => path.clone(),
            _ => "-".into(),
        };
        (place, note.text.clone())
    });
    push("notes", notes.collect());
    text
}

/// Renders the summary line: `3 stale, 5 review, 120 fresh of 128 blocks in 12 documents`.
pub(crate) fn summary(
    found: &Findings,
    report: &Report,
    compared: Option<Compared>,
    out: &Output,
) -> String {
    let Levels { fresh, review, stale } = found.counts;
    let head = |paint: Paint| {
        let part = |count: u64, painter: Painter, word: &str| {
            let text = format!("{count} {word}");
            if count > 0 { painter(paint, &text) } else { text }
        };
        format!(
            "{}, {}, {} of {} in {}",
            part(stale, Paint::bad, "stale"),
            part(review, Paint::warn, "review"),
            part(fresh, Paint::good, "fresh"),
            counted(fresh + review + stale, "block", "blocks"),
            counted(report.counts.documents, "document", "documents"),
        )
    };
    let mut text = String::new();
    if !report.blind.is_empty() {
        text.push_str(&format!("; {} incomplete", report.blind.len()));
    }
    if !report.skipped.is_empty() {
        text.push_str(&format!("; {} not checked", report.skipped.len()));
    }
    if !report.history.is_empty() {
        text.push_str(&format!("; {} treated as history", report.history.len()));
    }
    if report.new_since.is_some() {
        let Levels { review, stale, .. } = found.reported();
        text.push_str(&format!("; {stale} stale and {review} review are new"));
    }
    if let Some(Compared { new, known, gone }) = compared {
        text.push_str(&format!("; {new} new, {known} known, {gone} gone since the baseline"));
    }
    let width = head(Paint::new(ColorArg::Never)).width() + text.width();
    let rest = text.strip_prefix("; ").filter(|_| width > out.width);
    match rest {
        Some(rest) => {
            format!("{}\n{}", head(out.paint), out.details([vec![(rest.to_owned(), None)]]))
        }
        None => format!("{}{text}\n", head(out.paint)),
    }
}

/// Maximum number of blocks or items in the overview.
const SHOWN: usize = 10;

/// Renders the worst [`SHOWN`] blocks or items, one per line, and the number of the others.
fn doubtful(all: &[KnowledgeReport], how: &str, out: &Output) -> String {
    let row = |told: &KnowledgeReport| -> Vec<Cell> {
        let reason = told.verdict.signals.first().map_or("", |signal| signal.reason.as_str());
        vec![
            (told.verdict.level.as_str().into(), Some(paint_of(told.verdict.level))),
            (told.id.clone(), Some(Paint::bold)),
            (reason.to_owned(), None),
        ]
    };
    out.table(all.iter().take(SHOWN).map(row)) + &out.more(all.len().saturating_sub(SHOWN), how)
}

/// Renders stored items that need attention, for the overview. Empty if there are none.
pub(crate) fn doubtful_items(all: &[KnowledgeReport], out: &Output) -> String {
    let (verb, items) = (need(all.len()), counted(all.len(), "item", "items"));
    match all.len() {
        0 => String::new(),
        _ => {
            let how = "`staleness knowledge list` shows them all";
            format!("{items} of knowledge {verb} attention\n{}", doubtful(all, how, out))
        }
    }
}

/// Renders the findings of the last check, for the overview.
pub(crate) fn remembered(remembered: &Remembered, now: Timestamp, out: &Output) -> String {
    let Remembered { documents, stale, review, partial, doubtful, .. } = remembered;
    let paint = out.paint;
    if *documents == 0 {
        return out.hint("run `staleness check` to find outdated documents");
    }
    let age = paint.dim(&format!("({})", remembered.age(now)));
    let gap = remembered.incomplete().map_or_else(String::new, |gap| {
        paint.warn(&format!("  … the check is incomplete: {gap}")) + "\n"
    });
    if doubtful.is_empty() && !remembered.elsewhere.is_empty() {
        let others = counted(remembered.elsewhere.len(), "document", "documents");
        let check = out.hint("run `staleness check` to check them here");
        return format!("not checked at this commit: {others} {age}\n{check}{gap}");
    }
    if doubtful.is_empty() {
        let holding = match documents {
            1 => "no known problems with 1 document".into(),
            documents => format!("no known problems with {documents} documents"),
        };
        let paint = if gap.is_empty() { paint.good(&holding) } else { holding };
        return format!("{paint} {age}\n{gap}");
    }
    let bad = stale + review;
    let (of, need) = (counted(documents, "document", "documents"), need(bad));
    let mut text = format!("{bad} of {of} {need} attention {age}\n");
    text.push_str(&self::doubtful(doubtful, "`staleness check` lists all", out));
    if *partial > 0 {
        let more = match partial {
            1 => "1 document has more findings than are saved".to_owned(),
            partial => format!("{partial} documents have more findings than are saved"),
        };
        text.push_str(&paint.dim(&format!("  … {more}; only the worst are counted here\n")));
    }
    text + &gap
}

fn hints(found: &Findings, faint: usize, compared: Option<Compared>, out: &Output) -> String {
    let mut hints: Vec<String> = Vec::new();
    if faint > 0 && !out.verbose {
        hints.push(format!(
            "{} with minor hints; --verbose shows them",
            counted(faint, "fresh block", "fresh blocks")
        ));
    }
    if compared.is_some_and(|compared| compared.gone > 0) {
        hints.push("update the baseline with --write-baseline".into());
    }
    let Levels { review, stale, .. } = found.reported();
    let many = stale + review > 20;
    if many && compared.is_none() {
        hints.push("too many? Accept them: --write-baseline FILE, then --baseline FILE".into());
    }
    hints.iter().map(|hint| out.hint(hint)).collect()
}
