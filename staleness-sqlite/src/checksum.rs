//! A checksum in every page of the file, under SQLite.
//!
//! SQLite stores pages as they are, and believes what it reads. So a file layer (a "VFS") of ours lies
//! over that of the system: the last [`RESERVED`] bytes of a page, which SQLite is told to leave alone,
//! hold the CRC-32 of the page's number and of its other bytes. They are written with every page of the
//! main file and compared whenever a page is read from it, so no statement sees a damaged page: neither a
//! row, nor an index that says that there is none. It is made for damage, not for somebody who forges a
//! file.
//!
//! The log needs nothing of the kind: SQLite writes checksums of its own into it.
//!
//! Other programs (`sqlite3`) may read the file, also when they move the log into it as they close. In
//! memory and in the log the bytes are [`UNSUMMED`], or zero in a page that SQLite has just added, so such a
//! page has no checksum. It is taken as it is, and gets its checksum when it is written next. A disk that lost
//! a sector gives zeros, too: a page without a checksum whose last sector is zeros is damage. So no added page that
//! ends so stays in the log for others to move, unless a reader is in the way or a kill comes between the
//! commit and the move: see [`ends_in_zeros`]. A program that changes rows leaves checksums that are
//! wrong: that is damage.
//!
//! # Why this is `unsafe`
//!
//! A file layer is a table of C functions that take pointers. Ours has four functions. Each calls the one
//! of the system that it stands in for, with the arguments as they came, and looks at the bytes of one
//! page. All other functions are the system's own: an open file is the system's file, in the system's
//! memory, whose table of methods is a copy in which three are ours, or one in that of the log.

#![allow(unsafe_code, reason = "a file layer is a table of C functions; see above")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::slice;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Connection, Error, ffi};

use crate::schema::{APPLICATION_ID, FORMAT};

/// Name of the file layer.
pub(crate) const LAYER: &CStr = c"staleness";
/// Bytes of a page.
pub(crate) const PAGE: usize = 4_096;
/// Bytes of SQLite's header, at the begin of the first page.
const HEADER: usize = 100;
/// Offset of the number of pages in SQLite's header, in bytes.
const PAGES_AT: i64 = 28;
/// Bytes of the smallest sector that a disk loses as a whole.
const SECTOR: usize = 512;
/// Bytes at the end of a page that hold its checksum.
pub(crate) const RESERVED: usize = 4;

/// The last bytes, in memory and in the log, of a page that was read from the file.
const UNSUMMED: [u8; RESERVED] = [0, 0, 0, 1];

/// The last bytes of a page, given its number, counted from 1, and the other bytes. Never zero.
fn checksum(number: u32, content: &[u8]) -> [u8; RESERVED] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(content);
    hasher.finalize().max(1).to_le_bytes()
}

/// The number of the page that an access to the main file is about, if it is about one page.
fn page_at(len: c_int, offset: i64) -> Option<u32> {
    let page = PAGE as i64;
    let whole = i64::from(len) == page && offset % page == 0;
    whole.then(|| u32::try_from(offset / page + 1).ok()).flatten()
}

/// Returns true if a page as it was read may be believed.
fn is_sound(number: u32, page: &[u8; PAGE]) -> bool {
    let (content, stored) = page.split_at(PAGE - RESERVED);
    if stored == checksum(number, content) {
        return true;
    }
    // The header of another program's file, or of an older format, is read to say so.
    if number == 1 && !is_ours(&page[..HEADER]) {
        return true;
    }
    // Another program wrote it.
    stored == UNSUMMED || (stored == [0; RESERVED] && !is_lost(page))
}

/// Returns true if a page without a checksum looks as if the disk had lost its last sector.
fn is_lost(page: &[u8]) -> bool {
    page[PAGE - SECTOR..].iter().all(|byte| *byte == 0)
}

