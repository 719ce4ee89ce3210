//! The tables.
//!
//! Everything lies in the schema `staleness` of the database. `meta` has one row: `format`, the number
//! of [`MIGRATIONS`] that were applied, and `least`, the smallest format of a program that may use the
//! tables as they are. A migration that only adds what older programs need not know leaves `least` as
//! it is, so they go on working while machines are upgraded one by one; another raises it, and they are
//! refused as soon as they begin their next transaction. Migrations are only ever appended. They run in
//! one transaction under an advisory lock, so processes that start together wait for each other.
//!
//! # Tables
//!
//! Every other table and index begins with `workspace`, so that all that a step touches lies in one
//! shard where the tables are distributed by it, and so that the policy `own_workspace` costs nothing:
//! row-level security shows a transaction only the rows of the workspace that it names in the setting
//! `staleness.workspace`, and lets it write no others. It is forced, so that the owner of the tables is
//! held to it too (a superuser is not). A migration that rewrites rows has to lift it while it does.
//!
//! | table | key behind the workspace | what one row is |
//! |---|---|---|
//! | `workspaces` | – | the last `revision`, the last number of an outcome, the `Floor` of the journal, and the generation of what a search reads |
//! | `projects` | id | a project |
//! | `sources` | scope, key | a source |
//! | `tools` | scope, name | a tool with its ring |
//! | `knowledge` | scope, id | an item of knowledge |
//! | `documents` | project, key | a document as it was last checked |
//! | `work` | scope, id | a work item |
//! | `sessions` | project, id | a session of an agent |
//! | `cursors` | project, agent | up to where an agent was told |
//! | `routes` | project, tool, id | a query that led to a tool |
//! | `vectors` | project, tool, id | what a model made of a route's query |
//! | `suggestions` | project, session | what was suggested in a session |
//! | `outcomes` | seq | one use of a tool |
//! | `journal` | revision, idx | one change |
//!
//! A scope is stored as `''` for global, else as the project's id. Words (`kind`, `cause`, `hold`,
//! `state`, `action`) are those of the types' `as_str`. Times are milliseconds since 1970. Unsigned
//! 64-bit numbers that may use all their bits (hashes, durations, counters) are stored as the signed
//! number with the same bits; digests of 128 bits are 16 bytes, big end first. Texts are compared by
//! their bytes (`COLLATE "C"`), and U+0000 in them is escaped: see `values.rs`.
//!
//! An entry of an index takes 2,700 bytes at most, and some keys are longer: `sources.key`,
//! `documents.key` and `journal.subject_key` are `stable_hash`es of the columns that they stand for.
//!
//! `work.ended`, `work.aging`, `work.since`, `tools.demoted`, `tools.revived` and `outcomes.identity`
//! repeat what the row says elsewhere, for the indexes. Packed texts (keywords, citations, links,
//! references, steps, prompts, `documents.found`) are made by `staleness_core::store::pack`; the bytes
//! of `ring`, `holdings` and `credits` by `ring_to_bytes` and its neighbours there. `routes.ops` holds 8
//! bytes per op, oldest first, `vectors.numbers` one number behind the other, both least byte first;
//! `vectors.form` is `f32 unit` or `f64 unit`.

/// The format that this program writes.
pub(crate) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// What takes the tables from format `n` to format `n + 1`, for every `n`.
pub(crate) const MIGRATIONS: [Migration; 2] =
    [Migration { sql: FORMAT_1, least: 1 }, Migration { sql: FORMAT_2, least: 2 }];

/// One step of the format.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) sql: &'static str,
    /// The smallest format of a program that may go on using the tables afterwards.
    pub(crate) least: i64,
}

/// The advisory lock under which tables are made, and nothing else: `stale` and `ness`.
pub(crate) const MIGRATION_LOCK: i64 = 0x7374_616C_656E_6573;

const FORMAT_1: &str = r#"
CREATE SCHEMA staleness;
CREATE TABLE staleness.meta(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  format BIGINT NOT NULL,
  least BIGINT NOT NULL
);
INSERT INTO staleness.meta(id, format, least) VALUES(1, 0, 0);
CREATE TABLE staleness.workspaces(
  workspace TEXT COLLATE "C" PRIMARY KEY,
  revision BIGINT NOT NULL,
  last_seq BIGINT NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE staleness.projects(
  workspace TEXT COLLATE "C",
  id TEXT COLLATE "C",
  root TEXT NOT NULL,
  first_seen_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  config_digest BYTEA NOT NULL,
  told BIGINT NOT NULL,
  told_session TEXT,
  told_from BIGINT NOT NULL,
  PRIMARY KEY(workspace, id)
);
CREATE TABLE staleness.sources(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  key BYTEA,
  client TEXT COLLATE "C" NOT NULL,
  level BIGINT NOT NULL,
  part TEXT COLLATE "C" NOT NULL,
  path TEXT NOT NULL,
  state TEXT NOT NULL,
  found BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  readings BIGINT NOT NULL,
  last_read_at BIGINT,
  last_scan_at BIGINT NOT NULL,
  PRIMARY KEY(workspace, scope, key)
);
CREATE TABLE staleness.tools(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  name TEXT COLLATE "C",
  kind TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C",
  plugin TEXT,
  description TEXT,
  holdings BYTEA NOT NULL,
  cause TEXT NOT NULL,
  cause_since BIGINT NOT NULL,
  revived BIGINT NOT NULL,
  failing_since BIGINT,
  failing_cause TEXT,
  demotions BIGINT NOT NULL,
  last_demoted_at BIGINT,
  counted BIGINT NOT NULL,
  hold TEXT NOT NULL,
  demoted BIGINT NOT NULL,
  ring BYTEA NOT NULL,
  uses BIGINT NOT NULL,
  discovered_at BIGINT NOT NULL,
  last_used_at BIGINT,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY(workspace, scope, name)
) WITH (fillfactor = 70);
CREATE INDEX tools_server ON staleness.tools(workspace, scope, server, kind)
  WHERE server IS NOT NULL;
CREATE INDEX tools_demoted ON staleness.tools(workspace, scope) WHERE demoted = 1;
CREATE INDEX tools_configured ON staleness.tools(workspace, scope) WHERE holdings <> '';
CREATE INDEX tools_revived ON staleness.tools(workspace, scope) WHERE revived = 1;
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
  checked_at BIGINT NOT NULL,
  head TEXT,
  digest BYTEA NOT NULL,
  blocks BIGINT NOT NULL,
  found TEXT,
  PRIMARY KEY(workspace, project, key)
);
CREATE INDEX documents_flagged ON staleness.documents(workspace, project, loaded)
  WHERE found IS NOT NULL;
