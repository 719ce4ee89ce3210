//! The file below redb, with a checksum in every page.
//!
//! redb has checksums in its own pages, but verifies them only in a check. Otherwise it trusts everything that it
//! reads. Some damage makes it panic, even while an open database is dropped, which aborts the process. So damage must
//! be detected before redb sees it.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 347 | redb's header: [`MAGIC`], a number, the file's length as redb knows it, 320 bytes, CRC-32 of all these |
//! | 4,096 to 4,443 | the previous or the next header; the larger number is current |
//! | from 8,192 | redb's second and all later pages: 4,096 bytes and their CRC-32 each |
//!
//! A page's checksum covers its number and its bytes. redb never overwrites a page that a commit refers to, so a page
//! torn by a power cut is never read. The header is the exception. It is written alternately to two places, never over
//! the last one synced.
//!
//! Readers write nothing to the file. Pages that redb writes are kept in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// The first bytes of the file. The last of these is the format.
pub(crate) const MAGIC: [u8; 8] = *b"stalene\x06";
/// Size of redb's header, in bytes.
const HEADER: usize = 320;
/// Size of a page, in bytes.
pub(crate) const PAGE: usize = 4_096;
/// Size of a page in the file, with its checksum, in bytes.
const STORED: usize = PAGE + 4;
/// Offset in the file of redb's second page, after both headers, in bytes.
const PAGES: u64 = 2 * PAGE as u64;
/// Size of a header in the file, without its checksum, in bytes.
const SLOT: usize = MAGIC.len() + 16 + HEADER;

/// A storage backend for redb with checksums.
#[derive(Debug)]
pub(crate) struct StoreFile {
    file: FileBackend,
    writes: bool,
    state: Mutex<State>,
    headers: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    /// The length of the file that redb sees, in bytes.
    len: u64,
    header: Header,
    /// True if the header was written since the last sync.
    unsynced: bool,
    /// Pages that redb wrote while the file was opened for reading, by number.
    written: BTreeMap<u64, Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Header {
    /// The number of the header, which increases with every header. Its lowest bit selects the place.
    number: u64,
    len: u64,
    bytes: [u8; HEADER],
}

impl Header {
    const NONE: Self = Self { number: 0, len: 0, bytes: [0; HEADER] };

    fn encode(&self) -> Vec<u8> {
        let mut slot = MAGIC.to_vec();
        slot.extend(self.number.to_le_bytes());
        slot.extend(self.len.to_le_bytes());
        slot.extend(self.bytes);
        slot.extend(crc32fast::hash(&slot).to_le_bytes());
        slot
    }

    fn decode(slot: &[u8; SLOT + 4]) -> Option<Self> {
        let (content, stored) = slot.split_at(SLOT);
        let (magic, rest) = content.split_at(MAGIC.len());
        let (numbers, bytes) = rest.split_at(16);
        let number = |at: usize| numbers[at..at + 8].try_into().map(u64::from_le_bytes);
        let sound = magic == MAGIC && crc32fast::hash(content).to_le_bytes() == stored;
        let header =
            Self { number: number(0).ok()?, len: number(8).ok()?, bytes: bytes.try_into().ok()? };
        sound.then_some(header)
    }

    const fn place(&self) -> u64 {
        self.number % 2 * PAGE as u64
    }
}

fn checksum(number: u64, page: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(page);
    hasher.finalize().to_le_bytes()
}

/// Returns the offset of a page in the file, in bytes. Page 0 is the header.
const fn place(number: u64) -> u64 {
    PAGES + (number.saturating_sub(1)).saturating_mul(STORED as u64)
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Returns the numbers of the pages in a byte range.
fn pages(offset: u64, len: usize) -> io::Result<std::ops::Range<u64>> {
    let page = PAGE as u64;
    if offset == 0 || !offset.is_multiple_of(page) || !len.is_multiple_of(PAGE) {
        return Err(damaged("a read of part of a page"));
    }
    let first = offset / page;
    Ok(first..first + len as u64 / page)
}

impl StoreFile {
    /// Wraps an open file. An empty file gets its first header when redb writes it.
    pub(crate) fn new(file: File, writes: bool) -> Result<Self, DatabaseError> {
        if writes {
            // A killed process may have left data that is not yet on disk.
            sync(&file)?;
        }
        let stored = file.metadata()?.len();
        let file = FileBackend::new(file)?;
        let header = if stored == 0 { Header::NONE } else { newest(&file)? };
        if header.len > 0 && stored < place(header.len / PAGE as u64) {
            return Err(damaged("the end of the file is missing").into());
        }
        let state = State { len: header.len, header, unsynced: false, written: BTreeMap::new() };
        Ok(Self { file, writes, state: Mutex::new(state), headers: Arc::default() })
    }

    /// Returns a counter of the headers whose writing has started. Before it changes, a commit has not happened.
    pub(crate) fn headers(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.headers)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raw_write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        #[cfg(test)]
        tests::note(tests::Did::Write(offset, data.to_vec()))?;
        self.file.write(offset, data)
    }

    fn raw_set_len(&self, len: u64) -> io::Result<()> {
        #[cfg(test)]
        tests::note(tests::Did::SetLen(len))?;
        self.file.set_len(len)
    }

    fn write_header(&self, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let bytes = data.try_into().map_err(|_| damaged("a header of another length"))?;
        let step = if state.unsynced { 2 } else { 1 };
        let header = Header { number: state.header.number + step, len: state.len, bytes };
        if self.writes {
            self.headers.fetch_add(1, Ordering::Relaxed);
            state.unsynced = true;
            self.raw_write(header.place(), &header.encode())?;
        }
        state.header = header;
        Ok(())
    }
}

fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    tests::note(tests::Did::Sync)?;
    file.sync_data()
}

