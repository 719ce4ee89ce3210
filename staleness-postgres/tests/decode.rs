//! Cells that somebody changed: what cannot be read is named, and nothing panics.
//!
//! Every fourth change is tried; `STALENESS_CELLS=all` tries some 1,750, which takes a minute or three.

mod support;

use std::ops::ControlFlow;
use std::sync::Arc;

use pollster::block_on;
use staleness_conformance::life::{Life, VERBS};
use staleness_core::ids::{SessionId, ToolName};
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::session::SessionKey;
use staleness_core::store::{RegistryStore, Selection, StoreError};
use staleness_core::{BlockingRegistry, Policy, Registry, Timestamp};
use staleness_postgres::{OpenOptions, PostgresStore};
use support::server::Server;
use support::sql::Sql;

/// Numbers at which something ends.
const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "2",
    "-1",
    "256",
    "1000000001",
    "253402300800000",
    "9223372036854775807",
    "(-9223372036854775808)",
    "NULL",
];
/// Texts that mean something somewhere, and one that no error may repeat.
const TEXTS: [&str; 12] = [
    "''",
    "'[]'",
    "'{}'",
    "'[1]'",
    "'[{}]'",
    "chr(7)",
    "'p'",
    "'S'",
    "'done'",
    "E'\\\\x'",
    "'do not repeat me'",
    "NULL",
];
const BYTES: [&str; 6] = [
    "''::bytea",
    "'\\x01'::bytea",
    "'\\xffffffffffffffffffffffffffffffff'::bytea",
    "decode(repeat('ff', 136), 'hex')",
    "'do not repeat me'::bytea",
    "NULL",
];

const LIFE: Life = Life(7);

/// Tables that hold what several verbs wrote, what they hold, and how to change it.
#[derive(Debug)]
struct Site {
    registry: BlockingRegistry,
    sql: Sql,
    tables: Vec<String>,
}

impl Site {
    fn new(url: &str) -> Self {
        let store: Arc<dyn RegistryStore> =
            Arc::new(PostgresStore::open(url, OpenOptions::new()).unwrap());
        let registry = Registry::new(store, Policy::default()).blocking();
        (0..2 * VERBS).for_each(|turn| assert!(LIFE.turn(&registry, turn).is_ok()));
        let at = Timestamp::from_millis(1_790_000_100_000);
        let suggested =
            SuggestedTool { tool: ToolName::new("mcp__one__read").unwrap(), route: None };
        let asked = Prompted { at, query: None, tools: vec![suggested], taught: Vec::new() };
        let id = SessionId::new("session-10").unwrap();
        registry.note_prompt(SessionKey { project: LIFE.project().id, id }, asked).unwrap();
        let sql = Sql::connect(url).unwrap();
        sql.run("SET staleness.workspace = 'default'; SET synchronous_commit = off").unwrap();
        let names = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'staleness'";
        let tables: Vec<String> = sql.ask(names).unwrap().iter().map(|row| row.get(0)).collect();
        for table in &tables {
            assert!(sql.number(&format!("SELECT count(*) FROM staleness.{table}")) > 0, "{table}");
            sql.run(&format!("CREATE TEMP TABLE kept_{table} AS TABLE staleness.{table}")).unwrap();
        }
        Self { registry, sql, tables }
    }

    /// Puts everything back.
    fn mend(&self) {
        let mend = |table: &String| {
            format!(
                "DELETE FROM staleness.{table}; \
                 INSERT INTO staleness.{table} SELECT * FROM kept_{table};"
            )
        };
        let all: String = self.tables.iter().map(mend).collect();
        self.sql.run(&format!("BEGIN; {all} COMMIT")).unwrap();
    }

