//! The format of the file.
//!
//! A store is a redb 4 database (file format 3, pages of 4 KiB) in a file with checksums, see `file`. Its
//! table `staleness` holds some numbers; its name, types and the rows `magic` and `format` stay as they are in
//! every format. All tables are made in the transaction that makes the store. A store with another format
//! was written by a newer or an older program and is refused.
//!
//! # Tables
//!
//! | table | key | value |
//! |---|---|---|
//! | `staleness` | a name | `magic`, `format`, the last `revision`, `floor`, `floor_at` and `last_seq` |
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
//! The three texts of a key are its columns in `staleness_core::store::table`: the first two, and the others as one
//! text in their order; numbers in digits, bytes in hexadecimal ones. A scope is `""` for global, else the project's id.
//! The values of records are described in `codec`. redb compares the parts of a key one by one, so the order of keys is
//! that of the types in `staleness-core`.
//!
//! `floor` and `floor_at` are the `Floor` of the journal: the newest revision whose entries were pruned, and the
//! latest time of an entry that was, as the unsigned number with the same bits.
//!
//! `last_seq` is a floor, not a counter: the next outcome gets one more than the larger of the floor
//! and the last `seq` in the table. Only a step that removes outcomes raises the floor, so numbers
//! are never used twice and an append does not touch this table.

use redb::{TableDefinition, WriteTransaction};

/// A transaction. Readers use the same kind, on a file that is not written: see `file`.
pub(crate) type Tx = WriteTransaction;

/// `stalenes`, in the row `magic`: marks the file as ours.
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

/// Calls `$each!` with every table but those of collections.
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
