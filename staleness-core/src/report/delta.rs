//! Deltas: the net changes since an agent was last told, each subject once.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Failing, NetChange, Redefined};
use crate::ids::AgentId;
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::store::View;
use crate::text::counted;
use crate::time::Timestamp;
use crate::work::{Warning, WorkKind, WorkStatus, beginning, is_due};

/// The starting point of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaSource {
    /// The agent's cursor.
    Cursor,
    /// A point given by the caller.
    Since,
    /// No starting point: the delta is a digest of the current state.
    Digest,
}

/// The number of entries of each kind in a delta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeltaCounts {
    /// Plans.
    pub plans: usize,
    /// Traps.
    pub traps: usize,
    /// Constraints.
    pub constraints: usize,
    /// Handoffs.
    pub handoffs: usize,
    /// Candidates.
    pub candidates: usize,
    /// Notes.
    pub notes: usize,
    /// Decisions.
    pub decisions: usize,
    /// Items of knowledge.
    pub knowledge: usize,
    /// Tools.
    pub tools: usize,
    /// The total.
    pub total: usize,
}

/// One subject that changed; in a digest, one that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeltaItem {
    /// The id of the work item or item of knowledge.
    pub id: String,
    /// `plan`, `trap` and so on, or `knowledge`.
    pub kind: &'static str,
    /// The net action: `added`, `moved`, `edited` and so on; `there` in a digest.
    pub action: &'static str,
    /// The state before, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The sender of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The intended recipient of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The beginning of its text on one line; empty if it was removed.
    pub text: String,
    /// True if a person typed the text on this machine.
    #[serde(skip)]
    pub by_person: bool,
    /// When it last changed.
    pub at: Timestamp,
    /// True if the agent made all of these changes itself.
    pub own: bool,
}

/// The changes since an agent was last told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Delta {
    /// The session that was last told, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_session: Option<String>,
    /// The starting point.
    pub source: DeltaSource,
    /// The counts in one line.
    pub summary: String,
    /// The number of entries of each kind.
    pub counts: DeltaCounts,
    /// The changes, newest first. In a digest: open items, most urgent first.
    pub items: Vec<DeltaItem>,
    /// The number of open items that a digest omits; 0 in other deltas.
    pub more: usize,
    /// Set if the delta starts before this time and changes up to it were pruned, so some may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_until: Option<Timestamp>,
    /// The overdue work to report now, oldest first. Each item is reported when it becomes overdue and then
    /// once a week. All of it is reported if the context was cleared, or if the delta does not start at the
    /// agent's cursor.
    pub warnings: Vec<Warning>,
    /// The total number of overdue items.
    pub overdue: usize,
    /// The tools whose status changed.
    pub tools: Vec<NetChange>,
    /// The failing tools that are not listed as such in `tools`, last used first.
    pub failing: Vec<Failing>,
    /// The tools with a changed definition that awaits a decision. Withheld ones are reported each time, others once,
    /// then once a week.
    pub redefined: Vec<Redefined>,
    /// The servers that did not list their tools when they were last asked, as long as no tool of them worked since.
    /// Each is reported once after each scan that it did not answer, then once a week.
    pub unanswered: Vec<String>,
    /// The last revision covered.
    #[serde(skip)]
    pub upto: Revision,
    /// When the agent was last told, if it still has that in its context.
    #[serde(skip)]
    pub told: Option<Timestamp>,
    /// True if the agent's cursor moves to `upto` once this is reported.
    #[serde(skip)]
    pub moves: bool,
}

impl Delta {
    /// The maximum number of warnings in a delta.
    pub const TOP_WARNINGS: usize = 5;

    /// Returns true if something that holds since `since` is to be reported at `now`: once, then once a week.
    #[must_use]
    pub fn is_due(&self, since: Timestamp, now: Timestamp) -> bool {
        is_due(since, self.told, now)
    }
}

/// Returns the text for an empty delta.
pub(crate) const fn nothing(source: DeltaSource, pruned: bool) -> &'static str {
    match source {
        DeltaSource::Digest => "nothing open",
        _ if pruned => "no change that is still kept",
        _ => "nothing changed",
    }
}

impl DeltaItem {
    /// Returns true if it is work that has ended, so that no action is needed.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let status = self.to.as_deref().and_then(WorkStatus::from_word);
        status.is_some_and(|status| !status.is_open())
    }
}

