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

/// The format that this program reads and writes. Formats 1 to 5 were never released.
pub(crate) const FORMAT: i64 = 9;

/// The key of the advisory lock for creating tables: `stale` and `ness` in ASCII.
pub(crate) const MIGRATION_LOCK: i64 = 0x7374_616C_656E_6573;

/// The statements that create the tables.
pub(crate) const SCHEMA: &str = r#"
CREATE SCHEMA staleness;
CREATE TABLE staleness.meta(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  format BIGINT NOT NULL,
  least BIGINT NOT NULL
);
INSERT INTO staleness.meta(id, format, least) VALUES(1, 9, 9);
CREATE TABLE staleness.workspaces(
  workspace TEXT COLLATE "C" PRIMARY KEY,
  revision BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  floor BIGINT NOT NULL DEFAULT 0,
  floor_at BIGINT NOT NULL DEFAULT 0,
  generation BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
CREATE TABLE staleness.projects(
  workspace TEXT COLLATE "C",
  id TEXT COLLATE "C",
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, id)
);
CREATE TABLE staleness.sources(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  key BYTEA,
  client TEXT COLLATE "C" NOT NULL,
  level BIGINT NOT NULL,
  part TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, scope, key)
);
CREATE TABLE staleness.tools(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  name TEXT COLLATE "C",
  kind TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C",
  configured BIGINT NOT NULL,
  demoted BIGINT NOT NULL,
  revived BIGINT NOT NULL,
  plugin TEXT,
  description TEXT,
  listings BYTEA NOT NULL,
  used_by TEXT NOT NULL,
  cause TEXT NOT NULL,
  cause_since BIGINT NOT NULL,
  failing_since BIGINT,
  failing_cause TEXT,
  demotions BIGINT NOT NULL,
  last_demoted_at BIGINT,
  counted BIGINT NOT NULL,
  hold TEXT NOT NULL,
  ring BYTEA NOT NULL,
  uses BIGINT NOT NULL,
  discovered_at BIGINT NOT NULL,
  last_used_at BIGINT,
  updated_at BIGINT NOT NULL,
  defined_chars BIGINT,
  PRIMARY KEY(workspace, scope, name)
) WITH (fillfactor = 70);
CREATE INDEX tools_server ON staleness.tools(workspace, scope, server, kind)
  WHERE server IS NOT NULL;
CREATE INDEX tools_demoted ON staleness.tools(workspace, scope) WHERE demoted = 1;
CREATE INDEX tools_configured ON staleness.tools(workspace, scope) WHERE configured = 1;
CREATE INDEX tools_revived ON staleness.tools(workspace, scope) WHERE revived = 1;
CREATE TABLE staleness.definitions(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  name TEXT COLLATE "C",
  pending BIGINT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, scope, name)
);
CREATE INDEX definitions_pending ON staleness.definitions(workspace, scope) WHERE pending = 1;
CREATE TABLE staleness.knowledge(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  id TEXT COLLATE "C",
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  keywords TEXT NOT NULL,
  path TEXT,
  added_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  version_context TEXT,
  evergreen BIGINT NOT NULL,
  due BIGINT,
  expires_at BIGINT,
  verified_at BIGINT,
  verified_commit TEXT,
  verifications BIGINT NOT NULL,
  citations TEXT NOT NULL,
  supersedes TEXT NOT NULL,
  superseded_by TEXT NOT NULL,
  related TEXT NOT NULL,
  contradicted TEXT,
  done_at BIGINT,
  recalls BIGINT NOT NULL,
  recalls_since_edit BIGINT NOT NULL,
  recalled_at BIGINT,
  recall_op TEXT,
  PRIMARY KEY(workspace, scope, id)
);
CREATE TABLE staleness.documents(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  key BYTEA,
  path TEXT COLLATE "C" NOT NULL,
  loaded BIGINT NOT NULL,
  flagged BIGINT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, project, key)
);
CREATE INDEX documents_flagged ON staleness.documents(workspace, project, loaded)
  WHERE flagged = 1;
CREATE TABLE staleness.work(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  id TEXT COLLATE "C",
  ended BIGINT NOT NULL,
  refers BIGINT NOT NULL,
  aging TEXT COLLATE "C",
  since BIGINT,
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, scope, id)
);
CREATE INDEX work_open ON staleness.work(workspace, scope, aging, since) WHERE ended = 0;
CREATE INDEX work_referring ON staleness.work(workspace, scope) WHERE refers = 1;
CREATE TABLE staleness.sessions(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  id TEXT COLLATE "C",
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, project, id)
);
CREATE TABLE staleness.cursors(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  agent TEXT COLLATE "C",
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, project, agent)
);
CREATE TABLE staleness.routes(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  tool TEXT COLLATE "C",
  id BYTEA,
  query TEXT NOT NULL,
  confidence BIGINT NOT NULL,
  uses BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  model TEXT,
  ops BYTEA NOT NULL,
  PRIMARY KEY(workspace, project, tool, id)
) WITH (fillfactor = 80);
CREATE TABLE staleness.vectors(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  tool TEXT COLLATE "C",
  id BYTEA,
  model TEXT COLLATE "C" NOT NULL,
  form TEXT NOT NULL,
  numbers BYTEA NOT NULL,
  PRIMARY KEY(workspace, project, tool, id)
);
CREATE TABLE staleness.suggestions(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  session TEXT COLLATE "C",
  value TEXT NOT NULL,
  PRIMARY KEY(workspace, project, session)
);
CREATE TABLE staleness.outcomes(
  workspace TEXT COLLATE "C",
  seq BIGINT,
  identity BIGINT NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C",
  mark TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  project TEXT COLLATE "C" NOT NULL,
  op TEXT NOT NULL,
  credits BYTEA NOT NULL,
  session TEXT,
  agent TEXT,
  client TEXT,
  duration_ms BIGINT,
  PRIMARY KEY(workspace, seq)
);
CREATE INDEX outcomes_identity ON staleness.outcomes(workspace, identity);
CREATE INDEX outcomes_counted ON staleness.outcomes(workspace, project, seq)
  WHERE mark IN ('S', 'F');
CREATE INDEX outcomes_served ON staleness.outcomes(workspace, at)
  WHERE server IS NOT NULL AND mark IN ('S', 'F', 'O');
CREATE TABLE staleness.journal(
  workspace TEXT COLLATE "C",
  revision BIGINT,
  idx BIGINT,
  kind TEXT NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  op TEXT COLLATE "C",
  at BIGINT NOT NULL,
  action TEXT NOT NULL,
  before TEXT,
  after TEXT,
  cause TEXT NOT NULL,
  note TEXT,
  session TEXT,
  actor TEXT,
  clients TEXT NOT NULL,
  PRIMARY KEY(workspace, revision, idx)
);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_index_begins_with_the_workspace() {
        let tables = SCHEMA.split("CREATE TABLE staleness.").skip(1);
        let named = |table: &&str| !table.starts_with("meta(");
        for table in tables.filter(named) {
            let columns = table.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.trim_start().starts_with("workspace TEXT COLLATE \"C\""), "{table}");
            let key = table.contains("PRIMARY KEY(workspace") || table.starts_with("workspaces(");
            assert!(key, "{table}");
        }
        for index in SCHEMA.split("CREATE INDEX ").skip(1) {
            let columns = index.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.starts_with("workspace, "), "{index}");
        }
    }

    #[test]
    fn the_tables_have_the_format_that_is_written() {
        assert!(SCHEMA.contains(&format!("VALUES(1, {FORMAT}, {FORMAT})")));
    }
}
