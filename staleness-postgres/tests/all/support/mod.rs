//! Helpers that the tests of this crate share.

#![allow(dead_code, reason = "no test uses all of it")]

#[cfg(unix)]
pub(crate) mod proxy;
pub(crate) mod scan;
pub(crate) mod server;
pub(crate) mod sql;

use std::sync::Arc;

use server::{OWNER, PASSWORD, Server, new_database, new_name, with_database};
use sql::Sql;

impl Server {
    /// The shared server, with a new database.
    pub(crate) fn and_database() -> (Arc<Self>, Database) {
        let server = Self::shared();
        let database = server.database();
        (server, database)
    }

    /// A new database, in which nothing is yet.
    pub(crate) fn database(&self) -> Database {
        Database::new(&self.url)
    }

    /// The URL as a role that may create databases, and that row-level security holds to its
    /// workspace even in those: the owner of a private server is above that. Of another server, the
    /// role is what it is.
    pub(crate) fn ordinary(&self) -> String {
        if !self.is_private() {
            return self.url.clone();
        }
        let sql = Sql::connect(&self.url).expect("the server");
        sql.run(&format!("CREATE ROLE ordinary LOGIN CREATEDB PASSWORD '{PASSWORD}'"))
            .expect("a role");
        self.url.replacen(&format!("//{OWNER}:"), "//ordinary:", 1)
    }
}

/// A database. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Database {
    sql: Sql,
    name: String,
    url: String,
}

impl Database {
    /// A new one on the server that a URL names, owned by the role that it names.
    pub(crate) fn new(server: &str) -> Self {
        let name = new_name();
        let sql = Sql::connect(server).expect("the server");
        sql.run(&new_database(&name)).expect("a database");
        Self { url: with_database(server, &name), sql, name }
    }

    /// Its URL, as its owner; it has parameters already.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its URL, as another role with the password of all.
    pub(crate) fn url_as(&self, role: &str) -> String {
        self.url.replacen(&format!("//{OWNER}:"), &format!("//{role}:"), 1)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The server may be down by now.
        let _ = self.sql.run(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}