CREATE TABLE staleness.work(
  workspace TEXT COLLATE "C",
  scope TEXT COLLATE "C",
  id TEXT COLLATE "C",
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  ended BIGINT NOT NULL,
  before TEXT,
  text TEXT NOT NULL,
  author TEXT,
  giver TEXT,
  taker TEXT,
  note TEXT NOT NULL,
  generated BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT,
  refs TEXT COLLATE "C" NOT NULL,
  steps TEXT NOT NULL,
  aging TEXT COLLATE "C",
  since BIGINT,
  PRIMARY KEY(workspace, scope, id)
);
CREATE INDEX work_open ON staleness.work(workspace, scope, aging, since) WHERE ended = 0;
CREATE INDEX work_referring ON staleness.work(workspace, scope) WHERE ended = 0 AND refs <> '[]';
CREATE TABLE staleness.sessions(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  id TEXT COLLATE "C",
  agent TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  from_revision BIGINT NOT NULL,
  first_contact BIGINT NOT NULL,
  PRIMARY KEY(workspace, project, id)
);
CREATE TABLE staleness.cursors(
  workspace TEXT COLLATE "C",
  project TEXT COLLATE "C",
  agent TEXT COLLATE "C",
  revision BIGINT NOT NULL,
  session TEXT,
  moved_at BIGINT NOT NULL,
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
  made BIGINT NOT NULL,
  prompts TEXT NOT NULL,
  PRIMARY KEY(workspace, project, session)
);
CREATE TABLE staleness.outcomes(
  workspace TEXT COLLATE "C",
  seq BIGINT,
  identity BIGINT NOT NULL,
  op TEXT NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C",
  credits BYTEA NOT NULL,
  mark TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  project TEXT COLLATE "C" NOT NULL,
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
  WHERE server IS NOT NULL AND mark <> 'I';
CREATE TABLE staleness.journal(
  workspace TEXT COLLATE "C",
  revision BIGINT,
  idx BIGINT,
  at BIGINT NOT NULL,
  subject_key BYTEA NOT NULL,
  kind TEXT NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  subject TEXT NOT NULL,
  action TEXT NOT NULL,
  before TEXT,
  after TEXT,
  cause TEXT NOT NULL,
  note TEXT,
  session TEXT,
  actor TEXT,
  op TEXT COLLATE "C",
  PRIMARY KEY(workspace, revision, idx)
);
CREATE INDEX journal_op ON staleness.journal(workspace, op) WHERE op IS NOT NULL;
CREATE INDEX journal_subject ON staleness.journal(workspace, subject_key, revision, idx);
CREATE INDEX journal_scope ON staleness.journal(workspace, scope, revision);
DO $$
DECLARE name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['workspaces', 'projects', 'sources', 'tools', 'knowledge', 'documents',
    'work', 'sessions', 'cursors', 'routes', 'vectors', 'suggestions', 'outcomes', 'journal']
  LOOP
    EXECUTE format('ALTER TABLE staleness.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE staleness.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_workspace ON staleness.%I '
      'USING (workspace = current_setting(''staleness.workspace'', true))', name);
  END LOOP;
END $$;
"#;

/// Adds the floor of the journal, and the generation of what a search reads (see `ChangeSet::moves_generation`). An
/// older program would tell a pruned journal as a whole one, and not move the generation.
const FORMAT_2: &str = "
ALTER TABLE staleness.workspaces
  ADD COLUMN floor BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN floor_at BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_index_begins_with_the_workspace() {
        let tables = FORMAT_1.split("CREATE TABLE staleness.").skip(1);
        let named = |table: &&str| !table.starts_with("meta(");
        for table in tables.filter(named) {
            let columns = table.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.trim_start().starts_with("workspace TEXT COLLATE \"C\""), "{table}");
            let key = table.contains("PRIMARY KEY(workspace") || table.starts_with("workspaces(");
            assert!(key, "{table}");
        }
        for index in FORMAT_1.split("CREATE INDEX ").skip(1) {
            let columns = index.split_once('(').map_or("", |(_, columns)| columns);
            assert!(columns.starts_with("workspace, "), "{index}");
        }
    }

    #[test]
    fn a_program_may_always_use_what_it_makes() {
        assert!(MIGRATIONS.iter().all(|step| (1..=FORMAT).contains(&step.least)));
        assert!(MIGRATIONS.is_sorted_by_key(|step| step.least));
    }
}
