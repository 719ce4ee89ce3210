//! Renders work items, sessions and changes.

use staleness::Timestamp;
use staleness::ids::{AgentId, WorkId};
use staleness::report::{Delta, DeltaItem, DeltaSource, SessionReport, WorkReport};
use staleness::tool::Status;
use staleness::verdict::Level;
use staleness::work::{NoteType, Overdue as Reason, Warning, WorkKind, WorkStatus};

use serde::Serialize;
use serde_json::{Value, json};
use staleness_core::journal::Action;
use staleness_core::report::DeltaState;
use staleness_core::text::counted;
use staleness_service::model_text;
use staleness_service::when::ago;

use super::found::{paint_of, reasons, state};
use super::{Cell, Output, Paint, Painter, escape, fitting, wrap, wrap_all};

/// Renders a list of items, ended ones last. A state is painted in the colour of its level.
pub(crate) fn list(told: &[WorkReport], now: Timestamp, out: &Output) -> String {
    let (open, ended): (Vec<&WorkReport>, Vec<_>) =
        told.iter().partition(|each| each.status.is_open());
    out.table(open.into_iter().chain(ended).map(|each| line(each, now)))
}

/// Returns the cells of an item: kind, state, id, time, text.
fn line(each: &WorkReport, now: Timestamp) -> Vec<Cell> {
    let level = each.verdict.level;
    let painter: Painter = if !each.status.is_open() {
        Paint::dim
    } else if level == Level::Fresh {
        |_, text| text.to_owned()
    } else {
        paint_of(level)
    };
    vec![
        (each.kind.as_str().into(), Some(Paint::dim)),
        (words(each.status), Some(painter)),
        (each.key.to_string(), Some(Paint::bold)),
        (ago(now, each.updated_at), Some(Paint::dim)),
        (what(each), None),
    ]
}

/// Returns the first line of an item's text, after the sender and receiver of a handoff.
pub(crate) fn what(each: &WorkReport) -> String {
    /// Maximum length in columns. `work show` shows the whole text.
    const MOST: usize = 200;
    let text = fitting(each.text.lines().next().unwrap_or_default(), MOST);
    let mut text = handed_over(&each.from, &each.to, text);
    if let Some(id) = &each.waits_for {
        text = format!("waits for {id}: {text}");
    }
    match &each.claim {
        Some(claim) if each.abandoned => format!("left by {}: {text}", claim.agent),
        Some(claim) => format!("[{}] {text}", claim.agent),
        None => text,
    }
}

/// Returns the holder of an item's claim and its end, or the agent that abandoned it.
fn claimed(told: &WorkReport) -> Option<String> {
    let claim = told.claim.as_ref()?;
    let session = claim.session.as_ref();
    let session = session.map(|id| format!(" in session {id}")).unwrap_or_default();
    let verb = if told.abandoned { ", abandoned at" } else { " until" };
    Some(format!("{}{session}{verb} {}", claim.agent, claim.until))
}

/// Prefixes a text with the sender and receiver of a handoff.
fn handed_over(from: &Option<String>, to: &Option<String>, text: String) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("{from} → {to}: {text}"),
        (None, Some(to)) => format!("→ {to}: {text}"),
        (Some(from), None) => format!("{from} →: {text}"),
        (None, None) => text,
    }
}

fn words(status: WorkStatus) -> String {
    status.as_str().replace('_', " ")
}

