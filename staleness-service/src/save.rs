//! Writes files atomically.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use staleness_core::ids::stable_hash;
use staleness_lock::{LockError, lock_within};

use crate::error::{brief, in_words};

/// Replaces a file's content through a temporary file beside it. Keeps the permissions and follows a link.
///
/// # Errors
/// Errors of the system, and a timeout if another program holds the folder's lock for 5 seconds.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, false)
}

fn replace(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let turn = Turn::new(target.parent().unwrap_or(Path::new(".")))?;
    Prepared::new(&turn, &target, bytes, &target, private)?.put()
}

/// Replaces a file chosen by a person, like [`whole`]. A new file is readable only by this user.
///
/// # Errors
/// Errors of the system; [`io::ErrorKind::InvalidInput`] if it is not a regular file, or if a link in `folder`
/// leads out of it.
pub fn private(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if leads_out_of(folder, path) {
        return refused("it is a link that points outside the project");
    }
    if path.metadata().is_ok_and(|meta| !meta.is_file()) {
        return refused("it is not a file");
    }
    replace(path, bytes, true)
}

/// Opens an unnamed temporary file that only this user can read.
///
/// # Errors
/// Errors of the system. The message contains the folder and the environment variable that sets it.
pub fn unnamed() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| {
        let folder = std::env::temp_dir();
        let why = in_words(&error);
        io::Error::other(format!(
            "cannot create a temporary file in {}: {why}; set TMPDIR to a writable folder",
            brief(&folder)
        ))
    })
}

/// Maximum time to wait for the folder's lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// Age from which a partial file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(60);

/// A lock on a folder, held while writing in it. The folder itself is locked, if the system supports that, so
/// no lock file remains.
#[derive(Debug)]
pub struct Turn {
    folder: PathBuf,
    lock: Option<File>,
}

impl Turn {
    /// Waits up to 5 seconds for the lock.
    ///
    /// # Errors
    /// If another program holds the lock for longer.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let lock = match lock_within(folder, PATIENCE) {
            Ok(lock) => lock,
            Err(LockError::TimedOut) => {
                let folder = brief(folder);
                let what = format!(
                    "another program holds a lock on the folder {folder} (`lslocks` shows which)"
                );
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            // The folder cannot be opened or locked. Later operations in it will report an error if there is
            // one.
            Err(LockError::Io(_)) => None,
        };
        Ok(Self { folder: folder.to_path_buf(), lock })
    }

    /// Removes partial files that a killed process left for `target`. Without the lock, another process may
    /// still be writing, so files younger than a minute stay.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sweep(&self, target: &Path) -> io::Result<()> {
        let prefix = partial(target);
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !entry.file_name().to_string_lossy().starts_with(&prefix) {
                continue;
            }
            let meta = entry.metadata().ok().filter(std::fs::Metadata::is_file);
            let Some(meta) = meta else { continue };
            let age = meta.modified().ok().and_then(|at| at.elapsed().ok());
            if self.lock.is_some() || age.is_some_and(|age| age > ABANDONED) {
                remove_if_there(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Removes a file if it exists.
///
/// # Errors
/// Errors of the system.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the prefix of temporary file names for `target`. It contains a digest of the target's name.
fn partial(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default();
    format!(".staleness-partial-{:032x}-", stable_hash(name.as_encoded_bytes()))
}

/// Returns true if a path resolves to a place inside the folder. The last parts of the path need not exist.
pub fn stays_in(folder: &Path, path: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let there = path.ancestors().find_map(|each| each.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(folder))
}

/// Returns true if a path names a place inside the folder but leaves it through a link. Another person may have put the
/// link there.
pub fn leads_out_of(folder: &Path, path: &Path) -> bool {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut named = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            named.pop();
        } else {
            named.push(part);
        }
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let is_folder = |each: &Path| each.canonicalize().is_ok_and(|each| each == folder);
    let stays = stays_in(&folder, &named) && stays_in(&folder, &path);
    named.ancestors().skip(1).any(is_folder) && !stays
}

/// A completely written file that can replace its target.
#[derive(Debug)]
pub struct Prepared {
    file: tempfile::NamedTempFile,
    target: PathBuf,
}

impl Prepared {
    /// Writes the bytes to a temporary file in the turn's folder and syncs it. Permissions and owner are
    /// copied from the file `like`, and partial files left for `like` are removed. If `like` does not exist,
    /// `private` restricts access to this user.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn new(
        turn: &Turn,
        target: &Path,
        bytes: &[u8],
        like: &Path,
        private: bool,
    ) -> io::Result<Self> {
        let model = std::fs::metadata(like).ok();
        if model.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        turn.sweep(like)?;
        let name = partial(like);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name);
        #[cfg(unix)]
        if !private {
            use std::os::unix::fs::PermissionsExt;
            // The process's umask applies.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let _ = private;
        let mut file = builder.tempfile_in(&turn.folder)?;
        if let Some(model) = model {
            #[cfg(unix)]
            give(file.as_file(), &model)?;
            file.as_file().set_permissions(model.permissions())?;
        }
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(Self { file, target: target.to_path_buf() })
    }

    /// Replaces the target with the file.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn put(self) -> io::Result<()> {
        self.file.persist(self.target).map(drop).map_err(|error| error.error)
    }

    /// Moves the file to the target, unless the target exists.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the target exists; other errors of the system.
    pub fn put_new(self) -> io::Result<()> {
        self.file.persist_noclobber(self.target).map(drop).map_err(|error| error.error)
    }
}

/// Copies owner and group from another file, as far as permitted. Usually only an administrator may change
/// the owner; otherwise the file belongs to the user who edits it, as with any editor.
#[cfg(unix)]
fn give(file: &File, like: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let made = file.metadata()?;
    if made.gid() != like.gid() {
        let _ = fchown(file, None, Some(like.gid()));
    }
    if made.uid() != like.uid() {
        let _ = fchown(file, Some(like.uid()), None);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b11_what_a_killed_program_left_of_a_file_and_its_backup_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("settings.json");
        std::fs::write(&target, "{}").unwrap();
        let count = || std::fs::read_dir(folder.path()).unwrap().count();
        let own = [".settings.json.staleness-partial", ".staleness-partial-0"];
        own.iter().for_each(|own| std::fs::write(folder.path().join(own), "own").unwrap());
        let locked = Turn::new(folder.path()).unwrap();
        let unlocked = Turn { folder: folder.path().into(), lock: None };
        for turn in [&locked, &unlocked] {
            for of in ["settings.json", "settings.json.before-staleness-0"] {
                let of = folder.path().join(of);
                let left = Prepared::new(turn, &of, b"secret", &target, true).unwrap();
                let (left, _) = left.file.keep().unwrap();
                unlocked.sweep(&target).unwrap();
                assert_eq!(count(), 4, "another program may be writing it");
                let minutes_ago = left.metadata().unwrap().modified().unwrap() - 2 * ABANDONED;
                if turn.lock.is_none() {
                    left.set_modified(minutes_ago).unwrap();
                }
                turn.sweep(&target).unwrap();
                assert_eq!(count(), 3, "{of:?}");
            }
        }
    }
}