thread_local! {
    /// True if this thread wrote a page to a log for which [`is_lost`] is true.
    static ZEROS: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if since its last call this thread wrote a page to a log that looks as if its last sector was lost. In
/// the file, where it has a checksum, it does not.
pub(crate) fn ends_in_zeros() -> bool {
    ZEROS.replace(false)
}

/// Returns true unless the header says that the file is not a store of this format. One damaged field is
/// not enough to say so.
fn is_ours(header: &[u8]) -> bool {
    let number = |at: usize| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        i64::from(i32::from_be_bytes(bytes))
    };
    // Offsets of SQLite's header: reserved bytes, `user_version`, `application_id`.
    usize::from(header[20]) == RESERVED || (number(60) >= FORMAT && number(68) == APPLICATION_ID)
}

/// A table of methods: the system's, in which three are ours, or one for a log.
#[repr(C)]
struct Methods {
    /// The table that SQLite sees; must come first.
    ours: ffi::sqlite3_io_methods,
    real: &'static ffi::sqlite3_io_methods,
    is_log: bool,
}

// SAFETY: a table holds addresses of functions, which any thread may call, and is never changed.
unsafe impl Send for Methods {}
// SAFETY: as above.
unsafe impl Sync for Methods {}

/// The table that stands in for one of the system's. There are a few in a system, each is made once, and once for logs.
fn stand_in(real: &'static ffi::sqlite3_io_methods, is_log: bool) -> &'static Methods {
    static MADE: Mutex<Vec<&'static Methods>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) =
        made.iter().find(|known| known.is_log == is_log && std::ptr::eq(known.real, real))
    {
        return known;
    }
    let of_log = ffi::sqlite3_io_methods { xWrite: Some(write), ..*real };
    let of_main = ffi::sqlite3_io_methods {
        // Without the methods for mapped files, which would go past `read`.
        iVersion: real.iVersion.min(2),
        xFetch: None,
        xUnfetch: None,
        xRead: Some(read),
        xWrite: Some(write),
        xDeviceCharacteristics: Some(characteristics),
        ..*real
    };
    let ours = if is_log { of_log } else { of_main };
    let new = Box::leak(Box::new(Methods { ours, real, is_log }));
    made.push(new);
    new
}

/// The methods of an open file.
///
/// # Safety
/// `file` was opened by [`open`] as a main file or as a log.
unsafe fn methods(file: *mut ffi::sqlite3_file) -> &'static Methods {
    // SAFETY: `open` put a `Methods` there, which is never freed and begins with what SQLite sees.
    unsafe { &*(*file).pMethods.cast::<Methods>() }
}

/// The file layer of the system, and ours, which is a copy of it but for its name and for `xOpen`.
struct Layers {
    system: *mut ffi::sqlite3_vfs,
    ours: *mut ffi::sqlite3_vfs,
}

// SAFETY: both live as long as the process and are not changed by us; SQLite guards its list of them.
unsafe impl Send for Layers {}
// SAFETY: as above.
unsafe impl Sync for Layers {}

static LAYERS: OnceLock<Option<Layers>> = OnceLock::new();

/// Makes the layer known to SQLite under [`LAYER`], once in a process. Returns false if SQLite refuses it.
pub(crate) fn install() -> bool {
    let made = LAYERS.get_or_init(|| {
        // SAFETY: the system's layer lives as long as the process, so it may be copied; the copy is
        // leaked, so it lives as long too. Its functions get the copy in place of the original and use
        // of it what is the same in both.
        unsafe {
            let system = ffi::sqlite3_vfs_find(std::ptr::null());
            if system.is_null() {
                return None;
            }
            let mut copy = *system;
            copy.zName = LAYER.as_ptr();
            copy.pNext = std::ptr::null_mut();
            copy.xOpen = Some(open);
            let ours: *mut _ = Box::leak(Box::new(copy));
            let layers = Layers { system, ours };
            (ffi::sqlite3_vfs_register(layers.ours, 0) == ffi::SQLITE_OK).then_some(layers)
        }
    });
    made.is_some()
}