/// Returns the valid header with the larger number.
fn newest(file: &FileBackend) -> io::Result<Header> {
    let read = |at: u64| -> io::Result<Option<Header>> {
        let mut slot = [0; SLOT + 4];
        #[cfg(test)]
        tests::read()?;
        match file.read(at, &mut slot) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            read => Ok(read.ok().and_then(|()| Header::decode(&slot))),
        }
    };
    let both = [read(0)?, read(PAGE as u64)?];
    let found = both.into_iter().flatten().max_by_key(|header| header.number);
    found.ok_or_else(|| damaged("the header of the file does not match its checksum"))
}

impl StorageBackend for StoreFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > state.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if offset == 0 && out.len() <= HEADER {
            out.copy_from_slice(&state.header.bytes[..out.len()]);
            return Ok(());
        }
        let numbers = pages(offset, out.len())?;
        let mut stored = vec![0; out.len() / PAGE * STORED];
        // Pages written by a reader may be beyond the end of the file.
        if !numbers.clone().all(|number| state.written.contains_key(&number)) {
            #[cfg(test)]
            tests::read()?;
            self.file.read(place(numbers.start), &mut stored)?;
        }
        let into = out.chunks_exact_mut(PAGE).zip(stored.chunks_exact(STORED));
        for (number, (page, stored)) in numbers.zip(into) {
            let (content, sum) = stored.split_at(PAGE);
            match state.written.get(&number) {
                Some(written) => page.copy_from_slice(written),
                None if checksum(number, content) == sum => page.copy_from_slice(content),
                None => return Err(damaged("a page of the file does not match its checksum")),
            }
        }
        Ok(())
    }

    /// Only grows the file. It is truncated when closed, because its end may be needed until a header is written.
    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        let end = place(len.div_ceil(PAGE as u64));
        if self.writes && end > self.file.len()? {
            self.raw_set_len(end)?;
        }
        state.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.writes {
            let mut state = self.state();
            #[cfg(test)]
            tests::note(tests::Did::Sync)?;
            self.file.sync_data()?;
            state.unsynced = false;
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if offset == 0 {
            return self.write_header(data);
        }
        let numbers = pages(offset, data.len())?;
        let first = numbers.start;
        let all = numbers.zip(data.chunks_exact(PAGE));
        if !self.writes {
            let all = all.map(|(number, page)| (number, page.to_vec()));
            self.state().written.extend(all);
            return Ok(());
        }
        let mut stored = Vec::with_capacity(data.len() / PAGE * STORED);
        for (number, page) in all {
            stored.extend_from_slice(page);
            stored.extend(checksum(number, page));
        }
        self.raw_write(place(first), &stored)
    }

    fn close(&self) -> io::Result<()> {
        let end = {
            let state = self.state();
            let sure = self.writes && !state.unsynced && state.header.len == state.len;
            (sure && state.len > 0).then(|| place(state.len.div_ceil(PAGE as u64)))
        };
        if let Some(end) = end
            && end < self.file.len()?
        {
            self.raw_set_len(end)?;
        }
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.writes {
            self.file.try_lock_range(start, end)
        } else {
            // The file may be read-only.
            self.file.try_lock_shared_range(start, end)
        }
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.writes {
            self.file.lock_range(start, end)
        } else {
            self.file.lock_shared_range(start, end)
        }
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
