//! The tables.
//!
//! All tables are in the schema `staleness`. `meta` has one row with [`FORMAT`] and `least`, the lowest program
//! format that may use the tables, so that a later program can add things that older ones may ignore. Programs
//! below `least`, and programs newer than the tables, are refused at their next transaction. Tables are created
//! in one transaction under an advisory lock, so processes that start together wait for each other.
//!
//! # Tables
//!
//! All other tables and indexes begin with `workspace`. If the tables are sharded by this column, a step stays in one
//! shard. The policy `own_workspace` (row-level security) restricts a transaction to the rows of the workspace in the
//! setting `staleness.workspace`. It is forced, so it also applies to the owner of the tables, but not to superusers.
//!
//! | table | key after the workspace | a row is |
//! |---|---|---|
//! | `workspaces` | – | the last `revision`, the last number of an outcome, the `Floor` of the journal, and the generation of search data |
//! | `projects` | id | a project |
//! | `sources` | scope, key | a source |
//! | `tools` | scope, name | a tool with its ring |
//! | `definitions` | scope, name | a tool's pinned definition |
//! | `knowledge` | scope, id | an item of knowledge |
//! | `documents` | project, key | a document as it was last checked |
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
//! columns needed for keys, indexes and filters. Columns that repeat part of a record are compared with it whenever
//! a row is read.
//!
//! A scope is `''` for global, else the project's id. Words come from the types' `as_str`. Columns that are 0 or 1
//! exist for partial indexes. Times are milliseconds since 1970. Unsigned 64-bit numbers that may use all bits
//! (hashes, durations, counters) are stored as the signed number with the same bits. Texts are compared by bytes
//! (`COLLATE "C"`), and U+0000 is escaped: see `values.rs`.
//!
//! An index entry has at most 2,700 bytes, and some keys are longer. `sources.key` and `documents.key` are therefore
//! digests of the key's other columns, and the journal's index by subject contains hashes.

use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Kind, Record, Table};

use crate::table::DIGEST;

/// The format that this program reads and writes. Formats 1 to 5 were never released.
pub(crate) const FORMAT: i64 = 9;

/// The key of the advisory lock for creating tables: `stale` and `ness` in ASCII.
pub(crate) const MIGRATION_LOCK: i64 = 0x7374_616C_656E_6573;

const META: &str = r#"
CREATE SCHEMA staleness;
CREATE TABLE staleness.meta(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  format BIGINT NOT NULL,
  least BIGINT NOT NULL
);
CREATE TABLE staleness.workspaces(
  workspace TEXT COLLATE "C" PRIMARY KEY,
  revision BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  floor BIGINT NOT NULL DEFAULT 0,
  floor_at BIGINT NOT NULL DEFAULT 0,
  generation BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
"#;

const INDEXES: &str = r#"
ALTER TABLE staleness.tools SET (fillfactor = 70);
ALTER TABLE staleness.routes SET (fillfactor = 80);
CREATE INDEX tools_server ON staleness.tools(workspace, scope, server, kind)
  WHERE server IS NOT NULL;
CREATE INDEX tools_demoted ON staleness.tools(workspace, scope) WHERE demoted = 1;
CREATE INDEX tools_configured ON staleness.tools(workspace, scope) WHERE configured = 1;
CREATE INDEX tools_revived ON staleness.tools(workspace, scope) WHERE revived = 1;
CREATE INDEX definitions_pending ON staleness.definitions(workspace, scope) WHERE pending = 1;
CREATE INDEX documents_flagged ON staleness.documents(workspace, project, loaded)
  WHERE flagged = 1;
CREATE INDEX work_open ON staleness.work(workspace, scope, aging, since) WHERE ended = 0;
CREATE INDEX work_referring ON staleness.work(workspace, scope) WHERE refers = 1;
CREATE INDEX outcomes_identity ON staleness.outcomes(workspace, identity);
CREATE INDEX outcomes_counted ON staleness.outcomes(workspace, project, seq)
  WHERE mark IN ('S', 'F');
CREATE INDEX outcomes_served ON staleness.outcomes(workspace, at)
  WHERE server IS NOT NULL AND mark IN ('S', 'F', 'O');
CREATE INDEX journal_op ON staleness.journal(workspace, op) WHERE op IS NOT NULL;
CREATE INDEX journal_subject
  ON staleness.journal(workspace, hashtextextended(subject, 0), revision, idx);
CREATE INDEX journal_scope ON staleness.journal(workspace, scope, revision);
DO $$
DECLARE name TEXT;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'staleness' AND tablename <> 'meta'
  LOOP
    EXECUTE format('ALTER TABLE staleness.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE staleness.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_workspace ON staleness.%I '
      'USING (workspace = current_setting(''staleness.workspace'', true))', name);
  END LOOP;
END $$;
"#;

/// Returns the statements that create the tables.
pub(crate) fn schema() -> String {
    let mut all = format!("{META}INSERT INTO staleness.meta VALUES(1, {FORMAT}, {FORMAT});\n");
    macro_rules! tables {
        ($($field:ident: $row:ty,)*) => {
            $(all += &table::<$row>(<$row as Table>::LONG.then_some(1));)*
        };
    }
    staleness_core::collections!(tables);
    all + &table::<Outcome>(None) + &table::<JournalEntry>(None) + INDEXES
}

/// Returns the statement that creates a table. A digest of the rest of a long key comes after this many columns.
fn table<R: Record>(digest_after: Option<usize>) -> String {
    let kind = |kind: &Kind| match kind {
        Kind::Int => "BIGINT NOT NULL",
        Kind::MaybeInt => "BIGINT",
        Kind::Text => "TEXT COLLATE \"C\" NOT NULL",
        Kind::MaybeText => "TEXT COLLATE \"C\"",
        Kind::Blob => "BYTEA NOT NULL",
    };
    let columns = R::COLUMNS.iter().zip(R::KINDS);
    let mut columns: Vec<String> =
        columns.map(|(name, each)| format!("{name} {}", kind(each))).collect();
    let mut key = R::COLUMNS[..R::KEY].to_vec();
    if let Some(place) = digest_after {
        columns.insert(place, format!("{DIGEST} {}", kind(&Kind::Blob)));
        key.splice(place.., [DIGEST]);
    }
    format!(
        "CREATE TABLE staleness.{}(workspace {}, {}, PRIMARY KEY(workspace, {}));\n",
        R::TABLE,
        kind(&Kind::Text),
        columns.join(", "),
        key.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use staleness_core::ids::stable_hash;

    use super::*;

    #[test]
    fn every_table_and_index_begins_with_the_workspace() {
        let schema = schema();
        let tables = schema.split("CREATE TABLE staleness.").skip(1);
        let named = |table: &&str| !table.starts_with("meta(");
        for table in tables.filter(named) {
            let columns = table.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.trim_start().starts_with("workspace TEXT COLLATE \"C\""), "{table}");
            let key = table.contains("PRIMARY KEY(workspace") || table.starts_with("workspaces(");
            assert!(key, "{table}");
        }
        for index in schema.split("CREATE INDEX ").skip(1) {
            let columns = index.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.starts_with("workspace, "), "{index}");
        }
    }

    #[test]
    fn other_tables_need_another_format() {
        assert_eq!(
            (FORMAT, stable_hash(schema().as_bytes())),
            (9, 69166419060928133282769397122724141749)
        );
    }
}
