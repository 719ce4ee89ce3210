//! Folders beside a store in a file, to which nobody but their owner has access.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use staleness::StoreUrl;

/// The folder `<store>SUFFIX` of the store at `url`, neither of which need exist. `None` for a store that is
/// not a file.
pub(crate) fn beside(url: &StoreUrl, suffix: &str) -> Option<PathBuf> {
    let path = url.path()?;
    let mut folder = path.canonicalize().unwrap_or_else(|_| path.into()).into_os_string();
    folder.push(suffix);
    Some(folder.into())
}

/// Makes the folder; one that is there already will do.
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

/// The names of files in the folder; none where there is no folder.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] when somebody else may have filled it.
pub(crate) fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    check(path)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Refuses a folder that somebody else may have filled.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] when it is refused.
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

/// Writes a file that is not there yet.
///
/// # Errors
/// Errors of the file system.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, fs::OpenOptions::new().write(true).create_new(true))
}

/// Appends to a file, or makes it.
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
