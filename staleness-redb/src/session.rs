//! One opening of the database, for a single step, query, visit, check or copy.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redb::{Builder, Database};
use staleness_core::store::StoreError;
use staleness_lock::{empty, wait_until_free};

use crate::collections::meta::{self, Meta};
use crate::error::{from_commit, from_database, from_io, from_transaction};
use crate::file::StoreFile;
use crate::tables::Tx;

/// Size of redb's cache, in bytes.
const CACHE: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct Session {
    db: Database,
    /// Number of headers whose writing has started.
    headers: Arc<AtomicU64>,
}

impl Session {
    /// Opens a store for reading, without writing to it. Waits while another process has it open.
    pub(crate) fn read(path: &Path, longest: Duration) -> Result<Self, StoreError> {
        patiently(path, longest, || {
            let file = File::open(path).map_err(|error| cannot_open(path, error))?;
            Self::on(path, file, false)
        })
    }

    /// Opens a store for a step. Waits while another process has it open.
    pub(crate) fn write(path: &Path, longest: Duration) -> Result<Self, StoreError> {
        patiently(path, longest, || {
            let file = File::options().read(true).write(true).open(path);
            Self::on(path, file.map_err(|error| cannot_open(path, error))?, true)
        })
    }

    fn on(path: &Path, file: File, writes: bool) -> Result<Self, StoreError> {
        if file.metadata().map_err(|error| cannot_open(path, error))?.len() == 0 {
            return Err(empty(path));
        }
        Self::open(file, writes)
    }

    /// Opens a database, or creates one in an empty file.
    pub(crate) fn open(file: File, writes: bool) -> Result<Self, StoreError> {
        let file = StoreFile::new(file, writes).map_err(from_database)?;
        let headers = file.headers();
        let db = Builder::new().set_cache_size(CACHE).create_with_backend(file);
        Ok(Self { db: db.map_err(from_database)?, headers })
    }

    /// Calls `work` and closes the session, even if `work` panics.
    pub(crate) fn with<T>(
        mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // redb does not close a database properly while a panic unwinds.
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut self)));
        drop(self);
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Begins a transaction. Dropping it rolls back.
    pub(crate) fn begin(&self) -> Result<Tx, StoreError> {
        let mut tx = self.db.begin_write().map_err(from_transaction)?;
        tx.set_quick_repair(true);
        Ok(tx)
    }

    /// Begins a transaction and checks the store's format.
    pub(crate) fn enter(&self) -> Result<(Tx, Meta), StoreError> {
        let tx = self.begin()?;
        let meta = meta::load(&tx)?;
        Ok((tx, meta))
    }

    /// Commits durably. If this fails before the header was written, nothing was committed.
    pub(crate) fn commit(&self, tx: Tx) -> Result<(), StoreError> {
        let before = self.headers.load(Ordering::Relaxed);
        tx.commit()
            .map_err(|error| from_commit(error, self.headers.load(Ordering::Relaxed) != before))
    }

    /// Runs redb's own check of pages, checksums and page accounting.
    pub(crate) fn check_pages(&mut self) -> Result<(), StoreError> {
        if self.db.check_integrity().map_err(from_database)? {
            Ok(())
        } else {
            Err(StoreError::Corrupt("checksums or page accounting of the file are wrong".into()))
        }
    }
}

/// Opens a session. If the database is busy, waits up to `longest` and tries once more. Although this process holds the
/// lock, the file may be open in a program that does not use the lock, or in a killed process that the system has not
/// fully cleaned up. redb does not wait for either.
fn patiently(
    path: &Path,
    longest: Duration,
    open: impl Fn() -> Result<Session, StoreError>,
) -> Result<Session, StoreError> {
    match open() {
        Err(StoreError::Busy) => {
            wait_until_free(path, longest)?;
            open()
        }
        result => result,
    }
}

pub(crate) fn cannot_open(path: &Path, error: io::Error) -> StoreError {
    from_io(format!("opening {}", path.display()), error)
}
