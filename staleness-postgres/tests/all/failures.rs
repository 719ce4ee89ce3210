//! Failures between a store and its server, and the errors that report them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::support::server::{PASSWORD, Server, new_name, with_database};
use crate::support::sql::Sql;
use pollster::block_on;
use staleness_core::ids::{OpId, ToolKey, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Use;
use staleness_core::scan::ProjectRef;
use staleness_core::store::{
    ChangeSet, Decision, Refusal, RegistryStore, Selection, Step, StoreError, ToolFilter, View,
};
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, RegistryError, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, OpenOptions::default()).unwrap()
}

fn used(turn: u32) -> Use {
    Use::new(
        OpId::new(format!("op {turn}")).unwrap(),
        ToolName::new("Bash").unwrap(),
        OutcomeKind::Success,
        Timestamp::from_millis(turn.into()),
        ProjectRef::of_root("/p"),
    )
}

/// Looks at a tool to change it, tells the test that it has, and changes nothing.
#[derive(Debug)]
struct Hold {
    entered: std::sync::mpsc::SyncSender<()>,
    leave: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
}

fn key() -> ToolKey {
    ToolKey::global(ToolName::new("x").unwrap())
}

impl Step for Hold {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(key()))
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        let _ = self.entered.send(());
        let _ = self.leave.lock().unwrap().recv();
        Ok(Decision::Write(ChangeSet::default()))
    }
}

/// Looks at a tool to change it, and changes nothing.
#[derive(Debug)]
struct Idle;