    /// The columns of all tables, each with what its cells may be changed to.
    fn columns(&self) -> Vec<(String, String, &'static [&'static str])> {
        let sql = "SELECT table_name::text, column_name::text, data_type::text \
                   FROM information_schema.columns WHERE table_schema = 'staleness'";
        let rows = self.sql.ask(sql).unwrap();
        let values = |kind: &str| match kind {
            "bigint" | "integer" => &NUMBERS[..],
            "text" => &TEXTS,
            "bytea" => &BYTES,
            other => panic!("{other}"),
        };
        rows.iter().map(|row| (row.get(0), row.get(1), values(row.get(2)))).collect()
    }

    /// Whether a column is a part of its table's key.
    fn is_key(&self, table: &str, column: &str) -> bool {
        let sql = format!(
            "SELECT count(*) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey) \
             WHERE indisprimary AND indrelid = 'staleness.{table}'::regclass AND attname = '{column}'"
        );
        self.sql.number(&sql) > 0
    }

    /// Everything at once, everything page by page, and a check.
    fn read(&self) -> [Result<(), StoreError>; 3] {
        let store = self.registry.inner().store();
        let all = block_on(store.view(Arc::new(Selection::everything()))).map(drop);
        let mut go_on = |_| ControlFlow::Continue(());
        let pages = self.registry.pages(&Selection::everything(), &mut go_on);
        [all, pages.map(drop), self.registry.check()]
    }
}

#[test]
fn whatever_stands_in_a_cell_is_read_or_named() {
    let Some(server) = Server::shared() else { return };
    let database = server.database();
    let site = Site::new(database.url());
    assert!(site.read().iter().all(Result::is_ok));
    let every = if std::env::var_os("STALENESS_CELLS").is_some() { 1 } else { 4 };
    let (mut changed, mut named) = (0, 0);
    for (number, (table, column, values)) in site.columns().into_iter().enumerate() {
        // What an error may say of a row is its key.
        let is_key = site.is_key(&table, &column);
        // Another value of each column, so that every value is tried somewhere.
        for value in values.iter().skip(number % every).step_by(every) {
            let row = format!("(SELECT ctid FROM staleness.{table} LIMIT 1)");
            let change =
                format!("UPDATE staleness.{table} SET {column} = {value} WHERE ctid = {row}");
            // Nothing where something must be, a second row with the same key.
            if site.sql.run(&change).is_err() {
                continue;
            }
            changed += 1;
            let said = site.read();
            for error in said.iter().filter_map(|said| said.as_ref().err()) {
                named += 1;
                let told = error.to_string();
                assert!(!told.contains(char::is_control), "{change}: {told:?}");
                assert!(is_key || !told.contains("repeat"), "{change}: {told:?}");
                match error {
                    StoreError::Corrupt(why) => {
                        // What does not fit together is named too, where each of it can be read.
                        let starts = [&table, "the journal holds", "workspaces: last_seq"];
                        let names_it = starts.iter().any(|start| why.starts_with(start));
                        assert!(names_it, "{change}: {why}");
                    }
                    StoreError::FormatTooNew { .. } | StoreError::FormatTooOld { .. } => {
                        assert_eq!(table, "meta");
                    }
                    other => panic!("{change}: {other:?}"),
                }
            }
            // What has been read whole is sound.
            assert!(said[2].is_err() || said.iter().all(Result::is_ok), "{change}: {said:?}");
            for turn in 2 * VERBS..3 * VERBS {
                if let Err(error) = LIFE.turn(&site.registry, turn) {
                    let told = error.to_string();
                    assert!(!told.contains(char::is_control), "{change}: {told:?}");
                    assert!(is_key || !told.contains("repeat"), "{change}: {told:?}");
                    // Of what a check finds sound only numbers that have reached their end stop a verb.
                    let stops = matches!(error, StoreError::Corrupt(_) | StoreError::Backend(_));
                    let ended = told.contains("out of range");
                    assert!(said[2].is_err() || !stops || ended, "{change}: {error:?}");
                }
            }
            site.mend();
        }
    }
    eprintln!("{changed} cells changed, {named} errors");
    // An outcome would get a number that another one has.
    site.sql.run("UPDATE staleness.workspaces SET last_seq = 1").unwrap();
    let said = site.registry.check().unwrap_err().to_string();
    assert!(said.contains("last_seq is 1"), "{said}");
    site.mend();
    assert!(site.read().iter().all(Result::is_ok));
}
