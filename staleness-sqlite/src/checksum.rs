//! Adds a checksum to every page of the file, below SQLite.
//!
//! SQLite stores pages unchanged and trusts everything that it reads. This SQLite file layer (a "VFS") wraps the
//! system's. The last [`RESERVED`] bytes of a page, which SQLite is told not to use, contain the CRC-32 of the page's
//! number and its other bytes. The checksum is written with every page of the main file and verified on every read. So
//! no statement sees damage, neither in a row nor in an index that would hide a row. This protects against damage, not
//! against forgery.
//!
//! The write-ahead log needs no checksum of ours, because SQLite adds its own.
//!
//! Other programs (`sqlite3`) may read the file, and may move the log into it when they close it. In memory and in
//! the log the bytes are [`UNSUMMED`], or zero in a page that SQLite has just added, so such a page has no
//! checksum. It is accepted, and gets its checksum when it is written next. A lost disk sector also reads as
//! zeros, so a page without a checksum whose last sector is zeros counts as damaged. Therefore an added page that
//! ends in zeros does not stay in the log, where other programs could move it, unless a reader blocks this or the
//! process is killed between the commit and the move: see [`ends_in_zeros`]. A program that changes rows leaves
//! wrong checksums, which count as damage.
//!
//! # Why this is `unsafe`
//!
//! A file layer is a table of C functions that take pointers. Ours replaces four of them. Each calls the system's
//! function with unchanged arguments and inspects the bytes of one page. All other functions are the system's own. An
//! open file is the system's file in the system's memory. Its method table is a copy in which three functions are ours,
//! or one for the log.

#![allow(unsafe_code, reason = "a file layer is a table of C functions; see above")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::slice;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Connection, Error, ffi};

use crate::schema::{APPLICATION_ID, FORMAT};

/// Name of the file layer.
pub(crate) const LAYER: &CStr = c"staleness";
/// Size of a page, in bytes.
pub(crate) const PAGE: usize = 4_096;
/// Size of SQLite's header at the start of the first page, in bytes.
const HEADER: usize = 100;
/// Offset of the page count in SQLite's header, in bytes.
const PAGES_AT: i64 = 28;
/// Minimum size of a disk sector, in bytes. A disk loses a sector as a whole.
const SECTOR: usize = 512;
/// Bytes at the end of a page that hold its checksum.
pub(crate) const RESERVED: usize = 4;

/// The last bytes, in memory and in the log, of a page that was read from the file.
const UNSUMMED: [u8; RESERVED] = [0, 0, 0, 1];

/// Returns the checksum of a page, from its number (starting at 1) and its other bytes. Never zero.
fn checksum(number: u32, content: &[u8]) -> [u8; RESERVED] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(content);
    hasher.finalize().max(1).to_le_bytes()
}

/// Returns the page number of an access to the main file, if it covers exactly one page.
fn page_at(len: c_int, offset: i64) -> Option<u32> {
    let page = PAGE as i64;
    let whole = i64::from(len) == page && offset % page == 0;
    whole.then(|| u32::try_from(offset / page + 1).ok()).flatten()
}

/// Returns true if a page read from the file is valid.
fn is_sound(number: u32, page: &[u8; PAGE]) -> bool {
    let (content, stored) = page.split_at(PAGE - RESERVED);
    if stored == checksum(number, content) {
        return true;
    }
    // The header of another program's file, or of an older format, must be readable, so that opening can report it.
    if number == 1 && !is_ours(&page[..HEADER]) {
        return true;
    }
    // Another program writes pages without a checksum.
    stored == UNSUMMED || (stored == [0; RESERVED] && !is_lost(page))
}

/// Returns true if a page without a checksum looks as if its last disk sector was lost.
fn is_lost(page: &[u8]) -> bool {
    page[PAGE - SECTOR..].iter().all(|byte| *byte == 0)
}

thread_local! {
    /// True if this thread wrote a page to a log for which [`is_lost`] is true.
    static ZEROS: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if, since the last call, this thread wrote a page to a log that looks as if its last sector was
/// lost. In the main file a page has a checksum and does not look lost.
pub(crate) fn ends_in_zeros() -> bool {
    ZEROS.replace(false)
}

/// Returns false if the header shows that the file is not a store of this format. One damaged field is not
/// enough.
fn is_ours(header: &[u8]) -> bool {
    let number = |at: usize| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        i64::from(i32::from_be_bytes(bytes))
    };
    // Offsets in SQLite's header: reserved bytes, `user_version`, `application_id`.
    usize::from(header[20]) == RESERVED || (number(60) >= FORMAT && number(68) == APPLICATION_ID)
}

