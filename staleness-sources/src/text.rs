//! Reads untrusted files with size limits.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use staleness_docs::disk::{Fence, look, read_bytes, reason, shown};

/// Maximum size of a configuration file, in bytes.
pub(crate) const MAX_CONFIG_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug)]
pub(crate) enum Content {
    /// The text without a byte-order mark, and the places where it is not strict JSON, if these were checked.
    Text(String, Liberties),
    Missing,
    /// The file cannot be used. Contains the reason as `FILE: what`.
    Failed(String),
}

/// The places where a text is not strict JSON: for each kind, the line of the first one, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Liberties {
    /// True if the text begins with a byte-order mark.
    pub(crate) mark: bool,
    pub(crate) comment: Option<usize>,
    /// The line of a trailing comma.
    pub(crate) comma: Option<usize>,
    /// The line of a control character in a string, or of whitespace that JSON does not allow.
    pub(crate) character: Option<usize>,
}

/// Returns the line, from 1, of the byte at `offset`.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

pub(crate) fn read_config(path: &Path, fence: Option<&Fence>, limit: u64) -> Content {
    let bytes = load_config(path, fence, limit);
    bytes.map_or_else(|failed| failed, |bytes| config_text(path, bytes))
}

/// Returns the bytes of a configuration file of at most `limit` bytes.
pub(crate) fn load_config(
    path: &Path,
    fence: Option<&Fence>,
    limit: u64,
) -> Result<Vec<u8>, Content> {
    match look(path, fence) {
        Ok(None) => Err(Content::Missing),
        Err(what) => Err(failed(path, what)),
        Ok(Some(meta)) if !meta.is_file() => Err(failed(path, "is not a file")),
        Ok(Some(meta)) if meta.len() > limit => Err(too_large(path, limit)),
        Ok(Some(_)) => {
            let read = read_bytes(path, limit).map_err(|kind| failed(path, reason(kind)))?;
            read.map(|(bytes, _)| bytes).ok_or_else(|| too_large(path, limit))
        }
    }
}

pub(crate) fn config_text(path: &Path, bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
            Content::Failed(format!("{}:{line}: not UTF-8", shown(path)))
        }
        Ok(text) if text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {
            Content::Failed(format!("{}:1: the file is empty", shown(path)))
        }
        Ok(text) => {
            let mark = text.starts_with('\u{feff}');
            Content::Text(without_mark(text), Liberties { mark, ..Liberties::default() })
        }
    }
}

/// Returns the text of a JSON file. Like clients, accepts an escape for half a surrogate pair.
pub(crate) fn json_text(path: &Path, bytes: Vec<u8>) -> Content {
    match config_text(path, bytes) {
        Content::Text(text, liberties) => {
            Content::Text(repaired(text.as_bytes()).into_owned(), liberties)
        }
        other => other,
    }
}

/// Returns JSON with replacement characters for invalid UTF-8 and for escapes of half a surrogate pair, as clients
/// read them. Valid UTF-8 keeps its length.
pub fn repaired(json: &[u8]) -> Cow<'_, str> {
    const HALF: usize = "\\ud800".len();
    let text = String::from_utf8_lossy(json);
    let half = |at: usize| {
        let digits = text.get(at..at + HALF)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..=0xdfff).contains(unit))
    };
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(next) = text[at..].find('\\').map(|next| at + next) {
        at = match (half(next), half(next + HALF)) {
            (None, _) => next + 1 + text[next + 1..].chars().next().map_or(0, char::len_utf8),
            (Some(..=0xdbff), Some(0xdc00..)) => next + 2 * HALF,
            _ => {
                out.push_str(&text[kept..next]);
                out.push_str("\\ufffd");
                kept = next + HALF;
                kept
            }
        };
    }
    if kept == 0 {
        return text;
    }
    out.push_str(&text[kept..]);
    out.into()
}

fn failed(path: &Path, what: &str) -> Content {
    Content::Failed(format!("{} {what}", shown(path)))
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

/// Returns up to `head` bytes from the start of a text file. Errors if the file is larger than `limit` bytes.
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
        // The file may have been cut within a character.
        Err(error) if cut && error.utf8_error().error_len().is_none() => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).map_err(|_| "is not UTF-8")
        }
        Err(_) => Err("is not UTF-8"),
    }
}

/// Returns true if a folder can be listed and is not empty. An empty folder may be the mount point of a disk that is
/// not mounted.
pub(crate) fn is_there(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok()))
}
