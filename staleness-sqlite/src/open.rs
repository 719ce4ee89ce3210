//! Opens or creates a store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};
use staleness_core::store::StoreError;
use staleness_lock::{FileLock, NewFile, find, make_folder, refuse_planted};

use crate::collections::meta::too_new;
use crate::connection::Conn;
use crate::error::from_sqlite;
use crate::schema::{APPLICATION_ID, FORMAT, schema};
use crate::{OpenOptions, checksum, shrink};

/// Minimum page size of an SQLite database, in bytes.
const SMALLEST: u64 = 512;

/// Suffixes of the files beside a store: write-ahead log, its index, rollback journal, and lock.
const BESIDE: [&str; 4] = ["-wal", "-shm", "-journal", ".lock"];

/// An open store: file, lock, and first connection.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) lock: FileLock,
    pub(crate) conn: Conn,
}

/// Opens or creates a store. A file that is not a store of the supported format is not touched.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Opened, StoreError> {
    // SQLite treats some relative names specially (":memory:", ""), so the path is made absolute.
    let path = std::path::absolute(path)
        .map_err(|source| StoreError::io(format!("finding {}", path.display()), source))?;
    match find(&path, options)? {
        Some(found) if found.len() < SMALLEST => {
            // SQLite would treat such a file as empty and overwrite it.
            return Err(StoreError::NotAStore(format!(
                "{} is too short for an SQLite database",
                path.display()
            )));
        }
        Some(_) => {}
        None => create(&path, options)?,
    }
    let conn = Conn::open(&path, options.read_only, options.busy_timeout).map_err(|error| {
        // SQLite's message gives no reason, and it is cheap to ask the system again here.
        match fs::metadata(&path) {
            Err(source) => StoreError::io(format!("opening {}", path.display()), source),
            Ok(_) => cannot_open(error, &path),
        }
    })?;
    let path = conn.raw().path().map_or(path, PathBuf::from);
    // Nothing has been read yet from the file or the files beside it.
    refuse_planted(&path, &BESIDE, !options.read_only)
        .map_err(|source| StoreError::io(format!("opening {}", path.display()), source))?;
    let lock = FileLock::beside(&path, options);
    prepare(&conn, &lock, options).map_err(|error| cannot_open(error, &path))?;
    Ok(Opened { path, lock, conn })
}

/// Creates the store in a temporary file and moves it into place when complete, so that a killed process
/// leaves no partial store.
fn create(path: &Path, options: OpenOptions) -> Result<(), StoreError> {
    make_folder(path, StoreError::io)?;
    let failed = |source| StoreError::io(format!("creating {}", path.display()), source);
    refuse_planted(path, &BESIDE, true).map_err(failed)?;
    let lock = FileLock::beside(path, options);
    let _turn = lock.turn(options)?;
    let made = match NewFile::beside(path, true) {
        Ok(new) => make(new.path(), options).and_then(|()| new.publish().map_err(failed)),
        Err(error) => Err(failed(error)),
    };
    match made {
        // Another process created it first, or `path` is a dangling link, which opening will report.
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            Ok(())
        }
        result => result,
    }
}

/// Initialises a store in an empty file.
fn make(path: &Path, options: OpenOptions) -> Result<(), StoreError> {
    let conn = Conn::open(path, false, options.busy_timeout)?.into_raw();
    let made = checksum::reserve(&conn).and_then(|()| {
        // Nobody else uses the file, and it is deleted on failure, so no journal is needed.
        conn.pragma_update(None, "journal_mode", "MEMORY")?;
        shrink::prepare(&conn)?;
        conn.execute_batch(&format!("BEGIN; {} COMMIT;", schema()))
    });
    made.and_then(|()| conn.close().map_err(|(_, error)| error)).map_err(from_sqlite)
}

/// Checks by the header that the file is a store of the supported format.
fn prepare(conn: &Conn, lock: &FileLock, options: OpenOptions) -> Result<(), StoreError> {
    let application = header(conn.raw(), "PRAGMA application_id")?;
    if application != APPLICATION_ID {
        return Err(StoreError::NotAStore(format!(
            "another program's database (application id {application:#x})"
        )));
    }
    match header(conn.raw(), "PRAGMA user_version")? {
        FORMAT => write_ahead(conn.raw(), lock, options),
        newer if newer > FORMAT => Err(too_new(newer)),
        older @ 1.. => Err(StoreError::FormatTooOld {
            found: older.unsigned_abs(),
            needed: FORMAT.unsigned_abs(),
        }),
        format => Err(StoreError::Corrupt(format!("it has format {format}"))),
    }
}

fn header(conn: &Connection, sql: &str) -> Result<i64, StoreError> {
    conn.query_row(sql, (), |row| row.get(0)).map_err(from_sqlite)
}

/// Switches to write-ahead mode, if needed. New stores and backups are not in that mode.
fn write_ahead(conn: &Connection, lock: &FileLock, options: OpenOptions) -> Result<(), StoreError> {
    let mode = |sql: &str| -> rusqlite::Result<bool> {
        conn.query_row(sql, (), |row| Ok(row.get_ref(0)?.as_str().is_ok_and(|mode| mode == "wal")))
    };
    if mode("PRAGMA journal_mode").map_err(from_sqlite)?
        || conn.is_readonly(rusqlite::MAIN_DB).map_err(from_sqlite)?
    {
        return Ok(());
    }
    let guard = match lock.acquire(options.busy_timeout).map_err(StoreError::from) {
        // The file is writable but the folder is not, so the file can still be read.
        Err(StoreError::ReadOnly) => return Ok(()),
        result => result?,
    };
    let switched = mode("PRAGMA journal_mode = WAL").map_err(from_sqlite);
    drop(guard);
    match switched {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::Unsupported("write-ahead mode on this file system")),
        // Another connection reads in the old mode, which works. The next opening tries again.
        Err(StoreError::Busy) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Adds the likely cause to SQLite's "cannot open" error: SQLite must create the log and its index beside the
/// file.
fn cannot_open(error: StoreError, path: &Path) -> StoreError {
    let StoreError::Backend(source) = &error else {
        return error;
    };
    let code =
        source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    match code {
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreError::Io {
            doing: format!("opening {} or the log beside it", path.display()),
            source: io::Error::new(io::ErrorKind::PermissionDenied, source.to_string()),
        },
        _ => error,
    }
}
