//! The file under a database that is only read: what redb writes stays in memory.
//!
//! redb marks a file that it opens, repairs one that needs it, and writes its allocator state when it
//! closes. None of that is a reader's business, least of all on a file that turns out to belong to
//! somebody else, or one that may not be written to.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

const BLOCK: usize = 4_096;

/// A file for redb that is never written to.
#[derive(Debug)]
pub(crate) struct Overlay {
    file: FileBackend,
    /// Bytes that the file has.
    file_len: u64,
    written: Mutex<Written>,
    sealed: Arc<AtomicBool>,
}

/// What redb believes to have written.
#[derive(Debug)]
struct Written {
    len: u64,
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

impl Overlay {
    /// Takes a file that is open for reading. Setting the flag refuses every further write.
    pub(crate) fn new(file: File) -> Result<(Self, Arc<AtomicBool>), DatabaseError> {
        let len = file.metadata()?.len();
        let sealed = Arc::new(AtomicBool::new(false));
        let overlay = Self {
            file: FileBackend::new(file)?,
            file_len: len,
            written: Mutex::new(Written { len, blocks: BTreeMap::new() }),
            sealed: Arc::clone(&sealed),
        };
        Ok((overlay, sealed))
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the file; what is behind its end is zero.
    fn read_file(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = self.file_len.saturating_sub(offset);
        let there = usize::try_from(there).unwrap_or(usize::MAX).min(out.len());
        let (inside, outside) = out.split_at_mut(there);
        outside.fill(0);
        #[cfg(test)]
        crate::file::tests::read()?;
        if inside.is_empty() { Ok(()) } else { self.file.read(offset, inside) }
    }

    fn check_open(&self) -> io::Result<()> {
        if self.sealed.load(Ordering::Relaxed) {
            return Err(io::Error::other("the store was closed"));
        }
        Ok(())
    }
}

/// Where a piece of a block lies: in the block, and in a buffer that begins at `offset`.
fn piece(block: u64, offset: u64, len: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let start = block * BLOCK as u64;
    let from = start.max(offset);
    let to = (start + BLOCK as u64).min(offset + len as u64);
    let within = |base: u64| (from - base) as usize..(to - base) as usize;
    (within(start), within(offset))
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > written.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(offset, out)?;
        let block = BLOCK as u64;
        let last = (offset + out.len() as u64).div_ceil(block);
        for (number, bytes) in written.blocks.range(offset / block..last) {
            let (from, to) = piece(*number, offset, out.len());
            out[to].copy_from_slice(&bytes[from]);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_open()?;
        let mut written = self.written();
        if len < written.len {
            // What comes back by growing again must be zero; redb does not do that without writing.
            written.blocks.split_off(&len.div_ceil(BLOCK as u64));
        }
        written.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check_open()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check_open()?;
        let mut written = self.written();
        let block = BLOCK as u64;
        for number in offset / block..(offset + data.len() as u64).div_ceil(block) {
            let (to, from) = piece(number, offset, data.len());
            let bytes = match written.blocks.entry(number) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let mut bytes = Box::new([0; BLOCK]);
                    self.read_file(number * block, bytes.as_mut_slice())?;
                    entry.insert(bytes)
                }
            };
            bytes[to].copy_from_slice(&data[from]);
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // Shared in place of exclusive: nothing is written, and the file may be open for reading only.

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
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
