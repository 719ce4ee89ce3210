//! `why` and `impact`: show the connections of a record.

use serde::Serialize;
use staleness::registry::ScopeChoice;
use staleness::{Registry, Wait};
use staleness_core::journal::{Action, Subject};
use staleness_core::report::HistoryEntry;
use staleness_core::text::counted;
use staleness_service::knowledge::World;
use staleness_service::links::{self, Counts, Impact, Link, Still, Why};
use staleness_service::tools::{find, is_gone};
use unicode_width::UnicodeWidthStr;

use super::shell::quoted;
use super::tools::audience;
use crate::error::CliError;
use crate::output::found::{gap, paint_of, reasons, row};
use crate::output::tools::{cause, did_you_mean};
use crate::output::{Cell, Output, Paint, Screen, escape};
use crate::settings::{Access, Settings};

/// Maximum number of findings of a document to show.
const FINDINGS: usize = 25;

/// Prints the reasons for the state of a record.
pub(crate) fn why(settings: &Settings, name: &str, out: &Output) -> Result<(), CliError> {
    let screen = Screen::new(out, "checked");
    let world = World::new(settings, None, &screen);
    let told = links::why(&world, &settings.open(Access::Look)?, name)?;
    if out.json {
        return out.json(&WhyFor { r#for: settings.audience(), why: &told });
    }
    out.text(&(why_text(&told, out) + &audience(settings, out)))
}

#[derive(Serialize)]
struct WhyFor<'a> {
    r#for: &'a str,
    #[serde(flatten)]
    why: &'a Why,
}

/// Prints the dependents of a record.
pub(crate) fn impact(settings: &Settings, name: &str, out: &Output) -> Result<(), CliError> {
    let screen = Screen::new(out, "checked");
    let world = World::new(settings, None, &screen);
    let registry = settings.open(Access::Look)?;
    let told = links::impact(&world, &registry, name)?;
    if out.json {
        return out.json(&told);
    }
    let tool = find(&registry, settings, name, ScopeChoice::Either).ok();
    let show = |key| registry.tools().show(&settings.project, &[key], settings.now).wait();
    let is_gone = tool.map(show).transpose()?.is_some_and(|tool| is_gone(&tool));
    let hide = format!("it is gone; `staleness tools ignore {}` hides it", quoted(name));
    let hide = if is_gone { out.hint(&hide) } else { String::new() };
    out.text(&(impact_text(&told, out) + &hide))
}

fn why_text(told: &Why, out: &Output) -> String {
    let name = out.paint.bold(&escape(&told.name));
    let state = told.verdict.as_ref().map_or_else(
        || told.state.clone(),
        |verdict| paint_of(verdict.level)(out.paint, &told.state),
    );
    let width = told.name.width() + told.kind.width() + told.state.width() + 4;
    let mut text = format!("{name}{}{}  {state}\n", gap(width, out), told.kind);
    if told.findings.is_empty() {
        let title = told.title.as_deref().and_then(|title| title.lines().next());
        text.push_str(&out.row("", 0, title.unwrap_or_default()));
    }
    text.push_str(&out.row("since", 8, &told.since.map(|at| at.to_string()).unwrap_or_default()));
    told.findings.iter().take(FINDINGS).for_each(|each| row(each, out, &mut text));
    text.push_str(&out.more(told.findings.len().saturating_sub(FINDINGS), "--json lists all"));
    if let Some(verdict) = told.verdict.as_ref().filter(|_| told.findings.is_empty()) {
        reasons(verdict, 2, out, &mut text);
    }
    text.push_str(&did_you_mean(told.did_you_mean.as_deref()));
    for cause in &told.causes {
        text.push_str(&out.paint.warn(&out.lines(&escape(cause))));
    }
    let changes = told.journal.iter().map(|event| (event.of.as_str(), &event.entry));
    let of_both = links::are_of_both_scopes(changes);
    text.push_str(&out.details(told.journal.iter().map(|event| -> Vec<Cell> {
        let entry = &event.entry;
        let states = [&entry.from, &entry.to].map(|state| state.as_deref().unwrap_or_default());
        let change = if states[0] == states[1] { String::new() } else { states.join(" → ") };
        let mut cells: Vec<Cell> = vec![
            (entry.at.to_string(), Some(Paint::dim)),
            (event.of.clone(), None),
            (entry.action.as_str().to_owned(), Some(Paint::bold)),
            (change, None),
        ];
        cells.extend(of_both.then(|| (entry.scope.word().into(), None)));
        cells.push((cause(entry), None));
        cells
    })));
    if told.state != Action::Removed.as_str() {
        text.push_str(&out.lines(&format!("depends on it: {}", counts(&told.counts))));
        text.push_str(&out.hint(&format!("`staleness impact {}` shows them", quoted(&told.name))));
    }
    text
}

/// Returns the time, action and author of an item's last change. Empty if unknown.
pub(super) fn last_change(registry: &Registry, of: Subject) -> Result<String, CliError> {
    let last = registry.admin().journal_of(of, 1).wait()?;
    let last = last.last().map(HistoryEntry::from);
    let told = |entry: HistoryEntry| {
        let (action, cause) = (entry.action.as_str(), cause(&entry));
        let cause = cause.strip_prefix(action).unwrap_or(&cause);
        format!("{} {action} {}", entry.at, cause.trim_start())
    };
    Ok(last.map(told).unwrap_or_default())
}

fn impact_text(told: &Impact, out: &Output) -> String {
    let name = out.paint.bold(&escape(&told.name));
    let mut text = format!("{name}  {}\n", told.kind);
    text.push_str(&out.row("lost", 8, &told.lost.join(", ")));
    text.push_str(&out.table(told.documents.iter().map(|each| -> Vec<Cell> {
        let place = format!("{}:{}", each.path, each.line);
        vec![
            (place, Some(Paint::bold)),
            (each.names.join(", "), Some(Paint::dim)),
            (each.text.clone(), None),
        ]
    })));
    let routes = told.routes.iter().map(|route| -> Vec<Cell> {
        let lead = format!("leads to {}{}", route.route.tool, still(&route.lost));
        vec![
            (format!("route {}", route.route.id), Some(Paint::bold)),
            (lead, Some(Paint::dim)),
            (route.route.query.clone(), None),
        ]
    });
    let link = |each: &Link| -> Vec<Cell> {
        let how = format!("{}{}", each.how, still(&each.lost));
        vec![
            (format!("{} {}", each.kind, each.id), Some(Paint::bold)),
            (how, Some(Paint::dim)),
            (each.title.clone(), None),
        ]
    };
    let links = told.knowledge.iter().chain(&told.work).map(link);
    text.push_str(&out.table(routes.chain(links)));
    for (path, why) in &told.skipped {
        text.push_str(&out.lines(&format!("not searched: {}: {why}", escape(path))));
    }
    text.push_str(&out.lines(&format!("depends on it: {}", counts(&told.counts))));
    text
}

/// Returns a note on the parameters that a tool lost and a text still names.
fn still(lost: &[String]) -> String {
    if lost.is_empty() { String::new() } else { format!("; still says {}", lost.join(", ")) }
}

/// Returns the numbers of dependents that still name a lost parameter, as the end of a sentence.
fn still_say(still: &Still) -> String {
    let all = [
        (still.documents, "document", "documents"),
        (still.routes, "route", "routes"),
        (still.knowledge, "item", "items"),
        (still.work, "open work item", "open work items"),
    ];
    let some = all.into_iter().filter(|(some, ..)| *some > 0);
    let mut some: Vec<String> = some.map(|(some, one, more)| counted(some, one, more)).collect();
    let Some(last) = some.pop() else { return String::new() };
    let who = if some.is_empty() { last } else { format!("{} and {last}", some.join(", ")) };
    let say = if who.starts_with("1 ") && !who.contains(" and ") { "says" } else { "say" };
    let names: Vec<String> = still.names.iter().map(|name| format!("`{}`", escape(name))).collect();
    format!("; {who} still {say} {}", names.join(", "))
}

fn counts(counts: &Counts) -> String {
    let still = still_say(&counts.still_by);
    format!(
        "{} in {}, {}, {}, {}{still}",
        counted(counts.lines, "line", "lines"),
        counted(counts.documents, "document", "documents"),
        counted(counts.routes, "route", "routes"),
        counted(counts.knowledge, "item", "items"),
        counted(counts.work, "open work item", "open work items"),
    )
}
