//! Verifies stored data: all records, all indexes in both directions, and relations between records.

use std::ops::ControlFlow;

use redb::{Key, ReadableTable, ReadableTableMetadata, Table, TableDefinition, TableHandle, Value};
use staleness_core::journal::JournalCheck;
use staleness_core::store::StoreError;
use staleness_core::store::table::Record;

use crate::collections::journal::Journal;
use crate::collections::meta::{self, Meta};
use crate::collections::outcomes::{Outcomes, is_counted, served};
use crate::collections::rows::{Stored, parts};
use crate::collections::{all, table};
use crate::error::from_storage;
use crate::tables::{self, Tx, other_tables};

/// Verifies everything except pages and checksums, which redb checks itself.
pub(crate) fn check(tx: &Tx, meta: Meta) -> Result<(), StoreError> {
    tables_are_ours(tx)?;
    meta::generation(tx)?;
    macro_rules! each {
        ($($field:ident: $row:ty,)*) => { $(rows::<$row>(tx)?;)* };
    }
    staleness_core::collections!(each);
    outcomes(tx)?;
    journal(tx, meta)
}

/// Verifies that the store has exactly the expected tables.
fn tables_are_ours(tx: &Tx) -> Result<(), StoreError> {
    macro_rules! name {
        ($table:ident) => {
            tables::$table.name().to_owned()
        };
    }
    let mut expected = other_tables!(name).to_vec();
    macro_rules! add {
        ($($field:ident: $row:ty,)*) => {$(
            expected.push(<$row as Record>::TABLE.to_owned());
            expected.extend(<$row as Stored>::INDEX.map(|index| index.name().to_owned()));
        )*};
    }
    staleness_core::collections!(add);
    expected.sort_unstable();
    let found = tx.list_tables().map_err(from_storage)?;
    let mut found: Vec<String> = found.map(|table| table.name().to_owned()).collect();
    found.sort_unstable();
    let others = tx.list_multimap_tables().map_err(from_storage)?.count();
    if others == 0 && found == expected {
        Ok(())
    } else {
        Err(StoreError::Corrupt("its tables are not those of its format".into()))
    }
}

/// An index being verified. Each row names the entries that it must have, and the counts must match at the end, so
/// nothing has to stay in memory.
struct Index<'t, K: Key + 'static, V: Value + 'static> {
    name: String,
    table: Table<'t, K, V>,
    named: u64,
}

impl<'t, K: Key + 'static, V: Value + 'static> Index<'t, K, V> {
    fn open(tx: &'t Tx, definition: TableDefinition<'_, K, V>) -> Result<Self, StoreError> {
        let name = definition.name().to_owned();
        Ok(Self { name, table: table(tx, definition)?, named: 0 })
    }

    fn has(&mut self, key: K::SelfType<'_>, value: &V::SelfType<'_>) -> Result<(), StoreError> {
        self.named += 1;
        let found = self.table.get(key).map_err(from_storage)?;
        let expected = V::as_bytes(value);
        let same = found.is_some_and(|found| {
            let found = found.value();
            V::as_bytes(&found).as_ref() == expected.as_ref()
        });
        if same {
            Ok(())
        } else {
            Err(StoreError::Corrupt(format!("{}: an entry is missing or wrong", self.name)))
        }
    }

    fn finish(self) -> Result<(), StoreError> {
        if self.table.len().map_err(from_storage)? == self.named {
            Ok(())
        } else {
            Err(StoreError::Corrupt(format!("{}: an entry belongs to no row", self.name)))
        }
    }
}

/// Verifies all rows of a collection, and its index.
fn rows<R: Stored>(tx: &Tx) -> Result<(), StoreError> {
    let mut index = R::INDEX.map(|index| Index::open(tx, index)).transpose()?;
    all::<R>(tx, |row| {
        if let Some(index) = &mut index {
            let [first, second, _] = parts::<R>(row.key());
            for label in row.labels() {
                index.has((&first, &label, &second), &())?;
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    index.map_or(Ok(()), Index::finish)
}

fn outcomes(tx: &Tx) -> Result<(), StoreError> {
    let mut identity = Index::open(tx, tables::OUTCOMES_IDENTITY)?;
    let mut counted = Index::open(tx, tables::OUTCOMES_COUNTED)?;
    let mut by_time = Index::open(tx, tables::OUTCOMES_SERVED)?;
    all::<Outcomes>(tx, |row| {
        if row.seq == 0 {
            return Err(StoreError::Corrupt("outcomes 0: seq cannot be read".into()));
        }
        identity.has((row.identity(), row.seq), &())?;
        if is_counted(&row) {
            counted.has((row.project.as_str(), row.seq), &())?;
        }
        if let Some(served) = served(&row) {
            by_time.has((row.at.as_millis(), row.seq), &served)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    identity.finish()?;
    counted.finish()?;
    by_time.finish()
}

/// Verifies that every commit above the floor still has its journal entries.
fn journal(tx: &Tx, meta: Meta) -> Result<(), StoreError> {
    let mut ops = Index::open(tx, tables::JOURNAL_OP)?;
    let mut subjects = Index::open(tx, tables::JOURNAL_SUBJECT)?;
    let mut scopes = Index::open(tx, tables::JOURNAL_SCOPE)?;
    let mut check = JournalCheck::default();
    all::<Journal>(tx, |row| {
        check.next(row.revision, row.index).map_err(StoreError::Corrupt)?;
        let (at, index) = (row.revision.0, row.index);
        let scope = row.subject.scope.as_key();
        if let Some(op) = &row.op {
            ops.has((op.as_str(), at, index), &())?;
        }
        let kind = row.subject.kind.as_str();
        subjects.has((kind, scope, row.subject.id.as_str(), at, index), &())?;
        scopes.has((scope, at, index), &())?;
        Ok(ControlFlow::Continue(()))
    })?;
    ops.finish()?;
    subjects.finish()?;
    scopes.finish()?;
    check.finish(meta.revision, meta.floor.revision).map_err(StoreError::Corrupt)
}
