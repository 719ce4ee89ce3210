//! Deltas: the net changes since the last report to an agent, each subject once.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Failing, NetChange, Redefined, words};
use crate::ids::{AgentId, ItemId, SessionId, ToolName, WorkId, WorkKey};
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::knowledge::{Item, ItemState};
use crate::store::View;
use crate::time::Timestamp;
use crate::work::{Claim, ClaimEnd, Warning, WorkKind, WorkStatus, beginning, is_due, ran_out};

/// The starting point of a delta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaSource {
    /// The agent's cursor.
    #[default]
    Cursor,
    /// A point given by the caller.
    Since,
    /// No starting point: the delta is a digest of the current state.
    Digest,
}

/// The record that changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeltaSubject {
    /// A work item.
    Work(WorkKind, WorkKey),
    /// An item of knowledge.
    Knowledge(ItemId),
}

impl DeltaSubject {
    /// Returns the id.
    pub fn id(&self) -> &str {
        match self {
            Self::Work(_, key) => key.id.as_str(),
            Self::Knowledge(id) => id.as_str(),
        }
    }

    /// Returns the id by which commands name the record.
    pub fn name(&self) -> String {
        match self {
            Self::Work(_, key) => key.to_string(),
            Self::Knowledge(id) => id.to_string(),
        }
    }

    /// Returns the kind of a work item. `None` for an item of knowledge.
    pub const fn work_kind(&self) -> Option<WorkKind> {
        match self {
            Self::Work(kind, _) => Some(*kind),
            Self::Knowledge(_) => None,
        }
    }

    /// Returns the kind in words: `plan`, `trap` and so on, or `knowledge`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Work(kind, _) => kind.as_str(),
            Self::Knowledge(_) => SubjectKind::Item.as_str(),
        }
    }
}

/// The state of a record in a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum DeltaState {
    /// The state of a work item.
    Work(WorkStatus),
    /// The state of an item of knowledge.
    Knowledge(ItemState),
}

impl DeltaState {
    /// Returns the word used in storage and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Work(status) => status.as_str(),
            Self::Knowledge(state) => state.as_str(),
        }
    }

    /// Parses the state of a subject in the journal.
    fn read(subject: &Subject, word: Option<&str>) -> Option<Self> {
        match subject.kind {
            SubjectKind::Work => WorkStatus::from_word(word?).map(Self::Work),
            _ => ItemState::from_word(word?).map(Self::Knowledge),
        }
    }
}

/// A subject that changed or, in a digest, exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeltaItem {
    /// The work item or item of knowledge.
    #[serde(flatten, serialize_with = "words::subject")]
    pub subject: DeltaSubject,
    /// The net action. `None` in a digest.
    #[serde(serialize_with = "words::action")]
    pub action: Option<Action>,
    /// The last change, made at `at`. `None` if it is the net action.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "words::action")]
    pub last: Option<Action>,
    /// The previous state. `None` if the state did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<DeltaState>,
    /// The current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<DeltaState>,
    /// The current status of a work item.
    #[serde(skip)]
    pub status: Option<WorkStatus>,
    /// For an item of knowledge, the id of the item that replaced it or the author of its contradiction. For any other
    /// change, `actor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The agent that made the last change, unless that change added or contradicted the item.
    #[serde(skip)]
    pub actor: Option<AgentId>,
    /// The sender of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The intended recipient of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The beginning of the item's text, on one line. Empty if the item was removed.
    pub text: String,
    /// True if a person typed the text on this machine.
    #[serde(skip)]
    pub by_person: bool,
    /// The author of a work item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// An open item for which this one waits. `None` also if this was not looked up.
    #[serde(skip)]
    pub waits_for: Option<WorkId>,
    /// True if the item no longer waits, because the last open item before it has ended. False if this was not looked
    /// up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub freed: bool,
    /// The claim that holds a work item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The end of the agent's claim on the item, if somebody else caused it and the agent has not claimed the item
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_end: Option<ClaimEnd>,
    /// The time of the last change.
    pub at: Timestamp,
    /// True if the agent made all of these changes itself.
    pub own: bool,
}

