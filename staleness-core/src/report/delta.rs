//! The changes for an agent since it was last told: each thing once, with its net change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Failing, NetChange, Redefined};
use crate::ids::AgentId;
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::store::View;
use crate::text::counted;
use crate::time::Timestamp;
use crate::work::{Warning, WorkKind, WorkStatus, beginning};

/// The point at which a delta begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaSource {
    /// The point up to which the agent was told.
    Cursor,
    /// The point that the caller gave.
    Since,
    /// Nowhere: it is what is there now.
    Digest,
}

/// The number of things of each kind in a delta.
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
    /// All of them.
    pub total: usize,
}

/// One thing that changed, or that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeltaItem {
    /// Its id.
    pub id: String,
    /// `plan`, `trap`, …, or `knowledge`.
    pub kind: &'static str,
    /// The net action: `added`, `moved`, `edited`, …; `there` in a digest.
    pub action: &'static str,
    /// The state before, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The state now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The agent that handed it over, of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The agent that should take it over, of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The beginning of its text, on one line; empty for what was removed.
    pub text: String,
    /// True if a person typed that text at this machine.
    #[serde(skip)]
    pub by_person: bool,
    /// When it last changed.
    pub at: Timestamp,
    /// True if the agent did all of it itself.
    pub own: bool,
}

/// The answer to an agent that comes back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Delta {
    /// The session that was told last, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_session: Option<String>,
    /// The point at which it begins.
    pub source: DeltaSource,
    /// The counts in one line.
    pub summary: String,
    /// The number of things of each kind.
    pub counts: DeltaCounts,
    /// The things that changed, newest first; in a digest the open ones, the most urgent first.
    pub items: Vec<DeltaItem>,
    /// The number of open items that a digest leaves out; 0 where it is none.
    pub more: usize,
    /// It begins before this moment, and changes up to here are no longer kept: some may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_until: Option<Timestamp>,
    /// Overdue work to tell an agent now, oldest first: each item once when it becomes overdue, then once in each
    /// week since; all of it where the context was cleared, or the delta does not begin where the agent was told last.
    pub warnings: Vec<Warning>,
    /// The number of all items that are overdue.
    pub overdue: usize,
    /// The tools whose status changed.
    pub tools: Vec<NetChange>,
    /// The tools that fail, and are not among `tools` for it; latest used first.
    pub failing: Vec<Failing>,
    /// The tools whose servers changed what they say of them, and that wait for a person: each once, then once in each
    /// week since.
    pub redefined: Vec<Redefined>,
    /// Everything up to this revision is told.
    #[serde(skip)]
    pub upto: Revision,
    /// True if the agent's cursor moves to there once this was said.
    #[serde(skip)]
    pub moves: bool,
}

impl Delta {
    /// Warnings that come with a delta.
    pub const TOP_WARNINGS: usize = 5;
}

/// The words for a delta in which there is nothing.
pub(crate) const fn nothing(source: DeltaSource, pruned: bool) -> &'static str {
    match source {
        DeltaSource::Digest => "nothing open",
        _ if pruned => "no change that is still kept",
        _ => "nothing changed",
    }
}

impl DeltaItem {
    /// Returns true if it is work that came to an end: nobody is to act on it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let status = self.to.as_deref().and_then(WorkStatus::from_word);
        status.is_some_and(|status| !status.is_open())
    }
}

/// The net change of every work item and item of knowledge over the journal entries that were seen
/// and are newer than `after`, newest first, then by kind and id.
///
/// What was added and removed again is left out, and so is what ended in the state in which it began
/// and was not edited. What an item says is read from the view as it is now.
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

/// The net change over the entries of one subject, in order; `None` without one.
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
    // Every entry names the state before and the one after; an edit or a step leaves it as it is.
    let last_move = run.iter().rev().find(|entry| entry.from != entry.to && from != to);
    let last_word = run.iter().rev().find(|entry| entry.from == entry.to);
    let again = run.iter().any(|entry| entry.action == Action::Removed);
    let action = if removed {
        Action::Removed
    } else if added {
        Action::Added
    } else if again {
        // Something else stands under its name.
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

/// The kind of a subject, and what it says now.
fn described(view: &View, subject: &Subject, removed: bool) -> Option<(&'static str, String)> {
    match subject.kind {
        SubjectKind::Work => {
            let work = view.work.get(&subject.work_key()?)?;
            Some((work.kind.as_str(), beginning(&work.text)))
        }
        SubjectKind::Item => {
            let item = subject.item_key().and_then(|key| view.knowledge.get(&key));
            // Of what was removed only the name is left.
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

    /// The counts in one line, the most first: `5 decisions, 2 handoffs`; `nothing` where there are
    /// none.
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
