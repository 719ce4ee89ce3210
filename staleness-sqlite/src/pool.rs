//! A pool of connections.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use staleness_core::store::StoreError;

use crate::OpenOptions;
use crate::connection::Conn;

/// Maximum number of idle connections. Others are closed after use.
const KEPT: usize = 8;

/// The idle connections. Each use takes one out, so readers never wait for the writer or each other. A
/// single-threaded process has exactly one connection.
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

    /// Returns the absolute path of the file, with symbolic links resolved.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes an idle connection, or opens a new one.
    pub(crate) fn take(&self) -> Result<Lent<'_>, StoreError> {
        // The most recently used one has the warmest cache. The list is not locked while a file is being opened.
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Conn::open(&self.path, self.options.read_only, self.options.busy_timeout)?,
        };
        Ok(Lent { conn: Some(conn), pool: self })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Conn>> {
        // No code panics while it holds this mutex, and the list would be valid anyway.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use. It returns to the pool when dropped.
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
        // Otherwise a transaction could not be rolled back, but closing the connection ends it.
    }
}
