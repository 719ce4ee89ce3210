//! Private folders beside a store's file, accessible only to their owner.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use staleness::StoreUrl;

/// Returns the path of the folder `<store>SUFFIX` for the store at `url`, or `None` if the store is not a file.
/// Neither the folder nor the store needs to exist.
pub(crate) fn beside(url: &StoreUrl, suffix: &str) -> Option<PathBuf> {
    let path = url.path()?;
    let mut folder = path.canonicalize().unwrap_or_else(|_| path.into()).into_os_string();
    folder.push(suffix);
    Some(folder.into())
}

/// Creates the folder, if it does not exist.
///
/// # Errors
/// Errors of the file system.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    #[cfg_attr(windows, expect(unused_mut))]
    let mut folder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    match folder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Returns the names of the files in the folder, or nothing if the folder does not exist.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] if the folder is not private.
pub(crate) fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    check(path)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Checks that the folder belongs to this user and nobody else has access.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] if the check fails.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    let folder = fs::symlink_metadata(path)?;
    #[cfg(unix)]
    let private = {
        use std::os::unix::fs::MetadataExt;
        folder.mode() & 0o077 == 0 && folder.uid() == rustix::process::geteuid().as_raw()
    };
    #[cfg(not(unix))]
    let private = true;
    if folder.is_dir() && private { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Creates a file with these bytes.
///
/// # Errors
/// Errors of the file system, also if the file already exists.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, fs::OpenOptions::new().write(true).create_new(true))
}

/// Appends to a file, creating it if needed.
///
/// # Errors
/// Errors of the file system.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, fs::OpenOptions::new().append(true).create(true))
}

fn write(path: &Path, bytes: &[u8], options: &mut fs::OpenOptions) -> io::Result<()> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)?.write_all(bytes)
}
