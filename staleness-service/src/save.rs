//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
