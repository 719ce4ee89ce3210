//! Detects files that others may have planted beside a store.
//!
//! In a folder that others can write to, the names of a store's files may already be taken: by a link, or by a file
//! that somebody else can read and write. Such files are rejected, and the permissions of our own files are restricted.

use std::io;
use std::path::Path;

/// Checks a store, which need not exist, and the files named like the store with each of `suffixes` appended.
/// If `mend` is set, our own files that others can write to, or that are more accessible than the store, get
/// the mode 0600. Costs one system call per file.
///
/// A store that belongs to somebody else may be read, and also written unless everybody may write to it.
///
/// # Errors
/// For the first rejected file, with its path and a hint; or an error of the system.
pub fn refuse_planted(store: &Path, suffixes: &[&str], mend: bool) -> io::Result<()> {
    #[cfg(unix)]
    return unix::refuse_planted(store, suffixes, mend, rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    {
        let _ = (store, suffixes, mend);
        Ok(())
    }
}

/// Returns the error for a link in place of a file.
pub(crate) fn is_a_link(path: &Path) -> io::Error {
    io::Error::other(format!("{} is a symbolic link; remove it", path.display()))
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use super::is_a_link;
    use crate::with_suffix;

    const OTHERS: u32 = 0o077;
    const OTHERS_WRITE: u32 = 0o022;
    const OWN_ONLY: u32 = 0o600;
    /// User id of the administrator, who can write anywhere anyway.
    const ROOT: u32 = 0;

    pub(super) fn refuse_planted(
        store: &Path,
        suffixes: &[&str],
        mend: bool,
        me: u32,
    ) -> io::Result<()> {
        let (owner, mode) = match fs::metadata(store) {
            Ok(found) => (found.uid(), of_store(store, &found, me, mend)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (me, OWN_ONLY),
            Err(error) => return Err(error),
        };
        for suffix in suffixes {
            let path = with_suffix(store, suffix);
            let found = match fs::symlink_metadata(&path) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if found.is_symlink() {
                return Err(is_a_link(&path));
            }
            let shown = path.display();
            if !found.is_file() {
                return Err(io::Error::other(format!("{shown} is not a file; move it away")));
            }
            if ![me, owner, ROOT].contains(&found.uid()) {
                let uid = found.uid();
                return Err(io::Error::other(format!(
                    "{shown} belongs to another user (uid {uid}); remove it, or keep the store in a \
                     folder of your own"
                )));
            }
            if mend && found.uid() == me && found.mode() & OTHERS & !mode != 0 {
                close(&path)?;
            }
        }
        Ok(())
    }

    /// Returns the mode of the store, after restricting it if needed.
    fn of_store(path: &Path, found: &Metadata, me: u32, mend: bool) -> io::Result<u32> {
        let mode = found.mode();
        if !mend || mode & OTHERS_WRITE == 0 {
            return Ok(mode);
        }
        if found.uid() == me {
            return close(path).map(|()| OWN_ONLY);
        }
        let (shown, uid) = (path.display(), found.uid());
        Err(io::Error::other(format!(
            "{shown} belongs to another user (uid {uid}), and others may write to it; keep the store in a \
             folder of your own"
        )))
    }

    fn close(path: &Path) -> io::Result<()> {
        match fs::set_permissions(path, Permissions::from_mode(OWN_ONLY)) {
            // The file system has no modes, or is read-only.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::Unsupported
                        | io::ErrorKind::PermissionDenied
                        | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                Ok(())
            }
            result => result,
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
