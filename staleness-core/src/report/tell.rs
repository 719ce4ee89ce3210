//! Telling: what changed for a project since it was told last, and what not to rely on.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Context;
use crate::definition::ChangeClass;
use crate::ids::{ClientId, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Revision, SubjectKind};
use crate::time::Timestamp;
use crate::tool::{PresenceCause, Status, Tool, ToolKind};

/// The net change of one tool over a run of journal entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetChange {
    /// The tool.
    pub name: String,
    /// Its status before the first entry; `None` when it was added among them.
    pub from: Option<Status>,
    /// Its status now.
    pub to: Status,
    /// The cause of the last entry.
    pub cause: String,
}

/// The changes and failures of tools to tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Telling {
    /// Tools whose status changed, by name.
    pub changes: Vec<NetChange>,
    /// Tools that are shown as demoted now and are not told as such in `changes`, latest used first.
    pub failing: Vec<Failing>,
}

/// A tool whose server changed its definition, which waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redefined {
    /// The tool.
    pub name: String,
    /// The class of the change.
    pub class: ChangeClass,
    /// True if it is not to be used until then.
    pub withheld: bool,
    /// The parameters that changed, with those around each; chosen by the server.
    pub parameters: Vec<String>,
    /// Since when.
    #[serde(skip)]
    pub since: Timestamp,
}

/// Returns the tools with a change that waits for a person, by name, as a project sees them.
pub(crate) fn redefined(context: &Context<'_>) -> Vec<Redefined> {
    let waiting = context.view().definitions.values().filter_map(|row| {
        let tool = context.view().tools.get(&row.key)?;
        let shown = told(context, tool) && !context.is_replaced(tool);
        Some((row, row.pending?)).filter(|_| shown)
    });
    let mut all: Vec<Redefined> = waiting
        .map(|(row, class)| {
            let all = row.differences().into_iter();
            let of_parameters = all
                .filter(|each| matches!(each.class, ChangeClass::Narrowed | ChangeClass::Widened));
            let parameters = of_parameters.filter_map(|each| each.name).collect();
            let withheld = context.view().tools.get(&row.key).is_some_and(Tool::is_withheld);
            let name = row.key.name.to_string();
            Redefined { name, class, withheld, parameters, since: row.since }
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all.dedup_by(|one, other| one.name == other.name);
    all
}

/// A tool that is not to be relied on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failing {
    /// The tool.
    pub name: String,
    /// Why.
    pub cause: String,
}

/// Nets the journal entries after `after` for every tool that the project sees, for one client or for all together, and
/// adds what is failing now. Of a tool that changed since `last`, up to which a context that goes on was told, that change
/// is told. Tools that became known by use alone are told only when they are not `active`, and of one name in two scopes
/// only what it means to the project.
#[must_use]
pub(crate) fn tell(context: &Context<'_>, after: Revision, last: Option<Revision>) -> Telling {
    let client = context.view().seen_by.as_ref();
    let mut changes = net(context, after);
    changes.extend(last.map(|last| net(context, last)).unwrap_or_default());
    let is_changed = |tool: &Tool| {
        changes.get(&tool.key.name).is_some_and(|change| change.to == Status::Demoted)
    };
    let mut failing: Vec<&Tool> = context
        .visible()
        .filter(|tool| context.status(tool) == Status::Demoted && told(context, tool))
        .filter(|tool| !is_changed(tool))
        .filter(|tool| client.is_none() || tool.presence.is_present())
        .collect();
    // That a server came, or came back, is no news while it fails.
    let is_failing = |name: &ToolName| {
        failing.iter().any(|tool| tool.kind == ToolKind::McpServer && tool.key.name == *name)
    };
    changes.retain(|name, change| change.to != Status::Active || !is_failing(name));
    failing.sort_by_key(|tool| (std::cmp::Reverse(context.last_used(tool)), tool.key.clone()));
    let failing = failing
        .into_iter()
        .map(|tool| {
            let report = super::ToolReport::new(context, tool);
            let mut cause = report.health.cause.unwrap_or_default();
            let unused = context.last_used(tool).map_or(0, |at| context.now().days_since(at));
            if unused > 1 {
                cause = format!("{cause}, last used {unused} days ago");
            }
            if tool.presence.is_absent() {
                cause = format!("{cause}; also absent: {}", tool.presence.cause.as_str());
            }
            Failing { name: report.name, cause }
        })
        .collect();
    Telling { changes: changes.into_values().collect(), failing }
}

/// The net changes of tools over the journal entries after `after`, by name: where both of a name are gone, the project's
/// own comes last and stays.
fn net<'a>(context: &Context<'a>, after: Revision) -> BTreeMap<&'a ToolName, NetChange> {
    let client = context.view().seen_by.as_ref();
    let mut first: BTreeMap<ToolKey, (&JournalEntry, &JournalEntry)> = BTreeMap::new();
    for entry in context.view().journal.values() {
        let is_new = entry.revision > after && entry.subject.kind == SubjectKind::Tool;
        if !is_new || !concerns(entry, client) {
            continue;
        }
        if let Some(key) = entry.subject.tool_key() {
            first.entry(key).and_modify(|pair| pair.1 = entry).or_insert((entry, entry));
        }
    }
    let mut changes: BTreeMap<&ToolName, NetChange> = BTreeMap::new();
    for (key, (begun, ended)) in &first {
        let Some(tool) = context.view().tools.get(key).filter(|tool| told(context, tool)) else {
            continue;
        };
        if context.is_replaced(tool) {
            continue;
        }
        let from = before(begun);
        // A server that only its tools make look demoted is told as failing.
        let to = tool.status();
        let new = begun.action == Action::Added;
        let use_alone = new && !tool.is_configured() && to == Status::Active;
        // What no client of those asked ever loaded did not go.
        let was_never_there = new && to == Status::Stale && is_absence(&begun.cause);
        // Health is shared; a tool that was and is away for this client is no news to it.
        let shared = begun.clients.is_empty() && ended.clients.is_empty();
        let is_away = client.is_some() && tool.presence.is_absent();
        let was_away = is_away && shared && ended.action != Action::Absent;
        if from != Some(to) && !use_alone && !was_never_there && !was_away {
            let (name, cause) = (tool.key.name.to_string(), ended.cause.clone());
            changes.insert(&tool.key.name, NetChange { name, from, to, cause });
        }
    }
    changes
}

