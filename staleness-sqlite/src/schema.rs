//! The format of the file.
//!
//! A store is an SQLite database in write-ahead mode. Two fields of its header identify it: `application_id` is
//! `0x5374616C` (`Stal`), and `user_version` is [`FORMAT`]. A store with another format is refused.
//!
//! # Tables
//!
//! | table | key | a row is |
//! |---|---|---|
//! | `meta` | 1 | `format` (as `user_version`), the last `revision`, `floor`, `floor_at`, `last_seq` and `generation` |
//! | `projects` | id | a project |
//! | `sources` | scope, client, level, part | a source |
//! | `tools` | scope, name | a tool with its ring |
//! | `definitions` | scope, name | a tool's pinned definition |
//! | `knowledge` | scope, id | an item of knowledge |
//! | `documents` | project, path | a document as it was last checked |
//! | `work` | scope, id | a work item |
//! | `sessions` | project, id | a session of an agent |
//! | `cursors` | project, agent | how far an agent has been told of changes |
//! | `routes` | project, tool, id | a query that led to a tool |
//! | `vectors` | project, tool, id | the vector of a route's query |
//! | `suggestions` | project, session | suggestions made in a session |
//! | `outcomes` | seq | one use of a tool |
//! | `journal` | revision, idx | one change |
//!
//! The columns are defined in `staleness_core::store::table`. Most records are one packed text, `value`, after the
//! columns needed for keys, indexes and filters. Tools, items, routes, vectors, outcomes and journal entries consist of
//! columns only, because thousands of them are read or written at once. Columns that repeat part of a record are
//! compared with it whenever a row is read.
//!
//! A scope is `''` for global, else the project's id. Words (`kind`, `cause`, `hold`, `action`) come from the types'
//! `as_str`. Times are milliseconds since 1970. Unsigned 64-bit numbers that may use all bits (hashes, durations,
//! counters) are stored as the signed number with the same bits.
//!
//! `meta.format` repeats `user_version`. Reading the header takes a separate statement, but this row is read with the
//! revision anyway, so every transaction detects at no cost if a newer program has changed the format.
//!
//! `meta.floor` and `meta.floor_at` are the journal's `Floor`: the newest pruned revision, and the latest time of a
//! pruned entry.
//!
//! `meta.last_seq` is a lower bound, not a counter. The next outcome gets the larger of it and the last `seq` in the
//! table, plus one. Only a step that removes outcomes raises it (to the last `seq` before the removal). Numbers are
//! never reused, and an append writes no page for the counter, which `AUTOINCREMENT` would do in every commit.
//!
//! `meta.generation` is raised by each commit that changes search data of tools and routes: see
//! `ChangeSet::moves_generation`. It starts at a random number, so that a replaced store is detected.
//!
//! Columns with only 0 or 1 exist for partial indexes, which find open or demoted rows among many others. The index of
//! open work is ordered by `work.aging` and `work.since`: `Work::aging` as a word and a time, or both NULL. It finds
//! work that may be overdue among much open work. `outcomes.identity` is `Outcome::identity`.
//!
//! `routes.id` and `vectors.id` are a `RouteId`: 16 bytes, big-endian. `routes.confidence` is in billionths, and
//! `routes.ops` has 8 bytes per op, little-endian, oldest first. `vectors` is a separate table, so that a changed
//! confidence does not rewrite the vector; it has a rowid because rows are large. `vectors.form` is `f32 unit` or `f64
//! unit`: the precision of `numbers`, which are consecutive and little-endian, for a vector of length 1. `tools.ring`,
//! `tools.listings` and `outcomes.credits` are lists packed by `staleness_core::store`.

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Kind, Record};

/// `Stal`, which identifies a store.
pub(crate) const APPLICATION_ID: i64 = 0x5374_616C;

/// The format that this program reads and writes. Formats 1 to 13 were never released.
pub(crate) const FORMAT: i64 = 14;

/// The tables with rowids, whose rows are large. The others are ordered by their keys.
const WITH_ROWIDS: [&str; 7] =
    ["tools", "definitions", "outcomes", "knowledge", "documents", "work", "vectors"];

