//! Reads one document.

use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use staleness_core::knowledge::ItemKind;
use staleness_core::time::Timestamp;

use crate::disk::{Fence, look, read_bytes, reason};
use crate::nature::History;

#[derive(Clone, Debug)]
pub(crate) struct DocFile {
    pub(crate) path: PathBuf,
    /// True if the file is in the project. The key of such a file is its path in the project.
    pub(crate) inside: bool,
    /// True if the checked-out commit contains the file.
    pub(crate) tracked: bool,
    /// True if a client loads the file automatically.
    pub(crate) loaded: bool,
    pub(crate) history: History,
    /// The item kind that the policy assigns.
    pub(crate) kind: Option<ItemKind>,
}

/// The text of a document and its modification time.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) written: Timestamp,
}

/// Reads a document of at most `limit` bytes. The path must be within the fence.
pub(crate) fn read(path: &Path, limit: u64, fence: Option<&Fence>) -> Result<Text, String> {
    let meta = look(path, fence)?.ok_or("does not exist")?;
    if meta.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !meta.is_file() {
        return Err("is not a file".to_owned());
    }
    let too_large = || format!("is larger than {limit} bytes");
    if meta.len() > limit {
        return Err(too_large());
    }
    let (bytes, _) = read_bytes(path, limit).map_err(reason)?.ok_or_else(too_large)?;
    if bytes.contains(&0) {
        return Err("is binary".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        format!("is not UTF-8 in line {}", 1 + valid.iter().filter(|b| **b == b'\n').count())
    })?;
    let written = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .map_or(Timestamp::default(), Timestamp::from_millis);
    Ok(Text { text, written })
}

/// Returns a path with `/` as separator. Invalid UTF-8 is replaced, so a file with such a path cannot be opened by its
/// key and counts as missing.
pub(crate) fn key_of(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        })
        .collect();
    parts.join("/")
}
