//! Locates stores in files, and the files beside them.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use staleness_core::store::StoreError;

use crate::{FileLock, Guard, LockError, OpenOptions};

/// Returns the metadata of the file at `path`, or `None` if it does not exist and may be created. Does not
/// open it: a device or pipe could block, and closing the file would release SQLite's locks on it.
///
/// # Errors
/// If the path is not a file, the file is empty, or it is missing and must not be created.
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

/// Returns the error for an empty file. An empty file is not treated as a new store, because some file systems leave
/// one after a power cut.
pub fn empty(path: &Path) -> StoreError {
    StoreError::Corrupt(format!("{} is empty", path.display()))
}

/// Creates the parent folders of a store, accessible only to their owner.
///
/// # Errors
/// The error that `failed` creates from the system's error.
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

/// Appends a suffix to the file name, after the extension.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl FileLock {
    /// Returns the lock beside a store.
    pub fn beside(store: &Path, options: OpenOptions) -> Self {
        Self::new(with_suffix(store, ".lock")).total_wait(options.total_wait)
    }

    /// Waits for the lock to write. Returns `None` if files cannot be locked here. Writers then still take turns
    /// through the backend's own lock, but without fairness.
    ///
    /// # Errors
    /// [`StoreError::Busy`], [`StoreError::ReadOnly`], or an error of the system.
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
