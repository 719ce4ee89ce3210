//! Detects files that others may have planted beside a store.
//!
//! In a folder that others can write to, the names of a store's files may already be taken: by a link, or by
//! a file that somebody else can read and write. Such files are rejected. Permissions of our own files are
//! restricted.

use std::io;
use std::path::Path;

/// Checks a store, which need not exist, and the files named like the store with each of `suffixes` appended.
/// If `mend` is set, our own files that others can write to, or that are more accessible than the store, get
/// the mode 0600. Costs one system call per file.
///
/// A store that belongs to somebody else may be read, and also written unless everybody can write to it.
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
    /// User id of the administrator, who may write anywhere anyway.
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
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use std::path::PathBuf;

    use super::*;
    use crate::with_suffix as beside;

    const SUFFIXES: [&str; 2] = ["-wal", ".lock"];

    fn store() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        put(&store, 0o600);
        (folder, store)
    }

    fn put(path: &Path, mode: u32) {
        fs::write(path, "x").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    fn refused(store: &Path) -> String {
        refuse_planted(store, &SUFFIXES, true).unwrap_err().to_string()
    }

    #[test]
    fn our_own_files_that_are_open_to_others_are_closed() {
        let (_folder, store) = store();
        let wal = beside(&store, "-wal");
        for open in [0o666, 0o660, 0o606, 0o622] {
            put(&store, open);
            put(&wal, open);
            refuse_planted(&store, &SUFFIXES, false).unwrap();
            assert_eq!((mode(&store), mode(&wal)), (open, open), "a reader changes nothing");
            refuse_planted(&store, &SUFFIXES, true).unwrap();
            assert_eq!((mode(&store), mode(&wal)), (0o600, 0o600));
        }
        // Others could read data in the log that they cannot read in the store.
        put(&wal, 0o644);
        refuse_planted(&store, &SUFFIXES, true).unwrap();
        assert_eq!(mode(&wal), 0o600);
    }

    #[test]
    fn a_store_that_its_owner_lets_others_read_stays_so() {
        let (_folder, store) = store();
        let wal = beside(&store, "-wal");
        put(&store, 0o644);
        put(&wal, 0o644);
        refuse_planted(&store, &SUFFIXES, true).unwrap();
        assert_eq!((mode(&store), mode(&wal)), (0o644, 0o644));
    }

    #[test]
    fn a_link_or_a_folder_beside_a_store_is_refused_by_its_name() {
        for suffix in SUFFIXES {
            let (folder, store) = store();
            let planted = beside(&store, suffix);
            for target in ["there", "dangling"] {
                fs::write(folder.path().join("there"), "").unwrap();
                symlink(folder.path().join(target), &planted).unwrap();
                let told = refused(&store);
                assert_eq!(told, format!("{} is a symbolic link; remove it", planted.display()));
                fs::remove_file(&planted).unwrap();
            }
            fs::create_dir(&planted).unwrap();
            assert_eq!(
                refused(&store),
                format!("{} is not a file; move it away", planted.display())
            );
        }
    }

    #[test]
    fn b12_a_file_of_another_user_beside_a_store_is_refused() {
        let (_folder, store) = store();
        let wal = beside(&store, "-wal");
        put(&wal, 0o600);
        // The administrator's files are trusted, so as root the test gives the file to another user.
        let ours = rustix::process::geteuid().as_raw();
        let theirs = if ours == 0 { 65_534 } else { ours };
        let as_me = |mend| unix::refuse_planted(&store, &SUFFIXES, mend, theirs + 1);
        let give = |path: &Path| chown(path, (ours == 0).then_some(theirs), None).unwrap();
        give(&wal);
        fs::remove_file(&store).unwrap();
        let told = as_me(true).unwrap_err().to_string();
        assert!(told.contains(&format!("-wal belongs to another user (uid {theirs})")), "{told}");
        // The log of the same owner: the whole store belongs to somebody else.
        put(&store, 0o644);
        give(&store);
        as_me(true).unwrap();
        put(&store, 0o666);
        give(&store);
        let told = as_me(true).unwrap_err().to_string();
        assert!(told.contains("and others may write to it"), "{told}");
        as_me(false).unwrap();
    }
}
