//! Changes of tools since the last report to a project, and the tools that fail.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::tool::health;
use super::unaccepted::waiting;
use super::{Context, HealthState};
use crate::definition::{ChangeClass, Difference};
use crate::ids::{ClientId, Scope, ServerKey, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Revision, SubjectKind};
use crate::source::SourceState;
use crate::time::Timestamp;
use crate::tool::{Hold, PresenceCause, Status, Tool, ToolKind};

/// The net change of a tool over several journal entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetChange {
    /// The tool's name.
    pub name: ToolName,
    /// The server to which the tool belongs, or the server itself.
    #[serde(skip)]
    pub server: Option<ServerKey>,
    /// The status before the first entry. `None` if one of the entries added the tool.
    pub from: Option<Status>,
    /// The current status.
    pub to: Status,
    /// The cause of the last entry. For a failing tool, the current evidence. For an absent tool that was demoted by
    /// hand, the cause of its absence.
    pub cause: String,
    /// The current health.
    #[serde(skip)]
    pub health: HealthState,
}

impl NetChange {
    /// Returns the kind of news.
    pub fn news(&self) -> News {
        match (self.to, self.from) {
            (Status::Stale, _) => News::Gone,
            (Status::Demoted, _) if is_absence(&self.cause) => News::Gone,
            (Status::Demoted, _) if self.health == HealthState::Demoted => News::Demoted,
            (Status::Demoted, _) => News::Failing,
            (Status::Active, Some(_)) => News::Back,
            (Status::Active, None) => News::New,
        }
    }

    /// Returns true if the tool became present or absent with its server.
    pub fn is_by_server(&self) -> bool {
        PresenceCause::from_word(&self.cause).is_some_and(PresenceCause::is_by_server)
    }
}

/// The kinds of news about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The tool is absent. This takes precedence over other problems.
    Gone,
    /// A person demoted the tool.
    Demoted,
    /// The tool fails, or an agent demoted it.
    Failing,
    /// The tool is active again.
    Back,
    /// The tool is active and was unknown before.
    New,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Telling {
    /// The tools whose status changed, last used first.
    pub changes: Vec<NetChange>,
    /// The tools that are demoted now but not in `changes` as demoted, last used first.
    pub failing: Vec<Failing>,
}

/// A tool with a changed definition that awaits a person's decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redefined {
    /// The tool's name.
    pub name: ToolName,
    /// The kind of change to the definition.
    pub class: ChangeClass,
    /// True if the tool must not be used before the decision.
    pub withheld: bool,
    /// The differences of this class. Names in them were chosen by the server; suspicious ones are omitted.
    pub differences: Vec<Difference>,
    /// The time at which the definition changed.
    #[serde(skip)]
    pub since: Timestamp,
}

/// Returns the tools that a project sees and whose changed definition awaits a decision. The most serious class comes
/// first, and within a class the tools used last.
pub(crate) fn redefined(context: &Context<'_>) -> Vec<Redefined> {
    let redefined = context.view().definitions.values().filter_map(|row| {
        let tool = context.view().tools.get(&row.key)?;
        let shown = told(context, tool) && !context.is_replaced(tool);
        let withheld = tool.presence.cause == PresenceCause::DefinitionChanged;
        // A tool that the client no longer has is reported as absent instead.
        let is_offered = withheld || tool.presence.is_present();
        let used = context.last_used(tool);
        let class = waiting(context, tool, row)?;
        Some((row, class, withheld, used)).filter(|_| shown && is_offered)
    });
    let mut all: Vec<_> = redefined
        .map(|(row, class, withheld, used)| {
            let mut differences = row.differences();
            differences.retain(|each| each.class == class);
            if class == ChangeClass::Suspicious {
                // Differences without a name come first.
                differences.sort_by_key(|each| each.name.is_some());
                for each in &mut differences {
                    (each.what, each.name) = (each.alone(), None);
                }
                differences.dedup();
            }
            let name = row.key.name.clone();
            (used, Redefined { name, class, withheld, differences, since: row.since })
        })
        .collect();
    all.sort_by(|one, other| one.1.name.cmp(&other.1.name));
    all.dedup_by(|one, other| one.1.name == other.1.name);
    all.sort_by_key(|(used, each)| std::cmp::Reverse((each.class, *used)));
    all.into_iter().map(|(_, each)| each).collect()
}

