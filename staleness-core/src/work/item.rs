//! Work items, their fields and their changes of state.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Claim, WorkKind, WorkStatus};
use crate::ids::WorkKey;
use crate::refusal::Conflict;
use crate::text::wording;
use crate::time::Timestamp;

wording! {
    /// The type of a note. Notes about the start and end of a session are never flagged.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub enum NoteType {
        /// An observation.
        #[default]
        Observation = "observation",
        /// The start of a session.
        SessionStart = "session_start",
        /// The end of a session.
        SessionEnd = "session_end",
    }
}

/// A step taken on an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkStep {
    /// The action that was taken.
    pub text: String,
    /// The time at which the step was taken.
    pub at: Timestamp,
}

/// A work item: something that agents or people track until it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// The identity of the item.
    pub key: WorkKey,
    /// The kind of work.
    pub kind: WorkKind,
    /// The state of the item: one of [`WorkKind::states`].
    pub status: WorkStatus,
    /// The open state before the item ended. Reopening returns to it.
    pub before: Option<WorkStatus>,
    /// The text, at most [`Work::MAX_TEXT_BYTES`] bytes.
    pub text: String,
    /// The author's name.
    pub author: Option<String>,
    /// The name of the sender of a handoff.
    pub from: Option<String>,
    /// The name of the recipient of a handoff.
    pub to: Option<String>,
    /// The type of a note. [`NoteType::Observation`] for other work.
    pub note: NoteType,
    /// True if a program, not a person, proposed the item.
    pub generated: bool,
    /// True if a person typed the text at a terminal. A session start quotes only such texts. An edit by an agent
    /// clears the flag.
    pub by_person: bool,
    /// The time at which the item was created.
    pub created_at: Timestamp,
    /// The time at which the last activity took place: an edit, a step, a touch, a transition or a reopening.
    pub updated_at: Timestamp,
    /// The expiry date.
    pub expires_at: Option<Timestamp>,
    /// The ids of the items to which this one refers. They need not exist.
    pub refs: BTreeSet<String>,
    /// The ids of the items for which this one waits. The item is ready once none of them is open.
    pub after: BTreeSet<String>,
    /// The last claim on the item, unless it was released. `None` for an item that has ended.
    pub claim: Option<Claim>,
    /// The steps taken, in order.
    pub steps: Vec<WorkStep>,
}

/// A completed change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    pub from: WorkStatus,
    pub to: WorkStatus,
}

impl Work {
    /// The maximum total size of steps, names and references, in bytes.
    pub const MAX_FIELDS_BYTES: usize = 512 << 10;

    /// The maximum size of the text, in bytes.
    pub const MAX_TEXT_BYTES: usize = 1 << 20;

    /// Creates an item in the first state of its kind.
    pub fn new(key: WorkKey, kind: WorkKind, text: impl Into<String>, at: Timestamp) -> Self {
        Self {
            key,
            kind,
            status: kind.first(),
            before: None,
            text: text.into(),
            author: None,
            from: None,
            to: None,
            note: NoteType::default(),
            generated: false,
            by_person: false,
            created_at: at,
            updated_at: at,
            expires_at: None,
            refs: BTreeSet::new(),
            after: BTreeSet::new(),
            claim: None,
            steps: Vec::new(),
        }
    }

    /// Moves the item to another state. Returns `None` if the item is already in that state.
    ///
    /// # Errors
    /// If the kind does not have that state, or the item has ended.
    pub(crate) fn move_to(
        &mut self,
        to: WorkStatus,
        at: Timestamp,
    ) -> Result<Option<Transition>, Conflict> {
        let from = self.status;
        if !self.kind.states().contains(&to) {
            let (kind, states) = (self.kind.as_str(), self.kind.listed_states());
            return Err(Conflict::NotOfKind {
                id: self.key.id.clone(),
                kind,
                to: to.as_str(),
                states,
            });
        }
        if to == from {
            return Ok(None);
        }
        if !from.is_open() {
            return Err(Conflict::Ended { id: self.key.id.clone(), status: from.as_str() });
        }
        self.before = (!to.is_open()).then_some(from);
        self.claim.take_if(|_| !to.is_open());
        self.status = to;
        self.touch(at);
        Ok(Some(Transition { from, to }))
    }

    /// Reopens an ended item in its previous open state, or in the first state of its kind if there was none.
    ///
    /// # Errors
    /// If the item is open.
    pub(crate) fn reopen(&mut self, at: Timestamp) -> Result<Transition, Conflict> {
        if self.status.is_open() {
            let status = self.status.as_str();
            return Err(Conflict::NotEnded { id: self.key.id.clone(), status });
        }
        let from = self.status;
        let to = self.before.take().unwrap_or(self.kind.first());
        self.status = to;
        self.touch(at);
        Ok(Transition { from, to })
    }

    /// Records activity at `at`. The time of last activity never moves back.
    pub fn touch(&mut self, at: Timestamp) {
        self.updated_at = self.updated_at.max(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Scope, WorkId};

    fn work(kind: WorkKind) -> Work {
        let key = WorkKey { scope: Scope::Global, id: WorkId::new("w1").expect("an id") };
        Work::new(key, kind, "text", Timestamp::from_millis(0))
    }

    #[test]
    fn reopening_returns_to_the_state_before() {
        let at = Timestamp::from_millis(5);
        let mut plan = work(WorkKind::Plan);
        plan.move_to(WorkStatus::Blocked, at).expect("allowed");
        plan.move_to(WorkStatus::Dropped, at).expect("allowed");
        let back = plan.reopen(at).expect("it has ended");
        assert_eq!(back, Transition { from: WorkStatus::Dropped, to: WorkStatus::Blocked });
        assert_eq!(plan.before, None);
        assert_eq!(plan.updated_at, at);
    }

    #[test]
    fn an_item_written_down_as_ended_reopens_to_its_first_state() {
        let mut trap = work(WorkKind::Trap);
        trap.status = WorkStatus::Resolved;
        trap.reopen(Timestamp::from_millis(1)).expect("it has ended");
        assert_eq!(trap.status, WorkStatus::Active);
    }

    #[test]
    fn forbidden_transitions_say_what_is_allowed() {
        let at = Timestamp::from_millis(1);
        let mut plan = work(WorkKind::Plan);
        let error = plan.move_to(WorkStatus::Accepted, at).expect_err("not a state of plans");
        assert_eq!(
            error.to_string(),
            "\"w1\": a plan cannot be accepted; use one of: todo, in_progress, blocked, done, dropped"
        );
        plan.move_to(WorkStatus::Done, at).expect("allowed");
        let error = plan.move_to(WorkStatus::Todo, at).expect_err("it has ended");
        assert_eq!(error.to_string(), "\"w1\" is done; reopen it first");
        let error = work(WorkKind::Note).reopen(at).expect_err("it is open");
        assert_eq!(error.to_string(), "\"w1\" is visible, so there is nothing to reopen");
    }

    #[test]
    fn the_state_it_is_in_is_no_activity() {
        let mut plan = work(WorkKind::Plan);
        assert_eq!(plan.move_to(WorkStatus::Todo, Timestamp::from_millis(9)), Ok(None));
        assert_eq!(plan.updated_at, Timestamp::from_millis(0));
    }

    #[test]
    fn activity_never_moves_back_in_time() {
        let mut plan = work(WorkKind::Plan);
        plan.touch(Timestamp::from_millis(-9));
        assert_eq!(plan.updated_at, Timestamp::from_millis(0));
    }
}
