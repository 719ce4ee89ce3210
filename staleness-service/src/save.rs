//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Puts bytes in a file by way of another one beside it. What the file may be read by stays; a link
/// is followed.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Prepared::new(path, bytes)?.put()
}

/// The folder's lock, where the system has one: held until it is dropped. By it these programs take
/// turns, and it leaves nothing behind.
#[must_use]
pub fn turn(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok().map(|()| folder)
}

/// Whether a path, of which the end need not be there yet, leads to a place in the folder.
#[must_use]
pub fn stays_in(folder: &Path, path: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let there = path.ancestors().find_map(|each| each.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(folder))
}

/// Whether a path is by its name one of a place in the folder, and leads out of it by a link: the
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
    /// Writes the bytes to the disk.
    pub fn new(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".staleness-");
        let before = std::fs::metadata(&target);
        if before.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        if let Ok(before) = before {
            file.as_file().set_permissions(before.permissions())?;
        }
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(Self { file, target })
    }

    /// Puts them in place of the file.
    pub fn put(self) -> io::Result<()> {
        self.file.persist(self.target).map(drop).map_err(|error| error.error)
    }
}
