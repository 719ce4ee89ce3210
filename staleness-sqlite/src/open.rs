//! Opening: what kind of file it is, and creating it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};
use staleness_core::store::StoreError;
use staleness_lock::{FileLock, NewFile, find, make_folder, refuse_planted};

use crate::collections::meta::too_new;
use crate::connection::Conn;
use crate::error::from_sqlite;
use crate::schema::{APPLICATION_ID, FORMAT, SCHEMA};
use crate::{OpenOptions, checksum, shrink};

/// The smallest page that an SQLite database can have, in bytes.
const SMALLEST: u64 = 512;

/// Suffixes of the files beside a store: its log, the index of that, a rollback journal, and the lock.
const BESIDE: [&str; 4] = ["-wal", "-shm", "-journal", ".lock"];

/// An open store: its file, the lock beside it, and the first connection.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) lock: FileLock,
    pub(crate) conn: Conn,
}

/// Opens the store or creates it. A file that is not a store of this program's format is not touched.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Opened, StoreError> {
    // Absolute, because SQLite takes some relative names (":memory:", "") for something else.
    let path = std::path::absolute(path)
        .map_err(|source| StoreError::io(format!("finding {}", path.display()), source))?;
    match find(&path, options)? {
        Some(found) if found.len() < SMALLEST => {
            // SQLite takes such a file for an empty one and would write over it.
            return Err(StoreError::NotAStore(format!(
                "{} is too short for an SQLite database",
                path.display()
            )));
        }
        Some(_) => {}
        None => create(&path, options)?,
    }
    let conn = Conn::open(&path, options.read_only, options.busy_timeout).map_err(|error| {
        // SQLite's own message does not say why; asking again costs nothing here.
        match fs::metadata(&path) {
            Err(source) => StoreError::io(format!("opening {}", path.display()), source),
            Ok(_) => cannot_open(error, &path),
        }
    })?;
    let path = conn.raw().path().map_or(path, PathBuf::from);
    // Nothing was read from it yet, nor from what stands beside it.
    refuse_planted(&path, &BESIDE, !options.read_only)
        .map_err(|source| StoreError::io(format!("opening {}", path.display()), source))?;
    let lock = FileLock::beside(&path, options);
    prepare(&conn, &lock, options).map_err(|error| cannot_open(error, &path))?;
    Ok(Opened { path, lock, conn })
}

/// Makes a store beside its place and gives it its name when it is whole: a process that dies meanwhile
/// leaves nothing that looks like a store and is none.
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
        // Another process was first, or a link leads nowhere, which opening will tell.
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            Ok(())
        }
        result => result,
    }
}

/// Makes a store of an empty file.
fn make(path: &Path, options: OpenOptions) -> Result<(), StoreError> {
    let conn = Conn::open(path, false, options.busy_timeout)?.into_raw();
    let made = checksum::reserve(&conn).and_then(|()| {
        // Nobody else knows the file: a journal would undo what is thrown away as a whole.
        conn.pragma_update(None, "journal_mode", "MEMORY")?;
        shrink::prepare(&conn)?;
        conn.execute_batch(&format!("BEGIN; {SCHEMA} COMMIT;"))
    });
    made.and_then(|()| conn.close().map_err(|(_, error)| error)).map_err(from_sqlite)
}

/// Makes sure that the file is a store of this program's format, by its header.
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

/// Switches to write-ahead mode, unless the header says that already. New stores and backups are
/// not in that mode.
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
        // A file that may be written in a folder that may not: readable as it is.
        Err(StoreError::ReadOnly) => return Ok(()),
        result => result?,
    };
    let switched = mode("PRAGMA journal_mode = WAL").map_err(from_sqlite);
    drop(guard);
    match switched {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::Unsupported("write-ahead mode on this file system")),
        // Another connection is reading it in the old mode: works until the next opening.
        Err(StoreError::Busy) => Ok(()),
        Err(error) => Err(error),
    }
}

/// SQLite's "cannot open" in words that name the likely cause: it needs to create the log and its
/// index beside the file.
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
