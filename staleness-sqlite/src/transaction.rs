//! Transactions and their statements.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use rusqlite::{CachedStatement, Connection, Statement};
use staleness_core::store::StoreError;

use crate::error::{from_commit, from_sqlite};

/// A transaction that is rolled back unless it is committed: on every error, and when `decide`
/// panics.
///
/// It prepares each statement once. A connection's first transaction prepares for itself alone, all
/// later ones for the connection: SQLite takes no memory from its own cheap slots for statements
/// that are meant to last, which costs 390 calls of `malloc` in a process that records one outcome.
pub(crate) struct Transaction<'c> {
    conn: &'c Connection,
    lasting: bool,
    statements: RefCell<Vec<(&'static str, Prepared<'c>)>>,
}

enum Prepared<'c> {
    Once(Statement<'c>),
    Lasting(CachedStatement<'c>),
}

impl<'c> Deref for Prepared<'c> {
    type Target = Statement<'c>;

    fn deref(&self) -> &Statement<'c> {
        match self {
            Self::Once(statement) => statement,
            Self::Lasting(statement) => statement,
        }
    }
}

impl<'c> DerefMut for Prepared<'c> {
    fn deref_mut(&mut self) -> &mut Statement<'c> {
        match self {
            Self::Once(statement) => statement,
            Self::Lasting(statement) => statement,
        }
    }
}

impl<'c> Transaction<'c> {
    /// Begins with the statement `how`; later statements are `lasting` or for this one alone.
    pub(crate) fn begin(
        conn: &'c Connection,
        how: &'static str,
        lasting: bool,
    ) -> Result<Self, StoreError> {
        run(conn, how, lasting).map_err(from_sqlite)?;
        Ok(Self { conn, lasting, statements: RefCell::default() })
    }

    /// Lets `work` use the statement `sql`.
    pub(crate) fn with<T>(
        &self,
        sql: &'static str,
        work: impl FnOnce(&mut Statement<'c>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let known = {
            let mut statements = self.statements.borrow_mut();
            // The same constant; were it twice in memory, it would be prepared twice.
            let place = statements.iter().position(|(known, _)| std::ptr::eq(*known, sql));
            place.map(|place| statements.swap_remove(place).1)
        };
        let mut statement = match known {
            Some(statement) => statement,
            None if self.lasting => {
                Prepared::Lasting(self.conn.prepare_cached(sql).map_err(from_sqlite)?)
            }
            None => Prepared::Once(self.conn.prepare(sql).map_err(from_sqlite)?),
        };
        let done = work(&mut statement)?;
        self.statements.borrow_mut().push((sql, statement));
        Ok(done)
    }

    /// Commits.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        // On an error the transaction may still be open; dropping `self` rolls it back.
        run(self.conn, "COMMIT", self.lasting).map_err(from_commit)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors (a full disk, say) have rolled it back already. A connection that cannot roll
        // back is not used again: see the pool.
        if !self.conn.is_autocommit() {
            let _ = run(self.conn, "ROLLBACK", self.lasting);
        }
    }
}

/// Runs a statement without parameters or rows.
fn run(conn: &Connection, sql: &str, lasting: bool) -> rusqlite::Result<()> {
    if lasting { conn.prepare_cached(sql)?.execute(()).map(drop) } else { conn.execute_batch(sql) }
}