/// Returns the server entries of the project that did not answer the last request for their tools, each with the time
/// of that request.
pub(crate) fn unanswered(context: &Context<'_>) -> Vec<(ToolName, Timestamp)> {
    let servers = context.visible().filter(|tool| {
        tool.kind == ToolKind::McpServer && tool.presence.is_present() && told(context, tool)
    });
    let failed = servers.filter_map(|tool| {
        let source = context.trouble(tool).filter(|each| each.state == SourceState::Failed)?;
        Some((tool.key.name.clone(), source.last_scan_at))
    });
    failed.collect()
}

/// A tool that must not be relied on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failing {
    /// The tool's name.
    pub name: ToolName,
    /// The server to which the tool belongs, or the server itself.
    #[serde(skip)]
    pub server: Option<ServerKey>,
    /// The cause.
    pub cause: String,
    /// The health, which shows whether the tool may be retried.
    #[serde(skip)]
    pub health: HealthState,
    /// The number of days since the tool's last use. `None` if it is at most one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused_days: Option<i64>,
    /// The cause of the absence, if the tool is also absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<PresenceCause>,
    /// True if the failure was not yet reported to the requesting agent.
    pub is_news: bool,
    /// True if the tool began to fail after the last report to the requesting agent. If false, the failure may still be
    /// new to a client that has received the tool since.
    #[serde(skip)]
    pub has_begun: bool,
}

impl Failing {
    /// Returns the kind of news.
    pub fn news(&self) -> News {
        if self.health == HealthState::Demoted { News::Demoted } else { News::Failing }
    }

    /// Returns the cause, the time since the last use and the absence in one line.
    pub fn reason(&self) -> String {
        let unused = self.unused_days.map(|days| format!(", last used {days} days ago"));
        let absent = self.absent.map(|cause| format!("; also absent: {}", cause.as_str()));
        format!("{}{}{}", self.cause, unused.unwrap_or_default(), absent.unwrap_or_default())
    }
}

/// Combines the journal entries after `after` into one net change per tool that the project sees, for one client or for
/// all, and adds the tools that fail now. `last` is the revision of the last report in a continuing context: for a tool
/// that changed after it, only the change since then is reported. Tools known only from use are reported only if they
/// are not `active`. If a name exists in two scopes, only the tool that the project uses is reported.
pub(crate) fn tell(context: &Context<'_>, after: Revision, last: Option<Revision>) -> Telling {
    let client = context.view().seen_by.as_ref();
    let mut changes = net(context, after);
    changes.extend(last.map(|last| net(context, last)).unwrap_or_default());
    let demoted = Some(Status::Demoted.as_str());
    let since = last.unwrap_or(after);
    let new = runs(context, since).into_iter();
    let new = new.filter(|(_, (begun, _))| before(begun) != Some(Status::Demoted));
    let new: BTreeSet<ToolKey> = new.map(|(key, _)| key).collect();
    let began = entries(context, since)
        .filter(|(_, entry)| entry.from.as_deref() != demoted && entry.to.as_deref() == demoted);
    let began: BTreeSet<ToolKey> = began.map(|(key, _)| key).collect();
    let is_changed = |tool: &Tool| {
        changes.get(&tool.key.name).is_some_and(|change| change.to == Status::Demoted)
    };
    let mut failing: Vec<&Tool> = context
        .visible()
        .filter(|tool| context.status(tool) == Status::Demoted && told(context, tool))
        .filter(|tool| tool.status() == Status::Demoted || !context.has_demoted_by_hand(tool))
        // The server's report covers a tool that is demoted with it.
        .filter(|tool| !is_changed(tool) && context.demoted_server(tool).is_none())
        .filter(|tool| client.is_none() || tool.presence.is_present())
        .collect();
    // The return of a server is not reported while it fails.
    let is_failing = |name: &ToolName| {
        failing.iter().any(|tool| tool.kind == ToolKind::McpServer && tool.key.name == *name)
    };
    changes.retain(|name, change| change.to != Status::Active || !is_failing(name));
    failing.sort_by_key(|tool| (std::cmp::Reverse(context.last_used(tool)), tool.key.clone()));
    let failing = failing
        .into_iter()
        .map(|tool| {
            let report = super::ToolReport::new(context, tool);
            let unused = context.last_used(tool).map(|at| context.now().days_since(at));
            let members = context.members(tool).iter().map(|member| &member.key);
            let of_it = [&tool.key].into_iter().chain(context.provider(&tool.key)).chain(members);
            let has_begun = of_it.clone().any(|key| began.contains(key));
            let is_news = of_it.into_iter().any(|key| new.contains(key));
            Failing {
                name: report.key.name,
                server: tool.server.clone(),
                cause: report.health.cause.unwrap_or_default(),
                health: report.health.state,
                unused_days: unused.filter(|days| *days > 1),
                absent: Some(tool.presence.cause).filter(|_| tool.presence.is_absent()),
                is_news,
                has_begun,
            }
        })
        .collect();
    let mut changes: Vec<NetChange> = changes.into_values().collect();
    let used =
        |name: &ToolName| context.last_used(context.view().resolve(context.project(), name)?);
    changes.sort_by_cached_key(|change| std::cmp::Reverse(used(&change.name)));
    Telling { changes, failing }
}

