//! The file under a database that is open for writing: no sync that nobody needs, and no work at
//! closing.
//!
//! redb syncs seven times for one open, commit and close. Opening for every step makes that the
//! price of a step, so this file does less, in two ways that do not depend on what redb writes:
//!
//! - **A sync is owed, not done.** It is done before the next write, so the disk goes through the
//!   same states in the same order; only the last sync may be missing, as if the power had failed
//!   while it ran. Every opening owes one for whoever wrote before. [`Control::settle`] pays: a step
//!   that must survive a power cut does so before it is acknowledged.
//! - **After the commit the file is sealed.** Every commit saves redb's allocator state, so the next
//!   opening needs no repair, however the last one ended; what redb would write when it closes is
//!   refused. So a step that ends and a process that is killed leave the same kind of file.
//!
//! A write of the header that changes nothing is left out, which spares opening its writes and syncs.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// Bytes of redb's header.
const HEADER: usize = 320;
/// The byte of the header that says which of two states is the current one.
const GOD_BYTE: usize = 9;
const PRIMARY_BIT: u8 = 1;

/// A file for redb.
#[derive(Debug)]
pub(crate) struct StoreFile {
    file: FileBackend,
    control: Arc<Control>,
}

/// What the store knows and decides of the file while redb has it.
#[derive(Debug)]
pub(crate) struct Control {
    /// The same file, for the sync that redb does not ask for.
    handle: File,
    owes_sync: AtomicBool,
    sealed: AtomicBool,
    /// A sync has failed: what is on the disk is not known, and asking again may lie.
    broken: AtomicBool,
    god_byte: AtomicU8,
    flipped: AtomicBool,
}

impl StoreFile {
    /// Takes a file that is open for reading and writing.
    pub(crate) fn new(file: File) -> Result<(Self, Arc<Control>), DatabaseError> {
        let control = Arc::new(Control {
            handle: file.try_clone()?,
            owes_sync: AtomicBool::new(true),
            sealed: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            god_byte: AtomicU8::new(0),
            flipped: AtomicBool::new(false),
        });
        let file = FileBackend::new(file)?;
        let mut header = [0; HEADER];
        if file.read(0, &mut header).is_ok() {
            control.god_byte.store(header[GOD_BYTE], Ordering::Relaxed);
        }
        Ok((Self { file, control: Arc::clone(&control) }, control))
    }

    fn is_header_as_stored(&self, offset: u64, data: &[u8]) -> bool {
        let mut stored = [0; HEADER];
        offset == 0
            && data.len() == HEADER
            && self.file.read(0, &mut stored).is_ok()
            && stored == *data
    }
}

impl Control {
    /// Refuses every write from here on.
    pub(crate) fn seal(&self) {
        self.sealed.store(true, Ordering::Relaxed);
    }

    /// Whether an attempt was made to make another state the current one.
    pub(crate) fn flipped(&self) -> bool {
        self.flipped.load(Ordering::Relaxed)
    }

    /// Does the sync that is owed.
    pub(crate) fn settle(&self) -> io::Result<()> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(io::Error::other("an earlier sync failed"));
        }
        if self.owes_sync.load(Ordering::Relaxed) {
            #[cfg(test)]
            tests::note(tests::Did::Sync)?;
            if let Err(error) = self.handle.sync_data() {
                self.broken.store(true, Ordering::Relaxed);
                return Err(error);
            }
            self.owes_sync.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Comes before every write.
    fn before_write(&self) -> io::Result<()> {
        if self.sealed.load(Ordering::Relaxed) {
            return Err(io::Error::other("the store was closed"));
        }
        self.settle()
    }
}

impl StorageBackend for StoreFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        #[cfg(test)]
        tests::read()?;
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.control.before_write()?;
        #[cfg(test)]
        tests::note(tests::Did::SetLen(len))?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.control.sealed.load(Ordering::Relaxed) {
            return Err(io::Error::other("the store was closed"));
        }
        self.control.owes_sync.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.is_header_as_stored(offset, data) && !self.control.sealed.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.control.before_write()?;
        if offset == 0 && data.len() > GOD_BYTE {
            let before = self.control.god_byte.swap(data[GOD_BYTE], Ordering::Relaxed);
            if (before ^ data[GOD_BYTE]) & PRIMARY_BIT != 0 {
                self.control.flipped.store(true, Ordering::Relaxed);
            }
        }
        #[cfg(test)]
        tests::note(tests::Did::Write(offset, data.to_vec()))?;
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

#[cfg(test)]
#[path = "file_tests.rs"]
pub(crate) mod tests;

#[cfg(test)]
#[path = "file_life_tests.rs"]
mod life_tests;

#[cfg(test)]
#[path = "file_raising_tests.rs"]
mod raising_tests;
