//! Safe access to untrusted files: bounded reads, and links that stay within a fence.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The folders that symbolic links in a repository may lead to. A repository is untrusted and must not make the reader
/// open files elsewhere.
#[derive(Clone, Debug)]
pub struct Fence {
    given: Vec<PathBuf>,
    /// Canonical paths of the folders.
    inside: Vec<PathBuf>,
}

impl Fence {
    /// Creates a fence around these folders.
    pub fn of<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Self {
        let given: Vec<PathBuf> = folders.into_iter().map(Path::to_path_buf).collect();
        Self { inside: given.iter().map(|folder| canonical(folder)).collect(), given }
    }

    /// Returns true if an existing path resolves to a place inside the fence.
    pub fn holds(&self, path: &Path) -> bool {
        let target = canonical(path);
        self.inside.iter().any(|folder| target.starts_with(folder))
    }

    /// Returns true if a path below one of the folders leads out of that folder.
    fn is_left_by(&self, path: &Path) -> bool {
        let mut below = self.given.iter().chain(&self.inside);
        below.any(|folder| path.strip_prefix(folder).is_ok_and(|path| leads_out(folder, path)))
    }

    /// Returns the text of a file inside the fence, of at most `limit` bytes. See [`read_small`].
    pub(crate) fn read_small(&self, path: &Path, limit: u64) -> Option<String> {
        self.holds(path).then(|| read_small(path, limit)).flatten()
    }
}

/// Returns the path without links and `..`, or the path as given if it cannot be resolved.
pub fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).map_or_else(|_| path.to_path_buf(), |path| plain(&path))
}

/// Maximum number of links to follow on the way to a file, as on Linux.
const MAX_LINKS: usize = 40;

/// Returns true if a path in a folder leads out of it: as an absolute path, by `..` or by a link. Does not access
/// anything outside the folder.
pub fn leads_out(folder: &Path, path: &Path) -> bool {
    let (mut at, mut rest, mut links) = (folder.to_path_buf(), path.to_path_buf(), 0);
    loop {
        if rest.has_root() {
            let own = rest.strip_prefix(folder).or_else(|_| rest.strip_prefix(canonical(folder)));
            let Ok(own) = own.map(Path::to_path_buf) else { return true };
            (at, rest) = (folder.to_path_buf(), own);
        }
        let mut parts = rest.components();
        let Some(part) = parts.next() else { return false };
        let mut after = parts.as_path().to_path_buf();
        if part == Component::ParentDir {
            at.pop();
        } else if part != Component::CurDir {
            at.push(part);
            if let Ok(target) = fs::read_link(&at) {
                links += 1;
                at.pop();
                after = target.join(after);
            }
        }
        if !at.starts_with(folder) || links > MAX_LINKS {
            return true;
        }
        rest = after;
    }
}

/// Returns true if something exists at a path in a folder. A link that leads out of the folder counts as existing.
pub(crate) fn exists(folder: &Path, path: &str) -> bool {
    folder.join(path).symlink_metadata().is_ok() || leads_out(folder, Path::new(path))
}

/// Strips the verbatim prefix of resolved paths on Windows. Clients never write this prefix into files.
pub(crate) fn plain(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path.to_path_buf(),
    }
}

/// Formats a path for messages, on one line.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().replace(char::is_control, "?")
}

/// Decodes a text. Each invalid byte becomes `mark` and two hexadecimal digits.
pub(crate) fn written(bytes: &[u8], mark: &str) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("{mark}{byte:02X}")));
    }
    text
}

/// The reason not to follow a link.
pub(crate) const OUTSIDE: &str = "is a link that points outside its folder";

/// Returns the metadata of a path without opening it, or `None` if nothing exists there.
///
/// # Errors
/// If the path leaves the fence, even if nothing exists there, or cannot be read. The reason completes a sentence that
/// begins with the path.
pub fn look(path: &Path, fence: Option<&Fence>) -> Result<Option<Metadata>, &'static str> {
    match fs::metadata(path) {
        Ok(_) if fence.is_some_and(|fence| !fence.holds(path)) => Err(OUTSIDE),
        Err(_) if fence.is_some_and(|fence| fence.is_left_by(path)) => Err(OUTSIDE),
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // A dangling link shows that something should be there.
            if fs::symlink_metadata(path).is_ok() { Err("is a broken link") } else { Ok(None) }
        }
        Err(error) => Err(reason(error.kind())),
    }
}

/// Reads a file of at most `limit` bytes, and its metadata before the read. Returns `None` if the file is larger.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Option<(Vec<u8>, Metadata)>, ErrorKind> {
    let read = || {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(limit)).unwrap_or(0) + 1);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= limit).then_some((bytes, meta)))
    };
    read().map_err(|error: std::io::Error| error.kind())
}

/// Returns the text of a small regular file, or `None` for anything else. A file of size 0 is not opened, because some
/// system files report that size and never end.
pub fn read_small(path: &Path, limit: u64) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() == 0 || meta.len() > limit {
        return None;
    }
    String::from_utf8(read_bytes(path, limit).ok()??.0).ok()
}

/// Returns the reason why the system refused access, in words without a path.
pub const fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::PermissionDenied => "is not readable",
        ErrorKind::NotFound => "does not exist",
        _ => "cannot be read",
    }
}
