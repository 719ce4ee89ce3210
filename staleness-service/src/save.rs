//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use staleness_core::ids::stable_hash;
use staleness_lock::{LockError, lock_within};

use crate::error::{brief, in_words};

/// Puts bytes in a file by way of another one beside it. What the file may be read by stays; a link
/// is followed.
///
/// # Errors
/// Errors of the system, or that another program has locked the folder for 5 seconds.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let turn = Turn::new(target.parent().unwrap_or(Path::new(".")))?;
    Prepared::new(&turn, &target, bytes, &target, false)?.put()
}

/// Opens a temporary file without a name, which only this user could read.
///
/// # Errors
/// Errors of the system, with the folder and the variable that names it.
pub fn unnamed() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| {
        let folder = std::env::temp_dir();
        let why = in_words(&error);
        io::Error::other(format!(
            "a temporary file in {}: {why}; set TMPDIR to a folder that may be written to",
            brief(&folder)
        ))
    })
}

/// The longest time to wait for another program in the same folder.
const PATIENCE: Duration = Duration::from_secs(5);

/// The age from which on a file that is half written belongs to nobody.
const ABANDONED: Duration = Duration::from_secs(60);

/// A turn at writing in a folder, by which these programs do so one after the other: a lock on the folder
/// itself, where the system has that. It leaves nothing behind.
#[derive(Debug)]
pub struct Turn {
    folder: PathBuf,
    lock: Option<File>,
}

impl Turn {
    /// Waits for the turn for at most 5 seconds.
    ///
    /// # Errors
    /// When another program has locked the folder for longer.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let lock = match lock_within(folder, PATIENCE) {
            Ok(lock) => lock,
            Err(LockError::TimedOut) => {
                let folder = brief(folder);
                let what =
                    format!("another program locks the folder {folder} (`lslocks` names it)");
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            // A folder that cannot be opened. What is done in it will tell.
            Err(LockError::Io(_)) => None,
        };
        Ok(Self { folder: folder.to_path_buf(), lock })
    }

    /// Removes what a program that was killed left of a file, or of its backup, that it was writing. Without a
    /// lock another one may be writing just now: what is younger than a minute stays.
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

/// Removes a file; one that is not there is as good as removed.
///
/// # Errors
/// Errors of the system.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the beginning of a file's name while it is written. Its digest tells the file from others' that
/// are called alike.
fn partial(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default();
    format!(".staleness-partial-{:032x}-", stable_hash(name.as_encoded_bytes()))
}

/// Returns true if a path, of which the end need not be there yet, leads to a place in the folder.
#[must_use]
pub fn stays_in(folder: &Path, path: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let there = path.ancestors().find_map(|each| each.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(folder))
}

/// Returns true if a path is by its name one of a place in the folder, and leads out of it by a link: the
/// folder may be somebody else's work.
#[must_use]
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

/// Bytes beside the file whose place they are to take.
#[derive(Debug)]
pub struct Prepared {
    file: tempfile::NamedTempFile,
    target: PathBuf,
}

impl Prepared {
    /// Writes the bytes to the disk, beside `target` in the folder of the turn. Who may read them, and whose
    /// they are, is taken from the file `like`, with which they are swept; where there is none, `private`
    /// decides.
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
            // What the user's mask leaves of it.
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

    /// Puts them in place of the file.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn put(self) -> io::Result<()> {
        self.file.persist(self.target).map(drop).map_err(|error| error.error)
    }

    /// Gives them their name, unless something else has it.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] then; else what the system says.
    pub fn put_new(self) -> io::Result<()> {
        self.file.persist_noclobber(self.target).map(drop).map_err(|error| error.error)
    }
}

/// Gives a file to the owner of another one, as far as the system lets us: only the administrator can,
/// and others' files become those of who edits them, as with any editor.
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
