//! Other people's files on disk: bounded reads, and links that stay within a fence.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The folders that links in a repository may lead to: the repository itself. A repository is
/// other people's work, and must not make the reader look elsewhere.
#[derive(Clone, Debug)]
pub struct Fence {
    inside: Vec<PathBuf>,
}

impl Fence {
    /// A fence around these folders.
    pub fn of<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Self {
        Self { inside: folders.into_iter().map(canonical).collect() }
    }

    /// Returns true if the path, which exists, leads to a place inside.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let target = canonical(path);
        self.inside.iter().any(|folder| target.starts_with(folder))
    }

    /// The text of a file inside that has at most so many bytes; see [`read_small`].
    pub(crate) fn read_small(&self, path: &Path, limit: u64) -> Option<String> {
        self.holds(path).then(|| read_small(path, limit)).flatten()
    }
}

/// The path without links and `..`; the path as given when it cannot be resolved.
#[must_use]
pub fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).map_or_else(|_| path.to_path_buf(), |path| plain(&path))
}

/// Windows resolves paths to the verbatim form, which no client writes into its files.
pub(crate) fn plain(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path.to_path_buf(),
    }
}

/// A path as messages show it, on one line.
#[must_use]
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.chars().any(char::is_control) {
        text.replace(char::is_control, "?")
    } else {
        text.into_owned()
    }
}

/// Decodes a text; each byte that is not UTF-8 becomes this mark and two hexadecimal digits.
pub(crate) fn written(bytes: &[u8], mark: &str) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("{mark}{byte:02X}")));
    }
    text
}

/// Looks at a path without opening it; `None` when nothing is there. An error says why it may not or cannot be
/// read.
///
/// # Errors
/// Why, as the end of a sentence that begins with the path.
pub fn look(path: &Path, fence: Option<&Fence>) -> Result<Option<Metadata>, &'static str> {
    match fs::metadata(path) {
        Ok(_) if fence.is_some_and(|fence| !fence.holds(path)) => {
            Err("is a link that leads out of its folder")
        }
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // A dangling link says that something is meant to be there.
            if fs::symlink_metadata(path).is_ok() {
                Err("is a link that leads nowhere")
            } else {
                Ok(None)
            }
        }
        Err(error) => Err(reason(error.kind())),
    }
}

/// At most `limit` bytes; `None` when there are more.
pub(crate) fn read_bytes(
    path: &Path,
    limit: u64,
    expected: u64,
) -> Result<Option<Vec<u8>>, ErrorKind> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or(0) + 1);
    File::open(path)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| error.kind())?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The text of a small regular file; `None` when it is anything else. What claims to be empty is
/// not opened: some files of the system do, and reading them never ends.
#[must_use]
pub fn read_small(path: &Path, limit: u64) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() == 0 || meta.len() > limit {
        return None;
    }
    String::from_utf8(read_bytes(path, limit, meta.len()).ok()??).ok()
}

/// Why the system refused, in words that hold no path.
#[must_use]
pub const fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::PermissionDenied => "may not be read",
        ErrorKind::NotFound => "does not exist",
        _ => "cannot be read",
    }
}
