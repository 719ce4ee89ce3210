//! The files that the checked-out commit holds.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::text::written;

use super::{GitError, Repo};

/// The most files that are listed, and the most bytes of their paths.
const MAX_FILES: usize = 1_000_000;
const MAX_PATH_BYTES: usize = 64 * 1024 * 1024;
/// The most paths that are not UTF-8 that are kept.
const MAX_UNNAMED: usize = 1_000;

/// What a tracked path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// The root of a submodule, a repository of its own.
    Submodule,
}

/// The files of the project that are tracked in the checked-out commit, by path relative to the
/// project's folder.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    files: BTreeMap<Box<str>, TrackedKind>,
    /// Paths that are not UTF-8, the bytes that are none as `\xE9`: the first 1,000.
    pub unnamed: Vec<String>,
    /// Whether there are more files than are listed.
    pub cut: bool,
}

impl Tracked {
    /// Every path in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TrackedKind)> {
        self.files.iter().map(|(path, kind)| (&**path, *kind))
    }

    /// What this path is; `None` for a folder and for what is not tracked.
    #[must_use]
    pub fn kind(&self, path: &str) -> Option<TrackedKind> {
        self.files.get(path).copied()
    }

    /// Whether this is a tracked file, or a folder that holds one.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.files.contains_key(path) || {
            let below = format!("{path}/");
            self.files
                .range::<str, _>((Bound::Included(&*below), Bound::Unbounded))
                .next()
                .is_some_and(|(first, _)| first.starts_with(&below))
        }
    }

    /// How many files are tracked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether nothing is tracked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Repo {
    /// The files that are tracked in the checked-out commit. Asked anew each time.
    ///
    /// # Errors
    /// When git fails.
    pub fn tracked(&self) -> Result<Tracked, GitError> {
        let head = self.head.id.to_string();
        let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", &head];
        if !self.place.prefix.is_empty() {
            arguments.extend(["--", &self.place.prefix]);
        }
        let mut process = self.place.start(&arguments)?;
        let mut tracked = Tracked::default();
        let (mut record, mut bytes) = (Vec::new(), 0);
        loop {
            bytes += record.len();
            match process.record(0, &mut record) {
                Ok(true) if tracked.files.len() >= MAX_FILES || bytes >= MAX_PATH_BYTES => {
                    tracked.cut = true;
                    return Ok(tracked);
                }
                Ok(true) => self.enter(&record, &mut tracked)?,
                Ok(false) => break,
                Err(_) => return Err(process.post_mortem()),
            }
        }
        process.finish()?;
        Ok(tracked)
    }

    /// Reads `<mode> <sort> <id>\t<path>`.
    fn enter(&self, record: &[u8], tracked: &mut Tracked) -> Result<(), GitError> {
        let garbled = || GitError::garbled("a list of files");
        let tab = record.iter().position(|byte| *byte == b'\t').ok_or_else(garbled)?;
        let mut words = record[..tab].split(|byte| *byte == b' ');
        let kind = match words.next().ok_or_else(garbled)? {
            b"120000" => TrackedKind::Link,
            b"160000" => TrackedKind::Submodule,
            _ => TrackedKind::File,
        };
        let Some(path) = self.place.own(&record[tab + 1..]) else { return Ok(()) };
        match std::str::from_utf8(path) {
            Ok(path) => {
                tracked.files.insert(path.into(), kind);
            }
            Err(_) if tracked.unnamed.len() < MAX_UNNAMED => {
                tracked.unnamed.push(written(path, "\\x"));
            }
            Err(_) => {}
        }
        Ok(())
    }
}
