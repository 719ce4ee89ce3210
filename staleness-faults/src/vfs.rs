//! The file layer. It forwards every call to the operating system's layer, unless the call must fail.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{ManuallyDrop, size_of};
use std::path::Path;
use std::slice;
use std::sync::Once;

use rusqlite::ffi;
use staleness_conformance::disk::Did;

use crate::plan::{Call, Fails, fails, note};

/// An open file. SQLite allocates it together with the real file, which follows it in memory.
#[repr(C)]
struct File {
    /// The part that SQLite uses. Must be the first field.
    base: ffi::sqlite3_file,
    /// The file of the operating system's layer.
    real: *mut ffi::sqlite3_file,
    /// True if the operating system's layer will also sync the folder at the next sync, as for a new journal or log.
    syncs_folder: bool,
    /// The file's name, or `None` once closed.
    name: ManuallyDrop<Option<Box<str>>>,
}

/// Makes this layer the default for all connections opened later in this process.
///
/// # Panics
/// If SQLite rejects the layer.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the default layer lives as long as the process, so it can be copied and pointed to. The
        // copy is leaked, so it lives as long. `File` begins with SQLite's fields, and the requested size has
        // room for the real file after it.
        unsafe {
            let real = ffi::sqlite3_vfs_find(std::ptr::null());
            assert!(!real.is_null(), "SQLite has a default file layer");
            let mut layer = *real;
            layer.zName = c"staleness-faults".as_ptr();
            layer.pAppData = real.cast();
            layer.szOsFile += size_of::<File>() as c_int;
            layer.xOpen = Some(open);
            layer.xDelete = Some(delete);
            layer.xAccess = Some(access);
            let layer = Box::leak(Box::new(layer));
            assert_eq!(ffi::sqlite3_vfs_register(layer, 1), ffi::SQLITE_OK);
        }
    });
}

/// Returns the operating system's layer.
///
/// # Safety
/// `layer` must be the one created by [`install`].
unsafe fn real_layer(layer: *mut ffi::sqlite3_vfs) -> *mut ffi::sqlite3_vfs {
    // SAFETY: `install` stored it there.
    unsafe { (*layer).pAppData.cast() }
}

/// Returns the last part of a path, or an empty string if there is none.
///
/// # Safety
/// `path` must be null or end with a zero byte.
unsafe fn name_of(path: *const c_char) -> Box<str> {
    if path.is_null() {
        return "".into();
    }
    // SAFETY: required of the caller.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    Path::new(path.as_ref())
        .file_name()
        .map_or_else(Default::default, |name| name.to_string_lossy().into())
}

unsafe extern "C" fn open(
    layer: *mut ffi::sqlite3_vfs,
    path: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let file = file.cast::<File>();
    // SAFETY: SQLite provides `szOsFile` bytes, for a `File` followed by the real file. If no methods are
    // set, SQLite does not close it.
    unsafe {
        (*file).base.pMethods = std::ptr::null();
        if fails(Call::Other).is_some() {
            return ffi::SQLITE_CANTOPEN;
        }
        let layer = real_layer(layer);
        (*file).real = file.add(1).cast();
        let Some(open) = (*layer).xOpen else { return ffi::SQLITE_CANTOPEN };
        let done = open(layer, path, (*file).real, flags, out);
        if done == ffi::SQLITE_OK {
            (&raw mut (*file).name).write(ManuallyDrop::new(Some(name_of(path))));
            let journals = ffi::SQLITE_OPEN_MAIN_JOURNAL
                | ffi::SQLITE_OPEN_SUPER_JOURNAL
                | ffi::SQLITE_OPEN_WAL;
            (*file).syncs_folder = flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & journals != 0;
            (*file).base.pMethods = &METHODS;
        }
        done
    }
}

unsafe extern "C" fn delete(
    layer: *mut ffi::sqlite3_vfs,
    path: *const c_char,
    sync: c_int,
) -> c_int {
    if fails(Call::Other).is_some() {
        return ffi::SQLITE_IOERR_DELETE;
    }
    // SAFETY: the arguments are forwarded unchanged to the layer to which they belong.
    unsafe {
        let layer = real_layer(layer);
        let Some(delete) = (*layer).xDelete else { return ffi::SQLITE_IOERR_DELETE };
        let done = delete(layer, path, sync);
        if done == ffi::SQLITE_OK {
            note(&name_of(path), || Did::Delete);
            if sync != 0 {
                note("", || Did::SyncFolder);
            }
        }
        done
    }
}

unsafe extern "C" fn access(
    layer: *mut ffi::sqlite3_vfs,
    path: *const c_char,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    if fails(Call::Other).is_some() {
        return ffi::SQLITE_IOERR_ACCESS;
    }
    // SAFETY: as in `delete`.
    unsafe {
        let layer = real_layer(layer);
        let Some(access) = (*layer).xAccess else { return ffi::SQLITE_IOERR_ACCESS };
        access(layer, path, flags, out)
    }
}