/// Leaves room for checksums in the pages of a database that is empty.
pub(crate) fn reserve(conn: &Connection) -> Result<(), Error> {
    let mut bytes = RESERVED as c_int;
    // SAFETY: the connection is open, "main" is a name with a zero behind it, and SQLite reads and writes
    // one number through the pointer before it returns.
    let code = unsafe {
        let what = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        ffi::sqlite3_file_control(conn.handle(), c"main".as_ptr(), what, (&raw mut bytes).cast())
    };
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(Error::SqliteFailure(ffi::Error::new(code), None))
    }
}

unsafe extern "C" fn open(
    _layer: *mut ffi::sqlite3_vfs,
    path: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let Some(Some(layers)) = LAYERS.get() else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: the arguments are passed on as they came, to the layer whose file has the same size as ours.
    // After it has opened a file, that begins with the address of a table that lives as long as the process.
    unsafe {
        let Some(open) = (*layers.system).xOpen else { return ffi::SQLITE_CANTOPEN };
        let code = open(layers.system, path, file, flags, out);
        let is_log = flags & ffi::SQLITE_OPEN_WAL != 0;
        let is_ours = code == ffi::SQLITE_OK && (is_log || flags & ffi::SQLITE_OPEN_MAIN_DB != 0);
        if let Some(methods) = (*file).pMethods.as_ref().filter(|_| is_ours) {
            (*file).pMethods = &raw const stand_in(methods, is_log).ours;
        }
        code
    }
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    to: *mut c_void,
    len: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite reads from open files, and gives room for `len` bytes.
    unsafe {
        let Some(read) = methods(file).real.xRead else { return ffi::SQLITE_IOERR_READ };
        let code = read(file, to, len, offset);
        let Some(number) = page_at(len, offset) else {
            // A piece of the header, which is read again with its page, or another program's page.
            let bytes = slice::from_raw_parts(to.cast::<u8>(), len as usize);
            let header = offset + i64::from(len) <= HEADER as i64;
            let foreign = offset == 0 && bytes.len() > HEADER && !is_ours(&bytes[..HEADER]);
            return if header || foreign { code } else { ffi::SQLITE_IOERR_DATA };
        };
        match code {
            ffi::SQLITE_OK => {}
            // SQLite takes it for zeros, which is right for a page that the transaction has just added.
            ffi::SQLITE_IOERR_SHORT_READ => {
                let mut pages = [0_u8; 4];
                let asked = read(file, pages.as_mut_ptr().cast(), 4, PAGES_AT);
                return match asked {
                    ffi::SQLITE_OK if number > u32::from_be_bytes(pages) => code,
                    ffi::SQLITE_OK | ffi::SQLITE_IOERR_SHORT_READ => ffi::SQLITE_IOERR_DATA,
                    failed => failed,
                };
            }
            failed => return failed,
        }
        let page = &mut *to.cast::<[u8; PAGE]>();
        if !is_sound(number, page) {
            return ffi::SQLITE_IOERR_DATA;
        }
        if number > 1 || is_ours(&page[..HEADER]) {
            page[PAGE - RESERVED..].copy_from_slice(&UNSUMMED);
        }
        ffi::SQLITE_OK
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    len: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite writes to open files, and gives `len` bytes.
    unsafe {
        let Methods { real, is_log, .. } = methods(file);
        let Some(write) = real.xWrite else { return ffi::SQLITE_IOERR_WRITE };
        let bytes = slice::from_raw_parts(from.cast::<u8>(), len as usize);
        if *is_log {
            // The other pieces are headers.
            ZEROS.set(ZEROS.get() || (bytes.len() == PAGE && is_lost(bytes)));
            return write(file, from, len, offset);
        }
        let Some(number) = page_at(len, offset) else { return ffi::SQLITE_IOERR_WRITE };
        let mut page = [0; PAGE];
        page.copy_from_slice(bytes);
        let (content, stored) = page.split_at_mut(PAGE - RESERVED);
        stored.copy_from_slice(&checksum(number, content));
        write(file, page.as_ptr().cast(), len, offset)
    }
}

/// Returns the system's description of the disk, but not that pieces of pages may be read.
unsafe extern "C" fn characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite asks open files.
    let found = unsafe { methods(file).real.xDeviceCharacteristics.map_or(0, |ask| ask(file)) };
    found & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}
