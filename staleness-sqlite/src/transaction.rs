//! Transactions and their statements.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rusqlite::{Connection, Statement};
use staleness_core::store::StoreError;

use crate::error::{from_commit, from_sqlite};

/// A transaction that is rolled back unless it is committed: on every error, and when `decide`
/// panics. The connection keeps its statements prepared, but for those of its first transaction.
///
/// SQLite takes no memory from its own cheap slots for a statement that is kept: a tenth of the instructions
/// of a process that records one outcome.
pub(crate) struct Transaction<'c> {
    conn: &'c Connection,
    /// What the first transaction of a connection ran once; what it runs again is kept, too.
    ran: Option<RefCell<BTreeSet<String>>>,
}

impl<'c> Transaction<'c> {
    /// Begins with the statement `how`.
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

    /// Commits the transaction.
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
