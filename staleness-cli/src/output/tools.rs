//! Renders tools and sources.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use staleness::ids::{Scope, SessionId, ToolName};
use staleness::registry::ScoredTool;
use staleness::report::{HealthState, Suggestion, ToolReport};
use staleness::source::SourceState;
use staleness::tool::{Hold, PresenceCause, Status};
use staleness::verdict::{Ground, Signal};
use staleness_core::report::{HistoryEntry, ScoreParts, SourceReport};
use staleness_core::tool::ListingState;
use staleness_core::work::holder_before;

use super::{Cell, Output, Paint, Painter, escape};
use staleness_service::model_text::{ModelName, Quote, is_plain};
use staleness_service::when::ago;

pub(crate) fn paint_of(tool: &ToolReport) -> Painter {
    match tool.status {
        _ if tool.is_invented() => Paint::warn,
        // Disabled and unknown tools are neither good nor bad.
        _ if tool.verdict.score().is_none() => Paint::dim,
        Status::Active => Paint::good,
        Status::Stale => Paint::warn,
        Status::Demoted => Paint::bad,
    }
}

/// Returns the painter for a server's state in a client.
pub(crate) fn paint_of_listing(state: &str) -> Option<Painter> {
    match state {
        "configured" => Some(Paint::good),
        "failing" => Some(Paint::bad),
        "off" | "-" => Some(Paint::dim),
        _ => Some(Paint::warn),
    }
}

/// The state of each server in the configuration of each client.
pub(crate) struct Matrix {
    pub clients: Vec<String>,
    /// The servers by name, each with its state in each client.
    pub rows: Vec<(String, Vec<&'static str>)>,
}

impl Matrix {
    pub(crate) fn new(servers: Vec<ToolReport>) -> Self {
        let (clients, servers) = Self::sorted(servers);
        // Each client has either the user's or the project's entry with this name.
        let rows = servers.chunk_by(|one, other| one.key.name == other.key.name).map(|entries| {
            let first = &entries[0];
            let word = |client: &String| {
                let of = |server: &ToolReport| Some(state_in(server, server.clients.get(client)?));
                entries.iter().find_map(of).unwrap_or("-")
            };
            let name = first.server.clone().unwrap_or_else(|| first.key.name.to_string());
            (name, clients.iter().map(word).collect())
        });
        Self { rows: rows.collect(), clients: clients.clone() }
    }

    /// Returns the matrix as JSON, with a row for each entry.
    pub(crate) fn document(servers: Vec<ToolReport>) -> Value {
        let (clients, servers) = Self::sorted(servers);
        let rows = servers.iter().map(|server| {
            let states = server.clients.iter();
            let states: BTreeMap<_, _> =
                states.map(|(client, at)| (client, state_in(server, at))).collect();
            json!({ "server": server.server, "scope": server.key.scope.word(), "clients": states })
        });
        json!({ "clients": clients, "servers": rows.collect::<Vec<_>>() })
    }

    fn sorted(mut servers: Vec<ToolReport>) -> (Vec<String>, Vec<ToolReport>) {
        servers.sort_by(|one, other| {
            (&one.key.name, &one.key.scope).cmp(&(&other.key.name, &other.key.scope))
        });
        let clients = servers.iter().flat_map(|server| server.clients.keys().cloned());
        (clients.collect::<BTreeSet<_>>().into_iter().collect(), servers)
    }
}

/// Returns the state of a server in a client. A failing server fails for every client that loads it.
fn state_in(server: &ToolReport, state: &ListingState) -> &'static str {
    match state {
        ListingState::Configured if server.hold == Hold::Demoted => "demoted",
        ListingState::Configured if server.status == Status::Demoted => "failing",
        _ => state.as_str(),
    }
}

/// Returns the reason why a tool is not fresh, or its description.
fn why(tool: &ToolReport) -> String {
    let by_hand = match tool.hold {
        Hold::Pinned | Hold::Ignored => Some(tool.hold.as_str()),
        // The verdict already says so.
        _ => None,
    };
    // "Never used" is already shown in another column.
    let told = tool.verdict.signals.iter().filter(|signal| signal.kind != Ground::Unused);
    let reasons = told.map(|signal| signal.reason.as_str());
    let reasons: Vec<&str> = by_hand.into_iter().chain(reasons).collect();
    if reasons.is_empty() {
        tool.description.clone().unwrap_or_default()
    } else {
        reasons.join("; ")
    }
}

