//! The files in the checked-out commit.

use super::timeline::History;
use crate::git::objects::{Listed, TrackedKind};
use crate::git::process::GitError;
use std::ops::ControlFlow;

use crate::disk::written;

/// Maximum number of listed files, and of bytes of their paths.
const MAX_FILES: usize = 1_000_000;
const MAX_PATH_BYTES: usize = 48 * 1024 * 1024;
/// Maximum number of non-UTF-8 paths to report.
const MAX_UNNAMED: usize = 1_000;

/// The tracked files of the project in the checked-out commit. Paths are relative to the project's folder.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    /// Sorted by path.
    files: Vec<(Box<str>, TrackedKind)>,
    path_bytes: usize,
    /// The first 1,000 paths that are not UTF-8. Invalid bytes are written as `\xE9`.
    pub unnamed: Vec<String>,
    /// True if some files were not listed.
    pub cut: bool,
}

impl Tracked {
    /// Iterates over the paths in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TrackedKind)> {
        self.files.iter().map(|(path, kind)| (&**path, *kind))
    }

    /// Returns the first path that is not less than the given one.
    fn at_or_after(&self, path: &str) -> Option<(&str, TrackedKind)> {
        let at = self.files.partition_point(|(other, _)| **other < *path);
        self.files.get(at).map(|(path, kind)| (&**path, *kind))
    }

    /// Returns the kind of a path, or `None` for a folder or an untracked path.
    pub fn kind(&self, path: &str) -> Option<TrackedKind> {
        self.at_or_after(path).filter(|(found, _)| *found == path).map(|(_, kind)| kind)
    }

    /// Returns true for a tracked file and for a folder that contains one.
    pub fn holds(&self, path: &str) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.kind(path).is_some() || {
            let below = format!("{path}/");
            self.at_or_after(&below).is_some_and(|(found, _)| found.starts_with(&below))
        }
    }
}

impl History {
    pub(crate) fn tracked(&self) -> Result<Tracked, GitError> {
        let mut tracked = Tracked::default();
        self.place.list(self.head.id)?.each_record(0, |record| {
            tracked.cut = tracked.files.len() >= MAX_FILES || tracked.path_bytes >= MAX_PATH_BYTES;
            if tracked.cut {
                return Ok(ControlFlow::Break(()));
            }
            self.enter(record, &mut tracked).map(ControlFlow::Continue)
        })?;
        Ok(tracked)
    }

    fn enter(&self, record: &[u8], tracked: &mut Tracked) -> Result<(), GitError> {
        let Listed { kind, path, .. } = Listed::parse(record)?;
        let Some(path) = self.place.own(path) else { return Ok(()) };
        match std::str::from_utf8(path) {
            Ok(path) => {
                // Git lists each path once and in order, except in a damaged tree.
                if tracked.files.last().is_none_or(|(before, _)| **before < *path) {
                    tracked.path_bytes += path.len();
                    tracked.files.push((path.into(), kind));
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
