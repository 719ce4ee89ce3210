//! Reads SQLite databases of other systems, from a private copy.
//!
//! Opening a database in place can create files beside it and can block its program, so the database and its log are
//! copied. The copy is consistent if none of the files changed during copying.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, params};
use serde_json::{Map, Value};
use staleness_docs::disk::reason;
use tempfile::TempDir;

use super::line::Sink;
use super::row::Row;
use super::{MAX_BYTES, MAX_RECORDS, ReadError, Site, Table};

/// The first bytes of a database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Maximum number of attempts to copy a database that is being written.
const ATTEMPTS: usize = 5;
/// Maximum size of a row, in bytes. SQLite itself would load values of up to 1 GB.
const MAX_ROW: i32 = 8 << 20;
/// Maximum number of SQLite instructions for a database, in steps of [`STEP`]: 300 per record that may be imported.
/// Without a limit, pages that refer to each other would be read forever.
const MAX_STEPS: u64 = MAX_RECORDS * 300 / STEP as u64;
const STEP: i32 = 100_000;
/// Suffixes of the files of a database: the database itself, the write-ahead log, and the rollback journal.
const ENDINGS: [&str; 3] = ["", "-wal", "-journal"];

/// Reads the tables of a system. Tables in `internal` have no meaning outside the system. Rows of all other tables are
/// counted as not imported.
pub(super) fn read(
    path: &Path,
    tables: &[Table],
    internal: &[&str],
    site: &Site<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), ReadError> {
    let copy = copied(path)?;
    let trouble = |error: Error| match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull | ErrorCode::CannotOpen) => {
            ReadError::io(path, "cannot be read from a copy in the temporary folder")
        }
        Some(ErrorCode::TooBig) => ReadError::refused(path, "contains a value larger than 8 MiB"),
        Some(ErrorCode::OperationInterrupted) => {
            ReadError::refused(path, "a damaged SQLite database, or one that is too large")
        }
        _ => ReadError::refused(path, "a damaged SQLite database"),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(copy.path().join("db"), flags).map_err(trouble)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW).map_err(trouble)?;
    let mut steps = 0;
    let is_over = move || {
        steps += 1;
        steps > MAX_STEPS
    };
    db.progress_handler(STEP, Some(is_over)).map_err(trouble)?;
    let setting = "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1; PRAGMA query_only = 1";
    db.execute_batch(setting).map_err(trouble)?;
    let schema = schema(&db).map_err(trouble)?;
    for table in tables {
        let found: Vec<String> = match schema.tables.contains(table.name) {
            true => columns(&db, table.name).map_err(trouble)?,
            false if table.is_optional => continue,
            false => Vec::new(),
        };
        let missing = |need: &&&str| !found.iter().any(|column| column == **need);
        let missing: Vec<&str> = table.needs.iter().filter(missing).copied().collect();
        if !missing.is_empty() {
            let what = format!(
                "data of another version or system: the table {} has no {}",
                table.name,
                missing.join(", ")
            );
            return Err(ReadError::refused(path, what));
        }
        sink.expect(count(&db, table.name).map_err(trouble)?)?;
        if has_large_row(&db, table.name, &found).map_err(trouble)? {
            let what = format!("a row of the table {} is larger than 8 MiB", table.name);
            return Err(ReadError::refused(path, what));
        }
        rows(&db, table, &found, site, sink, &trouble)?;
    }
    for name in &schema.tables {
        let is_read = tables.iter().any(|table| table.name == name);
        if !is_read && !internal.contains(&name.as_str()) && !schema.is_shadow(name) {
            let held = count(&db, name).map_err(trouble)?;
            if held > 0 {
                sink.leave(&format!("rows of the table {name}"), held);
            }
        }
    }
    Ok(())
}

fn rows(
    db: &Connection,
    table: &Table,
    columns: &[String],
    site: &Site<'_>,
    sink: &mut Sink<'_>,
    trouble: &dyn Fn(Error) -> ReadError,
) -> Result<(), ReadError> {
    let names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
    let query = format!("SELECT {} FROM {}", names.join(", "), quoted(table.name));
    let mut statement = db.prepare(&query).map_err(trouble)?;
    let mut found = statement.query([]).map_err(trouble)?;
    while let Some(row) = found.next().map_err(trouble)? {
        let mut fields = Map::new();
        let mut is_text = true;
        for (at, column) in columns.iter().enumerate() {
            let value = match row.get_ref(at).map_err(trouble)? {
                ValueRef::Null => continue,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => text.into(),
                    Err(_) => {
                        is_text = false;
                        break;
                    }
                },
                ValueRef::Blob(bytes) if column == "vector" => numbers(bytes),
                ValueRef::Blob(bytes) => Value::Bool(!bytes.is_empty()),
            };
            fields.insert(column.clone(), value);
        }
        if !is_text {
            sink.leave(&format!("{} that is not UTF-8", table.what), 1);
            sink.count()?;
            continue;
        }
        let mut row = Row { what: table.what, fields };
        row.drop(table.internal);
        let mapped = (table.elsewhere)(&mut row, site).unwrap_or_else(|| (table.map)(&mut row));
        sink.put(&row, mapped)?;
    }
    Ok(())
}