/// The changes since the last report to an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Delta {
    /// The session that received the last report, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_session: Option<SessionId>,
    /// The starting point.
    pub source: DeltaSource,
    /// The changes, newest first. In a digest, the open items, most urgent first.
    pub items: Vec<DeltaItem>,
    /// The number of open items that a digest omits. 0 in other deltas.
    pub more: usize,
    /// The time up to which changes were pruned, if the delta starts before it. Changes up to this time may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_until: Option<Timestamp>,
    /// The overdue work to report now, oldest first. Each item is reported when it becomes overdue and once a week
    /// after that. All items are reported if the context was cleared or the delta does not start at the agent's cursor.
    pub warnings: Vec<Warning>,
    /// The total number of overdue items.
    pub overdue: usize,
    /// The tools whose status changed.
    pub tools: Vec<NetChange>,
    /// The failing tools that `tools` does not report as failing, last used first.
    pub failing: Vec<Failing>,
    /// The tools with a changed definition that awaits a decision. Withheld tools are reported each time, others once
    /// and once a week after that.
    pub redefined: Vec<Redefined>,
    /// The servers that did not answer the last request for their tools, unless one of their tools has worked since.
    /// Each is reported once after each such request and once a week after that.
    pub unanswered: Vec<ToolName>,
    /// The last revision that the delta covers.
    #[serde(skip)]
    pub upto: Revision,
    /// The time of the last report, if the agent still has it in its context.
    #[serde(skip)]
    pub told: Option<Timestamp>,
    /// True if the agent's cursor moves to `upto` once the delta was reported.
    #[serde(skip)]
    pub moves: bool,
}

impl Delta {
    /// The maximum number of warnings in a delta.
    pub const TOP_WARNINGS: usize = 5;

    /// Returns true if a condition that began at `since` is due to be reported at `now`: once, and once a week after
    /// that.
    pub fn is_due(&self, since: Timestamp, now: Timestamp) -> bool {
        is_due(since, self.told, now)
    }
}

impl DeltaItem {
    /// Returns true if the report must show the state of an added item: it is a task, or no longer in its first state.
    pub fn tells_state(&self) -> bool {
        let is_moved = |kind: WorkKind| self.to != Some(DeltaState::Work(kind.first()));
        self.subject.work_kind().is_some_and(|kind| kind.is_task() || is_moved(kind))
    }

    /// Returns true if `agent` is the recipient of a handoff and made the change by claiming or answering it.
    pub fn is_taken_by(&self, agent: &str) -> bool {
        let takes = self.action == Some(Action::Claimed) || self.to.is_some();
        takes && self.recipient.as_deref() == Some(agent)
    }

    /// Returns true if the item is a rule, a trap or a constraint, that has not ended.
    pub fn is_rule(&self) -> bool {
        let kind = self.subject.work_kind();
        matches!(kind, Some(WorkKind::Trap | WorkKind::Constraint)) && !self.has_ended()
    }

    /// Returns the author of a rule that neither a person nor the agent itself gave.
    pub fn rule_of_other(&self, agent: &str) -> Option<&str> {
        let author = self.author.as_deref().filter(|author| *author != agent)?;
        (self.is_rule() && !self.by_person).then_some(author)
    }

    /// Returns true if the record is done or has ended, so that no action is needed.
    pub fn has_ended(&self) -> bool {
        let is_done = self.to == Some(DeltaState::Knowledge(ItemState::Done));
        self.status.map_or(is_done, |status| !status.is_open())
    }
}

/// Returns the net change of each work item and item of knowledge since `after`, computed from the journal entries in
/// the view. Sorted newest first, then by kind and id. A claim of another session of the agent, or one that expired
/// before the last report to the agent (`told`), is reported like that of another agent.
///
/// Omits items that were added and removed again, and items that returned to their initial state without an edit. Texts
/// are the current ones.
pub(crate) fn changes(
    view: &View,
    after: Revision,
    by: (&AgentId, Option<&SessionId>),
    told: Option<Timestamp>,
) -> Vec<DeltaItem> {
    let mut runs: BTreeMap<&Subject, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in view.journal.values() {
        let is_told = matches!(entry.subject.kind, SubjectKind::Work | SubjectKind::Item);
        if entry.revision > after && is_told && !entry.drops_link() {
            runs.entry(&entry.subject).or_default().push(entry);
        }
    }
    let net = |(subject, run): (_, Vec<_>)| net(view, subject, &run, by, told);
    let mut items: Vec<DeltaItem> = runs.into_iter().filter_map(net).collect();
    let name = |item: &DeltaItem| (item.subject.kind(), item.subject.id().to_owned());
    items.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| name(a).cmp(&name(b))));
    items
}

