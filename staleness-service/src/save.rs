//! Files that are written whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Puts bytes in a file by way of another one beside it. What the file may be read by stays; a link
/// is followed.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
