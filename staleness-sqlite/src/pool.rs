//! The connections that a store keeps.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use staleness_core::store::StoreError;

use crate::OpenOptions;
use crate::connection::Conn;

/// Idle connections that are kept; further ones are closed after use.
const KEPT: usize = 8;

/// Connections that are not in use. Each use takes one out, so readers never wait for the writer or
/// for each other, and a process that does one thing at a time has exactly one connection.
#[derive(Debug)]
pub(crate) struct Pool {
    path: PathBuf,
    options: OpenOptions,
    idle: Mutex<Vec<Conn>>,
}

impl Pool {
    pub(crate) fn new(path: PathBuf, options: OpenOptions, first: Conn) -> Self {
        Self { path, options, idle: Mutex::new(vec![first]) }
    }

    /// The file as SQLite names it: absolute, with symbolic links resolved.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a connection out, or opens another.
    pub(crate) fn take(&self) -> Result<Lent<'_>, StoreError> {
        // The one used last has the warmest cache. The list is not locked while a file is opened.
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Conn::open(&self.path, self.options.read_only, self.options.busy_timeout)?,
        };
        Ok(Lent { conn: Some(conn), pool: self })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Conn>> {
        // Nothing that panics happens under this mutex; the list is whole in any case.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use; it goes back when dropped.
#[derive(Debug)]
pub(crate) struct Lent<'p> {
    conn: Option<Conn>,
    pool: &'p Pool,
}

impl Deref for Lent<'_> {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        match &self.conn {
            Some(conn) => conn,
            None => unreachable!("taken out only by drop"),
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        if conn.raw().is_autocommit() {
            let mut idle = self.pool.idle();
            if idle.len() < KEPT {
                idle.push(conn);
            }
        }
        // Otherwise a transaction is still open that could not be rolled back: closing ends it.
    }
}
