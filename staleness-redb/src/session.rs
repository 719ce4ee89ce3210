//! One opening of the database: for one step, query, walk, check or copy.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redb::{Builder, Database, StorageBackend, WriteTransaction};
use staleness_core::store::{Durability, StoreError};
use staleness_lock::wait_until_free;

use crate::collections::meta::{self, Meta};
use crate::error::{Calm, from_commit, from_database, from_io, from_lock, from_transaction, sound};
use crate::file::{Control, StoreFile};
use crate::overlay::Overlay;
use crate::shape;

/// What redb may keep in memory, in bytes.
const CACHE: usize = 16 << 20;

/// A transaction. Readers use the same kind, on a file that is not written: see [`crate::overlay`].
pub(crate) type Tx = WriteTransaction;

/// A database that is open.
#[derive(Debug)]
pub(crate) struct Session {
    db: Calm<Database>,
    under: Under,
}

#[derive(Debug)]
enum Under {
    File(Arc<Control>),
    Overlay(Arc<AtomicBool>),
}

impl Session {
    /// Opens a store for reading; nothing is written to it. Waits for whoever has it open.
    pub(crate) fn read(path: &Path, longest: Duration) -> Result<Self, StoreError> {
        patiently(path, longest, || Self::try_read(path))
    }

    /// Opens a store for a step. Waits for whoever has it open.
    pub(crate) fn write(path: &Path, longest: Duration) -> Result<Self, StoreError> {
        patiently(path, longest, || Self::try_write(path))
    }

    fn try_read(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(|error| cannot_open(path, error))?;
        shape::check(&file)?;
        let (overlay, sealed) = Overlay::new(file).map_err(from_database)?;
        Self::open(overlay, Under::Overlay(sealed))
    }

    fn try_write(path: &Path) -> Result<Self, StoreError> {
        let file = File::options().read(true).write(true).open(path);
        let file = file.map_err(|error| cannot_open(path, error))?;
        shape::check(&file)?;
        Self::on(file)
    }

    /// Makes a database of an empty file, or opens one for writing.
    pub(crate) fn on(file: File) -> Result<Self, StoreError> {
        let (file, control) = StoreFile::new(file).map_err(from_database)?;
        Self::open(file, Under::File(control))
    }

    fn open(backend: impl StorageBackend, under: Under) -> Result<Self, StoreError> {
        let db = sound(|| {
            let mut builder = Builder::new();
            builder.set_cache_size(CACHE).create_with_backend(backend).map_err(from_database)
        })?;
        Ok(Self { db: Calm::new(db), under })
    }

    /// Lets `work` use the session and closes it, also when `work` panics.
    pub(crate) fn with<T>(
        mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // redb does not close a database properly while a panic is under way.
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut self)));
        drop(self);
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Begins a transaction; dropping it leaves everything as it was.
    pub(crate) fn begin(&self) -> Result<Calm<Tx>, StoreError> {
        sound(|| {
            let mut tx = self.db.begin_write().map_err(from_transaction)?;
            tx.set_quick_repair(true);
            Ok(Calm::new(tx))
        })
    }

    /// Begins, and makes sure that this is a store of a format that this program knows.
    pub(crate) fn enter(&self, writing: bool) -> Result<(Calm<Tx>, Meta), StoreError> {
        let tx = self.begin()?;
        let meta = sound(|| meta::enter(&tx, writing))?;
        Ok((tx, meta))
    }

    /// Commits, and makes sure that the commit survives what `durability` promises.
    pub(crate) fn commit(&self, tx: Calm<Tx>, durability: Durability) -> Result<(), StoreError> {
        let Under::File(control) = &self.under else { return Err(StoreError::ReadOnly) };
        let Some(tx) = tx.into_inner() else { return Ok(()) };
        let committed =
            sound(|| tx.commit().map_err(|error| from_commit(error, control.flipped())));
        match committed {
            Err(StoreError::Corrupt(what)) if control.flipped() => {
                return Err(StoreError::Unknown(what.into()));
            }
            result => result?,
        }
        match durability {
            Durability::Normal => Ok(()),
            Durability::Full => {
                control.settle().map_err(|error| StoreError::Unknown(Box::new(error)))
            }
        }
    }

    /// redb's own check of pages, checksums and page accounting.
    pub(crate) fn check_pages(&mut self) -> Result<(), StoreError> {
        if sound(|| self.db.check_integrity().map_err(from_database))? {
            Ok(())
        } else {
            Err(StoreError::Corrupt("checksums or page accounting of the file are wrong".into()))
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        match &self.under {
            Under::File(control) => control.seal(),
            Under::Overlay(sealed) => sealed.store(true, Ordering::Relaxed),
        }
        // Then redb closes: whatever it finds, a commit is where it belongs.
    }
}

/// Whose turn it is finds the database closed, but for two: a program that does not know our lock, and
/// a process that was killed, of which the system has closed the lock and not yet the database. redb
/// does not wait for either.
fn patiently(
    path: &Path,
    longest: Duration,
    open: impl Fn() -> Result<Session, StoreError>,
) -> Result<Session, StoreError> {
    match open() {
        Err(StoreError::Busy) => {
            wait_until_free(path, longest).map_err(from_lock)?;
            open()
        }
        result => result,
    }
}

fn cannot_open(path: &Path, error: io::Error) -> StoreError {
    from_io(format!("opening {}", path.display()), error)
}
