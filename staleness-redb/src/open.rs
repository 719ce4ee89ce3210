//! Opening: what kind of file it is, and creating it.

use std::fs::{self, File};
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

/// Opens the store or creates it. A file that is not a store of a format that this program knows is
/// not touched.
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
    // A file that is not ours gets no lock beside it.
    let file = File::open(path).map_err(|error| cannot_open(path, error))?;
    begins_as_ours(file).map_err(|error| cannot_open(path, error))??;
    let _turn = reader_turn(lock, options)?;
    inspect(path, options)
}

/// Bytes that hold the begin of both places of the header.
const PLACES: u64 = (PAGE + MAGIC.len()) as u64;
/// The first bytes of redb's own files.
const REDB: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// Refuses a file that does not begin as a store does, in any format. Either place of the header is enough.
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
            "a file as redb itself makes it; a store of an older staleness is exported with that"
                .into(),
        )),
        (None, None) => {
            Err(StoreError::NotAStore("the file does not begin as a store does".into()))
        }
        _ => Ok(()),
    })
}

/// Errors unless the file is a store of this program's format.
fn inspect(path: &Path, options: OpenOptions) -> Result<(), StoreError> {
    Session::read(path, options.busy_timeout)?.with(|session| session.enter(false).map(drop))
}

/// The path with symbolic links resolved, so that every name of a store leads to one lock.
fn resolve(path: &Path) -> Result<PathBuf, StoreError> {
    let finding = |source| StoreError::io(format!("finding {}", path.display()), source);
    match path.canonicalize() {
        Ok(resolved) => Ok(resolved),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Not there yet. A link to nothing stays an error.
            if fs::symlink_metadata(path).is_ok() {
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

/// Makes the store beside its place and gives it its name when it is whole: a process that dies meanwhile
/// leaves nothing that looks like a store and is none. Under the lock.
fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error| from_io(format!("creating {}", path.display()), error);
    let new = match NewFile::beside(path, true) {
        // Another process was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        new => new.map_err(failed)?,
    };
    let file = File::options().read(true).write(true).open(new.path()).map_err(failed)?;
    make(file)?;
    new.publish().map_err(failed)
}

/// Makes a store of an empty file.
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

/// A turn to read. In a folder that may not be written to there can be no lock file; redb's own lock
/// keeps writers out.
pub(crate) fn reader_turn(
    lock: &FileLock,
    options: OpenOptions,
) -> Result<Option<Guard<'_>>, StoreError> {
    match lock.turn(options) {
        Err(StoreError::ReadOnly) => Ok(None),
        result => result,
    }
}