/// Returns true if an entry tells of a change for this client: of one for all, or for this one. Without a client, if it
/// tells of one for all clients together. That a tool of a server went or came with it is the server's to say.
fn concerns(entry: &JournalEntry, client: Option<&ClientId>) -> bool {
    match client {
        None => entry.clients.is_empty() || entry.from != entry.to,
        Some(_) if entry.clients.is_empty() => {
            !PresenceCause::from_word(&entry.cause).is_some_and(PresenceCause::is_by_server)
        }
        Some(client) => entry.clients.contains(client),
    }
}

/// Returns true if a cause is one for which a tool is absent.
fn is_absence(cause: &str) -> bool {
    PresenceCause::from_word(cause).is_some_and(|cause| !cause.is_present())
}

/// The status that a tool had before an entry, for those whom the entry is about.
fn before(entry: &JournalEntry) -> Option<Status> {
    let shared = entry.from.as_deref().and_then(Status::from_word);
    match entry.action {
        _ if entry.clients.is_empty() || shared == Some(Status::Demoted) => shared,
        Action::Added => None,
        Action::Present => Some(Status::Stale),
        _ => Some(Status::Active),
    }
}

/// Returns true if a tool is told at all.
fn told(context: &Context<'_>, tool: &Tool) -> bool {
    context.is_visible(tool) && !context.is_silent(tool) && context.is_told_of(tool)
}
