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
//! | `projects` | id | a project |
//! | `sources` | scope, client, level, part | a source |
//! | `tools` | scope, name | a tool with its ring |
//! | `tools_server` | scope, server, name | the kind: tools with a server |
//! | `tools_entries` | scope, server, name | nothing: those of them that are a server's entry |
//! | `tools_configured`, `tools_demoted`, `tools_revived` | scope, name | nothing: such tools |
//! | `knowledge` | scope, id | an item of knowledge |
//! | `documents` | project, path | a document as it was last checked |
//! | `documents_flagged` | project, whether a client loads it, path | nothing: those with findings |
//! | `work` | scope, id | a work item |
//! | `work_open` | scope, id | nothing: those that have not ended |
//! | `work_aging` | scope, `Work::aging` (way, time), id | nothing: those that age |
//! | `work_referring` | scope, id | to which others, packed: those that have not ended and refer to any |
//! | `sessions` | project, id | a session of an agent |
//! | `cursors` | project, agent | up to where an agent was told |
//! | `routes` | project, tool, id | a query that led to a tool |
//! | `vectors` | project, tool, id | what a model made of a route's query |
//! | `suggestions` | project, session | what was suggested in a session |
//! | `outcomes` | seq | one use of a tool |
//! | `outcomes_identity` | `Outcome::identity`, seq | nothing |
//! | `outcomes_counted` | project, seq | nothing: those with the marks `S` and `F` |
//! | `outcomes_served` | time, seq | scope and server: with a server, not interrupted |
//! | `journal` | revision, index | one change |
//! | `journal_op` | op, revision, index | nothing: those with an op |
//! | `journal_subject` | kind, scope, id, revision, index | nothing |
//! | `journal_scope` | scope, revision, index | nothing |
//!
//! A scope is `""` for global, else the project's id. Levels and kinds in keys are the numbers of the
//! lists in `records`. The values of records are described in `codec`. redb compares the parts of a
//! key one by one, numbers as numbers, so the order of keys is that of the types in `staleness-core`.
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

/// The format that this program reads and writes. Formats 1 to 6 were never released.
pub(crate) const FORMAT: u64 = 7;

pub(crate) type ServerRef = (&'static str, &'static str, &'static str);
pub(crate) type AgingRef = (&'static str, u8, i64, &'static str);
pub(crate) type SourceKey = (&'static str, &'static str, u8, &'static str);
pub(crate) type ToolRef = (&'static str, &'static str);
pub(crate) type ItemRef = (&'static str, &'static str);
pub(crate) type DocumentRef = (&'static str, &'static str);
pub(crate) type WorkRef = (&'static str, &'static str);
pub(crate) type SessionRef = (&'static str, &'static str);
pub(crate) type CursorRef = (&'static str, &'static str);
pub(crate) type RouteRef = (&'static str, &'static str, u128);
pub(crate) type EntryRef = (u64, u32);

pub(crate) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");

pub(crate) const PROJECTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("projects");
pub(crate) const SOURCES: TableDefinition<'_, SourceKey, &[u8]> = TableDefinition::new("sources");

pub(crate) const TOOLS: TableDefinition<'_, ToolRef, &[u8]> = TableDefinition::new("tools");
pub(crate) const TOOLS_SERVER: TableDefinition<'_, ServerRef, u8> =
    TableDefinition::new("tools_server");
pub(crate) const TOOLS_ENTRIES: TableDefinition<'_, ServerRef, ()> =
    TableDefinition::new("tools_entries");
pub(crate) const TOOLS_CONFIGURED: TableDefinition<'_, ToolRef, ()> =
    TableDefinition::new("tools_configured");
pub(crate) const TOOLS_DEMOTED: TableDefinition<'_, ToolRef, ()> =
    TableDefinition::new("tools_demoted");
pub(crate) const TOOLS_REVIVED: TableDefinition<'_, ToolRef, ()> =
    TableDefinition::new("tools_revived");

pub(crate) const KNOWLEDGE: TableDefinition<'_, ItemRef, &[u8]> = TableDefinition::new("knowledge");

pub(crate) const DOCUMENTS: TableDefinition<'_, DocumentRef, &[u8]> =
    TableDefinition::new("documents");
pub(crate) const DOCUMENTS_FLAGGED: TableDefinition<'_, (&str, bool, &str), ()> =
    TableDefinition::new("documents_flagged");

pub(crate) const WORK: TableDefinition<'_, WorkRef, &[u8]> = TableDefinition::new("work");
pub(crate) const WORK_OPEN: TableDefinition<'_, WorkRef, ()> = TableDefinition::new("work_open");
pub(crate) const WORK_AGING: TableDefinition<'_, AgingRef, ()> = TableDefinition::new("work_aging");
pub(crate) const WORK_REFERRING: TableDefinition<'_, WorkRef, &str> =
    TableDefinition::new("work_referring");

pub(crate) const SESSIONS: TableDefinition<'_, SessionRef, &[u8]> =
    TableDefinition::new("sessions");
pub(crate) const CURSORS: TableDefinition<'_, CursorRef, &[u8]> = TableDefinition::new("cursors");

pub(crate) const ROUTES: TableDefinition<'_, RouteRef, &[u8]> = TableDefinition::new("routes");
pub(crate) const VECTORS: TableDefinition<'_, RouteRef, &[u8]> = TableDefinition::new("vectors");
pub(crate) const SUGGESTIONS: TableDefinition<'_, SessionRef, &[u8]> =
    TableDefinition::new("suggestions");

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
pub(crate) const JOURNAL_SUBJECT: TableDefinition<'_, (u8, &str, &str, u64, u32), ()> =
    TableDefinition::new("journal_subject");
pub(crate) const JOURNAL_SCOPE: TableDefinition<'_, (&str, u64, u32), ()> =
    TableDefinition::new("journal_scope");

/// Calls `$each!` with every table; the list is in the order of names.
macro_rules! every_table {
    ($each:ident) => {
        [
            $each!(CURSORS),
            $each!(DOCUMENTS),
            $each!(DOCUMENTS_FLAGGED),
            $each!(JOURNAL),
            $each!(JOURNAL_OP),
            $each!(JOURNAL_SCOPE),
            $each!(JOURNAL_SUBJECT),
            $each!(KNOWLEDGE),
            $each!(OUTCOMES),
            $each!(OUTCOMES_COUNTED),
            $each!(OUTCOMES_IDENTITY),
            $each!(OUTCOMES_SERVED),
            $each!(PROJECTS),
            $each!(ROUTES),
            $each!(SESSIONS),
            $each!(SOURCES),
            $each!(META),
            $each!(SUGGESTIONS),
            $each!(TOOLS),
            $each!(TOOLS_CONFIGURED),
            $each!(TOOLS_DEMOTED),
            $each!(TOOLS_ENTRIES),
            $each!(TOOLS_REVIVED),
            $each!(TOOLS_SERVER),
            $each!(VECTORS),
            $each!(WORK),
            $each!(WORK_AGING),
            $each!(WORK_OPEN),
            $each!(WORK_REFERRING),
        ]
    };
}
pub(crate) use every_table;