impl Step for Idle {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(key()))
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(ChangeSet::default()))
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_row_that_others_hold_for_too_long_is_busy_and_then_free() {
    let (_server, database) = Server::and_database();
    let holder = open(database.url());
    let hasty = OpenOptions { busy_timeout: Duration::from_millis(500), ..OpenOptions::default() };
    let hasty = PostgresStore::open(database.url(), hasty).unwrap();
    let (entered, is_in) = std::sync::mpsc::sync_channel(1);
    let (go, leave) = std::sync::mpsc::sync_channel(1);
    let hold = Hold { entered, leave: std::sync::Mutex::new(leave) };
    let holding = std::thread::spawn(move || block_on(holder.transact(Arc::new(hold))));
    is_in.recv().unwrap();
    let waited = block_on(hasty.transact(Arc::new(Idle)));
    assert!(matches!(waited, Err(StoreError::Busy)), "{waited:?}");
    go.send(()).unwrap();
    holding.join().unwrap().unwrap();
    block_on(hasty.transact(Arc::new(Idle))).unwrap();
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_connection_that_others_use_for_too_long_is_busy_and_then_free() {
    let (_server, database) = Server::and_database();
    let single = OpenOptions {
        busy_timeout: Duration::from_millis(500),
        connections: 1,
        ..OpenOptions::default()
    };
    drop(open(database.url()));
    let store = PostgresStore::open(database.url(), single).unwrap();
    let (entered, is_in) = std::sync::mpsc::sync_channel(1);
    let (go, leave) = std::sync::mpsc::sync_channel(1);
    let hold = Hold { entered, leave: std::sync::Mutex::new(leave) };
    let holder = store.clone();
    let holding = std::thread::spawn(move || block_on(holder.transact(Arc::new(hold))));
    is_in.recv().unwrap();
    let waited = block_on(store.view(Arc::new(Selection::everything())));
    assert!(matches!(waited, Err(StoreError::Busy)), "{waited:?}");
    go.send(()).unwrap();
    holding.join().unwrap().unwrap();
    block_on(store.view(Arc::new(Selection::everything()))).unwrap();
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me:{PASSWORD}@{}/x", listener.local_addr().unwrap());
    let hasty = OpenOptions { busy_timeout: Duration::from_millis(20), ..OpenOptions::default() };
    // The system accepts for it.
    match PostgresStore::open(url, hasty) {
        Err(StoreError::Io { source, .. }) => assert_eq!(source.kind(), io::ErrorKind::TimedOut),
        other => panic!("{other:?}"),
    }
}

/// The shortest time that a whole transaction may take is 10 s, which these two tests take too.
fn hasty(url: &str) -> PostgresStore {
    drop(open(url));
    let hasty = OpenOptions { busy_timeout: Duration::from_millis(20), ..OpenOptions::default() };
    PostgresStore::open(url, hasty).unwrap()
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_query_that_is_not_answered_is_given_up() {
    let (_server, database) = Server::and_database();
    let store = hasty(database.url());
    Registry::new(Arc::new(store.clone()), Policy::default())
        .tools()
        .record(used(1))
        .wait()
        .unwrap();
    let sql = Sql::connect(database.url()).unwrap();
    sql.run(
        "ALTER TABLE staleness.tools RENAME TO slow; CREATE VIEW staleness.tools AS \
         SELECT slow.* FROM staleness.slow CROSS JOIN pg_sleep(600)",
    )
    .unwrap();
    let ended = block_on(store.view(Arc::new(Selection::everything())));
    assert!(matches!(ended, Err(StoreError::Busy)), "{ended:?}");
}

#[test]
#[ignore = "needs a Postgres server"]
fn of_a_commit_that_is_not_acknowledged_nobody_knows_and_it_may_be_repeated() {
    let (_server, database) = Server::and_database();
    let registry = Registry::new(Arc::new(hasty(database.url())), Policy::default());
    let sql = Sql::connect(database.url()).unwrap();
    sql.run(
        "CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         PERFORM pg_sleep(600); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER hang AFTER INSERT ON staleness.outcomes \
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.hang()",
    )
    .unwrap();
    let ended = registry.tools().record(used(1)).wait();
    assert!(matches!(ended, Err(RegistryError::Store(StoreError::Unknown(_)))), "{ended:?}");
    // The server has not noticed yet, and holds what the step locked.
    let ended = registry.tools().record(used(1)).wait();
    assert!(matches!(ended, Err(RegistryError::Store(StoreError::Busy))), "{ended:?}");
    sql.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid(); \
         DROP TRIGGER hang ON staleness.outcomes",
    )
    .unwrap();
    registry.tools().record(used(1)).wait().unwrap();
    assert_eq!(sql.number("SELECT count(*) FROM staleness.outcomes"), 1);
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_store_outlives_the_crash_of_its_server() {
    let server = Server::private();
    let registry =
        Registry::new(Arc::new(open(&with_database(server.url(), "postgres"))), Policy::default());
    let registry = registry;
    registry.tools().record(used(1)).wait().unwrap();
    server.crash();
    let down = registry.tools().record(used(2)).wait().unwrap_err();
    assert!(
        matches!(down, RegistryError::Store(StoreError::Io { .. } | StoreError::Unknown(_))),
        "{down:?}"
    );
    server.restart();
    // The same handle: connections that broke are replaced before anything is asked of them.
    registry.tools().record(used(2)).wait().unwrap();
    registry.tools().record(used(3)).wait().unwrap();
    let project = ProjectRef::of_root("/p");
    let tools = registry
        .tools()
        .list(&project, Default::default(), Timestamp::from_millis(9))
        .wait()
        .unwrap();
    assert_eq!(tools.len(), 1);
}

#[test]
#[ignore = "needs a Postgres server"]
fn connections_that_the_server_ends_are_replaced_unnoticed() {
    let (server, database) = Server::and_database();
    let registry = Registry::new(Arc::new(open(database.url())), Policy::default());
    let sql = Sql::connect(server.url()).unwrap();
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let of_it = Sql::connect(database.url()).unwrap();
    drop(sql);
    for turn in 0..5 {
        of_it.number(end);
        registry.tools().record(used(turn)).wait().unwrap();
    }
    assert_eq!(of_it.number("SELECT count(*) FROM staleness.outcomes"), 5);
}

#[test]
#[ignore = "needs a Postgres server"]
fn tables_of_a_newer_program_are_refused_unless_it_says_that_they_may_be_used() {
    let (_server, database) = Server::and_database();
    let store = open(database.url());
    let sql = Sql::connect(database.url()).unwrap();
    let everything = || block_on(store.view(Arc::new(Selection::everything())));
    sql.run("UPDATE staleness.meta SET format = 99").unwrap();
    everything().unwrap();
    open(database.url());
    sql.run("UPDATE staleness.meta SET least = 99").unwrap();
    let refused = everything();
    assert!(matches!(refused, Err(StoreError::FormatTooNew { found: 99, .. })), "{refused:?}");
    let refused = block_on(store.transact(Arc::new(Idle)));
    assert!(matches!(refused, Err(StoreError::FormatTooNew { .. })), "{refused:?}");
    let refused = PostgresStore::open(database.url(), OpenOptions::default());
    assert!(matches!(refused, Err(StoreError::FormatTooNew { .. })), "{refused:?}");
}

#[test]
#[ignore = "needs a Postgres server"]
fn nothing_is_created_unless_it_may_be() {
    let (_server, database) = Server::and_database();
    let missing_to = |url: &str, options| match PostgresStore::open(url, options) {
        Err(StoreError::Io { source, .. }) => source.kind() == io::ErrorKind::NotFound,
        other => panic!("{other:?}"),
    };
    let missing =
        |url: &str| missing_to(url, OpenOptions { create: false, ..OpenOptions::default() });
    assert!(missing(database.url()));
    // A server that is not there is none without a registry.
    assert!(!missing("postgres://me@/x?host=%2Fnowhere"));
    let sql = Sql::connect(database.url()).unwrap();
    assert_eq!(sql.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'staleness'"), 0);
    open(database.url());
    assert!(missing(&format!("{}&workspace=other", database.url())));
    // Tables of an older program are there, and left as they are.
    let of_it = Sql::connect(database.url()).unwrap();
    let format = of_it.number("SELECT format FROM staleness.meta");
    let set = |to: i64| {
        of_it.run(&format!("UPDATE staleness.meta SET format = {to}, least = {to}")).unwrap();
    };
    set(format - 1);
    let read_only = OpenOptions { read_only: true, ..OpenOptions::default() };
    for options in [read_only, OpenOptions::default()] {
        let refused = PostgresStore::open(database.url(), options);
        let Err(StoreError::FormatTooOld { found, needed }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((found as i64 + 1, needed as i64), (format, format));
    }
    set(format);
    let store = PostgresStore::open(database.url(), read_only).unwrap();
    let refused = block_on(store.transact(Arc::new(Idle)));
    assert!(matches!(refused, Err(StoreError::ReadOnly)), "{refused:?}");
    assert!(missing_to(&format!("{}&workspace=other", database.url()), read_only));
    PostgresStore::open(database.url(), OpenOptions { create: false, ..OpenOptions::default() })
        .unwrap();
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_database_that_cannot_hold_every_text_is_refused() {
    let server = Server::shared();
    let sql = Sql::connect(server.url()).unwrap();
    let name = new_name();
    sql.run(&format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"))
        .unwrap();
    let url = with_database(server.url(), &name);
    let refused = PostgresStore::open(&url, OpenOptions::default());
    assert!(
        matches!(&refused, Err(StoreError::NotAStore(why)) if why.contains("UTF8")),
        "{refused:?}"
    );
    sql.run(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
}

#[test]
#[ignore = "needs a Postgres server"]
fn no_error_tells_a_password() {
    let (_server, database) = Server::and_database();
    let wrong = database.url().replacen(PASSWORD, "hunter2", 1);
    let mut urls = vec![
        (wrong, "authentication failed"),
        (database.url_as("nobody-known"), "nobody-known"),
        (with_database(database.url(), "nowhere"), "nowhere"),
        (format!("postgres://me:{PASSWORD}@127.0.0.1:1/x"), "connecting to the database"),
        (format!("{}&sslmode=require", database.url().replacen("?host=", "?x=", 1)), "x"),
    ];
    urls.push((format!("postgres://me:{PASSWORD}@x@y/z"), "%40"));
    for (url, why) in urls {
        let error = PostgresStore::open(&url, OpenOptions::default()).unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(told.contains(why), "{told}");
        assert!(!told.contains(PASSWORD) && !told.contains("hunter2"), "{told}");
    }
    let store = open(database.url());
    assert!(!format!("{store:?}").contains(PASSWORD));
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_text_with_nul_is_kept_as_it_is() {
    let (_server, database) = Server::and_database();
    let registry = Registry::new(Arc::new(open(database.url())), Policy::default());
    let project = ProjectRef { root: "/a\0b\u{1}c".into(), ..ProjectRef::of_root("/p") };
    registry.tools().record(Use { project, ..used(1) }).wait().unwrap();
    let known = registry.admin().projects().wait().unwrap();
    assert_eq!(known[0].root, "/a\0b\u{1}c");
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_handle_may_be_dropped_on_a_thread_of_another_runtime() {
    let (_server, database) = Server::and_database();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    runtime.block_on(async {
        let store = open(database.url());
        store.check().await.unwrap();
        drop(store);
    });
}
