//! Kinds of work and their states.

use crate::text::wording;

use std::fmt;

use serde::{Deserialize, Serialize};

use WorkStatus::{
    Accepted, Active, Archived, Blocked, Closed, Done, Dropped, InProgress, Made, Open, Pending,
    Rejected, Resolved, Todo, Visible,
};

wording! {
    /// The kind of a work item.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum WorkKind {
        /// Something that somebody intends to do.
        Plan = "plan",
        /// A pitfall to know about.
        Trap = "trap",
        /// A rule that applies for a while.
        Constraint = "constraint",
        /// Work that one agent passes to another.
        Handoff = "handoff",
        /// A proposal that awaits an answer.
        Candidate = "candidate",
        /// An observation, or the start or end of a session.
        Note = "note",
        /// A decision. Never becomes stale on its own.
        Decision = "decision",
    }
}

wording! {
    /// The state of a work item. Each kind has its own states.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum WorkStatus {
        /// A plan that has not been started.
        Todo = "todo",
        /// A plan that is being worked on.
        InProgress = "in_progress",
        /// A plan that is waiting for something.
        Blocked = "blocked",
        /// A plan that was carried out.
        Done = "done",
        /// A plan that was abandoned.
        Dropped = "dropped",
        /// A trap or constraint that applies.
        Active = "active",
        /// A trap or constraint that no longer applies.
        Resolved = "resolved",
        /// A handoff without an answer yet.
        Open = "open",
        /// A handoff or candidate that was accepted.
        Accepted = "accepted",
        /// A handoff that was closed without being accepted.
        Closed = "closed",
        /// A candidate without an answer yet.
        Pending = "pending",
        /// A candidate that was rejected.
        Rejected = "rejected",
        /// A note that is shown in lists.
        Visible = "visible",
        /// A note that is hidden but kept.
        Archived = "archived",
        /// A decision that was made.
        Made = "made",
    }
}

impl WorkKind {
    /// Parses the name of a kind.
    ///
    /// # Errors
    /// An error message that lists the kinds, if there is no such kind.
    pub fn named(word: &str) -> Result<Self, String> {
        let kinds = || Self::ALL.map(Self::as_str).join(", ");
        Self::from_word(word).ok_or_else(|| format!("unknown kind {word:?}; use {}", kinds()))
    }

    /// Parses the name of a state of this kind.
    ///
    /// # Errors
    /// An error message that lists the states of this kind, if there is no such state.
    pub fn state_named(self, word: &str) -> Result<WorkStatus, String> {
        let found = self.states().iter().find(|state| state.as_str() == word);
        let states = || self.listed_states();
        found
            .copied()
            .ok_or_else(|| format!("a {self} cannot be {word:?}; use one of: {}", states()))
    }

    /// Returns the states of this kind, separated by commas.
    pub(crate) fn listed_states(self) -> String {
        let states: Vec<&str> = self.states().iter().map(|state| state.as_str()).collect();
        states.join(", ")
    }

    /// Returns the default state of a new item of this kind.
    pub const fn first(self) -> WorkStatus {
        self.states()[0]
    }

    /// Returns the states of this kind: open ones first, then those that end an item.
    pub const fn states(self) -> &'static [WorkStatus] {
        match self {
            Self::Plan => &[Todo, InProgress, Blocked, Done, Dropped],
            Self::Trap | Self::Constraint => &[Active, Resolved],
            Self::Handoff => &[Open, Accepted, Closed],
            Self::Candidate => &[Pending, Accepted, Rejected],
            Self::Note => &[Visible, Archived],
            Self::Decision => &[Made],
        }
    }

    /// Returns the state that resolves a flagged item of this kind. `None` for kinds that are never flagged.
    pub const fn resolved(self) -> Option<WorkStatus> {
        match self {
            Self::Plan => Some(Dropped),
            Self::Trap | Self::Constraint => Some(Resolved),
            Self::Handoff => Some(Closed),
            Self::Candidate => Some(Rejected),
            Self::Note => Some(Archived),
            Self::Decision => None,
        }
    }
}

impl WorkStatus {
    /// Returns true if an item in this state has not ended. A decision counts as open, because it still applies.
    pub const fn is_open(self) -> bool {
        matches!(self, Todo | InProgress | Blocked | Active | Open | Pending | Visible | Made)
    }
}

impl fmt::Display for WorkStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for WorkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_there_and_back() {
        for status in WorkStatus::ALL {
            assert_eq!(WorkStatus::from_word(status.as_str()), Some(status));
            let json = serde_json::to_string(&status).expect("a word");
            assert_eq!(json, format!("{:?}", status.as_str()));
        }
        for kind in WorkKind::ALL {
            assert_eq!(WorkKind::from_word(kind.as_str()), Some(kind));
            assert!(kind.states().contains(&kind.first()));
            assert!(kind.resolved().is_none_or(|to| !to.is_open() && kind.states().contains(&to)));
        }
    }
}