/// Renders an item that was just added or changed.
pub(crate) fn noted(told: &WorkReport, dry_run: bool, out: &Output) -> String {
    let would = if dry_run { "  nothing was written" } else { "" };
    let mut text = format!(
        "{}  {} {}{}\n",
        out.paint.bold(&escape(&told.key.to_string())),
        told.kind,
        words(told.status),
        out.paint.dim(would)
    );
    let title = fitting(&escape(&what(told)), out.width.saturating_sub(2));
    text.push_str(&format!("  {}\n", out.paint.dim(&title)));
    if let Some(claimed) = claimed(told) {
        text.push_str(&format!("  claimed by {}\n", escape(&claimed)));
        if told.kind == WorkKind::Handoff && !told.abandoned {
            text.push_str("  when it is done, set its status to accepted\n");
        }
    }
    if (told.kind, told.status) == (WorkKind::Handoff, WorkStatus::Accepted) {
        text.push_str("  this resolves it; there is nothing more to do\n");
    }
    reasons(&told.verdict, 2, out, &mut text);
    text
}

/// Renders the ids of the open items that a claimed item waits for. Empty if there are none.
pub(crate) fn waits(ids: &[WorkId]) -> String {
    let ids: Vec<&str> = ids.iter().map(WorkId::as_str).collect();
    if ids.is_empty() {
        String::new()
    } else {
        format!("  waits for {}\n", escape(&ids.join(", ")))
    }
}

/// Renders a line that names the agents to which a new item is shown, and the part that they see. `for_all` is true for
/// a handoff to an unknown agent.
pub(crate) fn reach(told: &WorkReport, for_all: bool, out: &Output) -> String {
    let what = if told.by_person {
        "its first words are quoted to"
    } else {
        "its id, but not its text, is shown to"
    };
    let whom = told.to.as_deref().filter(|_| told.kind == WorkKind::Handoff && !for_all);
    let whom =
        whom.map_or_else(|| "each agent that starts here".into(), |to| escape(to).into_owned());
    let text = fitting(&format!("{what} {whom}"), out.width.saturating_sub(2));
    format!("  {}\n", out.paint.dim(&text))
}

/// An item, with the open items that wait for it.
#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    #[serde(flatten)]
    pub(crate) told: &'a WorkReport,
    #[serde(skip_serializing_if = "<[WorkId]>::is_empty")]
    pub(crate) awaited_by: &'a [WorkId],
}

/// Renders all information about an item, with its last change in words.
pub(crate) fn show(
    told: &WorkReport,
    (dangling, awaited_by, last_change): (&[String], &[WorkId], String),
    now: Timestamp,
    out: &Output,
) -> String {
    let paint = out.paint;
    let mut text =
        format!("{}  {}\n", paint.bold(&escape(&told.key.to_string())), state(&told.verdict, out));
    for line in wrap_all(&told.text, out.width.saturating_sub(2)) {
        text.push_str(&format!("  {line}\n"));
    }
    reasons(&told.verdict, 2, out, &mut text);
    let mut row = |key: &str, value: String| text.push_str(&out.row(key, 9, &value));
    let some = |value: &Option<String>| value.clone().unwrap_or_default();
    row("kind", told.kind.as_str().into());
    row("state", words(told.status));
    row("claimed", claimed(told).unwrap_or_default());
    row("author", some(&told.author));
    row("from", some(&told.from));
    row("to", some(&told.to));
    let note = told.note.filter(|note| *note != NoteType::Observation);
    row("type", note.map(|note| note.as_str().replace('_', " ")).unwrap_or_default());
    row("generated", if told.generated { "yes".into() } else { String::new() });
    row(
        "typed",
        if told.by_person { "by a person here, so quoted to agents".into() } else { String::new() },
    );
    row("created", told.created_at.to_string());
    row("activity", format!("{}, {}", told.updated_at, ago(now, told.updated_at)));
    row("last", last_change);
    row("expires", told.expires_at.map(|at| at.to_string()).unwrap_or_default());
    for id in &told.refs {
        let gone = if dangling.contains(id) { " (unknown id)" } else { "" };
        row("refers to", format!("{id}{gone}"));
    }
    for id in &told.after {
        row("after", id.clone());
    }
    for id in awaited_by {
        row("before", id.to_string());
    }
    for step in &told.steps {
        row("step", format!("{}  {}", step.at, step.text));
    }
    text
}