/// Returns the net change over the entries of one subject, which must be in order. `None` if nothing changed.
fn net(
    view: &View,
    subject: &Subject,
    run: &[&JournalEntry],
    (agent, session): (&AgentId, Option<&SessionId>),
    told: Option<Timestamp>,
) -> Option<DeltaItem> {
    let is_agents = |entry: &JournalEntry| entry.actor.as_ref() == Some(agent);
    // A claim without a session, or of a session that no hook reports, may belong to the requesting session.
    let is_asking = |of: Option<SessionId>| match (of, session) {
        (Some(of), Some(session)) => of == *session || of.is_unreported(),
        _ => true,
    };
    // The agent's own additions are not news to it, but later changes by others are.
    let of_others = run.iter().position(|entry| !is_agents(entry));
    let run = match of_others {
        Some(at) if run[0].action == Action::Added => &run[at..],
        _ => run,
    };
    let (first, last) = (run.first()?, run.last()?);
    let added = first.action == Action::Added;
    let removed = last.action == Action::Removed;
    if added && removed {
        return None;
    }
    let (from, to) = (first.from.as_deref(), last.to.as_deref());
    // Every entry has the state before and after it. An edit or a step does not change the state.
    let last_move = run.iter().rev().find(|entry| entry.from != entry.to && from != to);
    let mut words = run.iter().rev().filter(|entry| entry.from == entry.to);
    // Other changes say more than a claim, even if they are earlier.
    let is_deed =
        |entry: &&&JournalEntry| !matches!(entry.action, Action::Claimed | Action::Released);
    let last_word = words.clone().find(is_deed).or_else(|| words.next());
    let again = run.iter().any(|entry| entry.action == Action::Removed);
    let deed = last_move.or(last_word);
    let action = if removed {
        Action::Removed
    } else if added {
        Action::Added
    } else if again {
        // The item was removed and added again under the same id.
        Action::Edited
    } else {
        deed?.action
    };
    let (of, text) = described(view, subject, removed)?;
    let work = subject.work_key().and_then(|key| view.work.get(&key));
    let item = subject.item_key().and_then(|key| view.knowledge.get(&key));
    let has_ended = work.is_some_and(|work| !work.status.is_open());
    let is_over = removed || has_ended || item.is_some_and(Item::is_done);
    let item = item.filter(|_| !is_over);
    let heir = item.and_then(|item| item.superseded_by.first()).map(ToString::to_string);
    let doubt = item.and_then(|item| item.contradicted.as_ref()).filter(|_| heir.is_none());
    // The author of an addition is not reported, but that of a later change is.
    let is_foreign = |entry: &&&JournalEntry| entry.actor != first.actor && !is_agents(entry);
    let deed = match added && !is_over {
        true => run.iter().rev().filter(is_deed).find(is_foreign),
        false => deed,
    };
    let actor = deed.and_then(|entry| entry.actor.clone()).filter(|_| doubt.is_none());
    let by = heir.or_else(|| doubt.map(|doubt| doubt.by.clone()));
    let handoff = work.filter(|work| work.kind == WorkKind::Handoff);
    Some(DeltaItem {
        subject: of,
        action: Some(action),
        last: Some(last.action).filter(|last| *last != action),
        from: DeltaState::read(subject, from.filter(|_| last_move.is_some() && !added)),
        to: DeltaState::read(subject, to.filter(|_| last_move.is_some() || added)),
        status: work.map(|work| work.status),
        by: by.or_else(|| actor.as_ref().map(ToString::to_string)),
        actor,
        sender: handoff.and_then(|work| work.from.clone()),
        recipient: handoff.and_then(|work| work.to.clone()),
        text,
        by_person: work.is_some_and(|work| work.by_person),
        author: work.and_then(|work| work.author.clone()),
        waits_for: None,
        freed: false,
        claim: work.and_then(|work| work.claim.clone()),
        claim_end: run
            .iter()
            .rev()
            .take_while(|entry| entry.action != Action::Claimed || !is_agents(entry))
            .filter(|entry| {
                !is_agents(entry) && ran_out(&entry.cause).is_none_or(|at| told < Some(at))
            })
            .find_map(|entry| ClaimEnd::of(entry, |holder, of| holder == agent && is_asking(of))),
        at: last.at,
        own: run.iter().all(|entry| is_agents(entry)),
    })
}

/// Returns the record of a subject and its current text. `None` if the record is unknown.
fn described(view: &View, subject: &Subject, removed: bool) -> Option<(DeltaSubject, String)> {
    match subject.kind {
        SubjectKind::Work => {
            let work = view.work.get(&subject.work_key()?)?;
            Some((DeltaSubject::Work(work.kind, work.key.clone()), beginning(&work.text)))
        }
        SubjectKind::Item => {
            let key = subject.item_key()?;
            let text = view.knowledge.get(&key).map(|item| beginning(&item.body));
            // The text of a removed item no longer exists.
            let text = text.or_else(|| removed.then(String::new))?;
            Some((DeltaSubject::Knowledge(key.id), text))
        }
        _ => None,
    }
}
