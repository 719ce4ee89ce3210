//! A file that gets its final name when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written under a temporary name, accessible only to its owner, and renamed when complete. A killed
/// process leaves nothing under the final name. Dropping this before the rename removes the temporary file.
#[derive(Debug)]
pub struct NewFile {
    to: PathBuf,
    partial: PathBuf,
}

impl NewFile {
    /// Creates an empty file beside `to`. If the caller holds the lock on `to`, the temporary name is
    /// `<to>.new`, and a file left there by a killed process is removed. Otherwise the name is
    /// `<to>.<process>-<number>.partial`.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if `to` exists; other I/O errors of the operating system.
    pub fn beside(to: &Path, holds_lock: bool) -> io::Result<Self> {
        static FILES: AtomicU64 = AtomicU64::new(0);
        let to = std::path::absolute(to)?;
        if fs::symlink_metadata(&to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let mut partial = to.as_os_str().to_owned();
        if holds_lock {
            partial.push(".new");
        } else {
            let number = FILES.fetch_add(1, Ordering::Relaxed);
            partial.push(format!(".{}-{number}.partial", std::process::id()));
        }
        let partial = PathBuf::from(partial);
        // A killed process may have left this file: one with the same process id, or one that held the lock.
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => create(&partial)?,
        }
        Ok(Self { to, partial })
    }

    /// Returns the path of the temporary file.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Moves the file to its final name, unless that exists. Syncs the content, and the folder if the system
    /// supports it.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the name is taken; other errors of the system.
    pub fn publish(self) -> io::Result<()> {
        fs::File::options().write(true).open(&self.partial)?.sync_all()?;
        self.link()?;
        #[cfg(unix)]
        if let Some(folder) = self.to.parent() {
            let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    fn link(&self) -> io::Result<()> {
        match fs::hard_link(&self.partial, &self.to) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // Some file systems do not support hard links.
                let taken = fs::symlink_metadata(&self.to).is_ok();
                if taken { Err(error) } else { fs::rename(&self.partial, &self.to) }
            }
            linked => linked,
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.partial);
    }
}

fn create(path: &Path) -> io::Result<()> {
    let mut file = fs::OpenOptions::new();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file.open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn the_name_appears_when_it_is_finished_and_the_other_goes() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let file = NewFile::beside(&to, false).unwrap();
        fs::write(file.path(), "whole").unwrap();
        assert!(!to.exists());
        file.publish().unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "whole");
        assert_eq!(names(folder.path()), ["copy"]);
    }

    #[test]
    fn an_unfinished_file_leaves_nothing_and_a_name_that_is_taken_stays() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        drop(NewFile::beside(&to, false).unwrap());
        assert!(names(folder.path()).is_empty());
        let late = NewFile::beside(&to, false).unwrap();
        fs::write(&to, "first").unwrap();
        assert_eq!(late.publish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(NewFile::beside(&to, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&to).unwrap(), "first");
        assert_eq!(names(folder.path()), ["copy"]);
    }
}
