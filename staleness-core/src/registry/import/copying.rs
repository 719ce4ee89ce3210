//! Resuming an unfinished copy.

use std::borrow::Borrow as _;
use std::fmt::Debug;

use super::{ImportReport, Importer};
use crate::ids::stable_hash;
use crate::registry::{Admin, RegistryError};
use crate::store::{
    Change, ChangeSet, Decision, Durability, Filter, Refusal, Row, Selection, Step, View,
};
use crate::transfer::{Record, exported};

/// An incoming record and, for a copy, the row that it replaces.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) row: Record,
    /// A hash of the row to be replaced; `None` if there was none.
    pub(super) seen: Option<u128>,
}

fn hash_of(row: &impl Debug) -> u128 {
    stable_hash(format!("{row:?}").as_bytes())
}

/// Evaluates an expression with the row of a record, for any collection. Ignores outcomes and journal
/// entries, which never change.
macro_rules! with_row {
    ($record:expr, $row:ident => $then:expr) => {
        exported!(with_row @ $record, $row => $then;)
    };
    (@ $record:expr, $row:ident => $then:expr; $($kind:ident: $type:ty,)*) => {
        match $record {
            $(Record::$kind(row) => {
                let $row: &$type = row.borrow();
                $then
            })*
            Record::Outcome(_) | Record::Journal(_) => {}
        }
    };
}

/// Writes records of one collection verbatim, where the rows to be replaced are still as they were compared.
#[derive(Debug)]
pub(super) struct PutVerbatim {
    pub(super) rows: Vec<Placed>,
    pub(super) durability: Durability,
}

impl Step for PutVerbatim {
    fn selection(&self) -> Selection {
        let mut all = Selection::new();
        for placed in &self.rows {
            with_row!(&placed.row, row => all = lock(all, row));
        }
        all
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        for Placed { row, seen } in &self.rows {
            with_row!(row, row => put(row, *seen, view, &mut changes));
        }
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

fn lock<R: Row>(all: Selection, row: &R) -> Selection {
    all.lock(R::Filter::of(row.key().clone()))
}

/// Writes a row if the current one still has the hash `seen`.
fn put<R: Row>(row: &R, seen: Option<u128>, view: &View, changes: &mut ChangeSet) {
    let known = R::rows(view).get(row.key());
    if known != Some(row) && known.map(|known| hash_of(known)) == seen {
        R::changes_mut(changes).push(Change::Put(row.clone()));
    }
}

impl Admin<'_> {
    /// Creates an import that continues a copy. The registry is empty or contains a part of the original,
    /// perhaps in an older state. For each result of a [`Comparison`](crate::transfer::Comparison), in the
    /// order of an export: [put](Importer::put) a missing record, [replace](Importer::replace) an older one,
    /// [skip](Importer::skip) an identical one. The result is a verbatim copy.
    ///
    /// A record is written only if the row in its place is still as it was compared. So changes made by
    /// others in the meantime are not lost, but then the two sides differ.
    #[must_use]
    pub fn copier(self) -> Importer {
        let mut importer = Importer::begin(self.0, ImportReport::default(), false);
        importer.copying = true;
        importer
    }
}

impl Importer {
    /// Counts a record that already exists in identical form.
    pub fn skip(&mut self, record: Record) {
        *self.report.skipped.of(&record) += 1;
        if let Record::Journal(entry) = record {
            let revision = entry.revision;
            // Later identical entries are counted from here.
            self.numbered(entry);
            if self.revisions.last() != Some(&(revision, revision)) {
                self.revisions.push((revision, revision));
            }
        }
    }

    /// Takes the next record of a copy, like [`Importer::put`], to replace the row `seen`.
    ///
    /// # Errors
    /// An error of the store. Records already written remain.
    pub async fn replace(&mut self, row: Record, seen: &Record) -> Result<(), RegistryError> {
        let mut hash = None;
        with_row!(seen, row => hash = Some(hash_of(row)));
        self.take(Placed { row, seen: hash }).await
    }
}
