//! Finds the time at which a tool's state began, and the likely causes.

use std::collections::BTreeSet;

use staleness::ids::ToolKey;
use staleness::registry::ScopeChoice;
use staleness::report::{KnowledgeReport, RouteReport, ToolReport, WorkReport};
use staleness::store::Refusal;
use staleness::tool::{Hold, Status};
use staleness::verdict::{Ground, Level};
use staleness::{Registry, RegistryError, Timestamp, Wait};
use staleness_core::definition::{ChangeClass, Definition};
use staleness_core::journal::{Action, Subject};

use super::resting::{asks_for, lost};
use super::{Event, tool_state};
use crate::error::ServiceError;
use crate::knowledge::World;
use crate::model_text::tool_prefix;
use crate::remembered::Remembered;
use crate::settings::Settings;

/// Maximum number of journal entries to read for one subject.
const ENTRIES: u32 = 200;

/// The time at which a tool's state began, with the likely causes and the journal.
pub(super) struct Beginning {
    pub(super) since: Timestamp,
    /// Sentences on likely causes.
    pub(super) causes: Vec<String>,
    /// The journal of the tool's server, then that of the tool, each oldest first.
    pub(super) journal: Vec<Event>,
}

impl Beginning {
    pub(super) fn of(
        registry: &Registry,
        settings: &Settings,
        tool: &ToolReport,
        key: &ToolKey,
    ) -> Result<Self, ServiceError> {
        let project = &settings.project;
        let own = events(registry, Subject::tool(key))?;
        let (mut journal, mut server) = (Vec::new(), None);
        for key in server_keys(registry, settings, tool)? {
            for key in ScopeChoice::Either.keys(&project.id, &key.name) {
                journal.extend(events(registry, Subject::tool(&key))?);
            }
            journal.sort_by_key(|event| event.entry.revision);
            server = Some(registry.tools().show(project, &[key], settings.now).wait()?);
        }
        let definitions = registry.tools().definitions(&project.id, key).wait()?;
        let since = began(tool, &own);
        let mut causes = causes(tool, since, &definitions, &own, &journal);
        // The state of a server applies to its tools, too.
        if let Some(server) = server.filter(|_| tool.hold != Hold::Demoted) {
            let signals = server.verdict.signals.into_iter();
            let (unheard, others): (Vec<_>, Vec<_>) =
                signals.partition(|signal| signal.kind == Ground::DidNotAnswer);
            let reasons: Vec<String> = others.into_iter().map(|each| each.reason).collect();
            if server.status != Status::Active {
                let (name, word) = (&server.key.name, server.status_word.as_str());
                let reasons = reasons.join("; ");
                causes.insert(0, format!("its server {name} is {word}: {reasons}"));
            }
            causes.extend(unheard.iter().map(|each| format!("its server {}", each.reason)));
        }
        journal.extend(own);
        let both = ScopeChoice::Either.keys(&project.id, &key.name).into_iter();
        for other in both.filter(|other| other != key) {
            journal.extend(events(registry, Subject::tool(&other))?);
        }
        Ok(Self { since, causes, journal })
    }
}

/// Returns the journal of a subject, oldest first.
pub(super) fn events(registry: &Registry, subject: Subject) -> Result<Vec<Event>, ServiceError> {
    let of = subject.id.clone();
    let entries = registry.admin().journal_of(subject, ENTRIES).wait()?;
    Ok(entries.iter().map(|entry| Event { of: of.clone(), entry: entry.into() }).collect())
}

/// Returns the key of the entry of the tool's server. Empty if there is none, or if `tool` is itself such an entry.
fn server_keys(
    registry: &Registry,
    settings: &Settings,
    tool: &ToolReport,
) -> Result<Vec<ToolKey>, ServiceError> {
    let is_tool = tool_prefix(tool.key.name.as_str()).is_none();
    let Some(server) = tool.server.as_ref().filter(|_| is_tool) else {
        return Ok(Vec::new());
    };
    let own = format!("mcp__{server}__*");
    let found = registry.tools().find_key(&settings.project.id, &own, ScopeChoice::Either).wait();
    Ok(found.into_iter().collect())
}