/// A warning in words, with the command that resolves it.
#[derive(Serialize)]
pub(crate) struct Overdue<'a> {
    #[serde(flatten)]
    warning: &'a Warning,
    reason: String,
    /// The command to run next, or a text after `# ` if there is none.
    suggested_action: String,
    /// True if a claim must name the session of the agent.
    #[serde(skip)]
    pub(crate) needs_session: bool,
    /// True if the requesting agent has no alternative: a person typed the item, or it is a handoff for another agent.
    #[serde(skip)]
    pub(crate) has_one_way: bool,
}

impl<'a> Overdue<'a> {
    /// Formats a warning. `suggested_action` resolves it.
    pub(crate) fn new(warning: &'a Warning, suggested_action: String) -> Self {
        let reason = warning.reason();
        Self { warning, reason, suggested_action, needs_session: false, has_one_way: false }
    }
}

/// Returns the number of overdue items of each kind that can be overdue, and the total.
pub(crate) fn counts(warnings: &[Warning]) -> Value {
    let of = |kind| warnings.iter().filter(|each| each.kind == kind).count();
    let kinds = WorkKind::ALL.into_iter().filter(|kind| kind.resolved().is_some());
    let counts = kinds.map(|kind| (format!("{kind}s"), json!(of(kind))));
    counts.chain([("total".into(), json!(warnings.len()))]).collect()
}

/// Returns the number of overdue items of each kind, in one line: `3 plans, 1 expired trap`.
pub(crate) fn summary(warnings: &[Warning]) -> String {
    let part = |kind: WorkKind| {
        let of_kind = || warnings.iter().filter(|each| each.kind == kind);
        let all_expired = of_kind().all(|each| each.flag.overdue == Reason::Expired);
        let word = if all_expired { "expired " } else { "" };
        let count = Some(of_kind().count()).filter(|count| *count > 0)?;
        Some(counted(count, &format!("{word}{kind}"), &format!("{word}{kind}s")))
    };
    let parts: Vec<String> = WorkKind::ALL.into_iter().filter_map(part).collect();
    if parts.is_empty() { "nothing overdue".into() } else { parts.join(", ") }
}

