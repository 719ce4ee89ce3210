//! A file for redb whose last sync is owed: as durable as a store that promises `Durability::Normal`, and no more.
//!
//! redb by itself syncs seven times for one opening, commit and closing. A floor that did so would be no floor.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// Bytes of redb's header.
const HEADER: usize = 320;

/// A file that syncs before the next write in place of when it is asked to, leaves the header alone where it
/// stays as it is, and refuses what is written after the commit, which nobody needs.
#[derive(Debug)]
pub(super) struct Owing {
    file: FileBackend,
    owes: AtomicBool,
    sealed: Arc<AtomicBool>,
}

impl Owing {
    /// The file at a path, and what seals it.
    pub(super) fn open(path: &std::path::Path) -> Result<(Self, Arc<AtomicBool>), DatabaseError> {
        let file = FileBackend::new(File::options().read(true).write(true).open(path)?)?;
        let sealed = Arc::new(AtomicBool::new(false));
        // Whoever wrote before owes one.
        Ok((Self { file, owes: AtomicBool::new(true), sealed: Arc::clone(&sealed) }, sealed))
    }

    fn before_write(&self) -> io::Result<()> {
        if self.sealed.load(Ordering::Relaxed) {
            return Err(io::Error::other("sealed"));
        }
        if self.owes.swap(false, Ordering::Relaxed) {
            self.file.sync_data()?;
        }
        Ok(())
    }
}

impl StorageBackend for Owing {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.before_write()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.owes.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut stored = [0; HEADER];
        if offset == 0 && data.len() == HEADER {
            self.file.read(0, &mut stored)?;
            if stored == *data && !self.sealed.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        self.before_write()?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
