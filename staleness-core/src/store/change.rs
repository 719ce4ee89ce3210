//! Change sets: the writes of a step.

use serde::{Deserialize, Serialize};

use super::{Filter, OutcomeCut, Row, Selection, View};
use crate::ids::{ProjectId, ToolKey};
use crate::journal::{Floor, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::route::{Route, RouteKey};
use crate::tool::{Tool, reads_alike};

/// A change to one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change<R, K> {
    /// Creates the row, or replaces it as a whole.
    Put(R),
    /// Removes the row with this key, if it exists.
    Delete(K),
}

impl<R: Row> Change<R, R::Key> {
    /// Returns the key of the row.
    pub fn key(&self) -> &R::Key {
        match self {
            Self::Put(row) => row.key(),
            Self::Delete(key) => key,
        }
    }
}

impl<R, K> Change<R, K> {
    /// Returns the row to put. `None` for a deletion.
    pub(crate) const fn put(&self) -> Option<&R> {
        if let Self::Put(row) = self { Some(row) } else { None }
    }
}

/// A range of outcomes to remove without loading them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutcomeRange {
    /// The outcomes within a cut, oldest first in order of recording, at most `limit`.
    Cut {
        /// The outcomes that may be removed.
        cut: OutcomeCut,
        /// The maximum number of outcomes per commit, so that other writers wait only briefly.
        limit: u64,
    },
    /// The outcomes of one tool. Outcomes that only credit the tool stay.
    OfTool(ToolKey),
    /// The outcomes of one project.
    OfProject(ProjectId),
}

macro_rules! change_set {
    ($($field:ident: $row:ty,)*) => {
        /// All writes of one step. A store writes all of them or none.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct ChangeSet {
            $(
                #[doc = concat!("Changes of ", stringify!($field), ".")]
                pub $field: Vec<Change<$row, <$row as Row>::Key>>,
            )*
            /// Outcomes to append. The store assigns their sequence numbers.
            pub outcomes: Vec<Outcome>,
            /// Ranges of outcomes to remove, in this order, before outcomes are appended.
            pub outcome_ranges: Vec<OutcomeRange>,
            /// Journal entries to append. The store assigns revision and index.
            pub journal: Vec<JournalEntry>,
            /// Revisions whose journal entries are all to be removed. Each is below the newest revision and at most
            /// `floor`.
            pub pruned: Vec<Revision>,
            /// The minimum for the store's floor and, before entries are appended, for its revision. An import uses it
            /// to skip entries that the original store has pruned.
            pub floor: Floor,
        }

        impl ChangeSet {
            /// Returns the number of rows to write and of ranges to remove.
            pub fn rows(&self) -> usize {
                $(self.$field.len() +)*
                self.outcomes.len()
                    + self.outcome_ranges.len()
                    + self.journal.len()
                    + self.pruned.len()
                    + usize::from(self.floor.revision > Revision(0))
            }

            /// Returns the selection that locks exactly the rows to be written or removed.
            pub fn locks(&self) -> Selection {
                let mut selection = Selection::new();
                $(for change in &self.$field {
                    selection = selection.lock(<$row as Row>::Filter::of(change.key().clone()));
                })*
                selection
            }

            /// Returns true if every row to be written belongs to the project. A global row does not.
            pub(crate) fn is_of(&self, project: &ProjectId) -> bool {
                fn are_of<R: Row>(changes: &[Change<R, R::Key>], project: &ProjectId) -> bool {
                    let own = R::Filter::of_project(project);
                    own.is_none_or(|own| changes.iter().all(|it| own.matches(it.key(), it.put())))
                }
                $(are_of(&self.$field, project) &&)*
                    true
            }

            /// Returns true if anything is removed. Together with [`Durability::Full`](super::Durability::Full)
            /// this means that a user asked for the erasure.
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
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// Returns true if the changes affect data that searches read: the existence and words of tools and routes, the
    /// status of a tool, the confidence and the model of a route. Counters do not matter. `seen` is the view of the
    /// step.
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

    /// Assigns sequence numbers after `last_seq`, the highest number ever assigned, and, if there are journal entries,
    /// the next revision after `revision` and the floor. Overwrites existing values. Returns the revision after the
    /// commit.
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
