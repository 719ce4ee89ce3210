//! Carrying on with a copy that is not finished.

use std::borrow::Borrow as _;
use std::fmt::Debug;

use super::{ImportReport, Importer};
use crate::ids::stable_hash;
use crate::registry::{Admin, RegistryError};
use crate::store::{
    Change, ChangeSet, Decision, Durability, Filter, Refusal, Row, Selection, Step, View,
};
use crate::transfer::{Record, exported};

/// A record that comes, and of a copy what it takes the place of.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) row: Record,
    /// A hash of what was seen in its place; nothing was where there is none.
    pub(super) seen: Option<u128>,
}

fn hash_of(row: &impl Debug) -> u128 {
    stable_hash(format!("{row:?}").as_bytes())
}

/// Does something with the row of a record, whatever its collection. Outcomes and journal entries, which are never
/// changed, are left out.
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

/// Records of one collection, verbatim, where their places are still as they were seen.
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

/// Writes a row in the place of what was seen there.
fn put<R: Row>(row: &R, seen: Option<u128>, view: &View, changes: &mut ChangeSet) {
    let known = R::rows(view).get(row.key());
    if known != Some(row) && known.map(|known| hash_of(known)) == seen {
        R::changes_mut(changes).push(Change::Put(row.clone()));
    }
}

impl Admin<'_> {
    /// An import into a registry that is empty, or holds a part of what comes, perhaps as it was before: what
    /// a [`Comparison`](crate::transfer::Comparison) calls missing is [put](Importer::put), in the order of an
    /// export, in the place of what it calls older a record is [replaced](Importer::replace), and what it calls
    /// the same is [skipped](Importer::skip). Afterwards everything is there verbatim.
    ///
    /// A record is written only while its place is as it was compared, so whoever uses the registry meanwhile
    /// loses nothing; the two sides are not the same then.
    #[must_use]
    pub fn copier(self) -> Importer {
        let mut importer = Importer::begin(self.0, ImportReport::default(), false);
        importer.copying = true;
        importer
    }
}

impl Importer {
    /// Takes note of a record that is there already, as it is.
    pub fn skip(&mut self, record: Record) {
        *self.report.skipped.of(&record) += 1;
        if let Record::Journal(entry) = record {
            let revision = entry.revision;
            // How often it was said counts for what follows.
            self.numbered(entry);
            if self.revisions.last() != Some(&(revision, revision)) {
                self.revisions.push((revision, revision));
            }
        }
    }

    /// Takes the next record of a copy, like [`Importer::put`], in the place of what was `seen` there.
    ///
    /// # Errors
    /// Errors of the store; what was written before stays.
    pub async fn replace(&mut self, row: Record, seen: &Record) -> Result<(), RegistryError> {
        let mut hash = None;
        with_row!(seen, row => hash = Some(hash_of(row)));
        self.take(Placed { row, seen: hash }).await
    }
}
