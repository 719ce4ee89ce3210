//! The database itself keeps workspaces apart.

use std::sync::Arc;

use crate::support::server::{PASSWORD, Server};
use crate::support::sql::Sql;
use pollster::block_on;
use staleness_core::ids::{ToolKey, ToolName};
use staleness_core::store::{
    Change, ChangeSet, Decision, Refusal, RegistryStore, Selection, Step, StoreError, ToolFilter,
    View,
};
use staleness_core::time::Timestamp;
use staleness_core::tool::{PresenceCause, Tool, ToolKind};
use staleness_postgres::{OpenOptions, PostgresStore};

/// Puts a tool.
#[derive(Debug)]
struct Put(&'static str);

impl Put {
    fn key(&self) -> ToolKey {
        ToolKey::global(ToolName::new(self.0).unwrap())
    }
}

impl Step for Put {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(self.key()))
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        let at = Timestamp::from_millis(1);
        let tool = Tool::new(self.key(), ToolKind::Unknown, PresenceCause::Used, at);
        let mut changes = ChangeSet::default();
        changes.tools.push(Change::Put(tool));
        Ok(Decision::Write(changes))
    }
}

fn open(url: &str, workspace: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(format!("{url}&workspace={workspace}"), OpenOptions::default())
}

fn names(store: &PostgresStore) -> Vec<String> {
    let view = block_on(store.view(Arc::new(Selection::everything()))).unwrap();
    view.tools.keys().map(|key| key.name.to_string()).collect()
}

/// The script of `docs/postgres.md` that makes a role.
fn script(role: &str) -> String {
    let page = include_str!("../../../docs/postgres.md");
    let start = page.find(&format!("CREATE ROLE {role}")).expect("the script");
    let end = start + page[start..].find("```").expect("its end");
    let words = page[start..end].split('\'');
    // Every other one is quoted, and that is the password.
    let parts = words.enumerate().map(|(at, part)| if at == 1 { PASSWORD } else { part });
    parts.collect::<Vec<_>>().join("'")
}

#[test]
#[ignore = "needs a Postgres server"]
fn who_takes_backups_sees_every_workspace_and_changes_nothing() {
    // Roles are for all databases of a server: none is made on one that is not ours.
    let server = Server::private();
    let database = server.database();
    for workspace in ["ours", "theirs"] {
        let store = open(database.url(), workspace).unwrap();
        block_on(store.transact(Arc::new(Put("plain")))).unwrap();
    }
    let sql = Sql::connect(database.url()).unwrap();
    sql.run(&script("archivist")).unwrap();
    let role = Sql::connect(&database.url_as("archivist")).unwrap();
    // As pg_dump does: what a policy would leave out is an error.
    role.run("SET row_security = off").unwrap();
    assert_eq!(role.number("SELECT count(*) FROM staleness.tools"), 2);
    assert!(role.run("DELETE FROM staleness.tools").is_err());
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_role_with_the_least_rights_works_in_its_workspace_and_sees_no_other() {
    // Roles are for all databases of a server: none is made on one that is not ours.
    let server = Server::private();
    let database = server.database();
    let owner = open(database.url(), "theirs").unwrap();
    block_on(owner.transact(Arc::new(Put("secret")))).unwrap();
    let sql = Sql::connect(database.url()).unwrap();
    sql.run(&script("registry")).unwrap();

    let ordinary = database.url_as("registry");
    let store = open(&ordinary, "ours").unwrap();
    block_on(store.transact(Arc::new(Put("plain")))).unwrap();
    block_on(store.check()).unwrap();
    assert_eq!(names(&store), ["plain"]);
    assert_eq!(names(&owner), ["secret"]);

    // Whatever statement it sends: the rows of the workspace that its transaction names, and no others.
    let role = Sql::connect(&ordinary).unwrap();
    let count = "SELECT count(*) FROM staleness.tools";
    assert_eq!(role.number(count), 0);
    role.run("SET staleness.workspace = 'ours'").unwrap();
    assert_eq!(role.number(count), 1);
    assert_eq!(role.number("SELECT count(*) FROM staleness.workspaces"), 1);
    let moved = role.run("UPDATE staleness.tools SET workspace = 'theirs'").unwrap_err();
    assert_eq!(moved.code().map(|code| code.code()), Some("42501"), "{moved:?}");
    role.run("DELETE FROM staleness.tools WHERE workspace = 'theirs'").unwrap();
    assert_eq!(names(&owner), ["secret"]);
    // And it owns nothing that it could change to see more.
    for wrong in [
        "ALTER TABLE staleness.tools NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_workspace ON staleness.tools",
        "UPDATE staleness.meta SET format = 9",
        "TRUNCATE staleness.tools",
    ] {
        assert!(role.run(wrong).is_err(), "{wrong}");
    }
    drop((store, role));
    sql.run("DROP OWNED BY registry; DROP ROLE registry").unwrap();
}

#[test]
#[ignore = "needs a Postgres server"]
fn the_policy_is_forced_on_every_table_but_the_format() {
    let (_server, database) = Server::and_database();
    open(database.url(), "any").unwrap();
    let sql = Sql::connect(database.url()).unwrap();
    let bare = "SELECT count(*) FROM pg_class WHERE relnamespace = 'staleness'::regnamespace \
        AND relkind = 'r' AND relname <> 'meta' AND NOT (relrowsecurity AND relforcerowsecurity)";
    assert_eq!(sql.number(bare), 0);
    let without = "SELECT count(*) FROM pg_class AS t WHERE relnamespace = 'staleness'::regnamespace \
        AND relkind = 'r' AND relname <> 'meta' AND NOT EXISTS \
        (SELECT FROM pg_policy WHERE polrelid = t.oid AND polname = 'own_workspace')";
    assert_eq!(sql.number(without), 0);
}
