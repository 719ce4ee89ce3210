use staleness_core::ids::stable_hash;

use super::timeline::History;
use crate::git::objects::{Commit, TrackedKind};
use crate::git::process::{GitError, Watch};
use crate::symbols::split;

/// A file to date.
#[derive(Clone, Copy, Debug)]
pub struct LifeQuery<'a> {
    /// Path of the file, relative to the project's folder.
    pub path: &'a str,
    /// [`text_digest`] of the file's text on disk.
    pub text: u128,
}

/// The dates of a file in the checked-out commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// The commit that added the file, under any name. For a shallow history or a file with very many edits,
    /// the oldest known commit.
    pub first: Commit,
    /// The commit that last edited the file. `None` if the text on disk is not committed.
    pub last: Option<Commit>,
}

/// Hashes a text. Line endings and the white space before them do not count.
pub fn text_digest(text: &[u8]) -> u128 {
    let mut plain = Vec::with_capacity(text.len());
    for line in split(text) {
        plain.extend_from_slice(line.trim_ascii_end());
        plain.push(b'\n');
    }
    stable_hash(&plain)
}

impl History {
    pub(crate) fn lives(
        &mut self,
        files: &[LifeQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Option<Life>>, GitError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
        let trails = self.trails(&paths, watch)?;
        let mut lives = Vec::with_capacity(files.len());
        for (file, trail) in files.iter().zip(trails) {
            let found = self.held_at(0, file.path)?;
            let Some((TrackedKind::File, id)) = found else {
                lives.push(None);
                continue;
            };
            let is_as_committed = self.text(id)?.is_none_or(|text| text_digest(&text) == file.text);
            let commits = &self.past()?.commits;
            let of = |place: u32| commits.get(place as usize).copied();
            let newest = trail.versions.first().and_then(|version| of(version.commit));
            let oldest = match trail.versions.last() {
                Some(version) if version.old.is_null() || trail.cut => of(version.commit),
                _ => commits.last().copied(),
            };
            lives.push(oldest.map(|first| Life {
                first,
                last: is_as_committed.then(|| newest.unwrap_or(first)),
            }));
        }
        Ok(lives)
    }
}