/// A method table: a copy of the system's with three functions of ours, or one for a log.
#[repr(C)]
struct Methods {
    /// The table that SQLite uses. Must be the first field.
    ours: ffi::sqlite3_io_methods,
    real: &'static ffi::sqlite3_io_methods,
    is_log: bool,
}

// SAFETY: a table contains addresses of functions that any thread may call, and never changes.
unsafe impl Send for Methods {}
// SAFETY: as above.
unsafe impl Sync for Methods {}

/// Returns the table that replaces one of the system's. A system has few tables. Each gets one replacement
/// for main files and one for logs.
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
        // Excludes methods for memory-mapped files, which would bypass `read`.
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

/// Returns the methods of an open file.
///
/// # Safety
/// `file` must have been opened by [`open`] as a main file or a log.
unsafe fn methods(file: *mut ffi::sqlite3_file) -> &'static Methods {
    // SAFETY: `open` stored a pointer to a `Methods`, which is never freed and starts with SQLite's table.
    unsafe { &*(*file).pMethods.cast::<Methods>() }
}

/// The system's file layer and ours, which differs only in name and `xOpen`.
struct Layers {
    system: *mut ffi::sqlite3_vfs,
    ours: *mut ffi::sqlite3_vfs,
}

// SAFETY: both live as long as the process and are not changed by us. SQLite synchronises its list of layers.
unsafe impl Send for Layers {}
// SAFETY: as above.
unsafe impl Sync for Layers {}

static LAYERS: OnceLock<Option<Layers>> = OnceLock::new();

/// Registers the layer with SQLite as [`LAYER`], once per process. Returns false if SQLite rejects it.
pub(crate) fn install() -> bool {
    let made = LAYERS.get_or_init(|| {
        // SAFETY: the system's layer lives as long as the process, so it can be copied. The copy is leaked,
        // so it lives as long. The system's functions receive the copy and only use the fields that are the
        // same in both.
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

/// Reserves space for checksums in the pages of an empty database.
pub(crate) fn reserve(conn: &Connection) -> Result<(), Error> {
    let mut bytes = RESERVED as c_int;
    // SAFETY: the connection is open, "main" is zero-terminated, and SQLite reads and writes one number
    // through the pointer before it returns.
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
    // SAFETY: the arguments are passed unchanged to the layer for which the file has the same size. After a
    // successful open, the file begins with the address of a table that lives as long as the process.
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
    // SAFETY: SQLite only reads open files, and provides room for `len` bytes.
    unsafe {
        let Some(read) = methods(file).real.xRead else { return ffi::SQLITE_IOERR_READ };
        let code = read(file, to, len, offset);
        let Some(number) = page_at(len, offset) else {
            // Part of the header, which is read again with its page, or a page of another program's file.
            let bytes = slice::from_raw_parts(to.cast::<u8>(), len as usize);
            let header = offset + i64::from(len) <= HEADER as i64;
            let foreign = offset == 0 && bytes.len() > HEADER && !is_ours(&bytes[..HEADER]);
            return if header || foreign { code } else { ffi::SQLITE_IOERR_DATA };
        };
        match code {
            ffi::SQLITE_OK => {}
            // SQLite treats the missing part as zeros, which is correct for a page that the transaction has
            // just added.
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
    // SAFETY: SQLite only writes to open files, and provides `len` bytes.
    unsafe {
        let Methods { real, is_log, .. } = methods(file);
        let Some(write) = real.xWrite else { return ffi::SQLITE_IOERR_WRITE };
        let bytes = slice::from_raw_parts(from.cast::<u8>(), len as usize);
        if *is_log {
            // Writes of another size are headers.
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

/// Returns the system's device characteristics, without the one that permits reading parts of pages.
unsafe extern "C" fn characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite only asks about open files.
    let found = unsafe { methods(file).real.xDeviceCharacteristics.map_or(0, |ask| ask(file)) };
    found & !ffi::SQLITE_IOCAP_SUBPAGE_READ
}
