//! Transactions and their statements.

use rusqlite::{Connection, Statement};
use staleness_core::store::StoreError;

use crate::error::{from_commit, from_sqlite};

/// A transaction that is rolled back unless it is committed: on every error, and when `decide`
/// panics. The connection keeps its statements prepared.
pub(crate) struct Transaction<'c> {
    conn: &'c Connection,
}

impl<'c> Transaction<'c> {
    /// Begins with the statement `how`.
    pub(crate) fn begin(conn: &'c Connection, how: &str) -> Result<Self, StoreError> {
        run(conn, how).map_err(from_sqlite)?;
        Ok(Self { conn })
    }

    /// Lets `work` use the statement `sql`.
    pub(crate) fn with<T>(
        &self,
        sql: &str,
        work: impl FnOnce(&mut Statement<'c>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(&mut *self.conn.prepare_cached(sql).map_err(from_sqlite)?)
    }

    /// Commits.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        // On an error the transaction may still be open; dropping `self` rolls it back.
        run(self.conn, "COMMIT").map_err(from_commit)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors (a full disk, say) have rolled it back already. A connection that cannot roll
        // back is not used again: see the pool.
        if !self.conn.is_autocommit() {
            let _ = run(self.conn, "ROLLBACK");
        }
    }
}

/// Runs a statement without parameters or rows.
fn run(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute(()).map(drop)
}
