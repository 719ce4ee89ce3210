//! Change sets: what a step wants written.

use super::OutcomeCut;
use crate::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use crate::journal::{JournalEntry, Revision};
use crate::knowledge::{Document, Item};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::{Route, RouteKey, RouteVector, Suggestions};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::tool::Tool;
use crate::work::Work;

/// A change of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change<R, K> {
    /// Create the row, or replace it whole.
    Put(R),
    /// Remove the row with this key, if it is there.
    Delete(K),
}

/// Outcomes to remove as a range, without having looked at each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutcomeRange {
    /// Those within a cut, oldest in order of recording first, at most `limit`.
    Cut {
        /// Which may go.
        cut: OutcomeCut,
        /// At most this many in one commit, so that others wait briefly.
        limit: u64,
    },
    /// Those of one tool.
    OfTool(ToolKey),
    /// Those of one project.
    OfProject(ProjectId),
}

/// Everything that one step writes. It is written whole or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ChangeSet {
    /// Projects.
    pub projects: Vec<Change<Project, ProjectId>>,
    /// Sources.
    pub sources: Vec<Change<Source, SourceId>>,
    /// Tools.
    pub tools: Vec<Change<Tool, ToolKey>>,
    /// Items of knowledge.
    pub knowledge: Vec<Change<Item, ItemKey>>,
    /// Documents.
    pub documents: Vec<Change<Document, DocumentKey>>,
    /// Work items.
    pub work: Vec<Change<Work, WorkKey>>,
    /// Sessions.
    pub sessions: Vec<Change<Session, SessionKey>>,
    /// Cursors.
    pub cursors: Vec<Change<Cursor, CursorKey>>,
    /// Routes.
    pub routes: Vec<Change<Route, RouteKey>>,
    /// Vectors of routes.
    pub vectors: Vec<Change<RouteVector, RouteKey>>,
    /// What was suggested in sessions.
    pub suggestions: Vec<Change<Suggestions, SessionKey>>,
    /// Outcomes to append; their sequence numbers are given by the store.
    pub outcomes: Vec<Outcome>,
    /// Outcomes to remove, before the appends.
    pub outcome_ranges: Vec<OutcomeRange>,
    /// Journal entries to append; revision and index are given by the store.
    pub journal: Vec<JournalEntry>,
}

impl ChangeSet {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// How many rows are written or ranges removed.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.projects.len()
            + self.sources.len()
            + self.tools.len()
            + self.knowledge.len()
            + self.documents.len()
            + self.work.len()
            + self.sessions.len()
            + self.cursors.len()
            + self.routes.len()
            + self.vectors.len()
            + self.suggestions.len()
            + self.outcomes.len()
            + self.outcome_ranges.len()
            + self.journal.len()
    }

    /// Whether anything is removed. Where the step must be safe as well, a person has forgotten it.
    #[must_use]
    pub fn removes(&self) -> bool {
        fn any<R, K>(changes: &[Change<R, K>]) -> bool {
            changes.iter().any(|change| matches!(change, Change::Delete(_)))
        }
        any(&self.projects)
            || any(&self.sources)
            || any(&self.tools)
            || any(&self.knowledge)
            || any(&self.documents)
            || any(&self.work)
            || any(&self.sessions)
            || any(&self.cursors)
            || any(&self.routes)
            || any(&self.vectors)
            || any(&self.suggestions)
            || !self.outcome_ranges.is_empty()
    }

    /// Fills in what the store gives: the sequence numbers behind `last_seq`, and the revision
    /// behind `revision` when there are journal entries. Returns the revision after the commit.
    pub fn number(&mut self, last_seq: u64, revision: Revision) -> Revision {
        for (seq, outcome) in (last_seq + 1..).zip(&mut self.outcomes) {
            outcome.seq = seq;
        }
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