/// Returns, for each tool, the first and the last journal entry after `after` that matter to the requesting client.
fn runs<'a>(
    context: &Context<'a>,
    after: Revision,
) -> BTreeMap<ToolKey, (&'a JournalEntry, &'a JournalEntry)> {
    let mut first: BTreeMap<ToolKey, (&JournalEntry, &JournalEntry)> = BTreeMap::new();
    for (key, entry) in entries(context, after) {
        first.entry(key).and_modify(|pair| pair.1 = entry).or_insert((entry, entry));
    }
    first
}

/// Returns the journal entries of tools after `after` that matter to the requesting client, in order.
fn entries<'a>(
    context: &Context<'a>,
    after: Revision,
) -> impl Iterator<Item = (ToolKey, &'a JournalEntry)> {
    let client = context.view().seen_by.as_ref();
    // Changed definitions are reported separately. Their effect on the tool has its own entry.
    let new = context.view().journal.values().filter(move |entry| {
        entry.revision > after
            && entry.subject.kind == SubjectKind::Tool
            && entry.action != Action::Redefined
    });
    new.filter_map(move |entry| {
        let key = entry.subject.tool_key()?;
        let concerns = concerns(entry, client) || recovered_for_all(context, entry, &key);
        concerns.then_some((key, entry))
    })
}