/// Returns the net change of each work item and item of knowledge since `after`, by the journal entries in
/// the view. Newest first, then by kind and id.
///
/// Items that were added and removed again are omitted, and so are items that returned to their initial state
/// without an edit. Texts are the current ones.
#[must_use]
pub(crate) fn changes(view: &View, after: Revision, agent: &AgentId) -> Vec<DeltaItem> {
    let mut runs: BTreeMap<&Subject, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in view.journal.values() {
        if entry.revision > after
            && matches!(entry.subject.kind, SubjectKind::Work | SubjectKind::Item)
        {
            runs.entry(&entry.subject).or_default().push(entry);
        }
    }
    let mut items: Vec<DeltaItem> =
        runs.into_iter().filter_map(|(subject, run)| net(view, subject, &run, agent)).collect();
    items.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| (a.kind, &a.id).cmp(&(b.kind, &b.id))));
    items
}

/// Returns the net change over the entries of one subject, given in order. `None` if there is none.
fn net(
    view: &View,
    subject: &Subject,
    run: &[&JournalEntry],
    agent: &AgentId,
) -> Option<DeltaItem> {
    let (first, last) = (run.first()?, run.last()?);
    let added = first.action == Action::Added;
    let removed = last.action == Action::Removed;
    if added && removed {
        return None;
    }
    let (from, to) = (first.from.clone(), last.to.clone());
    // Every entry has the state before and after; an edit or a step does not change it.
    let last_move = run.iter().rev().find(|entry| entry.from != entry.to && from != to);
    let last_word = run.iter().rev().find(|entry| entry.from == entry.to);
    let again = run.iter().any(|entry| entry.action == Action::Removed);
    let action = if removed {
        Action::Removed
    } else if added {
        Action::Added
    } else if again {
        // It was removed and then added again under the same id.
        Action::Edited
    } else {
        last_move.or(last_word)?.action
    };
    let (kind, text) = described(view, subject, removed)?;
    let work = subject.work_key().and_then(|key| view.work.get(&key));
    let handoff = work.filter(|work| work.kind == WorkKind::Handoff);
    Some(DeltaItem {
        id: subject.id.clone(),
        kind,
        action: action.as_str(),
        from: from.filter(|_| last_move.is_some() && !added),
        to: to.filter(|_| last_move.is_some() || added),
        sender: handoff.and_then(|work| work.from.clone()),
        recipient: handoff.and_then(|work| work.to.clone()),
        text,
        by_person: work.is_some_and(|work| work.by_person),
        at: last.at,
        own: run.iter().all(|entry| entry.actor.as_ref() == Some(agent)),
    })
}

/// Returns the kind of a subject and its current text.
fn described(view: &View, subject: &Subject, removed: bool) -> Option<(&'static str, String)> {
    match subject.kind {
        SubjectKind::Work => {
            let work = view.work.get(&subject.work_key()?)?;
            Some((work.kind.as_str(), beginning(&work.text)))
        }
        SubjectKind::Item => {
            let item = subject.item_key().and_then(|key| view.knowledge.get(&key));
            // A removed item has no text any more.
            item.map(|item| ("knowledge", beginning(&item.body)))
                .or_else(|| removed.then(|| ("knowledge", String::new())))
        }
        _ => None,
    }
}

impl DeltaCounts {
    /// Counts `items` and `tools` by kind.
    #[must_use]
    pub fn of(items: &[DeltaItem], tools: &[NetChange]) -> Self {
        let mut counts = Self { tools: tools.len(), total: tools.len(), ..Self::default() };
        for item in items {
            let count = match WorkKind::from_word(item.kind) {
                Some(WorkKind::Plan) => &mut counts.plans,
                Some(WorkKind::Trap) => &mut counts.traps,
                Some(WorkKind::Constraint) => &mut counts.constraints,
                Some(WorkKind::Handoff) => &mut counts.handoffs,
                Some(WorkKind::Candidate) => &mut counts.candidates,
                Some(WorkKind::Note) => &mut counts.notes,
                Some(WorkKind::Decision) => &mut counts.decisions,
                None => &mut counts.knowledge,
            };
            *count += 1;
            counts.total += 1;
        }
        counts
    }

    /// Returns the counts in one line, highest first: `5 decisions, 2 handoffs`. Returns `nothing` if all are zero.
    #[must_use]
    pub fn summary(&self, nothing: &str) -> String {
        let mut parts = [
            (self.plans, "plan", "plans"),
            (self.traps, "trap", "traps"),
            (self.constraints, "constraint", "constraints"),
            (self.handoffs, "handoff", "handoffs"),
            (self.candidates, "candidate", "candidates"),
            (self.notes, "note", "notes"),
            (self.decisions, "decision", "decisions"),
            (self.knowledge, "item of knowledge", "items of knowledge"),
            (self.tools, "tool", "tools"),
        ];
        parts.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
        if parts.is_empty() { nothing.into() } else { parts.join(", ") }
    }
}