/// Returns the name under which a file is recorded.
///
/// # Safety
/// `file` must be open.
unsafe fn named<'f>(file: *mut ffi::sqlite3_file) -> &'f str {
    // SAFETY: `open` wrote the name, and only `close` removes it.
    unsafe { (*file.cast::<File>()).name.as_deref().unwrap_or_default() }
}

/// Calls a method of the real file, if the method exists.
macro_rules! real {
    ($file:ident.$method:ident($($argument:expr),*), else $otherwise:expr) => {
        // SAFETY: SQLite calls methods only on open files. `open` stored the real file, which has the methods
        // of the operating system's layer. Arguments are forwarded unchanged.
        unsafe {
            let real = (*$file.cast::<File>()).real;
            match (*(*real).pMethods).$method {
                Some(method) => method(real $(, $argument)*),
                None => $otherwise,
            }
        }
    };
}

/// Defines methods that forward unchanged to the real file, unless they must fail.
macro_rules! passed_on {
    ($(
        $name:ident = $method:ident($($argument:ident: $type:ty),*), else $otherwise:expr
        $(, fails as $call:ident)?;
    )*) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            $(if fails(Call::$call).is_some() {
                return $otherwise;
            })?
            real!(file.$method($($argument),*), else $otherwise)
        }
    )*};
}
passed_on! {
    read = xRead(to: *mut c_void, len: c_int, offset: i64), else ffi::SQLITE_IOERR_READ,
        fails as Other;
    file_size = xFileSize(out: *mut i64), else ffi::SQLITE_IOERR_FSTAT, fails as Other;
    lock = xLock(level: c_int), else ffi::SQLITE_IOERR_LOCK, fails as Other;
    unlock = xUnlock(level: c_int), else ffi::SQLITE_OK;
    check_reserved = xCheckReservedLock(out: *mut c_int), else ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    file_control = xFileControl(what: c_int, argument: *mut c_void), else ffi::SQLITE_NOTFOUND;
    sector_size = xSectorSize(), else 0;
    characteristics = xDeviceCharacteristics(), else 0;
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int), else ffi::SQLITE_IOERR_SHMLOCK;
    shm_unmap = xShmUnmap(delete: c_int), else ffi::SQLITE_OK;
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let done = real!(file.xClose(), else ffi::SQLITE_OK);
    // SAFETY: SQLite closes an open file once, and does not use it afterwards.
    unsafe { (*file.cast::<File>()).name.take() };
    done
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    len: c_int,
    offset: i64,
) -> c_int {
    let failing = fails(Call::Takes);
    let done = match failing {
        Some(Fails::Full) => return ffi::SQLITE_FULL,
        Some(Fails::Device) => len / 2,
        None => len,
    };
    let code = real!(file.xWrite(from, done, offset), else ffi::SQLITE_IOERR_WRITE);
    if code == ffi::SQLITE_OK {
        // SAFETY: SQLite provides `len` bytes, and `done` is at most that.
        let data = unsafe { slice::from_raw_parts(from.cast::<u8>(), done as usize) };
        // SAFETY: the file is open.
        note(unsafe { named(file) }, || Did::Write(offset as u64, data.to_vec()));
    }
    if failing.is_some() { ffi::SQLITE_IOERR_WRITE } else { code }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, len: i64) -> c_int {
    if fails(Call::Other).is_some() {
        return ffi::SQLITE_IOERR_TRUNCATE;
    }
    let code = real!(file.xTruncate(len), else ffi::SQLITE_IOERR_TRUNCATE);
    if code == ffi::SQLITE_OK {
        // SAFETY: the file is open.
        note(unsafe { named(file) }, || Did::SetLen(len as u64));
    }
    code
}

/// Only records the sync, because power cuts are simulated, and waiting for the disk would take most of the time.
unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _flags: c_int) -> c_int {
    if fails(Call::Other).is_some() {
        return ffi::SQLITE_IOERR_FSYNC;
    }
    // SAFETY: the file is open.
    note(unsafe { named(file) }, || Did::Sync);
    // SAFETY: as above. SQLite uses a file on one thread at a time.
    if unsafe { std::mem::take(&mut (*file.cast::<File>()).syncs_folder) } {
        note("", || Did::SyncFolder);
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    let call = if extend != 0 { Call::Takes } else { Call::Other };
    match fails(call) {
        Some(Fails::Full) => return ffi::SQLITE_FULL,
        Some(Fails::Device) => return ffi::SQLITE_IOERR_SHMMAP,
        None => {}
    }
    real!(file.xShmMap(page, size, extend, out), else ffi::SQLITE_IOERR_SHMMAP)
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    real!(file.xShmBarrier(), else ())
}

/// Version 2, without methods for memory-mapped files, which would bypass `read` and `write`.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};
