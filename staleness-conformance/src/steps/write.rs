//! A step that writes a predefined change set.

use staleness_core::journal::{Floor, JournalEntry, Revision};
use staleness_core::outcome::Outcome;
use staleness_core::store::{
    Change, ChangeSet, Decision, Durability, OutcomeRange, Refusal, Row, Selection, Step, View,
};

/// Writes a predefined change set, and locks exactly its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Write {
    pub(crate) changes: ChangeSet,
    pub(crate) look: Selection,
    pub(crate) full: bool,
}

impl Write {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn put<R: Row>(self, row: R) -> Self {
        self.puts([row])
    }

    pub(crate) fn puts<R: Row>(mut self, rows: impl IntoIterator<Item = R>) -> Self {
        R::changes_mut(&mut self.changes).extend(rows.into_iter().map(Change::Put));
        self
    }

    pub(crate) fn delete<R: Row>(mut self, key: R::Key) -> Self {
        R::changes_mut(&mut self.changes).push(Change::Delete(key));
        self
    }

    pub(crate) fn outcome(mut self, row: Outcome) -> Self {
        self.changes.outcomes.push(row);
        self
    }

    pub(crate) fn outcomes(mut self, rows: impl IntoIterator<Item = Outcome>) -> Self {
        self.changes.outcomes.extend(rows);
        self
    }

    pub(crate) fn range(mut self, range: OutcomeRange) -> Self {
        self.changes.outcome_ranges.push(range);
        self
    }

    pub(crate) fn entry(mut self, row: JournalEntry) -> Self {
        self.changes.journal.push(row);
        self
    }

    pub(crate) fn entries(mut self, rows: impl IntoIterator<Item = JournalEntry>) -> Self {
        self.changes.journal.extend(rows);
        self
    }

    /// Prunes the entries of these revisions, and raises the floor.
    pub(crate) fn pruned(mut self, revisions: impl IntoIterator<Item = u64>, floor: Floor) -> Self {
        self.changes.pruned.extend(revisions.into_iter().map(Revision));
        self.changes.floor = floor;
        self
    }

    /// Adds a selection to read.
    pub(crate) fn looking(mut self, selection: Selection) -> Self {
        self.look.merge(selection);
        self
    }

    /// Makes the step fully durable.
    pub(crate) fn full(mut self) -> Self {
        self.full = true;
        self
    }
}

impl Step for Write {
    fn selection(&self) -> Selection {
        let mut all = self.changes.locks();
        all.merge(self.look.clone());
        all
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.changes.clone()))
    }

    fn durability(&self) -> Durability {
        if self.full { Durability::Full } else { Durability::Normal }
    }
}
