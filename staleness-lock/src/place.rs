//! Places of stores in files: what is there, and the files beside it.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use staleness_core::store::StoreError;

use crate::{FileLock, Guard, LockError, OpenOptions};

/// Looks at the file at `path`. `None`: there is none, and one may be created. It is not opened: a device
/// or a pipe could hang, and closing it would drop the locks that SQLite holds on it.
///
/// # Errors
/// When it is no file, empty, or missing and none may be created.
pub fn find(path: &Path, options: OpenOptions) -> Result<Option<Metadata>, StoreError> {
    let no_store = |what| Err(StoreError::NotAStore(format!("{} {what}", path.display())));
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => no_store("is a folder"),
        Ok(found) if !found.is_file() => no_store("is not a file"),
        Ok(found) if found.len() == 0 => Err(empty(path)),
        Ok(found) => Ok(Some(found)),
        Err(error)
            if error.kind() == ErrorKind::NotFound && options.create && !options.read_only =>
        {
            Ok(None)
        }
        Err(error) => Err(StoreError::io(format!("opening {}", path.display()), error)),
    }
}

/// The error of a file of no bytes. It is not a new store: after a power cut some file systems leave one where
/// a store was.
#[must_use]
pub fn empty(path: &Path) -> StoreError {
    StoreError::Corrupt(format!("{} is empty", path.display()))
}

/// Creates the folders above a store, for its owner alone.
///
/// # Errors
/// What `failed` makes of the system's error.
pub fn make_folder(
    store: &Path,
    failed: impl FnOnce(String, io::Error) -> StoreError,
) -> Result<(), StoreError> {
    let Some(folder) = store.parent() else { return Ok(()) };
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder).map_err(|error| failed(format!("creating {}", folder.display()), error))
}

/// Adds a suffix to the whole file name.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl FileLock {
    /// The lock beside a store.
    #[must_use]
    pub fn beside(store: &Path, options: OpenOptions) -> Self {
        Self::new(with_suffix(store, ".lock")).total_wait(options.total_wait)
    }

    /// Waits for a turn to write. `None` where files cannot be locked: the backend's own lock still keeps
    /// writers apart, and only the fairness is lost.
    ///
    /// # Errors
    /// [`StoreError::Busy`], [`StoreError::ReadOnly`], or what the system says.
    pub fn turn(&self, options: OpenOptions) -> Result<Option<Guard<'_>>, StoreError> {
        match self.acquire(options.busy_timeout) {
            Ok(guard) => Ok(Some(guard)),
            Err(LockError::Io(error)) if error.kind() == ErrorKind::Unsupported => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl From<LockError> for StoreError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::TimedOut => Self::Busy,
            LockError::Io(source) if source.kind() == ErrorKind::PermissionDenied => Self::ReadOnly,
            LockError::Io(source) => Self::io("locking the store", source),
        }
    }
}
