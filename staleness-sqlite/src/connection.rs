//! Opens connections and begins transactions.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use staleness_core::store::{Durability, StoreError};

use crate::checksum;
use crate::error::from_sqlite;
use crate::transaction::Transaction;

/// Maximum number of cached prepared statements. There are fewer statements in total.
const STATEMENTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Conn {
    raw: Connection,
    /// The current `synchronous` setting. SQLite starts with FULL.
    durability: Cell<Durability>,
    /// True if deleted data is overwritten.
    overwrites: Cell<bool>,
    /// True if a transaction has begun.
    used: Cell<bool>,
    /// The size of the page cache; `None` before the first transaction.
    cache: Cell<Option<Cache>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cache {
    Small,
    Usual,
}

impl Conn {
    /// Opens a connection to an existing file, without reading it yet.
    pub(crate) fn open(
        path: &Path,
        read_only: bool,
        busy_timeout: Duration,
    ) -> Result<Self, StoreError> {
        let access = if read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        };
        if !checksum::install() {
            return Err(StoreError::Unsupported("checksums on this system"));
        }
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let raw = Connection::open_with_flags_and_vfs(path, flags, checksum::LAYER)
            .map_err(from_sqlite)?;
        // None of these calls runs a statement or accesses the file.
        raw.busy_timeout(milliseconds(busy_timeout))
            .and_then(|()| raw.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))
            .and_then(|_| raw.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true))
            .and_then(|_| raw.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false))
            .map_err(from_sqlite)?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS);
        let durability = Cell::new(Durability::Full);
        let (overwrites, used, cache) = (Cell::new(false), Cell::new(false), Cell::new(None));
        Ok(Self { raw, durability, overwrites, used, cache })
    }

    pub(crate) const fn raw(&self) -> &Connection {
        &self.raw
    }

    pub(crate) fn into_raw(self) -> Connection {
        self.raw
    }

    /// Begins a write transaction. Other writers wait.
    pub(crate) fn write(&self, durability: Durability) -> Result<Transaction<'_>, StoreError> {
        if self.durability.get() != durability {
            // The setting cannot be changed in a transaction.
            let pragma = match durability {
                Durability::Normal => "PRAGMA synchronous = NORMAL",
                Durability::Full => "PRAGMA synchronous = FULL",
            };
            self.raw.execute_batch(pragma).map_err(from_sqlite)?;
            self.durability.set(durability);
        }
        // Deleted data is overwritten on every write. Otherwise copies of rows that grew or moved would
        // remain in the file and could not be found when the data is forgotten.
        if !self.overwrites.replace(true) {
            self.raw.execute_batch("PRAGMA secure_delete = ON").map_err(from_sqlite)?;
        }
        self.cache(Cache::Usual)?;
        Transaction::begin(&self.raw, "BEGIN IMMEDIATE", !self.used.replace(true))
    }

    /// Begins a read transaction on one snapshot. Blocks nobody.
    pub(crate) fn read(&self) -> Result<Transaction<'_>, StoreError> {
        self.cache(Cache::Small)?;
        Transaction::begin(&self.raw, "BEGIN", !self.used.replace(true))
    }

    /// Sets the cache size. A connection that has not written uses a small cache: large reads rarely read a
    /// page twice, so a small cache stays warm, and a one-shot process needs less memory. Written pages must
    /// fit, or they go to the log early.
    fn cache(&self, wanted: Cache) -> Result<(), StoreError> {
        let pragma = match (self.cache.get(), wanted) {
            (None, Cache::Small) => Some("PRAGMA cache_size = 100"),
            // A negative number means KiB. This is SQLite's default.
            (Some(Cache::Small), Cache::Usual) => Some("PRAGMA cache_size = -2000"),
            (None, Cache::Usual) => None,
            (Some(_), _) => return Ok(()),
        };
        if let Some(pragma) = pragma {
            self.raw.execute_batch(pragma).map_err(from_sqlite)?;
        }
        self.cache.set(Some(wanted));
        Ok(())
    }
}

/// Limits a timeout to SQLite's maximum, about 24 days.
pub(crate) fn milliseconds(timeout: Duration) -> Duration {
    timeout.min(Duration::from_millis(i32::MAX as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_written_nothing_reads_through_a_small_cache() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store");
        std::fs::write(&path, "").unwrap();
        let open = || Conn::open(&path, false, Duration::ZERO).unwrap();
        let size = |conn: &Conn| -> i64 {
            conn.raw().query_row("PRAGMA cache_size", (), |row| row.get(0)).unwrap()
        };
        let conn = open();
        let usual = size(&conn);
        drop(conn.read().unwrap());
        assert_eq!(size(&conn), 100);
        drop(conn.write(Durability::Normal).unwrap());
        assert_eq!(size(&conn), usual);
        drop(conn.read().unwrap());
        assert_eq!(size(&conn), usual);
        let conn = open();
        drop(conn.write(Durability::Normal).unwrap());
        drop(conn.read().unwrap());
        assert_eq!(size(&conn), usual);
    }
}