/// Returns sentences on two questions about a route: why its tool is not suggested, and which lost parameters of the
/// tool its query names.
pub(super) fn of_route(
    registry: &Registry,
    settings: &Settings,
    route: &RouteReport,
) -> Result<Vec<String>, ServiceError> {
    let name = route.tool.as_str();
    let project = &settings.project;
    let key = match registry.tools().find_key(&project.id, name, ScopeChoice::Either).wait() {
        Ok(key) => key,
        Err(RegistryError::Rejected(Refusal::Unknown { .. })) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let tool = registry.tools().show(project, std::slice::from_ref(&key), settings.now).wait()?;
    let mut causes = Vec::new();
    if tool.status != Status::Active {
        causes.push(format!("skipped: {name} is {}", tool_state(&tool)));
        causes.extend(Beginning::of(registry, settings, &tool, &key)?.causes);
    }
    let lost = lost(&registry.tools().definitions(&project.id, &key).wait()?);
    let asked = asks_for(&route.query, &lost);
    causes.extend(
        asked.iter().map(|lost| format!("its query names `{lost}`, which {name} no longer has")),
    );
    Ok(causes)
}

/// Returns sentences about the doubtful items and documents to which a work item refers.
pub(super) fn of_references(
    world: &World<'_>,
    registry: &Registry,
    work: &WorkReport,
) -> Result<Vec<String>, ServiceError> {
    if work.refs.is_empty() {
        return Ok(Vec::new());
    }
    let context = world.context_at_hand();
    let items = world.at_hand(registry, &context)?;
    let items = items.iter().map(|each| each.told(&context)).map(|told| (told.id.clone(), told));
    let (_, found) = Remembered::with_findings(world.settings, registry, None)?;
    let documents = found.groups.into_iter().filter_map(|group| {
        let worst = group.found.into_iter().next()?.told;
        Some((group.path, worst))
    });
    let doubtful = items
        .chain(documents)
        .filter(|(name, told)| work.refs.contains(name) && told.verdict.level != Level::Fresh);
    let cause = |(name, told): (String, KnowledgeReport)| {
        let reason = told.verdict.signals.first().map_or("", |signal| &signal.reason);
        format!("refers to {name}, which is {}: {reason}", told.verdict.level.as_str())
    };
    Ok(doubtful.map(cause).collect())
}

/// Returns the time at which the state of a tool began: the time of the person's decision, of the first failure, of its
/// absence, or of the pending change. `own` is its journal, oldest first.
fn began(tool: &ToolReport, own: &[Event]) -> Timestamp {
    let at = |event: Option<&Event>| event.map(|event| event.entry.at);
    let last = |action: Action| own.iter().rposition(|event| is(event, action));
    let known = match tool.status {
        _ if tool.hold != Hold::None => {
            let is_by_hand = |event: &&Event| event.entry.action.as_str() == tool.hold.as_str();
            at(own.iter().rev().find(is_by_hand))
        }
        Status::Demoted => tool.health.since,
        Status::Stale => Some(tool.presence.since),
        Status::Active if tool.verdict.rests_on(Ground::DefinitionChanged) => {
            let accepted = last(Action::Accepted).map_or(0, |at| at + 1);
            at(own[accepted..].iter().find(|event| changed(event).is_some()))
        }
        Status::Active => None,
    };
    let is_now = |event: &&Event| {
        event.entry.to.as_deref() == Some(tool.status.as_str())
            && event.entry.from != event.entry.to
    };
    known.or_else(|| at(own.iter().rev().find(is_now))).unwrap_or(tool.discovered_at)
}

/// Returns the reason for the state. For a tool demoted by hand, this is only the reason given, if any. Otherwise, it
/// is sentences about earlier changes of the definition and of the server: for a failing tool, the changes since its
/// last use before the failure; for other states, the changes within a day. The definition does not explain why a tool
/// is gone, and the server does not explain why a tool awaits a person's decision.
fn causes(
    tool: &ToolReport,
    since: Timestamp,
    definitions: &[Definition],
    own: &[Event],
    of_server: &[Event],
) -> Vec<String> {
    let day = |at: Timestamp| at.to_string().chars().take(10).collect::<String>();
    if tool.hold == Hold::Demoted {
        let by_hand = own.iter().rev().find(|event| is(event, Action::Demoted));
        let note = by_hand.and_then(|event| event.entry.note.as_ref());
        return note.map(|note| format!("demoted on {}: {note}", day(since))).into_iter().collect();
    }
    let is_failing = tool.status == Status::Demoted;
    let waits = tool.verdict.rests_on(Ground::DefinitionChanged)
        || tool.verdict.rests_on(Ground::DefinitionWithheld);
    let is_then = |event: &&Event| {
        let at = event.entry.at;
        let is_near = match tool.health.used_before {
            _ if !is_failing => since.millis_since(at) <= Timestamp::DAY,
            used => used.is_none_or(|used| at > used),
        };
        at <= since && is_near
    };
    let mut causes = Vec::new();
    for event in own.iter().filter(is_then).filter(|_| is_failing || waits) {
        let Some(class) = changed(event) else { continue };
        let what = match lost_last(definitions) {
            lost if !lost.is_empty() && is_only_loss(event, own) => {
                let names: Vec<String> = lost.iter().map(|name| format!("`{name}`")).collect();
                format!("lost {}", names.join(", "))
            }
            _ if definitions.iter().all(|each| each.changes == 0) => {
                format!("was {} when it was first seen", class.as_str())
            }
            _ => format!("changed ({})", class.as_str()),
        };
        causes.push(format!("its definition {what} on {}", day(event.entry.at)));
    }
    let is_gone = is_failing || tool.status == Status::Stale && !waits;
    let moved = |event: &&Event| event.entry.from.is_some() && event.entry.from != event.entry.to;
    // If the server's last change was its return, the server is not a cause.
    let last = of_server.iter().filter(is_then).rfind(moved).filter(|_| is_gone);
    let lost = last.filter(|event| event.entry.to.as_deref() != Some(Status::Active.as_str()));
    if let Some((to, at)) = lost.and_then(|event| Some((event.entry.to.as_ref()?, event.entry.at)))
    {
        causes.push(format!("its server became {to} on {}", day(at)));
    }
    causes.dedup();
    causes.into_iter().map(|cause| format!("began on {}; {cause}", day(since))).collect()
}

/// Returns the class of a definition change that a user can notice: any class except wording.
fn changed(event: &Event) -> Option<ChangeClass> {
    let class =
        ChangeClass::from_word(&event.entry.cause).filter(|_| is(event, Action::Redefined))?;
    (class > ChangeClass::Wording).then_some(class)
}

/// Returns the parameters that the latest changes of definitions removed.
fn lost_last(definitions: &[Definition]) -> BTreeSet<String> {
    let lost = definitions.iter().flat_map(Definition::differences).filter(|it| it.what == "lost");
    lost.filter_map(|it| Some(it.name?.rsplit(['.', ':']).next()?.to_owned())).collect()
}

/// Returns true if this change alone removed the lost parameters: it is the only change of class narrowed or worse
/// in the latest span between acceptances that has one.
fn is_only_loss(event: &Event, own: &[Event]) -> bool {
    let takes = |each: &&Event| changed(each) >= Some(ChangeClass::Narrowed);
    let spans = own.rsplit(|each| is(each, Action::Accepted));
    let mut losses = spans.map(|span| span.iter().filter(takes).collect::<Vec<_>>());
    losses.find(|span| !span.is_empty()).is_some_and(|span| span == [event])
}

fn is(event: &Event, action: Action) -> bool {
    event.entry.action == action
}
