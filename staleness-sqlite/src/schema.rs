//! The format of the file.
//!
//! A store is an SQLite database in write-ahead mode. Two fields of its header say what it is:
//! `application_id` is `0x5374616C` (`Stal`), `user_version` is [`FORMAT`]. A store with another number
//! was written by a newer or an older program and is refused.
//!
//! # Tables
//!
//! | table | key | what one row is |
//! |---|---|---|
//! | `meta` | 1 | `format` (as `user_version`), the last `revision`, `floor`, `floor_at`, `last_seq` and `generation` |
//! | `projects` | id | a project |
//! | `sources` | scope, client, level, part | a source |
//! | `tools` | scope, name | a tool with its ring |
//! | `definitions` | scope, name | what a server says of a tool, pinned |
//! | `knowledge` | scope, id | an item of knowledge |
//! | `documents` | project, path | a document as it was last checked |
//! | `work` | scope, id | a work item |
//! | `sessions` | project, id | a session of an agent |
//! | `cursors` | project, agent | up to where an agent was told |
//! | `routes` | project, tool, id | a query that led to a tool |
//! | `vectors` | project, tool, id | what a model made of a route's query |
//! | `suggestions` | project, session | what was suggested in a session |
//! | `outcomes` | seq | one use of a tool |
//! | `journal` | revision, idx | one change |
//!
//! The columns are those of `staleness_core::store::table`: most records are one packed text, `value`, behind the
//! columns that keys, indexes and filters need. Tools, items, routes, vectors, outcomes and journal entries are columns
//! alone, since they are read or written by the thousand. Every column that repeats what the record says is compared whenever
//! the row is read.
//!
//! A scope is stored as `''` for global, else as the project's id. Words (`kind`, `cause`, `hold`, `action`) are those
//! of the types' `as_str`. Times are milliseconds since 1970. Unsigned 64-bit numbers that may use all their bits
//! (hashes, durations, counters) are stored as the signed number with the same bits.
//!
//! `meta.format` repeats `user_version` because a row is read with the revision anyway, while the
//! header takes a statement of its own: so every transaction sees at no cost that a newer program
//! changed the format under a process that has the store open.
//!
//! `meta.floor` and `meta.floor_at` are the `Floor` of the journal: the newest revision whose entries were pruned,
//! and the latest time of an entry that was.
//!
//! `meta.last_seq` is a floor, not a counter: the next outcome gets one more than the larger of the
//! floor and the last `seq` in the table. Only a step that removes outcomes raises the floor (to the
//! last `seq` before the removal). Numbers are never used twice, and an append writes no page for
//! the counter; `AUTOINCREMENT` would write one in every commit.
//!
//! `meta.generation` is raised by each commit that changes what a search reads of tools and routes: see
//! `ChangeSet::moves_generation`. It begins anywhere, so that two stores in one place are told apart.
//!
//! Numbers that are 1 or 0 are there for partial indexes: they find what is open or demoted, say, however much is not.
//! That of open work is ordered by `work.aging` and `work.since`, which are `Work::aging` as a word and a time, or NULL
//! both: so what may be overdue is found however much is open. `outcomes.identity` is `Outcome::identity`.
//!
//! `routes.id` and `vectors.id` are a `RouteId`: 16 bytes, big end first. `routes.confidence` is in billionths, and
//! `routes.ops` holds 8 bytes per op, oldest first, least byte first. `vectors` has rows of its own, so that a route
//! whose confidence moves is written without its vector, and a rowid, since they are large. `vectors.form` is `f32 unit`
//! or `f64 unit`: the precision of `numbers`, which stand one behind the other, least byte first, and that their length
//! is 1. `tools.ring`, `tools.listings` and `outcomes.credits` are what `staleness_core::store` makes of the lists.

/// `Stal`: marks the file as ours.
pub(crate) const APPLICATION_ID: i64 = 0x5374_616C;

/// The format that this program reads and writes. Formats 1 to 10 were never released.
pub(crate) const FORMAT: i64 = 11;