/// Renders all overdue work, with the commands that resolve it.
pub(crate) fn overdue(warnings: &[Overdue<'_>], summary: &str, out: &Output) -> String {
    let mut text: String = warnings.iter().map(|each| warning(each, out)).collect();
    if !out.quiet {
        text.push_str(&format!("{summary}\n"));
    }
    text
}

fn warning(overdue: &Overdue<'_>, out: &Output) -> String {
    let (paint, each) = (out.paint, overdue.warning);
    let level = each.level;
    let mut text = format!(
        "{}  {} {}\n",
        paint_of(level)(paint, level.as_str()),
        paint.dim(each.kind.as_str()),
        paint.bold(&escape(&each.key.to_string()))
    );
    let title = handed_over(&each.from, &each.to, each.text.clone());
    let title = fitting(&escape(&title), out.width.saturating_sub(4));
    text.push_str(&format!("    {}\n", paint.dim(&title)));
    for line in wrap(&escape(&overdue.reason), out.width.saturating_sub(4)) {
        text.push_str(&format!("    {line}\n"));
    }
    if let Some(step) = &each.last_step {
        let step =
            fitting(&escape(&format!("last step: {}", step.text)), out.width.saturating_sub(4));
        text.push_str(&format!("    {step}\n"));
    }
    // The command is never truncated, so that it can be pasted. Items of other systems have no command.
    let action = escape(&overdue.suggested_action);
    if let Some(next) = action.strip_prefix("# ") {
        text.push_str(&format!("    {next}\n"));
        return text;
    }
    // No agent name is invented here, because pasting the command would claim the item for that agent.
    let is_named = action.contains(" --agent ");
    if each.flag.overdue == Reason::Abandoned {
        let other = action.replacen("work release", "work claim", 1);
        let take = match (is_named, overdue.needs_session) {
            (false, _) => "an agent adds --agent to take it",
            (true, false) => "you take it over",
            (true, true) => "you take it over; add --session with the id of your session",
        };
        let free = match &each.to {
            Some(to) => format!("  # {} may take it", escape(to)),
            None => "  # anybody may take it".into(),
        };
        text.push_str(&format!("    $ {action}{}\n", paint.dim(&free)));
        if !overdue.has_one_way {
            text.push_str(&format!("    $ {other}{}\n", paint.dim(&format!("  # {take}"))));
        }
        return text;
    }
    let to = each.kind.resolved().map(|to| format!("  # → {to}")).unwrap_or_default();
    text.push_str(&format!("    $ {action}{}\n", paint.dim(&to)));
    if overdue.has_one_way {
        return text;
    }
    // `touch` is an alternative, except for an expiry date or a missing answer.
    let (verb, end, why) = match (each.kind, each.flag.overdue) {
        (_, Reason::Expired) => ("set", " --expires +30d", "it is still valid"),
        (WorkKind::Handoff, _) if is_named => ("claim", "", "you take it"),
        (WorkKind::Handoff, _) => ("set", " --status accepted", "it is done"),
        (WorkKind::Candidate, _) => ("set", " --status accepted", "it is wanted"),
        _ => ("touch", "", "it still matters"),
    };
    let other = action.replacen("stale resolve", &format!("work {verb}"), 1);
    text.push_str(&format!("    $ {other}{end}{}\n", paint.dim(&format!("  # {why}"))));
    text
}

/// Renders overdue work for the overview. Empty if there is none.
pub(crate) fn stuck(all: &[Warning], out: &Output) -> String {
    /// Maximum number of items in the overview.
    const SHOWN: usize = 10;
    if all.is_empty() {
        return String::new();
    }
    let shown = &all[..all.len().min(SHOWN)];
    let more = out.more(all.len() - shown.len(), "`staleness stale` lists all");
    format!("overdue work: {}\n{}{more}", summary(all), warnings(shown, out))
}

fn warnings(warnings: &[Warning], out: &Output) -> String {
    out.table(warnings.iter().map(|each| -> Vec<Cell> {
        vec![
            (each.kind.as_str().into(), Some(Paint::dim)),
            (each.key.to_string(), Some(Paint::bold)),
            (each.reason(), Some(paint_of(each.level))),
            (each.text.clone(), None),
        ]
    }))
}

/// Renders the changes for an agent, with overdue work and the tools that need care.
pub(crate) fn delta(delta: &Delta, now: Timestamp, out: &Output) -> String {
    let paint = out.paint;
    let head = match (delta.source, &delta.since_session) {
        (DeltaSource::Digest, _) => "Open".into(),
        (_, Some(session)) => format!("since session {}", escape(session.as_str())),
        (DeltaSource::Cursor, None) => "since your last update".into(),
        (DeltaSource::Since, None) => "since then".into(),
    };
    let summary = model_text::summary(delta);
    let summary = summary.as_str();
    let summary = summary.strip_suffix(" open").unwrap_or(summary);
    let mut text = format!("{}: {summary}\n", paint.dim(&head));
    if let Some(until) = delta.pruned_until {
        let told = format!("changes up to {until} were pruned, so some may be missing here\n");
        text.push_str(&paint.dim(&told));
    }
    text.push_str(&out.table(delta.items.iter().map(|each| changed(each, now))));
    if delta.more > 0 {
        let more = format!("… and {} more; `staleness work list --open` shows all\n", delta.more);
        text.push_str(&paint.dim(&more));
    }
    if !delta.tools.is_empty() {
        text.push_str(&format!("{}\n", paint.bold("tools")));
        text.push_str(&out.table(delta.tools.iter().map(|each| -> Vec<Cell> {
            let from = each.from.map_or("new", Status::as_str);
            vec![
                (each.name.to_string(), Some(Paint::bold)),
                (format!("{from} → {}", each.to.as_str()), None),
                (each.cause.replace('_', " "), Some(Paint::dim)),
            ]
        })));
    }
    if !delta.redefined.is_empty() {
        text.push_str(&format!("{}\n", paint.bold("changed by their servers")));
        text.push_str(&out.table(delta.redefined.iter().map(|each| -> Vec<Cell> {
            let class = (each.class.as_str().to_owned(), Some(Paint::warn as Painter));
            let how = format!("staleness tools diff {}", each.name);
            vec![(each.name.to_string(), Some(Paint::bold)), class, (how, Some(Paint::dim))]
        })));
    }
    if !delta.failing.is_empty() {
        let is_first = delta.source == DeltaSource::Digest;
        let fails = if is_first { "failing" } else { "still failing" };
        text.push_str(&format!("{}\n", paint.bold(fails)));
        text.push_str(&out.table(delta.failing.iter().map(|each| -> Vec<Cell> {
            vec![(each.name.to_string(), Some(Paint::bold)), (each.reason(), None)]
        })));
    }
    if !delta.warnings.is_empty() {
        text.push_str(&format!("{}\n", paint.bold("overdue")));
        text.push_str(&warnings(&delta.warnings, out));
        let more = match delta.overdue - delta.warnings.len() {
            0 => "`staleness stale` shows how to settle each\n".into(),
            more => format!("… and {more} more; `staleness stale` shows all\n"),
        };
        text.push_str(&paint.dim(&more));
    }
    text
}

fn changed(each: &DeltaItem, now: Timestamp) -> Vec<Cell> {
    let state = |each: Option<DeltaState>| each.map(DeltaState::as_str);
    let net = match (each.action, state(each.from), state(each.to)) {
        (None, _, Some(to)) => to.to_owned(),
        (_, Some(from), Some(to)) => format!("{from} → {to}"),
        (Some(Action::Added), _, Some(to)) if each.has_ended() => format!("added, now {to}"),
        (action, _, _) => {
            let over = each.status.filter(|status| !status.is_open());
            let over = over.map(|status| format!(", {}", status.as_str())).unwrap_or_default();
            action.map_or("there", Action::as_str).to_owned() + &over
        }
    };
    let last = each.last.map(|last| format!(", {}", last.as_str()));
    let waits = match each.waits_for.as_ref().filter(|_| !each.has_ended()) {
        Some(id) => format!(", waits for {id}"),
        None if each.freed => ", no longer waits for anything".into(),
        None => String::new(),
    };
    let net = (net + &last.unwrap_or_default()).replace('_', " ") + &waits;
    let own = if each.own { "you" } else { each.actor.as_ref().map_or("", AgentId::as_str) };
    let held = each.claim.as_ref().map(|claim| format!("[{}] ", claim.agent));
    let mut held = held.unwrap_or_default();
    if let Some(end) = &each.claim_end {
        let by = end.by.as_ref().map_or("a person", |agent| agent.as_str());
        held.push_str(&format!("[your claim was ended by {by}] "));
    }
    vec![
        (ago(now, each.at), Some(Paint::dim)),
        (each.subject.kind().into(), Some(Paint::dim)),
        (net, None),
        (own.into(), Some(Paint::dim)),
        (each.subject.name(), Some(Paint::bold)),
        (handed_over(&each.sender, &each.recipient, held + &each.text), None),
    ]
}

pub(crate) fn session(told: &SessionReport, now: Timestamp, out: &Output) -> String {
    let ended = match told.ended_at {
        Some(at) => format!("ended {}", ago(now, at)),
        None => "open".into(),
    };
    format!(
        "{}  {}  {}\n",
        out.paint.bold(&escape(told.id.as_str())),
        escape(told.agent.as_str()),
        out.paint.dim(&format!("began {}, {ended}", ago(now, told.started_at)))
    )
}
