//! Caches outlines of large files by size, time and digest.

use std::fmt::{self, Debug};
use std::fs::Metadata;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use staleness_core::Timestamp;
use staleness_core::ids::stable_hash;

use crate::json::Fault;
use crate::outline::{Shape, outline};
use crate::text::{Content, Liberties, MAX_CONFIG_BYTES, json_text, load_config};
use staleness_docs::disk::shown;

/// Size in bytes above which a file's outline is cached.
pub(crate) const LARGE: u64 = 1024 * 1024;

/// Minimum age of the last change, in nanoseconds. A younger file may change again without a new timestamp,
/// because some file systems store times in steps of two seconds.
const SETTLED_AFTER: i128 = 2_000_000_000;

/// A cache for outlines of large files. It may forget entries at any time.
pub trait Outlines: Debug {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns the outline last stored under a key.
    fn get(&self, key: &str) -> Option<Outline>;

    /// Stores an outline. Keys have up to 60 letters, digits and `-`.
    fn put(&self, key: &str, outline: &Outline);
}

/// The outline of one file. It contains no values of `env`, `args`, `headers`, URLs or commands.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    /// Size, times and inode of the file. While they are unchanged, the file is not opened. `None` if the
    /// file was changed too recently.
    pub stamp: Option<String>,
    /// A hash of the whole file. While it is unchanged, the file is not parsed.
    pub digest: String,
    /// The outline as JSON, or the reason why the file cannot be used.
    pub content: Result<String, String>,
    /// The lines where the file is not strict JSON.
    pub liberties: Liberties,
}

impl Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outline").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

/// Reads the outline of a large file, from the cache if the file is unchanged.
pub(crate) fn read(
    outlines: &dyn Outlines,
    key: &str,
    path: &Path,
    meta: &Metadata,
    shape: &'static Shape,
) -> Content {
    let now = outlines.now();
    let known = outlines.get(key);
    if let Some(stamp) = stamp(meta, now)
        && let Some(known) = known.as_ref().filter(|known| known.stamp.as_ref() == Some(&stamp))
    {
        return known.clone().into();
    }
    let (bytes, meta) = match load_config(path, MAX_CONFIG_BYTES) {
        Ok(loaded) => loaded,
        Err(content) => return content,
    };
    let (digest, stamp) = (digest(&bytes), stamp(&meta, now));
    let (content, liberties) = match known {
        Some(known) if known.digest == digest => {
            if known.stamp == stamp {
                return known.into();
            }
            (known.content, known.liberties)
        }
        _ => match outline_of(path, bytes, shape) {
            Content::Text(text, liberties) => (Ok(text), liberties),
            Content::Failed(why) => (Err(why), Liberties::default()),
            Content::Missing => return Content::Missing,
        },
    };
    let outline = Outline { stamp, digest, content, liberties };
    outlines.put(key, &outline);
    outline.into()
}

impl From<Outline> for Content {
    fn from(outline: Outline) -> Self {
        outline.content.map_or_else(Self::Failed, |text| Self::Text(text, outline.liberties))
    }
}

/// A function that creates the outline of a text.
pub(crate) type Outlining<'a> = dyn Fn(&str) -> Result<(String, Liberties), Fault> + 'a;

pub(crate) fn outline_of(path: &Path, bytes: Vec<u8>, shape: &'static Shape) -> Content {
    outlined(path, bytes, &|text| outline(text, shape))
}

pub(crate) fn outlined(path: &Path, bytes: Vec<u8>, outline: &Outlining<'_>) -> Content {
    match json_text(path, bytes) {
        Content::Text(text, Liberties { mark, .. }) => match outline(&text) {
            Ok((outline, liberties)) => Content::Text(outline, Liberties { mark, ..liberties }),
            Err((line, what)) => Content::Failed(format!("{}:{line}: {what}", shown(path))),
        },
        other => other,
    }
}

/// Returns the cache key of a file that is read with a certain shape.
pub(crate) fn key(path: &Path, version: u32, kind: &str) -> String {
    format!("{kind}-{version}-{}", digest(path.as_os_str().as_encoded_bytes()))
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", stable_hash(bytes))
}

/// Returns the stamp of a file, or `None` if it was changed so recently that another change might go
/// unnoticed.
pub(crate) fn stamp(file: &Metadata, now: Timestamp) -> Option<String> {
    let modified = nanoseconds(file.modified().ok()?);
    #[cfg(unix)]
    let (changed, number) = {
        use std::os::unix::fs::MetadataExt;
        let changed = i128::from(file.ctime()) * 1_000_000_000 + i128::from(file.ctime_nsec());
        (changed, file.ino())
    };
    #[cfg(not(unix))]
    let (changed, number) = (modified, 0);
    let read = i128::from(now.as_millis()) * 1_000_000;
    (modified.max(changed) + SETTLED_AFTER < read)
        .then(|| format!("{} {modified} {changed} {number}", file.len()))
}

fn nanoseconds(time: SystemTime) -> i128 {
    let nanoseconds = |span: std::time::Duration| i128::try_from(span.as_nanos()).unwrap_or(0);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => nanoseconds(since),
        Err(before) => -nanoseconds(before.duration()),
    }
}
