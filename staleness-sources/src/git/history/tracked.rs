//! The files that the checked-out commit holds.

use super::timeline::History;
use crate::git::process::GitError;
use crate::text::written;

/// The most files that are listed, and the most bytes of their paths.
const MAX_FILES: usize = 1_000_000;
const MAX_PATH_BYTES: usize = 48 * 1024 * 1024;
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
    /// The end of each path in `text`, in the order of the paths.
    files: Vec<(u32, TrackedKind)>,
    text: String,
    /// Paths that are not UTF-8, the bytes that are none as `\xE9`: the first 1,000.
    pub unnamed: Vec<String>,
    /// True if there are more files than are listed.
    pub cut: bool,
}

impl Tracked {
    /// Every path in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TrackedKind)> {
        (0..self.files.len()).map(|at| self.get(at))
    }

    fn get(&self, at: usize) -> (&str, TrackedKind) {
        let start = at.checked_sub(1).map_or(0, |before| self.files[before].0 as usize);
        let (end, kind) = self.files[at];
        (&self.text[start..end as usize], kind)
    }

    /// The place of the first path that is not before this one.
    fn place(&self, path: &str) -> usize {
        let (mut first, mut end) = (0, self.files.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if self.get(middle).0 < path { first = middle + 1 } else { end = middle }
        }
        first
    }

    /// What this path is; `None` for a folder and for what is not tracked.
    #[must_use]
    pub fn kind(&self, path: &str) -> Option<TrackedKind> {
        let at = self.place(path);
        (at < self.files.len()).then(|| self.get(at)).filter(|it| it.0 == path).map(|it| it.1)
    }

    /// Returns true if this is a tracked file, or a folder that holds one.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.kind(path).is_some() || {
            let below = format!("{path}/");
            let at = self.place(&below);
            at < self.files.len() && self.get(at).0.starts_with(&below)
        }
    }

    /// How many files are tracked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns true if nothing is tracked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl History {
    pub(crate) fn tracked(&self) -> Result<Tracked, GitError> {
        let head = self.head.id.to_string();
        let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", &head];
        if !self.place.prefix.is_empty() {
            arguments.extend(["--", &self.place.prefix]);
        }
        let mut process = self.place.start(&arguments)?;
        let mut tracked = Tracked::default();
        let mut record = Vec::new();
        loop {
            match process.record(0, &mut record) {
                Ok(true)
                    if tracked.files.len() >= MAX_FILES || tracked.text.len() >= MAX_PATH_BYTES =>
                {
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
                let before = tracked.files.len().checked_sub(1).map(|last| tracked.get(last).0);
                // Paths come in order, each once, but for those of a damaged tree.
                if before.is_none_or(|before| before < path) {
                    tracked.text.push_str(path);
                    let end = u32::try_from(tracked.text.len()).unwrap_or(u32::MAX);
                    tracked.files.push((end, kind));
                }
            }
            Err(_) if tracked.unnamed.len() < MAX_UNNAMED => {
                tracked.unnamed.push(written(path, "\\x"));
            }
            Err(_) => {}
        }
        Ok(())
    }
}
