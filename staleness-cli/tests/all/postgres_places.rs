//! Workspaces for tests, on a server of their own or on one that the environment names.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use crate::postgres_server::Server;
use crate::postgres_sql::Sql;

/// Workspaces on a server. They are removed when this is dropped: the server may be somebody else's.
pub(crate) struct Places {
    server: Arc<Server>,
    names: RefCell<BTreeSet<String>>,
    /// A random number, so that no other run on any machine has the same.
    run: u64,
}

impl Places {
    /// No workspaces yet, on the server that other tests use too.
    pub(crate) fn shared() -> Self {
        let run = RandomState::new().hash_one(std::process::id());
        Self { server: Server::shared(), names: RefCell::default(), run }
    }

    /// The URL of a workspace that no other process uses.
    pub(crate) fn url(&self, name: &str) -> String {
        let name = format!("staleness-test-{:016x}-{name}", self.run);
        let url = self.server.url();
        let sign = if url.contains('?') { '&' } else { '?' };
        let url = format!("{url}{sign}workspace={name}");
        self.names.borrow_mut().insert(name);
        url
    }

    /// Removes a workspace with everything in it.
    fn remove(sql: &Sql, name: &str) {
        sql.run(&format!(
            "DO $$ DECLARE collection TEXT; BEGIN
             PERFORM set_config('staleness.workspace', '{name}', true);
             FOR collection IN SELECT table_name FROM information_schema.columns
               WHERE table_schema = 'staleness' AND column_name = 'workspace' LOOP
               EXECUTE format('DELETE FROM staleness.%I WHERE workspace = $1', collection)
                 USING '{name}';
             END LOOP; END $$"
        ))
        .expect("it is removed");
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        if self.server.is_private() {
            return;
        }
        let sql = Sql::connect(self.server.url()).expect("the server");
        self.names.borrow().iter().for_each(|name| Self::remove(&sql, name));
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_tests_write_is_removed_again() {
    let places = Places::shared();
    let sandbox = crate::common::Sandbox::new();
    let url = places.url("gone");
    sandbox.ok(&["--store", &url, "record", "Bash", "--success"]);
    let sql = Sql::connect(places.server.url()).unwrap();
    let name = places.names.borrow().first().unwrap().clone();
    Places::remove(&sql, &name);
    // A superuser is above row-level security.
    sql.run(&format!("SET staleness.workspace = '{name}'")).unwrap();
    for table in ["workspaces", "projects", "tools", "outcomes", "journal"] {
        let left = format!("SELECT count(*) FROM staleness.{table} WHERE workspace = '{name}'");
        assert_eq!(sql.number(&left), 0, "{table}");
    }
}