/// Renders names and reasons. For a scan, also names the affected clients.
pub(crate) fn brief(tools: &[ToolReport], out: &Output) -> String {
    /// Maximum number of rows in a summary.
    const ROWS: usize = 25;
    let table = out.table(tools.iter().take(ROWS).map(|tool| -> Vec<Cell> {
        vec![
            (tool.key.name.to_string(), None),
            (tool.kind.as_str().into(), Some(Paint::dim)),
            (changed_for(tool), None),
            (why(tool), None),
        ]
    }));
    table + &out.more(tools.len().saturating_sub(ROWS), "--json lists all")
}

/// Names the clients for which a scan changed a tool: `for codex, gemini`. Empty if the change applies to all clients.
fn changed_for(tool: &ToolReport) -> String {
    match joined(&tool.changed_for) {
        none if none.is_empty() => none,
        clients => format!("for {clients}"),
    }
}

/// Renders a list of tools with status, outcomes, clients and reason.
pub(crate) fn list(tools: &[ToolReport], now: staleness::Timestamp, out: &Output) -> String {
    let row = |tool| {
        let mut cells = line(tool, now);
        cells.insert(cells.len() - 1, (clients(tool), None));
        cells
    };
    out.table(tools.iter().map(row)) + &legend(tools, out)
}

/// Renders the tools that need attention, with status, outcomes and the whole reason.
pub(crate) fn doubtful(tools: &[ToolReport], now: staleness::Timestamp, out: &Output) -> String {
    out.details(tools.iter().map(|tool| line(tool, now))) + &legend(tools, out)
}

/// Explains how to read outcomes, if any are shown.
fn legend(tools: &[ToolReport], out: &Output) -> String {
    if tools.iter().all(|tool| tool.outcomes.is_empty()) {
        return String::new();
    }
    out.hint(&format!("uses, {LEGEND}"))
}

const LEGEND: &str = "oldest first: S success, F failure, I interrupted, O offline, U unknown";

/// Renders the outcomes of one tool with their meaning.
fn outcomes(all: &str) -> String {
    if all.is_empty() { String::new() } else { format!("{all} ({LEGEND})") }
}

