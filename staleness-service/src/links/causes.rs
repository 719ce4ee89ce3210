//! When a tool's state began, and the likely causes.

use staleness::Timestamp;
use staleness::report::ToolReport;
use staleness::tool::{Hold, Status};
use staleness::verdict::Ground;
use staleness_core::definition::{ChangeClass, Definition};
use staleness_core::journal::Action;

use super::Event;
use super::resting::lost;

/// Returns when the state of a tool began: the person's decision, the first of its failures, its absence, or
/// the change that waits. `own` is its journal, oldest first.
pub(super) fn began(tool: &ToolReport, own: &[Event]) -> Timestamp {
    let at = |event: Option<&Event>| event.map(|event| event.entry.at);
    let last = |action: Action| own.iter().rposition(|event| is(event, action));
    let known = match tool.status {
        _ if tool.hold != Hold::None => {
            let is_by_hand = |event: &&Event| event.entry.action == tool.hold.as_str();
            at(own.iter().rev().find(is_by_hand))
        }
        Status::Demoted => tool.health.since,
        Status::Stale => Some(tool.presence.since),
        Status::Active if has(tool, Ground::DefinitionChanged) => {
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

/// Returns the reason that a person gave, or else sentences on changes within the day before a state began: of
/// the definition, and of the server. A tool that is gone is not so for its definition, and one that waits for
/// a person not for its server.
pub(super) fn causes(
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
    let waits = has(tool, Ground::DefinitionChanged) || has(tool, Ground::DefinitionWithheld);
    let is_then = |event: &&Event| {
        let at = event.entry.at;
        at <= since && since.millis_since(at) <= Timestamp::DAY
    };
    let mut causes = Vec::new();
    for event in own.iter().filter(is_then).filter(|_| is_failing || waits) {
        let Some(class) = changed(event) else { continue };
        let what = match lost(definitions) {
            lost if !lost.is_empty() && is_only_loss(event, own) => {
                let names: Vec<String> = lost.iter().map(|name| format!("`{name}`")).collect();
                format!("lost {}", names.join(", "))
            }
            _ => format!("changed ({})", class.as_str()),
        };
        causes.push(format!("its definition {what} on {}", day(event.entry.at)));
    }
    let is_gone = is_failing || tool.status == Status::Stale && !waits;
    for event in of_server.iter().filter(is_then).filter(|_| is_gone) {
        let (from, to) = (&event.entry.from, &event.entry.to);
        let to = to.as_deref().filter(|to| *to != Status::Active.as_str());
        if let Some(to) = to.filter(|_| from.is_some() && from != &event.entry.to) {
            causes.push(format!("its server became {to} on {}", day(event.entry.at)));
        }
    }
    causes.dedup();
    causes.into_iter().map(|cause| format!("began on {}; {cause}", day(since))).collect()
}

/// Returns the class of a change of the definition that a user can notice: any but wording.
fn changed(event: &Event) -> Option<ChangeClass> {
    let class =
        ChangeClass::from_word(&event.entry.cause).filter(|_| is(event, Action::Redefined))?;
    (class > ChangeClass::Wording).then_some(class)
}

/// Returns true if this change alone took what the definition is known to have lost: the latest ones up to one
/// that a person accepted are compared as a whole.
fn is_only_loss(event: &Event, own: &[Event]) -> bool {
    let takes = |each: &&Event| changed(each) >= Some(ChangeClass::Narrowed);
    let spans = own.rsplit(|each| is(each, Action::Accepted));
    let mut losses = spans.map(|span| span.iter().filter(takes).collect::<Vec<_>>());
    losses.find(|span| !span.is_empty()).is_some_and(|span| span == [event])
}

fn is(event: &Event, action: Action) -> bool {
    event.entry.action == action.as_str()
}

fn has(tool: &ToolReport, ground: Ground) -> bool {
    tool.verdict.signals.iter().any(|signal| signal.kind == ground)
}
