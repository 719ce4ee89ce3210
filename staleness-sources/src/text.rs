//! Bounded reading of other people's files.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The largest configuration file that is read, in bytes.
pub(crate) const MAX_CONFIG_BYTES: u64 = 16 * 1024 * 1024;

/// Result of reading a file.
#[derive(Debug)]
pub(crate) enum Content {
    /// Its text, without a byte-order mark, and where it is no strict JSON as far as that was looked at.
    Text(String, Liberties),
    /// It does not exist.
    Missing,
    /// It cannot be used, and why: `FILE: what`.
    Failed(String),
}

/// Liberties that a JSON text takes and strict JSON does not allow: of each the line, from 1, in which it is
/// taken first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Liberties {
    /// A byte-order mark stands before the text.
    pub(crate) mark: bool,
    /// Line of a comment.
    pub(crate) comment: Option<usize>,
    /// Line of a comma before a closing bracket.
    pub(crate) comma: Option<usize>,
    /// Line of a control character in a string, or of a blank that is none in JSON.
    pub(crate) character: Option<usize>,
}

/// The folders that links in a repository may lead to: the repository itself. A repository is
/// other people's work, and must not make the reader look elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    inside: Vec<PathBuf>,
}

impl Fence {
    pub(crate) fn of<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Self {
        Self { inside: folders.into_iter().map(canonical).collect() }
    }

    /// Returns true if the path, which exists, leads to a place inside.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let target = canonical(path);
        self.inside.iter().any(|folder| target.starts_with(folder))
    }
}

/// The path without links and `..`; the path as given when it cannot be resolved.
pub(crate) fn canonical(path: &Path) -> PathBuf {
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
pub(crate) fn shown(path: &Path) -> String {
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

/// The line, from 1, in which the byte at `offset` lies.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Looks at a path without opening it; `None` when nothing is there. An error says why it may not or cannot be
/// read.
pub(crate) fn look(path: &Path, fence: Option<&Fence>) -> Result<Option<Metadata>, &'static str> {
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

/// Reads a configuration file of at most `limit` bytes.
pub(crate) fn read_config(path: &Path, fence: Option<&Fence>, limit: u64) -> Content {
    check_config(path, fence, limit)
        .and_then(|_| load_config(path, limit))
        .map_or_else(|failed| failed, |(bytes, _)| config_text(path, bytes))
}

/// Looks at a configuration file without opening it.
pub(crate) fn check_config(
    path: &Path,
    fence: Option<&Fence>,
    limit: u64,
) -> Result<Metadata, Content> {
    match look(path, fence) {
        Ok(None) => Err(Content::Missing),
        Err(what) => Err(failed(path, what)),
        Ok(Some(meta)) if !meta.is_file() => Err(failed(path, "is not a file")),
        Ok(Some(meta)) if meta.len() > limit => Err(too_large(path, limit)),
        Ok(Some(meta)) => Ok(meta),
    }
}

/// Reads the bytes of a file, and its metadata as of before the reading.
pub(crate) fn load_config(path: &Path, limit: u64) -> Result<(Vec<u8>, Metadata), Content> {
    let read = || {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(limit)).unwrap_or(0) + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
        Ok((bytes, meta))
    };
    match read() {
        Err(error) => Err(failed(path, reason(std::io::Error::kind(&error)))),
        Ok((bytes, _)) if bytes.len() as u64 > limit => Err(too_large(path, limit)),
        Ok(loaded) => Ok(loaded),
    }
}

/// The text of a configuration file.
pub(crate) fn config_text(path: &Path, bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
            Content::Failed(format!("{}:{line}: is not UTF-8", shown(path)))
        }
        Ok(text) if text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {
            Content::Failed(format!("{}:1: is empty", shown(path)))
        }
        Ok(text) => {
            let mark = text.starts_with('\u{feff}');
            Content::Text(without_mark(text), Liberties { mark, ..Liberties::default() })
        }
    }
}

fn failed(path: &Path, what: &str) -> Content {
    Content::Failed(format!("{}: {what}", shown(path)))
}

fn too_large(path: &Path, limit: u64) -> Content {
    failed(path, &format!("is larger than {} MiB", limit >> 20))
}

fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
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
pub(crate) fn read_small(path: &Path, limit: u64) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() == 0 || meta.len() > limit {
        return None;
    }
    String::from_utf8(read_bytes(path, limit, meta.len()).ok()??).ok()
}

/// The beginning of a text file: at most `head` bytes of a file of at most `limit` bytes.
pub(crate) fn read_head(path: &Path, limit: u64, head: u64) -> Result<String, &'static str> {
    let meta = fs::metadata(path).map_err(|error| reason(error.kind()))?;
    if !meta.is_file() {
        return Err("is not a file");
    }
    if meta.len() > limit {
        return Err("is larger than 1 MiB");
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(head).read_to_end(&mut bytes))
        .map_err(|error| reason(error.kind()))?;
    let cut = bytes.len() as u64 == head;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(without_mark(text)),
        // The cut may go through a character.
        Err(error) if cut && error.utf8_error().error_len().is_none() => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).map_err(|_| "is not UTF-8")
        }
        Err(_) => Err("is not UTF-8"),
    }
}

/// Returns true if a folder can be listed and is not empty: an unmounted home proves nothing.
pub(crate) fn is_there(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok()))
}

/// Why the system refused, in words that hold no path.
pub(crate) const fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::PermissionDenied => "may not be read",
        ErrorKind::NotFound => "does not exist",
        _ => "cannot be read",
    }
}