/// Lists a tool's clients: `claude-code, codex (off)`. Empty if only the tool's use is known.
pub(crate) fn clients(tool: &ToolReport) -> String {
    let listed = tool.clients.iter().filter(|(_, state)| state.is_listed());
    let named = listed.map(|(client, state)| match state {
        ListingState::Configured => client.clone(),
        _ => format!("{client} ({})", state.as_str()),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Suggests the tool that an invented name may mean.
pub(crate) fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("  did you mean {}?\n", escape(near)))
}

/// Renders the number of invented names, and the first few.
pub(crate) fn invented(names: &[ToolReport], out: &Output) -> String {
    /// Maximum number of names to list.
    const NAMED: usize = 5;
    let count = match names.len() {
        0 => return String::new(),
        1 => "1 invented name (no client lists it)".into(),
        many => format!("{many} invented names (no client lists them)"),
    };
    let first = names.iter().take(NAMED).map(|each| escape(each.key.name.as_str()));
    let first = first.collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMED { ", …" } else { "" };
    out.hint(&format!("{count}: {first}{more}"))
}

fn line(tool: &ToolReport, now: staleness::Timestamp) -> Vec<Cell> {
    let used = tool
        .last_used_at
        .map_or_else(|| "never used".into(), |at| format!("used {}", ago(now, at)));
    let (status, paint) = (tool.status_word.as_str(), paint_of(tool));
    let status = if tool.health.state == HealthState::Probation { "probation" } else { status };
    let own = if tool.key.scope == Scope::Global { "" } else { "project" };
    let tail: String = {
        let letters: Vec<char> = tool.outcomes.chars().collect();
        letters[letters.len().saturating_sub(8)..].iter().collect()
    };
    vec![
        (status.into(), Some(paint)),
        (tool.key.name.to_string(), Some(Paint::bold)),
        (own.into(), Some(Paint::dim)),
        (tail, None),
        (used, Some(Paint::dim)),
        (why(tool), None),
    ]
}

/// Renders ranked tools with their scores.
pub(crate) fn ranked(tools: &[ScoredTool], now: staleness::Timestamp, out: &Output) -> String {
    out.table(tools.iter().map(|each| -> Vec<Cell> {
        let mut cells = vec![(format!("{:.3}", each.score), None)];
        cells.extend(line(&each.tool, now));
        cells
    }))
}

/// Renders suggestions with their reasons. Names are made safe for agents, which run this command too.
pub(crate) fn suggestions(found: &[Suggestion], explain: bool, out: &Output) -> String {
    out.table(found.iter().map(|each| -> Vec<Cell> {
        let reason = match explain {
            true => format!("{}; {}", parts(&each.parts), each.reason),
            false => each.reason.clone(),
        };
        vec![
            (format!("{:.3}", each.score), None),
            (for_agents(each.tool.key.name.as_str()), Some(Paint::bold)),
            (each.mark.unwrap_or("").into(), Some(Paint::warn)),
            (reason, None),
        ]
    }))
}

/// Returns a plain name unchanged, and any other in a form that is safe for agents to read.
fn for_agents(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { ModelName::tool(None, name).to_string() }
}

/// Formats the parts of a score.
fn parts(parts: &ScoreParts) -> String {
    let mut text = format!("usage {:.3}", parts.usage);
    if let Some(words) = parts.words {
        text.push_str(&format!(", words {words:.3}"));
    }
    if let Some(habit) = parts.habit.filter(|habit| *habit > 0.0) {
        text.push_str(&format!(" (habit {habit:.3} of it)"));
    }
    if let Some(learned) = parts.learned {
        text.push_str(&format!(", learned {learned:.3}"));
    }
    if let Some(route) = &parts.route {
        let (close, sure) = (route.closeness, route.confidence.get());
        let (query, of) = (&route.query, closeness(route.by_words, route.by_meaning));
        text.push_str(&format!("; “{query}” closeness {close:.3}{of} × confidence {sure:.3}"));
    }
    text
}

/// Formats the parts of a similarity. Empty if only words were compared.
pub(crate) fn closeness(by_words: f64, by_meaning: Option<f64>) -> String {
    let of = |meaning| format!(" (by words {by_words:.3}, by meaning {meaning:.3})");
    by_meaning.map(of).unwrap_or_default()
}

/// Renders all sources that are not missing.
pub(crate) fn sources(sources: &[SourceReport], out: &Output) -> String {
    let there = sources.iter().filter(|source| source.state != SourceState::Missing);
    let table = out.details(there.map(|source| -> Vec<Cell> {
        let paint: Painter = match source.state {
            SourceState::Read => Paint::good,
            SourceState::Partial | SourceState::Missing => Paint::warn,
            SourceState::Failed | SourceState::Refused => Paint::bad,
        };
        let detail = source.error.clone().unwrap_or_else(|| source.path.clone());
        vec![
            (source.state.as_str().into(), Some(paint)),
            (source.id.to_string(), None),
            (format!("{} found", source.found), Some(Paint::dim)),
            (detail, None),
        ]
    }));
    if table.is_empty() { table } else { format!("{}\n{table}", out.paint.bold("sources")) }
}

/// Joins values with commas.
pub(crate) fn joined<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|each| each.to_string()).collect::<Vec<_>>().join(", ")
}

/// Formats a cause for people, replacing underscores.
pub(crate) fn words(cause: &str) -> String {
    if cause.contains(' ') { cause.to_owned() } else { cause.replace('_', " ") }
}

/// Formats the cause of a change, its author or the affected clients, the reason and the session.
pub(crate) fn cause(entry: &HistoryEntry) -> String {
    // If the cause names the former holder, it is shown last.
    let (cause, held) = match holder_before(&entry.cause).is_some() {
        true => ("by_hand", Some(entry.cause.as_str())),
        false => (entry.cause.as_str(), None),
    };
    let mut text = words(cause);
    let clients = (!entry.clients.is_empty()).then(|| joined(&entry.clients));
    match &entry.actor {
        Some(agent) if cause == "by_hand" => text = format!("by {agent}"),
        Some(agent)
            if entry.session.is_none() && clients.is_none() && !text.ends_with(agent.as_str()) =>
        {
            text.push_str(&format!(", by {agent}"));
        }
        _ => {}
    }
    let more = [
        (" for ", clients.as_deref()),
        (": ", entry.note.as_deref()),
        (" in session ", entry.session.as_ref().map(SessionId::as_str)),
        ("; ", held),
    ];
    for (what, more) in more {
        if let Some(more) = more {
            text.push_str(what);
            text.push_str(more);
        }
    }
    text
}

