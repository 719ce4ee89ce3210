//! Change sets: what a step wants written.

use serde::{Deserialize, Serialize};

use super::{Filter, OutcomeCut, Row, Selection, View};
use crate::ids::{ProjectId, ToolKey};
use crate::journal::{Floor, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::route::{Route, RouteKey};
use crate::tool::{Tool, reads_alike};

/// A change of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change<R, K> {
    /// Create the row, or replace it whole.
    Put(R),
    /// Remove the row with this key, if it is there.
    Delete(K),
}

impl<R: Row> Change<R, R::Key> {
    /// Returns the key of the row that is written or removed.
    pub fn key(&self) -> &R::Key {
        match self {
            Self::Put(row) => row.key(),
            Self::Delete(key) => key,
        }
    }
}

/// Outcomes to remove as a range, without having looked at each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutcomeRange {
    /// Those within a cut, oldest in order of recording first, at most `limit`.
    Cut {
        /// The outcomes that may be removed.
        cut: OutcomeCut,
        /// At most this many in one commit, so that others wait briefly.
        limit: u64,
    },
    /// Those of one tool.
    OfTool(ToolKey),
    /// Those of one project.
    OfProject(ProjectId),
}

macro_rules! change_set {
    ($($field:ident: $row:ty,)*) => {
        /// Everything that one step writes. It is written whole or not at all.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct ChangeSet {
            $(
                #[doc = concat!("Changes of ", stringify!($field), ".")]
                pub $field: Vec<Change<$row, <$row as Row>::Key>>,
            )*
            /// Outcomes to append; their sequence numbers are given by the store.
            pub outcomes: Vec<Outcome>,
            /// Outcomes to remove, before the appends.
            pub outcome_ranges: Vec<OutcomeRange>,
            /// Journal entries to append; revision and index are given by the store.
            pub journal: Vec<JournalEntry>,
            /// Revisions whose journal entries are removed, all of them; below the newest one, and none above
            /// `floor`.
            pub pruned: Vec<Revision>,
            /// The store's floor is raised to this one, and its revision before the appends where that is
            /// lower: an import leaves out what the original has pruned.
            pub floor: Floor,
        }

        impl ChangeSet {
            /// The number of rows that are written and ranges that are removed.
            #[must_use]
            pub fn rows(&self) -> usize {
                $(self.$field.len() +)*
                self.outcomes.len()
                    + self.outcome_ranges.len()
                    + self.journal.len()
                    + self.pruned.len()
                    + usize::from(self.floor.revision > Revision(0))
            }

            /// Returns the selection that locks every row that is written or removed, and nothing else.
            #[must_use]
            pub fn locks(&self) -> Selection {
                let mut selection = Selection::new();
                $(for change in &self.$field {
                    selection = selection.lock(<$row as Row>::Filter::of(change.key().clone()));
                })*
                selection
            }

            /// Returns true if anything is removed. In a step that must be safe as well, a person has
            /// forgotten it.
            #[must_use]
            pub fn removes(&self) -> bool {
                fn any<R, K>(changes: &[Change<R, K>]) -> bool {
                    changes.iter().any(|change| matches!(change, Change::Delete(_)))
                }
                $(any(&self.$field) ||)*
                    !self.outcome_ranges.is_empty() || !self.pruned.is_empty()
            }
        }
    };
}
crate::collections!(change_set);

impl ChangeSet {
    /// Returns true if there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// Returns true if it changes what a search reads of tools and routes, given what the step saw: which tools and
    /// routes there are, their words, the status of a tool, the confidence and the model of a route. Counters
    /// change nothing.
    #[must_use]
    pub fn moves_generation(&self, seen: &View) -> bool {
        let moves_tool = |change: &Change<Tool, ToolKey>| match change {
            Change::Put(row) => {
                seen.tools.get(&row.key).is_none_or(|known| !reads_alike(known, row))
            }
            Change::Delete(_) => true,
        };
        let moves_route = |change: &Change<Route, RouteKey>| match change {
            Change::Put(row) => seen.routes.get(&row.key).is_none_or(|known| {
                (known.confidence, &known.query, &known.model)
                    != (row.confidence, &row.query, &row.model)
            }),
            Change::Delete(_) => true,
        };
        self.tools.iter().any(moves_tool) || self.routes.iter().any(moves_route)
    }

    /// Fills in what the store gives: the sequence numbers behind `last_seq`, and the revision
    /// behind `revision`, and behind the floor, when there are journal entries. `last_seq` is the highest number that
    /// was ever given. Overwrites what is there. Returns the revision after the commit.
    pub fn number(&mut self, last_seq: u64, revision: Revision) -> Revision {
        for (seq, outcome) in (last_seq + 1..).zip(&mut self.outcomes) {
            outcome.seq = seq;
        }
        let revision = revision.max(self.floor.revision);
        if self.journal.is_empty() {
            return revision;
        }
        let next = Revision(revision.0 + 1);
        for (index, entry) in (0..).zip(&mut self.journal) {
            entry.revision = next;
            entry.index = index;
        }
        next
    }
}
