//! Cells that somebody changed: what cannot be read is named, and nothing panics.
//!
//! Every eighth change is tried; `STALENESS_CELLS=all` tries some 1,750, which takes a minute or three.

use std::sync::Arc;

use crate::support::server::Server;
use crate::support::sql::Sql;
use staleness_conformance::cells::{self, BYTES, Changed, NUMBERS, TEXTS, fill, read};
use staleness_core::store::RegistryStore;
use staleness_core::{Policy, Registry, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

/// Tables that hold what several verbs wrote, what they hold, and how to change it.
#[derive(Debug)]
struct Site {
    registry: Registry,
    sql: Sql,
    tables: Vec<String>,
}

impl Site {
    fn new(url: &str) -> Self {
        let store: Arc<dyn RegistryStore> =
            Arc::new(PostgresStore::open(url, OpenOptions::default()).unwrap());
        let registry = Registry::new(store, Policy::default());
        fill(&registry);
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
    fn columns(&self) -> Vec<(String, String, Vec<String>)> {
        let sql = "SELECT table_name::text, column_name::text, data_type::text \
                   FROM information_schema.columns WHERE table_schema = 'staleness'";
        let rows = self.sql.ask(sql).unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1), values(row.get(2)))).collect()
    }

    /// Returns true if a column is a part of its table's key.
    fn is_key(&self, table: &str, column: &str) -> bool {
        let sql = format!(
            "SELECT count(*) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey) \
             WHERE indisprimary AND indrelid = 'staleness.{table}'::regclass AND attname = '{column}'"
        );
        self.sql.number(&sql) > 0
    }
}

/// Returns the values that a cell of this kind may be changed to, as SQL.
fn values(kind: &str) -> Vec<String> {
    let null = ["NULL".to_owned()];
    let byte = |byte: &u8| format!("{byte:02x}");
    let bytes =
        |bytes: &&[u8]| format!("'\\x{}'::bytea", bytes.iter().map(byte).collect::<String>());
    let text = |text: &&str| format!("E'{}'", text.escape_default());
    match kind {
        "bigint" | "integer" => NUMBERS.iter().map(|n| format!("({n})")).chain(null).collect(),
        "text" => TEXTS.iter().map(text).chain(null).collect(),
        "bytea" => BYTES.iter().map(bytes).chain(null).collect(),
        other => panic!("{other}"),
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn whatever_stands_in_a_cell_is_read_or_named() {
    let (_server, database) = Server::and_database();
    let site = Site::new(database.url());
    assert!(read(&site.registry).iter().all(Result::is_ok));
    let every = cells::every();
    let (mut changed, mut named) = (0, 0);
    for (number, (table, column, values)) in site.columns().into_iter().enumerate() {
        let is_key = site.is_key(&table, &column);
        // Another value of each column, so that every value is tried somewhere.
        for value in values.iter().skip(number % every).step_by(every) {
            let row = format!("(SELECT ctid FROM staleness.{table} LIMIT 1)");
            let how = format!("UPDATE staleness.{table} SET {column} = {value} WHERE ctid = {row}");
            // Nothing where something must be, a second row with the same key.
            if site.sql.run(&how).is_err() {
                continue;
            }
            changed += 1;
            let cell = Changed { how: &how, table: &table, is_key };
            named += cell.try_out(&site.registry, &["the journal has", "workspaces: last_seq"]);
            site.mend();
        }
    }
    eprintln!("{changed} cells changed, {named} errors");
    assert!(changed > 100 && named > 100, "{changed}, {named}");
    // An outcome would get a number that another one has.
    site.sql.run("UPDATE staleness.workspaces SET last_seq = 1").unwrap();
    let said = site.registry.admin().check().wait().unwrap_err().to_string();
    assert!(said.contains("last_seq is 1"), "{said}");
    site.mend();
    assert!(read(&site.registry).iter().all(Result::is_ok));
}