/// Renders all information about a tool. For a server, also lists the tools in `own` that are not active.
pub(crate) fn show(tool: &ToolReport, own: &[ToolReport], out: &Output) -> String {
    let paint = out.paint;
    let status = paint_of(tool)(paint, tool.status_word.as_str());
    let name = escape(tool.key.name.as_str());
    let mut text = format!("{}  {}\n", paint.bold(&name), status);
    let mut row = |key: &str, value: &str| text.push_str(&out.row(key, 12, value));
    row("kind", tool.kind.as_str());
    row("scope", tool.key.scope.word());
    row("server", tool.server.as_deref().unwrap_or(""));
    row("plugin", tool.plugin.as_ref().map_or("", ToolName::as_str));
    row("description", tool.description.as_deref().unwrap_or(""));
    let presence = format!(
        "{} ({}) since {}",
        if tool.presence.is_present() { "present" } else { "absent" },
        match tool.presence.cause {
            // The cause is also set for a new tool that is not accepted.
            PresenceCause::DefinitionChanged => "definition not accepted".to_owned(),
            cause => words(cause.as_str()),
        },
        tool.presence.since
    );
    row("presence", &presence);
    let state = match tool.health.state {
        HealthState::Healthy => "healthy",
        HealthState::Failing | HealthState::DemotedByAgent => "failing",
        HealthState::Probation => "failing, may be tried again",
        HealthState::Demoted => "demoted",
    };
    let cause = tool.health.cause.as_ref().filter(|_| tool.hold != Hold::Demoted);
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    row("health", &format!("{state}{cause}"));
    row("tools", &not_active(own));
    let reason = tool.held_because.as_ref().and_then(|text| Quote::of(text, true));
    let reason = reason.map(|quote| format!(": {quote}")).unwrap_or_default();
    let held = tool.hold.as_str();
    match &tool.held_by {
        _ if tool.hold == Hold::None => {}
        Some(agent) => row("decided", &format!("{held} by {agent}{reason}")),
        None => row("by hand", &format!("{held}{reason}")),
    }
    row("outcomes", &outcomes(&tool.outcomes));
    row("uses", &tool.uses.to_string());
    let sources: Vec<String> = tool.sources.iter().map(ToString::to_string).collect();
    row("sources", &sources.join(", "));
    row("discovered", &tool.discovered_at.to_string());
    row("last seen", &tool.last_seen_at.to_string());
    row("last used", &tool.last_used_at.map(|at| at.to_string()).unwrap_or_default());
    text.push_str(&verdict(tool, out));
    text
}

/// Lists tools that are not active: `2 of 5 not active: search demoted, sync stale`.
fn not_active(tools: &[ToolReport]) -> String {
    /// Maximum number of tools to list.
    const NAMED: usize = 5;
    let named: Vec<String> = tools
        .iter()
        .filter(|tool| tool.status != Status::Active)
        .map(|tool| format!("{} {}", tool.key.name, tool.status_word.as_str()))
        .collect();
    let first = named[..named.len().min(NAMED)].join(", ");
    match named.len() {
        0 => String::new(),
        some if some > NAMED => {
            format!("{some} of {} not active: {first} and {} more", tools.len(), some - NAMED)
        }
        some => format!("{some} of {} not active: {first}", tools.len()),
    }
}

fn verdict(tool: &ToolReport, out: &Output) -> String {
    let (verdict, paint) = (&tool.verdict, out.paint);
    let judged = match verdict.score() {
        Some(score) => {
            let level = super::found::paint_of(verdict.level)(paint, verdict.word());
            format!("{level} {score} → {}", verdict.action.as_str())
        }
        None => paint.dim(verdict.word()),
    };
    let text = format!("  {}  {judged}\n", paint.dim(&format!("{:<12}", "verdict")));
    let signal = |each: &Signal| -> Vec<Cell> {
        let kind = (each.kind.as_str().into(), Some(Paint::dim as Painter));
        vec![(" ".repeat(12), None), kind, (each.reason.clone(), None)]
    };
    text + &out.details(verdict.signals.iter().map(signal))
}
