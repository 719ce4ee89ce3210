//! Commits of others are told as they happen, and asked for while nobody tells of them.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::support::server::Server;
use crate::support::sql::Sql;
use pollster::block_on;
use staleness_core::ids::{OpId, ToolName};
use staleness_core::journal::Revision;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Use;
use staleness_core::scan::ProjectRef;
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

/// A listener looks for itself once a minute: what it hears sooner was told.
const SOON: Duration = Duration::from_secs(30);

fn open(url: &str) -> Registry {
    let store = PostgresStore::open(url, OpenOptions::default()).unwrap();
    Registry::new(Arc::new(store), Policy::default())
}

/// A tool that is used for the first time goes into the journal.
fn commit(registry: &Registry, tool: &str) -> Revision {
    let used = Use::new(
        OpId::new(tool).unwrap(),
        ToolName::new(tool).unwrap(),
        OutcomeKind::Success,
        Timestamp::from_millis(1),
        ProjectRef::of_root("/p"),
    );
    registry.tools().record(used).wait().unwrap();
    registry.admin().revision().wait().unwrap()
}

fn changed(registry: &Registry, seen: Revision) -> Option<Revision> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let store = Arc::clone(registry.store());
    runtime.block_on(async { tokio::time::timeout(SOON, store.changed(seen)).await }).unwrap()
}

/// Ends every connection but this one.
fn end_all(sql: &Sql) {
    sql.number(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_commit_is_told_to_whoever_waits_in_its_workspace_and_to_nobody_else() {
    let (_server, database) = Server::and_database();
    let (writer, reader) = (open(database.url()), open(database.url()));
    let other = open(&format!("{}&workspace=other", database.url()));
    let mut seen = commit(&writer, "first");
    assert_eq!(changed(&reader, Revision(0)), Some(seen));
    for turn in 0..5 {
        let reader = reader.clone();
        let waiter = thread::spawn(move || changed(&reader, seen));
        seen = commit(&writer, &format!("tool{turn}"));
        assert_eq!(waiter.join().unwrap(), Some(seen));
    }
    // Its own workspace has not moved.
    let elsewhere = Arc::clone(other.store());
    assert_eq!(block_on(elsewhere.changed(Revision(7))), Some(Revision(0)));
    let mut waiting = elsewhere.changed(Revision(0));
    assert_eq!(poll_once(&mut waiting), None);
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_the_listener_saw_before_is_no_news() {
    let (_server, database) = Server::and_database();
    let (writer, reader) = (open(database.url()), open(database.url()));
    let seen = commit(&writer, "first");
    assert_eq!(changed(&reader, Revision(0)), Some(seen));
    // A commit that nobody tells of, as where the notice was lost: who has seen it waits for the next.
    let sql = Sql::connect(database.url()).unwrap();
    sql.run("UPDATE staleness.workspaces SET revision = revision + 1").unwrap();
    let unheard = reader.admin().revision().wait().unwrap();
    assert_eq!(unheard, Revision(seen.0 + 1));
    let waiter = thread::spawn(move || changed(&reader, unheard));
    let next = commit(&writer, "second");
    assert_eq!(waiter.join().unwrap(), Some(next));
}

/// Polls a future once. Returns its output if it is ready.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_connection_that_is_lost_costs_nobody_a_commit() {
    let (_server, database) = Server::and_database();
    let (writer, reader) = (open(database.url()), open(database.url()));
    let past = Sql::connect(database.url()).unwrap();
    let mut seen = commit(&writer, "first");
    assert_eq!(changed(&reader, Revision(0)), Some(seen));
    for turn in 0..3 {
        let waiting = reader.clone();
        let waiter = thread::spawn(move || {
            loop {
                // Whoever is sent away asks.
                let asked =
                    || Some(waiting.admin().revision().wait().unwrap()).filter(|now| *now != seen);
                if let Some(now) = changed(&waiting, seen).or_else(asked) {
                    return now;
                }
            }
        });
        end_all(&past);
        seen = commit(&writer, &format!("tool{turn}"));
        assert_eq!(waiter.join().unwrap(), seen);
        // Somebody listens again.
        while changed(&reader, Revision(0)) != Some(seen) {
            assert_eq!(reader.admin().revision().wait().unwrap(), seen);
        }
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_server_that_is_gone_is_asked_and_one_that_is_back_tells() {
    let server = Server::private();
    let database = server.database();
    let (writer, reader) = (open(database.url()), open(database.url()));
    let before = commit(&writer, "first");
    assert_eq!(changed(&reader, Revision(0)), Some(before));
    server.crash();
    assert_eq!(changed(&reader, before), None);
    assert!(reader.admin().revision().wait().is_err());
    server.restart();
    let seen = commit(&writer, "second");
    assert_eq!(reader.admin().revision().wait().unwrap(), seen);
    while changed(&reader, Revision(0)) != Some(seen) {
        assert_eq!(reader.admin().revision().wait().unwrap(), seen);
    }
}
