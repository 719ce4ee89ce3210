//! The step that writes what it was given.

use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use staleness_core::journal::{Floor, JournalEntry, Revision};
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteKey, RouteVector, Suggestions};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::source::Source;
use staleness_core::store::{
    Change, ChangeSet, CursorFilter, Decision, DocumentFilter, Durability, ItemFilter,
    OutcomeRange, ProjectFilter, Refusal, RouteFilter, Selection, SessionFilter, SourceFilter,
    Step, SuggestionFilter, ToolFilter, VectorFilter, View, WorkFilter,
};
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use crate::collections::collections;

/// Writes a change set that was made up beforehand, and locks the keys of exactly its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Write {
    pub(crate) changes: ChangeSet,
    pub(crate) look: Selection,
    pub(crate) full: bool,
}

macro_rules! methods {
    ($({ $rows:ident $row:ident $key:ident $id:ident $put:ident $delete:ident $($more:ident)* })*) => {$(
        pub(crate) fn $put(mut self, row: $row) -> Self {
            self.changes.$rows.push(Change::Put(row));
            self
        }

        pub(crate) fn $delete(mut self, key: $key) -> Self {
            self.changes.$rows.push(Change::Delete(key));
            self
        }
    )*};
}

impl Write {
    collections!(methods);

    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn tools(mut self, rows: impl IntoIterator<Item = Tool>) -> Self {
        self.changes.tools.extend(rows.into_iter().map(Change::Put));
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

    /// Removes the entries of revisions, and raises the floor.
    pub(crate) fn pruned(mut self, revisions: impl IntoIterator<Item = u64>, floor: Floor) -> Self {
        self.changes.pruned.extend(revisions.into_iter().map(Revision));
        self.changes.floor = floor;
        self
    }

    /// Looks at this as well.
    pub(crate) fn looking(mut self, selection: Selection) -> Self {
        self.look.merge(selection);
        self
    }

    /// Must survive a power cut.
    pub(crate) fn full(mut self) -> Self {
        self.full = true;
        self
    }
}

/// The key of the row that a change writes or removes.
pub(crate) fn key_of<'a, R, K>(change: &'a Change<R, K>, key: impl Fn(&'a R) -> &'a K) -> &'a K {
    match change {
        Change::Put(row) => key(row),
        Change::Delete(key) => key,
        other => unreachable!("{}", std::any::type_name_of_val(other)),
    }
}

/// `selection`, with a lock on every row that `changes` writes; without that of one row, where a number says so.
pub(crate) fn locking(
    mut selection: Selection,
    changes: &ChangeSet,
    without: Option<usize>,
) -> Selection {
    let mut row = 0;
    macro_rules! lock {
        ($({ $rows:ident $row:ident $key:ident $id:ident $put:ident $delete:ident $keys:ident
            $filters:ident $filter:ident $one:ident $lock:ident })*) => {$(
            for change in &changes.$rows {
                if without != Some(row) {
                    let key = key_of(change, |row| &row.$id).clone();
                    selection = selection.$lock($filter::$one(key));
                }
                row += 1;
            }
        )*};
    }
    collections!(lock);
    selection
}

impl Step for Write {
    fn selection(&self) -> Selection {
        locking(self.look.clone(), &self.changes, None)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.changes.clone()))
    }

    fn durability(&self) -> Durability {
        if self.full { Durability::Full } else { Durability::Normal }
    }
}

/// Writes what was made up beforehand, and locks everything.
#[derive(Clone, Debug)]
pub struct Put(pub ChangeSet);

impl Step for Put {
    fn selection(&self) -> Selection {
        let mut all = Selection::new();
        macro_rules! lock {
            ($({ $rows:ident $row:ident $key:ident $id:ident $put:ident $delete:ident $keys:ident
                $filters:ident $filter:ident $one:ident $lock:ident })*) => {$(
                all = all.$lock($filter::All);
            )*};
        }
        collections!(lock);
        all
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.0.clone()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
