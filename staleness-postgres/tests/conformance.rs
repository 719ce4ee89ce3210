//! The suite that every backend runs, on a server of its own.

#[path = "all/support/mod.rs"]
mod support;

use std::env;
use std::process::{Command, exit};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use staleness_conformance::{Backend, Capabilities, Place};
use staleness_core::store::{RegistryStore, StoreError};
use staleness_postgres::{OpenOptions, PostgresStore};
use support::Database;
use support::server::{Server, new_database, new_name, with_database};
use support::sql::Sql;

/// The URL of the database in which most places are workspaces, for the process that runs the suite.
const SUITE: &str = "STALENESS_POSTGRES_SUITE";

/// Each so many places there is one with a database of its own, in which the store finds nothing: to make
/// one takes a hundred times as long as to make a workspace.
const FRESH: u32 = 8;

#[derive(Debug, Default)]
struct Postgres {
    places: AtomicU32,
    /// Made when the first database is.
    sql: Arc<Mutex<Option<Sql>>>,
}

/// Removes a database.
struct Gone {
    sql: Arc<Mutex<Option<Sql>>>,
    name: String,
}

impl Drop for Gone {
    fn drop(&mut self) {
        let sql = self.sql.lock().expect("the connection");
        let gone = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        if let Err(error) = sql.as_ref().expect("the connection").run(&gone) {
            eprintln!("{gone}: {error}");
        }
    }
}

fn url() -> String {
    env::var(SUITE).expect("a database")
}

impl Backend for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            persistent: true,
            multi_process: true,
            backup: false,
            concurrent_readers: true,
            file: false,
            runtime: false,
        }
    }

    fn place(&self) -> Place {
        let name = new_name();
        if !self.places.fetch_add(1, Ordering::Relaxed).is_multiple_of(FRESH) {
            return Place::new(format!("{}&workspace={name}", url()), ());
        }
        let mut sql = self.sql.lock().expect("the connection");
        let sql = sql.get_or_insert_with(|| Sql::connect(&url()).expect("the server"));
        sql.run(&new_database(&name)).expect("a database");
        let location = with_database(&url(), &name);
        Place::new(location, Gone { sql: Arc::clone(&self.sql), name })
    }

    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Ok(Arc::new(PostgresStore::open(location, OpenOptions::default())?))
    }
}

fn main() {
    if env::var_os(SUITE).is_some() {
        staleness_conformance::run(Postgres::default());
    }
    // The suite ends the process where it stands: server and database belong to another.
    if !Server::is_available() {
        staleness_conformance::ignore("needs a Postgres server");
    }
    let server = Server::start();
    let database = Database::new(&server.ordinary());
    let status = Command::new(env::current_exe().expect("this program"))
        .args(env::args_os().skip(1))
        .env(SUITE, database.url())
        .status()
        .expect("this program");
    drop(database);
    drop(server);
    exit(status.code().unwrap_or(1));
}
