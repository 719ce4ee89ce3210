//! Opening: what kind of file it is, creating it, raising its format.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};
use staleness_core::store::{Durability, StoreError};
use staleness_lock::FileLock;

use crate::OpenOptions;
use crate::collections::meta::too_new;
use crate::connection::Conn;
use crate::error::{from_lock, from_sqlite};
use crate::schema::{APPLICATION_ID, FORMAT, MIGRATIONS};
use crate::transaction::Transaction;

/// The smallest page that an SQLite database can have, in bytes.
const SMALLEST: u64 = 512;
/// What a rollback journal begins with.
const JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// An open store: its file, the lock beside it, and the first connection.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) lock: FileLock,
    pub(crate) conn: Conn,
}

/// Opens the store, creates it, or raises its format. A file that is not a store of a format that
/// this program knows is not touched.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Opened, StoreError> {
    // Absolute, because SQLite takes some relative names (":memory:", "") for something else.
    let path = std::path::absolute(path)
        .map_err(|source| StoreError::io(format!("finding {}", path.display()), source))?;
    // Only ever ask for metadata: opening the file here and closing it again would drop the locks
    // that SQLite holds on it for other connections of this process.
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => {
            return Err(StoreError::NotAStore(format!("{} is a folder", path.display())));
        }
        // A device or a pipe: opening it could hang, and what is written to it is gone.
        Ok(found) if !found.is_file() => {
            return Err(StoreError::NotAStore(format!("{} is not a file", path.display())));
        }
        Ok(found) if found.len() == 0 && has_log(&path) => {
            // SQLite would delete the log.
            return Err(StoreError::Corrupt(format!(
                "{} is empty beside a log that is not",
                path.display()
            )));
        }
        Ok(found) if (1..SMALLEST).contains(&found.len()) && !has_journal(&path) => {
            // SQLite takes such a file for an empty one and would write over it.
            return Err(StoreError::NotAStore(format!(
                "{} is too short for an SQLite database",
                path.display()
            )));
        }
        Ok(_) => {}
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && options.create && !options.read_only =>
        {
            create(&path)?;
        }
        Err(error) => {
            return Err(StoreError::io(format!("opening {}", path.display()), error));
        }
    }
    let conn = Conn::open(&path, options.read_only, options.busy_timeout).map_err(|error| {
        // SQLite's own message does not say why; asking again costs nothing here.
        match fs::metadata(&path) {
            Err(source) => StoreError::io(format!("opening {}", path.display()), source),
            Ok(_) => cannot_open(error, &path),
        }
    })?;
    let path = conn.raw().path().map_or(path, PathBuf::from);
    let lock = FileLock::new(with_suffix(&path, ".lock")).total_wait(options.total_wait);
    prepare(&conn, &lock, options).map_err(|error| cannot_open(error, &path))?;
    Ok(Opened { path, lock, conn })
}

/// Adds a suffix to the whole file name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn has_log(path: &Path) -> bool {
    fs::metadata(with_suffix(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Whether a journal is there by which SQLite undoes what was begun: the power was cut while the store
/// was created, and of its first page a piece is there.
fn has_journal(path: &Path) -> bool {
    let mut begins = [0; JOURNAL.len()];
    let journal = fs::File::open(with_suffix(path, "-journal"));
    journal.and_then(|mut journal| journal.read_exact(&mut begins)).is_ok() && begins == JOURNAL
}

/// Creates an empty file that only its owner may read or write, and the folders above it. SQLite
/// gives the log and its index the mode of the file.
pub(crate) fn create_file(path: &Path) -> io::Result<()> {
    let mut file = fs::OpenOptions::new();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file.open(path).map(drop)
}

fn create(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        let mut folders = fs::DirBuilder::new();
        folders.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders
            .create(folder)
            .map_err(|source| StoreError::io(format!("creating {}", folder.display()), source))?;
    }
    match create_file(path) {
        // Somebody else created it in the meantime.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => {
            result.map_err(|source| StoreError::io(format!("creating {}", path.display()), source))
        }
    }
}

/// What the file is, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Nothing is stored in it.
    Empty,
    /// A store of this format, at most [`FORMAT`].
    Format(i64),
}

/// Looks at the header; for a store of this program that is all, without a transaction.
fn look(conn: &Conn) -> Result<Found, StoreError> {
    if header(conn.raw(), "PRAGMA application_id")? == APPLICATION_ID {
        return of_format(header(conn.raw(), "PRAGMA user_version")?);
    }
    // Anything else is judged by one snapshot: another process may be creating the store just now.
    inspect(&conn.read()?)
}

/// Looks at header and tables from inside a transaction.
fn inspect(transaction: &Transaction<'_>) -> Result<Found, StoreError> {
    let conn = transaction.conn();
    let application = header(conn, "PRAGMA application_id")?;
    let format = header(conn, "PRAGMA user_version")?;
    if application == APPLICATION_ID {
        return of_format(format);
    }
    let tables = header(conn, "SELECT count(*) FROM sqlite_schema")?;
    if application == 0 && format == 0 && tables == 0 {
        Ok(Found::Empty)
    } else {
        Err(StoreError::NotAStore(format!(
            "another program's database (application id {application:#x})"
        )))
    }
}

fn of_format(format: i64) -> Result<Found, StoreError> {
    match format {
        newer if newer > FORMAT => Err(too_new(newer)),
        1.. => Ok(Found::Format(format)),
        _ => Err(StoreError::Corrupt(format!("it has format {format}"))),
    }
}

fn header(conn: &Connection, sql: &str) -> Result<i64, StoreError> {
    conn.query_row(sql, (), |row| row.get(0)).map_err(from_sqlite)
}

/// Makes sure that the file is a store of this program's format.
fn prepare(conn: &Conn, lock: &FileLock, options: OpenOptions) -> Result<(), StoreError> {
    let found = look(conn)?;
    if found == Found::Format(FORMAT) {
        return write_ahead(conn.raw(), lock, options);
    }
    if options.read_only {
        return Err(match found {
            Found::Empty => {
                let why = io::Error::new(io::ErrorKind::NotFound, "the file is empty");
                StoreError::io("opening the store", why)
            }
            Found::Format(found) => StoreError::FormatTooOld {
                found: found.unsigned_abs(),
                needed: FORMAT.unsigned_abs(),
            },
        });
    }
    if conn.raw().is_readonly(rusqlite::MAIN_DB).map_err(from_sqlite)? {
        return Err(StoreError::ReadOnly);
    }
    {
        let _guard = lock.acquire(options.busy_timeout).map_err(from_lock)?;
        let transaction = conn.write(Durability::Full)?;
        // Read again: another process may have done it while this one waited.
        let applied = match inspect(&transaction)? {
            Found::Empty => 0,
            Found::Format(format) => format,
        };
        migrate(&transaction, applied)?;
        transaction.commit()?;
    }
    write_ahead(conn.raw(), lock, options)
}

/// Applies the migrations behind `applied` and writes the new format, inside the transaction.
fn migrate(transaction: &Transaction<'_>, applied: i64) -> Result<(), StoreError> {
    let conn = transaction.conn();
    let skipped = usize::try_from(applied).unwrap_or(usize::MAX);
    if skipped >= MIGRATIONS.len() {
        return Ok(());
    }
    for migration in &MIGRATIONS[skipped..] {
        conn.execute_batch(migration).map_err(from_sqlite)?;
    }
    conn.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; \
         UPDATE meta SET format = {FORMAT};"
    ))
    .map_err(from_sqlite)
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
    let guard = match lock.acquire(options.busy_timeout).map_err(from_lock) {
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