/// Returns the net changes of tools over the journal entries after `after`, by name. If a name is gone in both scopes,
/// reports the project's own tool, because it comes last.
fn net<'a>(context: &Context<'a>, after: Revision) -> BTreeMap<&'a ToolName, NetChange> {
    let client = context.view().seen_by.as_ref();
    let mut changes: BTreeMap<&ToolName, NetChange> = BTreeMap::new();
    let runs = runs(context, after);
    for (key, (begun, ended)) in &runs {
        let Some(tool) = context.deciding(key).filter(|tool| told(context, tool)) else {
            continue;
        };
        // A server that the project disables stays disabled, whatever the user's entry says.
        let is_off = tool.key.scope == Scope::Global && tool.presence.cause.is_off();
        if context.is_replaced(tool) || is_off && *key == tool.key && !is_switched_off(ended) {
            continue;
        }
        // A client may have had the server through the user's entry before the project's.
        let users = runs.get(&ToolKey::global(key.name.clone())).map(|(begun, _)| begun);
        let begun = users.filter(|users| users.revision < begun.revision).unwrap_or(begun);
        let from = before(begun);
        // A server that is demoted only because of its tools has no status change; it is reported as failing.
        let to = tool.status();
        let new = begun.action == Action::Added;
        // While no client had the server, failures of the name were not reported to anyone.
        let was_invented = begun.action == Action::Recovered
            && !begun.clients.is_empty()
            && context.provider(&tool.key).is_none();
        let use_alone = (new || was_invented) && !tool.is_configured() && to == Status::Active;
        // A tool that the requesting client never loaded did not disappear.
        let was_never_there = new && to == Status::Stale && is_absence(&begun.cause);
        // Health is shared between clients. Its change is not news to a client that does not have the tool.
        let shared = begun.clients.is_empty() && ended.clients.is_empty();
        let is_away = client.is_some() && tool.presence.is_absent();
        let was_away = is_away && shared && ended.action != Action::Absent;
        // A withheld tool was already stale before it became absent.
        let was_withheld = ended.action == Action::Absent && before(ended) == Some(Status::Stale);
        let is_news = from != Some(to) || was_withheld && to == Status::Stale;
        if is_news && !use_alone && !was_never_there && !was_away {
            let now = health(context, tool);
            let agent = ended.actor.as_ref().filter(|_| ended.cause == "by_hand");
            let by_agent = agent.map(|agent| format!("{} by {agent}", ended.action.as_str()));
            // Absence is more informative than a manual demotion.
            let is_gone = tool.presence.is_absent()
                && (tool.hold == Hold::Demoted || ended.action != Action::Failing);
            let cause = match to {
                Status::Demoted if is_gone => Some(tool.presence.cause.as_str().to_owned()),
                // Uses the current evidence, like all other reports.
                Status::Demoted => now.cause,
                _ => by_agent,
            };
            let cause = cause.unwrap_or_else(|| ended.cause.clone());
            let (name, server) = (tool.key.name.clone(), tool.server.clone());
            let change = NetChange { name, server, from, to, cause, health: now.state };
            changes.insert(&tool.key.name, change);
        } else if from == Some(to) && !begun.clients.is_empty() {
            changes.remove(&tool.key.name);
        }
    }
    changes
}

/// Returns true if an entry matters to a client: it applies to all clients or names this one. If no client is given,
/// returns true if the entry changes the status for all clients together. A tool that became present or absent with its
/// server is covered by the server's entry.
fn concerns(entry: &JournalEntry, client: Option<&ClientId>) -> bool {
    match client {
        None => entry.clients.is_empty() || entry.from != entry.to,
        Some(_) if entry.clients.is_empty() => {
            !PresenceCause::from_word(&entry.cause).is_some_and(PresenceCause::is_by_server)
        }
        Some(client) => entry.clients.contains(client),
    }
}

/// Returns true if the entry is the recovery of a tool whose failure was reported to all clients of its server.
fn recovered_for_all(context: &Context<'_>, entry: &JournalEntry, key: &ToolKey) -> bool {
    let tool = || context.view().tools.get(key);
    entry.action == Action::Recovered && tool().is_some_and(|tool| context.failed_with_server(tool))
}

fn is_switched_off(entry: &JournalEntry) -> bool {
    PresenceCause::from_word(&entry.cause).is_some_and(PresenceCause::is_off)
}

/// Returns true if the word is a cause of absence.
fn is_absence(cause: &str) -> bool {
    PresenceCause::from_word(cause).is_some_and(|cause| !cause.is_present())
}

/// Returns the status of a tool before an entry, for the clients that the entry is about.
fn before(entry: &JournalEntry) -> Option<Status> {
    let shared = entry.from.as_deref().and_then(Status::from_word);
    match entry.action {
        _ if entry.clients.is_empty() || shared == Some(Status::Demoted) => shared,
        Action::Added => None,
        Action::Present | Action::Accepted => Some(Status::Stale),
        _ => Some(Status::Active),
    }
}

fn told(context: &Context<'_>, tool: &Tool) -> bool {
    context.is_visible(tool) && !context.is_silent(tool) && context.is_told_of(tool)
}