/// Returns the little-endian 64-bit floats in a blob, or `true` for an invalid blob.
fn numbers(bytes: &[u8]) -> Value {
    let (numbers, rest) = bytes.as_chunks::<8>();
    match rest {
        [] => numbers.iter().map(|eight| f64::from_le_bytes(*eight)).collect(),
        _ => Value::Bool(true),
    }
}

/// The tables of a database.
struct Schema {
    tables: BTreeSet<String>,
    virtuals: Vec<String>,
}

impl Schema {
    /// Returns true for the internal tables of a virtual table.
    fn is_shadow(&self, name: &str) -> bool {
        let of = |virtual_name: &String| {
            name.strip_prefix(virtual_name.as_str()).is_some_and(|rest| rest.starts_with('_'))
        };
        self.virtuals.iter().any(of)
    }
}

fn schema(db: &Connection) -> Result<Schema, Error> {
    let query = "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema \
                 WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT 1000";
    let mut statement = db.prepare(query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut schema = Schema { tables: BTreeSet::new(), virtuals: Vec::new() };
    for row in rows {
        match row? {
            (name, true) => schema.virtuals.push(name),
            (name, false) => drop(schema.tables.insert(name)),
        }
    }
    Ok(schema)
}

fn columns(db: &Connection, table: &str) -> Result<Vec<String>, Error> {
    let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map(params![table], |row| row.get(0))?.collect()
}

/// Returns true if a row is larger than [`MAX_ROW`]. Reads only the lengths of the values.
fn has_large_row(db: &Connection, table: &str, columns: &[String]) -> Result<bool, Error> {
    let length = |column: &String| format!("ifnull(octet_length({}), 0)", quoted(column));
    let lengths: Vec<String> = columns.iter().map(length).collect();
    let large =
        format!("SELECT 1 FROM {} WHERE {} > {MAX_ROW}", quoted(table), lengths.join(" + "));
    db.query_row(&format!("SELECT EXISTS ({large})"), [], |row| row.get(0))
}

fn count(db: &Connection, table: &str) -> Result<u64, Error> {
    let query = format!("SELECT 1 FROM {} LIMIT {}", quoted(table), MAX_RECORDS + 1);
    let held =
        db.query_row(&format!("SELECT count(*) FROM ({query})"), [], |row| row.get::<_, u32>(0));
    held.map(u64::from)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Copies a database and its log to a private folder, as `db`.
fn copied(path: &Path) -> Result<TempDir, ReadError> {
    let trouble = |error: std::io::Error| ReadError::io(path, reason(error.kind()));
    // SQLite keeps the log beside the target of a link.
    let path = &path.canonicalize().map_err(trouble)?;
    let mut magic = Vec::new();
    let is_file = fs::metadata(path).map_err(trouble)?.is_file();
    if is_file {
        let file = File::open(path).map_err(trouble)?;
        file.take(MAGIC.len() as u64).read_to_end(&mut magic).map_err(trouble)?;
    }
    if magic != MAGIC {
        return Err(ReadError::refused(path, "not a SQLite database"));
    }
    // A link could lead to the log of another database.
    let is_odd = |ending: &&&str| {
        fs::symlink_metadata(beside(path, ending)).is_ok_and(|companion| !companion.is_file())
    };
    if let Some(ending) = ENDINGS.iter().find(is_odd) {
        return Err(ReadError::refused(path, format!("its {ending} is not a file")));
    }
    #[cfg(unix)]
    let folder = {
        use std::os::unix::fs::PermissionsExt;
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir()
    };
    #[cfg(not(unix))]
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|error| {
        ReadError::io(&std::env::temp_dir(), format!("cannot be written: {}", error.kind()))
    })?;
    for _ in 0..ATTEMPTS {
        let before = stamps(path);
        if before.iter().flatten().map(|stamp| stamp.0).sum::<u64>() > MAX_BYTES {
            return Err(ReadError::refused(path, "larger than 4 GiB"));
        }
        for (ending, stamp) in ENDINGS.iter().zip(&before) {
            let to = folder.path().join(format!("db{ending}"));
            let copy = match stamp {
                Some(_) => fs::copy(beside(path, ending), &to).map(drop),
                None => fs::remove_file(&to),
            };
            match copy {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let what = format!("cannot be copied: {}", error.kind());
                    return Err(ReadError::io(path, what));
                }
                _ => {}
            }
        }
        if stamps(path) == before {
            return Ok(folder);
        }
    }
    let what = "its program keeps writing to it; stop the program, or import later";
    Err(ReadError::refused(path, what))
}

/// Returns the size and the modification time of each of a database's files.
fn stamps(path: &Path) -> [Option<(u64, SystemTime)>; 3] {
    ENDINGS.map(|ending| {
        let meta = fs::metadata(beside(path, ending)).ok()?;
        Some((meta.len(), meta.modified().ok()?))
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}
