//! Opening: what kind of file it is, and creating it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use staleness_core::store::{Durability, StoreError};
use staleness_lock::FileLock;

use crate::OpenOptions;
use crate::collections::meta;
use crate::error::{from_io, from_table, sound};
use crate::inner::{reader_turn, turn};
use crate::session::Session;
use crate::tables::{self, every_table};

/// Opens the store or creates it. A file that is not a store of a format that this program knows is
/// not touched.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<(PathBuf, FileLock), StoreError> {
    let path = std::path::absolute(path)
        .map_err(|source| StoreError::io(format!("finding {}", path.display()), source))?;
    let there = match fs::metadata(&path) {
        Ok(found) if found.is_dir() => {
            return Err(StoreError::NotAStore(format!("{} is a folder", path.display())));
        }
        // A device or a pipe: opening it could hang, and what is written to it is gone.
        Ok(found) if !found.is_file() => {
            return Err(StoreError::NotAStore(format!("{} is not a file", path.display())));
        }
        Ok(found) => found.len() > 0,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !options.create || options.read_only {
                return Err(StoreError::io(format!("opening {}", path.display()), error));
            }
            make_folder(&path)?;
            false
        }
        Err(error) => return Err(StoreError::io(format!("opening {}", path.display()), error)),
    };
    if !there && options.read_only {
        return Err(StoreError::ReadOnly);
    }
    let path = resolve(&path)?;
    let lock = FileLock::new(with_suffix(&path, ".lock")).total_wait(options.total_wait);
    if there {
        look(&path, &lock, options)?;
    } else {
        let _turn = turn(&lock, options)?;
        // Ask again: another process may have done it while this one waited.
        if fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            inspect(&path, options)?;
        } else {
            create(&path)?;
        }
    }
    Ok((path, lock))
}

fn look(path: &Path, lock: &FileLock, options: OpenOptions) -> Result<(), StoreError> {
    // A file that is not ours gets no lock beside it.
    crate::shape::check(
        &File::open(path)
            .map_err(|error| StoreError::io(format!("opening {}", path.display()), error))?,
    )?;
    let _turn = reader_turn(lock, options)?;
    inspect(path, options)
}

/// Whether the file is a store of this program's format.
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

/// Adds a suffix to the whole file name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates an empty file that only its owner may read or write. It must not be there.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let mut file = fs::OpenOptions::new();
    file.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file.open(path)
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder).map_err(|error| from_io(format!("creating {}", folder.display()), error))
}

/// Makes the store beside its place and moves it there: a process that dies meanwhile leaves nothing
/// that looks like a store and is none. Under the lock.
fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error| from_io(format!("creating {}", path.display()), error);
    let new = with_suffix(path, ".new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let made = create_file(&new).map_err(failed).and_then(make);
    let moved = made.and_then(|()| fs::rename(&new, path).map_err(failed));
    if moved.is_err() {
        let _ = fs::remove_file(&new);
        return moved;
    }
    // Without this a power cut may lose the whole store; where folders cannot be synced it must do.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Makes a store of an empty file.
fn make(file: File) -> Result<(), StoreError> {
    Session::on(file)?.with(|session| {
        let tx = session.begin()?;
        sound(|| {
            macro_rules! make_table {
                ($table:ident) => {
                    tx.open_table(tables::$table).map(drop).map_err(from_table)
                };
            }
            every_table!(make_table).into_iter().collect::<Result<(), StoreError>>()?;
            meta::create(&tx)
        })?;
        session.commit(tx, Durability::Full)
    })
}
