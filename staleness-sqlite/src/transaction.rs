//! Transactions and their statements.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rusqlite::{Connection, Statement};
use staleness_core::store::StoreError;

use crate::error::{from_commit, from_sqlite};

/// A transaction. It is rolled back unless it is committed: on every error, and if `decide` panics.
///
/// The connection caches prepared statements, except those that its first transaction runs only once. SQLite allocates
/// a cached statement on the heap and not in its own faster slots, which would slow down a process that records only
/// one outcome.
pub(crate) struct Transaction<'c> {
    conn: &'c Connection,
    /// The statements that the connection's first transaction has run; `None` in later transactions. A statement
    /// that it runs again is cached.
    ran: Option<RefCell<BTreeSet<String>>>,
}

impl<'c> Transaction<'c> {
    /// Begins a transaction with the statement `how`.
    pub(crate) fn begin(
        conn: &'c Connection,
        how: &str,
        is_first: bool,
    ) -> Result<Self, StoreError> {
        let begun = Self { conn, ran: is_first.then(RefCell::default) };
        begun.run(how).map_err(from_sqlite)?;
        Ok(begun)
    }

    /// Calls `work` with the prepared statement for `sql`.
    pub(crate) fn with<T>(
        &self,
        sql: &str,
        work: impl FnOnce(&mut Statement<'c>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.prepared(sql, work).map_err(from_sqlite)?
    }

    fn prepared<T>(
        &self,
        sql: &str,
        work: impl FnOnce(&mut Statement<'c>) -> T,
    ) -> rusqlite::Result<T> {
        let is_kept = self.ran.as_ref().is_none_or(|ran| !ran.borrow_mut().insert(sql.to_owned()));
        Ok(if is_kept {
            work(&mut *self.conn.prepare_cached(sql)?)
        } else {
            work(&mut self.conn.prepare(sql)?)
        })
    }

    /// Runs a statement without parameters or rows.
    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        self.prepared(sql, |statement| statement.execute(()).map(drop))?
    }

    pub(crate) fn commit(self) -> Result<(), StoreError> {
        // On an error the transaction may still be open; dropping `self` rolls it back.
        self.run("COMMIT").map_err(from_commit)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors, such as a full disk, have already rolled it back. The pool drops a connection that
        // cannot roll back.
        if !self.conn.is_autocommit() {
            let _ = self.run("ROLLBACK");
        }
    }
}
