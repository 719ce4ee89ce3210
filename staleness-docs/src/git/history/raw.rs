//! The list of changed files that `git diff-tree --raw -z` prints.

use std::io;

use staleness_core::time::Timestamp;

use crate::git::objects::{Commit, Oid, TrackedKind, at_seconds};
use crate::git::process::Process;

/// One record of the list.
#[derive(Debug)]
pub(crate) enum Raw {
    /// The commit of the changes that follow.
    Commit(Commit),
    /// A changed file. Its path is in the reader.
    Change(Change),
}

/// A change to one file between two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Kind before the change. `None` if the file did not exist.
    pub(crate) was: Option<TrackedKind>,
    /// Kind after the change. `None` if the file was removed.
    pub(crate) is: Option<TrackedKind>,
    pub(crate) old: Oid,
    pub(crate) new: Oid,
    /// `A`, `C`, `D`, `M`, `R` or `T`.
    pub(crate) status: u8,
    /// Similarity of a renamed file, in percent.
    pub(crate) score: u8,
}

impl Change {
    /// Returns true if the path was a regular file before the change.
    pub(crate) fn was_file(&self) -> bool {
        self.was == Some(TrackedKind::File)
    }

    /// Returns true if the path is a regular file after the change.
    pub(crate) fn is_file(&self) -> bool {
        self.is == Some(TrackedKind::File)
    }
}

/// Reads the list record by record.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    field: Vec<u8>,
    /// The path of the last change; before a rename, its old path.
    pub(crate) path: Vec<u8>,
    /// The new path of a renamed file.
    pub(crate) target: Vec<u8>,
    /// The first two parents of the last commit, if that commit is a merge and its parents are listed.
    pub(crate) sides: Option<[Oid; 2]>,
}

impl Reader {
    /// Returns the next record, or `None` at the end.
    pub(crate) fn next(&mut self, process: &mut Process) -> io::Result<Option<Raw>> {
        if !process.record(0, &mut self.field)? {
            return Ok(None);
        }
        let field = self.field.strip_prefix(b"\n").unwrap_or(&self.field);
        let Some(change) = field.strip_prefix(b":") else {
            let (commit, sides) = header(field).ok_or_else(garbled)?;
            self.sides = sides;
            return Ok(Some(Raw::Commit(commit)));
        };
        let change = parse(change).ok_or_else(garbled)?;
        if !process.record(0, &mut self.path)? {
            return Err(garbled());
        }
        if matches!(change.status, b'R' | b'C') && !process.record(0, &mut self.target)? {
            return Err(garbled());
        }
        Ok(Some(Raw::Change(change)))
    }
}

fn garbled() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Parses `<id> <seconds>` and the parents.
pub(super) fn header(field: &[u8]) -> Option<(Commit, Option<[Oid; 2]>)> {
    let mut words = field.split(|byte| *byte == b' ');
    let (id, at) = (Oid::from_hex(words.next()?)?, seconds(words.next()?)?);
    let mut parents = words.map_while(|word| Oid::from_hex(word.trim_ascii()));
    let sides = parents.next().zip(parents.next()).map(|(one, other)| [one, other]);
    Some((Commit { id, at }, sides))
}

/// Parses seconds since 1970.
pub(crate) fn seconds(digits: &[u8]) -> Option<Timestamp> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok().map(at_seconds)
}

/// Parses `<old mode> <new mode> <old id> <new id> <status>`.
pub(super) fn parse(change: &[u8]) -> Option<Change> {
    let mut words = change.split(|byte| *byte == b' ');
    let mut kind = || {
        let mode = words.next()?;
        Some((mode != b"000000").then(|| TrackedKind::of_mode(mode)))
    };
    let (was, is) = (kind()?, kind()?);
    let (old, new) = (Oid::from_hex(words.next()?)?, Oid::from_hex(words.next()?)?);
    let (status, score) = words.next()?.split_first()?;
    let score = std::str::from_utf8(score).ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    Some(Change { was, is, old, new, status: *status, score })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_stand_in_the_line_that_they_were_read_from(
            line in "([0-7]{6} ){0,2}([0-9a-f]{40}|[0-9a-f]{39}|[0-9a-f]{64}) ([0-9a-f]{40} )?[0-9A-Z]{0,12}",
        ) {
            if let Some(change) = parse(line.as_bytes()) {
                let ids = format!("{} {} ", change.old, change.new);
                prop_assert!(line.contains(&ids), "{}", ids);
            }
            if let Some((commit, _)) = header(line.as_bytes()) {
                prop_assert!(line.starts_with(&commit.id.to_string()));
            }
        }
    }
}
