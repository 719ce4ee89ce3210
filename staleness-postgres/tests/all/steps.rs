//! Steps are carried out as if alone, and last as long as they should.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::Database;
use crate::support::server::Server;
use crate::support::sql::Sql;
use pollster::block_on;
use staleness_core::ids::{ToolKey, ToolName};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::store::{
    Change, ChangeSet, Decision, Durability, Refusal, RegistryStore, Selection, Step, StoreError,
    ToolFilter, View,
};
use staleness_core::time::Timestamp;
use staleness_core::tool::{PresenceCause, Tool, ToolKind};
use staleness_postgres::{OpenOptions, PostgresStore};

fn open(database: &Database) -> PostgresStore {
    PostgresStore::open(database.url(), OpenOptions::default()).unwrap()
}

/// A connection past the store, in its workspace.
fn past(database: &Database) -> Sql {
    let sql = Sql::connect(database.url()).unwrap();
    sql.run("SET staleness.workspace = 'default'").unwrap();
    sql
}

fn key(name: &str) -> ToolKey {
    ToolKey::global(ToolName::new(name).unwrap())
}

fn tool(name: &str, description: &str) -> Tool {
    let at = Timestamp::from_millis(1);
    let tool = Tool::new(key(name), ToolKind::Unknown, PresenceCause::Used, at);
    Tool { description: Some(description.into()), ..tool }
}

/// Puts a tool, with an entry in the journal or without.
#[derive(Clone, Copy, Debug)]
struct Put {
    name: &'static str,
    description: &'static str,
    durability: Durability,
    told: bool,
}

impl Put {
    const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description, durability: Durability::Normal, told: false }
    }
}

impl Step for Put {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(key(self.name)))
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        changes.tools.push(Change::Put(tool(self.name, self.description)));
        let subject = Subject::tool(&key(self.name));
        let entry = JournalEntry::new(Timestamp::from_millis(1), subject, Action::Added, "used");
        changes.journal.extend(self.told.then_some(entry));
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Writes to the tool that another one names. Whenever it looks for the first time, something happens
/// behind its back.
#[derive(Debug)]
struct Follow {
    sql: Sql,
    behind: fn(u32) -> Option<String>,
    first_looks: AtomicU32,
}

impl Step for Follow {
    fn selection(&self) -> Selection {
        Selection::new().peek(ToolFilter::Key(key("pointer")))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if view.looks == 1 {
            let turn = self.first_looks.fetch_add(1, Ordering::Relaxed);
            if let Some(commands) = (self.behind)(turn) {
                self.sql.run(&commands).unwrap();
            }
            let named = view.tools[&key("pointer")].description.as_deref().unwrap();
            return Ok(Decision::Need(Selection::new().lock(ToolFilter::Key(key(named)))));
        }
        let mut changes = ChangeSet::default();
        let named = view.tools[&key("pointer")].description.as_deref().unwrap();
        changes.tools.push(Change::Put(tool(named, "followed")));
        Ok(Decision::Write(changes))
    }
}

fn followed(sql: &Sql) -> Vec<String> {
    let rows = sql.ask("SELECT name FROM staleness.tools WHERE description = 'followed'").unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_a_step_asked_by_may_change_while_it_begins_again() {
    let (_server, database) = Server::and_database();
    let store = open(&database);
    block_on(store.transact(Arc::new(Put::new("pointer", "a")))).unwrap();
    let behind = |turn| {
        let moved = "UPDATE staleness.tools SET description = 'b' WHERE name = 'pointer'";
        (turn == 0).then(|| moved.to_owned())
    };
    let follow =
        Arc::new(Follow { sql: past(&database), behind, first_looks: AtomicU32::default() });
    let commit = block_on(store.transact(Arc::<Follow>::clone(&follow))).unwrap();
    // It asked for a, then for b, then it was given b.
    assert_eq!(follow.first_looks.load(Ordering::Relaxed), 3);
    assert_eq!(commit.view.looks, 2);
    assert_eq!(followed(&past(&database)), ["b"]);
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_step_that_others_mislead_for_ever_gives_way() {
    let (_server, database) = Server::and_database();
    let store = open(&database);
    block_on(store.transact(Arc::new(Put::new("pointer", "a")))).unwrap();
    let behind = |turn| {
        Some(format!("UPDATE staleness.tools SET description = 't{turn}' WHERE name = 'pointer'"))
    };
    let follow = Follow { sql: past(&database), behind, first_looks: AtomicU32::default() };
    let ended = block_on(store.transact(Arc::new(follow)));
    assert!(matches!(ended, Err(StoreError::Busy)), "{ended:?}");
    assert!(followed(&past(&database)).is_empty());
}

/// Notes a setting of every transaction that puts a tool, at the moment of its commit.
fn watch(sql: &Sql, setting: &str) {
    sql.run(&format!(
        "CREATE TABLE public.seen(turn SERIAL, value TEXT NOT NULL); \
         CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         INSERT INTO public.seen(value) VALUES (current_setting('{setting}')); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER see AFTER INSERT OR UPDATE ON staleness.tools \
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.see()"
    ))
    .unwrap();
}

fn seen(sql: &Sql) -> Vec<String> {
    let rows = sql.ask("SELECT value FROM public.seen ORDER BY turn").unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_a_person_decided_or_the_journal_tells_waits_for_the_log_of_the_server() {
    let (_server, database) = Server::and_database();
    drop(open(&database));
    let sql = past(&database);
    watch(&sql, "synchronous_commit");
    let put = Put::new("a", "");
    let steps = [put, Put { told: true, ..put }, Put { durability: Durability::Full, ..put }];
    for default in ["on", "off", "remote_write"] {
        let name = "format('ALTER DATABASE %I SET synchronous_commit = %L', current_database()";
        let set = format!("DO $$ BEGIN EXECUTE {name}, '{default}'); END $$");
        sql.run(&set).unwrap();
        let store = open(&database);
        for step in steps {
            block_on(store.transact(Arc::new(step))).unwrap();
        }
    }
    let (on, off, remote) = ("on", "off", "remote_write");
    assert_eq!(seen(&sql), [off, on, on, off, on, on, off, remote, remote]);
}

#[test]
#[ignore = "needs a Postgres server"]
fn the_server_ends_the_transaction_of_a_client_that_falls_silent() {
    let (_server, database) = Server::and_database();
    let store = open(&database);
    let sql = past(&database);
    watch(&sql, "idle_in_transaction_session_timeout");
    block_on(store.transact(Arc::new(Put::new("a", "")))).unwrap();
    assert_eq!(seen(&sql), ["10s"]);
}

/// Removes the workspace as soon as it has been looked at.
#[derive(Debug)]
struct Sawn(Put, Sql);

impl Step for Sawn {
    fn selection(&self) -> Selection {
        self.0.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.1.run("DELETE FROM staleness.workspaces WHERE workspace = 'default'").unwrap();
        self.0.decide(view)
    }

    fn durability(&self) -> Durability {
        self.0.durability()
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn nothing_is_committed_without_its_numbers() {
    let (_server, database) = Server::and_database();
    let store = open(&database);
    let put = Put { told: true, ..Put::new("a", "") };
    let ended = block_on(store.transact(Arc::new(Sawn(put, past(&database)))));
    assert!(
        matches!(&ended, Err(StoreError::Corrupt(why)) if why.contains("workspace")),
        "{ended:?}"
    );
    assert_eq!(past(&database).number("SELECT count(*) FROM staleness.tools"), 0);
}