/// Makes the tables of a new store.
///
/// Each statement is parsed whenever a process opens the store: reading the schema is a fifth of the
/// instructions of a process that records one outcome, about 25,000 for each table or index.
pub(crate) const SCHEMA: &str = "
CREATE TABLE meta(
  id INTEGER PRIMARY KEY,
  format INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  floor_at INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
CREATE TABLE projects(
  id TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sources(
  scope TEXT,
  client TEXT,
  level INTEGER,
  part TEXT,
  value TEXT NOT NULL,
  PRIMARY KEY(scope, client, level, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE tools(
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  server TEXT,
  configured INTEGER NOT NULL,
  demoted INTEGER NOT NULL,
  revived INTEGER NOT NULL,
  plugin TEXT,
  description TEXT,
  listings BLOB NOT NULL,
  used_by TEXT NOT NULL,
  cause TEXT NOT NULL,
  cause_since INTEGER NOT NULL,
  failing_since INTEGER,
  failing_cause TEXT,
  demotions INTEGER NOT NULL,
  last_demoted_at INTEGER,
  counted INTEGER NOT NULL,
  hold TEXT NOT NULL,
  ring BLOB NOT NULL,
  uses INTEGER NOT NULL,
  discovered_at INTEGER NOT NULL,
  last_used_at INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY(scope, name)
) STRICT;
CREATE INDEX tools_server ON tools(scope, server, kind) WHERE server IS NOT NULL;
CREATE INDEX tools_demoted ON tools(scope) WHERE demoted = 1;
CREATE INDEX tools_configured ON tools(scope) WHERE configured = 1;
CREATE INDEX tools_revived ON tools(scope) WHERE revived = 1;
CREATE TABLE definitions(
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  pending INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(scope, name)
) STRICT;
CREATE INDEX definitions_pending ON definitions(scope) WHERE pending = 1;
CREATE TABLE outcomes(
  seq INTEGER PRIMARY KEY,
  identity INTEGER NOT NULL,
  scope TEXT NOT NULL,
  tool TEXT NOT NULL,
  server TEXT,
  mark TEXT NOT NULL,
  at INTEGER NOT NULL,
  project TEXT NOT NULL,
  op TEXT NOT NULL,
  credits BLOB NOT NULL,
  session TEXT,
  agent TEXT,
  client TEXT,
  duration_ms INTEGER
) STRICT;
CREATE INDEX outcomes_identity ON outcomes(identity);
CREATE INDEX outcomes_counted ON outcomes(project) WHERE mark IN ('S', 'F');
CREATE INDEX outcomes_served ON outcomes(at) WHERE server IS NOT NULL;
CREATE TABLE journal(
  revision INTEGER,
  idx INTEGER,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  subject TEXT NOT NULL,
  op TEXT,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  before TEXT,
  after TEXT,
  cause TEXT NOT NULL,
  note TEXT,
  session TEXT,
  actor TEXT,
  clients TEXT NOT NULL,
  PRIMARY KEY(revision, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_op ON journal(op) WHERE op IS NOT NULL;
CREATE INDEX journal_subject ON journal(kind, scope, subject);
CREATE INDEX journal_scope ON journal(scope);
CREATE TABLE knowledge(
  scope TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  keywords TEXT NOT NULL,
  path TEXT,
  added_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version_context TEXT,
  evergreen INTEGER NOT NULL,
  due INTEGER,
  expires_at INTEGER,
  verified_at INTEGER,
  verified_commit TEXT,
  verifications INTEGER NOT NULL,
  citations TEXT NOT NULL,
  supersedes TEXT NOT NULL,
  superseded_by TEXT NOT NULL,
  related TEXT NOT NULL,
  contradicted TEXT,
  done_at INTEGER,
  recalls INTEGER NOT NULL,
  recalls_since_edit INTEGER NOT NULL,
  recalled_at INTEGER,
  recall_op TEXT,
  PRIMARY KEY(scope, id)
) STRICT;
CREATE TABLE documents(
  project TEXT NOT NULL,
  path TEXT NOT NULL,
  loaded INTEGER NOT NULL,
  flagged INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(project, path)
) STRICT;
CREATE INDEX documents_flagged ON documents(project, loaded) WHERE flagged = 1;
CREATE TABLE work(
  scope TEXT NOT NULL,
  id TEXT NOT NULL,
  ended INTEGER NOT NULL,
  refers INTEGER NOT NULL,
  aging TEXT,
  since INTEGER,
  value TEXT NOT NULL,
  PRIMARY KEY(scope, id)
) STRICT;
CREATE INDEX work_open ON work(scope, aging, since) WHERE ended = 0;
CREATE INDEX work_referring ON work(scope) WHERE refers = 1;
CREATE TABLE sessions(
  project TEXT,
  id TEXT,
  value TEXT NOT NULL,
  PRIMARY KEY(project, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE cursors(
  project TEXT,
  agent TEXT,
  value TEXT NOT NULL,
  PRIMARY KEY(project, agent)
) STRICT, WITHOUT ROWID;
CREATE TABLE routes(
  project TEXT,
  tool TEXT,
  id BLOB,
  query TEXT NOT NULL,
  confidence INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  model TEXT,
  ops BLOB NOT NULL,
  PRIMARY KEY(project, tool, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE vectors(
  project TEXT NOT NULL,
  tool TEXT NOT NULL,
  id BLOB NOT NULL,
  model TEXT NOT NULL,
  form TEXT NOT NULL,
  numbers BLOB NOT NULL,
  PRIMARY KEY(project, tool, id)
) STRICT;
CREATE TABLE suggestions(
  project TEXT,
  session TEXT,
  value TEXT NOT NULL,
  PRIMARY KEY(project, session)
) STRICT, WITHOUT ROWID;
INSERT INTO meta(id, format, revision, floor, floor_at, last_seq, generation)
  VALUES(1, 11, 0, 0, 0, 0, abs(random() / 4));
PRAGMA application_id = 0x5374616C;
PRAGMA user_version = 11;
";

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// A list of three words in the condition of an index is a table that SQLite fills for each row.
    #[test]
    fn no_row_is_written_with_a_table_of_its_own() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(SCHEMA).unwrap();
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
}