const INDEXES: &str = "
CREATE INDEX tools_server ON tools(scope, server, kind) WHERE server IS NOT NULL;
CREATE INDEX tools_demoted ON tools(scope) WHERE demoted = 1;
CREATE INDEX tools_configured ON tools(scope) WHERE configured = 1;
CREATE INDEX tools_revived ON tools(scope) WHERE revived = 1;
CREATE INDEX definitions_pending ON definitions(scope) WHERE pending = 1;
CREATE INDEX outcomes_identity ON outcomes(identity);
CREATE INDEX outcomes_counted ON outcomes(project) WHERE mark IN ('S', 'F');
CREATE INDEX outcomes_served ON outcomes(at) WHERE server IS NOT NULL;
CREATE INDEX journal_op ON journal(op) WHERE op IS NOT NULL;
CREATE INDEX journal_subject ON journal(kind, scope, subject);
CREATE INDEX journal_scope ON journal(scope);
CREATE INDEX documents_flagged ON documents(project, loaded) WHERE flagged = 1;
CREATE INDEX work_open ON work(scope, aging, since) WHERE ended = 0;
CREATE INDEX work_referring ON work(scope) WHERE refers = 1;
";

/// Returns the statements that create the tables.
///
/// SQLite parses all of them whenever a process opens the store, so each further table or index slows down every
/// short-lived process.
pub(crate) fn schema() -> String {
    let mut all = String::from(
        "CREATE TABLE meta(id INTEGER PRIMARY KEY, format INTEGER NOT NULL, revision INTEGER NOT NULL, \
           floor INTEGER NOT NULL, floor_at INTEGER NOT NULL, last_seq INTEGER NOT NULL, \
           generation INTEGER NOT NULL) STRICT;\n",
    );
    macro_rules! tables {
        ($($field:ident: $row:ty,)*) => { $(all += &table::<$row>();)* };
    }
    staleness_core::collections!(tables);
    tables! { outcomes: Outcome, journal: JournalEntry, }
    let meta = format!("INSERT INTO meta VALUES(1, {FORMAT}, 0, 0, 0, 0, abs(random() / 4));");
    let header =
        format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT};");
    all + INDEXES + &meta + &header
}

fn table<R: Record>() -> String {
    let kind = |kind: &Kind| match kind {
        Kind::Int => "INTEGER NOT NULL",
        Kind::MaybeInt => "INTEGER",
        Kind::Text => "TEXT NOT NULL",
        Kind::MaybeText => "TEXT",
        Kind::Blob => "BLOB NOT NULL",
    };
    let columns = R::COLUMNS.iter().zip(R::KINDS);
    let columns: Vec<String> =
        columns.map(|(name, each)| format!("{name} {}", kind(each))).collect();
    let key = R::COLUMNS[..R::KEY].join(", ");
    let form = match WITH_ROWIDS.contains(&R::TABLE) {
        true => "STRICT",
        false => "STRICT, WITHOUT ROWID",
    };
    format!("CREATE TABLE {}({}, PRIMARY KEY({key})) {form};\n", R::TABLE, columns.join(", "))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use staleness_core::ids::stable_hash;

    use super::*;

    /// A list of three words in the condition of an index would be a table that SQLite fills for each row.
    #[test]
    fn no_row_is_written_with_a_table_of_its_own() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(&schema()).unwrap();
        let texts = |sql: &str, column: usize| -> Vec<String> {
            let mut statement = conn.prepare(sql).unwrap();
            let count = statement.parameter_count();
            let nothing = rusqlite::params_from_iter(vec![0; count]);
            let found = statement.query_map(nothing, |row| row.get(column)).unwrap();
            found.map(Result::unwrap).collect()
        };
        let tables = texts("SELECT name FROM sqlite_schema WHERE type = 'table'", 0);
        assert!(tables.len() > 10, "{tables:?}");
        for table in tables {
            let columns = texts(&format!("PRAGMA table_info({table})"), 1);
            let places = vec!["?"; columns.len()].join(", ");
            let steps = texts(&format!("EXPLAIN INSERT INTO {table} VALUES({places})"), 1);
            assert!(!steps.iter().any(|step| step.contains("Ephemeral")), "{table}: {steps:?}");
        }
    }

    #[test]
    fn other_tables_need_another_format() {
        assert_eq!(
            (FORMAT, stable_hash(schema().as_bytes())),
            (14, 46716257685765977768213588184248849550)
        );
    }
}
