//! Opens or creates a store.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use staleness_core::store::StoreError;
use staleness_lock::{FileLock, Guard, NewFile, find, make_folder, refuse_planted};

use crate::OpenOptions;
use crate::collections::rows::Stored;
use crate::collections::stored::FORMAT;
use crate::collections::{Collection, meta, table};
use crate::error::{from_io, from_table};
use crate::file::{MAGIC, PAGE};
use crate::session::{Session, cannot_open};
use crate::tables::{self, other_tables};

/// Opens or creates a store. A file that is not a store of the supported format is not touched.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<(PathBuf, FileLock), StoreError> {
    let path = std::path::absolute(path)
        .map_err(|source| StoreError::io(format!("finding {}", path.display()), source))?;
    let there = find(&path, options)?.is_some();
    if !there {
        make_folder(&path, from_io)?;
    }
    let path = resolve(&path)?;
    refuse_planted(&path, &[".lock"], !options.read_only)
        .map_err(|source| StoreError::io(format!("opening {}", path.display()), source))?;
    let lock = FileLock::beside(&path, options);
    if there {
        look(&path, &lock, options)?;
    } else {
        let _turn = lock.turn(options)?;
        create(&path)?;
        inspect(&path, options)?;
    }
    Ok((path, lock))
}

fn look(path: &Path, lock: &FileLock, options: OpenOptions) -> Result<(), StoreError> {
    // No lock file is created beside another program's file.
    let file = File::open(path).map_err(|error| cannot_open(path, error))?;
    begins_as_ours(file).map_err(|error| cannot_open(path, error))??;
    let _turn = reader_turn(lock, options)?;
    inspect(path, options)
}

/// Number of bytes to read to see the start of both headers.
const PLACES: u64 = (PAGE + MAGIC.len()) as u64;
/// The first bytes of redb's own files.
const REDB: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// Rejects a file that does not begin like a store of any format. One of the two headers is enough.
fn begins_as_ours(file: File) -> io::Result<Result<(), StoreError>> {
    let mut bytes = Vec::new();
    file.take(PLACES).read_to_end(&mut bytes)?;
    let (stem, format) = MAGIC.split_at(MAGIC.len() - 1);
    let begins = |at: usize| bytes.get(at..).and_then(|rest| rest.strip_prefix(stem)?.first());
    Ok(match (begins(0), begins(PAGE)) {
        (Some(found), Some(other)) if found == other && found > &format[0] => {
            let (found, supported) = (u64::from(*found), FORMAT);
            Err(StoreError::FormatTooNew { found, supported })
        }
        (None, None) if bytes.starts_with(REDB) => Err(StoreError::NotAStore(
            "a plain redb file; if it is a store of an older staleness, export it with that version".into(),
        )),
        (None, None) => Err(StoreError::NotAStore("the file does not look like a store".into())),
        _ => Ok(()),
    })
}

/// Checks that the file is a store of the supported format.
fn inspect(path: &Path, options: OpenOptions) -> Result<(), StoreError> {
    Session::read(path, options.busy_timeout)?.with(|session| session.enter().map(drop))
}

/// Resolves symbolic links, so that all names of a store share one lock.
fn resolve(path: &Path) -> Result<PathBuf, StoreError> {
    let finding = |source| StoreError::io(format!("finding {}", path.display()), source);
    match path.canonicalize() {
        Ok(resolved) => Ok(resolved),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A dangling link is an error. A file that another process has just created is not.
            if path.is_symlink() {
                return Err(finding(error));
            }
            match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => {
                    Ok(folder.canonicalize().map_err(finding)?.join(name))
                }
                _ => Err(finding(error)),
            }
        }
        Err(error) => Err(finding(error)),
    }
}

/// Creates the store in a temporary file and moves it into place when complete, so that a killed process
/// leaves no partial store. Requires the lock.
fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error| from_io(format!("creating {}", path.display()), error);
    let new = match NewFile::beside(path, true) {
        // Another process created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        new => new.map_err(failed)?,
    };
    let file = File::options().read(true).write(true).open(new.path()).map_err(failed)?;
    make(file)?;
    new.publish().map_err(failed)
}

/// Initialises a store in an empty file.
fn make(file: File) -> Result<(), StoreError> {
    Session::open(file, true)?.with(|session| {
        let tx = session.begin()?;
        macro_rules! make_table {
            ($table:ident) => {
                tx.open_table(tables::$table).map(drop).map_err(from_table)
            };
        }
        other_tables!(make_table).into_iter().collect::<Result<(), StoreError>>()?;
        macro_rules! make {
            ($($field:ident: $row:ty,)*) => {$(
                table(&tx, <$row as Collection>::TABLE)?;
                <$row as Stored>::INDEX.map(|index| table(&tx, index)).transpose()?;
            )*};
        }
        staleness_core::collections!(make);
        meta::create(&tx)?;
        session.commit(tx)
    })
}

/// Takes the lock for reading. In a read-only folder there can be no lock file; redb's own lock keeps writers
/// out.
pub(crate) fn reader_turn(
    lock: &FileLock,
    options: OpenOptions,
) -> Result<Option<Guard<'_>>, StoreError> {
    match lock.turn(options) {
        Err(StoreError::ReadOnly) => Ok(None),
        result => result,
    }
}
