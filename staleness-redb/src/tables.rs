//! The format of the file.
//!
//! A store is a redb 4 database (file format 3, pages of 4 KiB) in a file with checksums: see `file`. The name and
//! types of its table `staleness`, and the rows `magic` and `format`, are the same in every format. All tables are
//! created in one transaction with the store. A store with another format is refused.
//!
//! # Tables
//!
//! | table | key | value |
//! |---|---|---|
//! | `staleness` | a name | `magic`, `format`, the last `revision`, `floor`, `floor_at`, `last_seq` and `generation` |
//! | the name of a collection | three texts | a record |
//! | `tools_index`, `definitions_index`, `documents_index`, `work_index` | first text of a key, a label, second text | nothing: rows with that label, see `collections::stored` |
//! | `outcomes` | seq | one use of a tool |
//! | `outcomes_identity` | `Outcome::identity`, seq | nothing |
//! | `outcomes_counted` | project, seq | nothing: those with the marks `S` and `F` |
//! | `outcomes_served` | time, seq | scope and server: with a server, conclusive |
//! | `journal` | revision, index | one change |
//! | `journal_op` | op, revision, index | nothing: those with an op |
//! | `journal_subject` | kind, scope, id, revision, index | nothing |
//! | `journal_scope` | scope, revision, index | nothing |
//!
//! The three texts of a key are its columns in `staleness_core::store::table`: the first two, and all others
//! concatenated. Numbers are decimal, bytes hexadecimal. A scope is `""` for global, else the project's id. Records are
//! described in `codec`. redb compares the parts of a key one by one, so keys sort as in `staleness-core`.
//!
//! `floor` and `floor_at` are the journal's `Floor`: the newest pruned revision, and the latest time of a pruned entry,
//! as the unsigned number with the same bits.
//!
//! `last_seq` is a lower bound, not a counter. The next outcome gets the larger of it and the last `seq` in the table,
//! plus one. Only a step that removes outcomes raises it, so numbers are never reused, and an append does not touch this
//! table.

use redb::{TableDefinition, WriteTransaction};

/// A transaction. Readers use the same type, on a file that is not written: see `file`.
pub(crate) type Tx = WriteTransaction;

/// The value `stalenes` of the row `magic`, which identifies a store.
pub(crate) const MAGIC: u64 = u64::from_be_bytes(*b"stalenes");

pub(crate) type KeyRef = (&'static str, &'static str, &'static str);
pub(crate) type EntryRef = (u64, u32);

pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");

pub(crate) const TOOLS_INDEX: TableDefinition<'_, KeyRef, ()> = TableDefinition::new("tools_index");
pub(crate) const DEFINITIONS_INDEX: TableDefinition<'_, KeyRef, ()> =
    TableDefinition::new("definitions_index");
pub(crate) const DOCUMENTS_INDEX: TableDefinition<'_, KeyRef, ()> =
    TableDefinition::new("documents_index");
pub(crate) const WORK_INDEX: TableDefinition<'_, KeyRef, ()> = TableDefinition::new("work_index");

pub(crate) const OUTCOMES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("outcomes");
pub(crate) const OUTCOMES_IDENTITY: TableDefinition<'_, (u64, u64), ()> =
    TableDefinition::new("outcomes_identity");
pub(crate) const OUTCOMES_COUNTED: TableDefinition<'_, (&str, u64), ()> =
    TableDefinition::new("outcomes_counted");
pub(crate) const OUTCOMES_SERVED: TableDefinition<'_, (i64, u64), (&str, &str)> =
    TableDefinition::new("outcomes_served");

pub(crate) const JOURNAL: TableDefinition<'_, EntryRef, &[u8]> = TableDefinition::new("journal");
pub(crate) const JOURNAL_OP: TableDefinition<'_, (&str, u64, u32), ()> =
    TableDefinition::new("journal_op");
pub(crate) const JOURNAL_SUBJECT: TableDefinition<'_, (&str, &str, &str, u64, u32), ()> =
    TableDefinition::new("journal_subject");
pub(crate) const JOURNAL_SCOPE: TableDefinition<'_, (&str, u64, u32), ()> =
    TableDefinition::new("journal_scope");

/// Calls `$each!` with every table that is not a collection.
macro_rules! other_tables {
    ($each:ident) => {
        [
            $each!(META),
            $each!(OUTCOMES),
            $each!(OUTCOMES_COUNTED),
            $each!(OUTCOMES_IDENTITY),
            $each!(OUTCOMES_SERVED),
            $each!(JOURNAL),
            $each!(JOURNAL_OP),
            $each!(JOURNAL_SCOPE),
            $each!(JOURNAL_SUBJECT),
        ]
    };
}
pub(crate) use other_tables;
