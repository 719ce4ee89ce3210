//! Finds the version of a cited file that a reader verified. That version may have been committed after the
//! verification, and the lines may have moved since then.

use std::collections::HashSet;
use std::ops::Range;

use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Citation, Lines};

use super::query::CitationQuery;
use super::room::{Citations, Room};
use super::version::{Matched, Version, is_telling};
use crate::git::history::{Anchor, Held};
use crate::git::objects::{Oid, TrackedKind};
use crate::git::process::GitError;
use crate::symbols::split;

/// Maximum number of lines to hash when looking for a digest. Overlapping ranges count each time.
const MAX_DIGESTED: usize = 2_000_000;
/// Cost per byte of searching a text for a digest, in addition to reading it.
const LOOKED: usize = 8;
/// Maximum number of commits after a verification in which to look for the verified contents.
const MAX_COMMITS: usize = 16;

/// The version of a file in which a citation was verified.
pub(super) struct Seen {
    pub(super) file: Oid,
    bytes: Vec<u8>,
    /// The verified lines, counted from 0.
    pub(super) lines: Range<usize>,
    /// Index of the commit in the list of commits.
    pub(super) place: Option<usize>,
}

impl Citations<'_> {
    /// Finds the version of a cited file that matches the digest: the version that was checked out at the verification,
    /// or otherwise the first matching one committed after it. Returns `None` if no version matches.
    pub(super) fn seen(
        &mut self,
        citation: &Citation,
        then: Option<Oid>,
        (_, place): (Oid, Option<usize>),
    ) -> Result<Option<Seen>, GitError> {
        if citation.digest.is_none() {
            return Ok(None);
        }
        let after = (0..place.unwrap_or(0)).rev().take(MAX_COMMITS).chain([0]);
        let (mut version, mut place, mut looked_at) = (then, place, HashSet::new());
        for next in after.map(Some).chain([None]) {
            if let Some(file) = version.filter(|file| looked_at.insert(*file))
                && let Some(bytes) = self.cited_text(file)?
            {
                if let Some(lines) = place_of(citation, &bytes) {
                    return Ok(Some(Seen { file, bytes, lines, place }));
                }
                // All lines of the text were hashed.
                let _ = self.room.take(LOOKED * bytes.len());
            }
            if let Some(next) = next {
                version = file_of(self.history.held_at(next, &citation.path)?);
                place = Some(next);
            }
        }
        Ok(None)
    }

    pub(crate) fn follow(
        &mut self,
        query: &CitationQuery<'_>,
        text: &[u8],
    ) -> Result<Option<Lines>, GitError> {
        let citation = query.citation;
        let Some((commit, place)) = self.history.anchor(query.verified)? else { return Ok(None) };
        let then = file_of(self.history.look_up(commit, &citation.path)?);
        let (bytes, lines) = match (self.seen(citation, then, (commit, place))?, then) {
            (Some(seen), _) => (seen.bytes, Some(seen.lines)),
            (None, None) => return Ok(None),
            (None, Some(file)) => {
                let Some(bytes) = self.history.text(file)? else { return Ok(None) };
                let lines = extent(citation, &bytes);
                (bytes, lines)
            }
        };
        Ok(lines.and_then(|lines| lines_in(&bytes, lines, text)).and_then(numbered))
    }

    /// Returns the time of a verification, from which days are counted.
    pub(super) fn moment(
        &mut self,
        verified: Anchor,
        commit: Oid,
    ) -> Result<staleness_core::time::Timestamp, GitError> {
        Ok(match verified {
            Anchor::At(at) => at,
            Anchor::Commit(_) => {
                self.history.commit(commit)?.map_or(self.history.head.at, |commit| commit.at)
            }
        })
    }
}

/// Returns the range in `newer` that contains the given lines of `older`, or the lines that replaced them.
fn lines_in(older: &[u8], lines: Range<usize>, newer: &[u8]) -> Option<Range<usize>> {
    let (older, newer) = (Version::new(older), Version::new(newer));
    let matched = Matched::new(&older, &newer);
    if let Some(first) = matched.kept(lines.clone()) {
        return Some(first..first + lines.len());
    }
    if is_telling(older.lines.get(lines.clone())?)
        && matched.old.as_often(lines.clone(), &matched.new)
    {
        let first = matched.old.nearest(lines.clone(), &matched.new)?;
        return Some(first..first + lines.len());
    }
    let after = |line: usize| Some((*matched.targets.get(line)?)? as usize);
    let start = match lines.start.checked_sub(1) {
        Some(before) => after(before)? + 1,
        None => 0,
    };
    let end = match lines.end == matched.targets.len() {
        true => matched.new.len(),
        false => after(lines.end)?,
    };
    (start < end).then_some(start..end)
}

/// Returns the cited lines, counted from 0.
fn extent(citation: &Citation, text: &[u8]) -> Option<Range<usize>> {
    Version::new(text).extent(citation, &mut Room::of(u64::MAX)).ok()?
}

fn file_of(held: Option<Held>) -> Option<Oid> {
    held.filter(|(kind, _)| *kind == TrackedKind::File).map(|(_, file)| file)
}

/// Converts a range counted from 0 to line numbers, which start at 1.
fn numbered(lines: Range<usize>) -> Option<Lines> {
    let number = |count: usize| u32::try_from(count).ok();
    Some(Lines { first: number(lines.start + 1)?, last: number(lines.end)? })
}

/// Finds the lines that match the digest of a citation: the cited ones, or else the nearest match that is
/// distinctive enough to recognise.
pub(crate) fn seen_in(citation: &Citation, text: &[u8]) -> Option<Lines> {
    place_of(citation, text).and_then(numbered)
}

fn place_of(citation: &Citation, text: &[u8]) -> Option<Range<usize>> {
    let digest = u128::from_str_radix(citation.digest.as_deref()?, 16).ok()?;
    let all: Vec<&[u8]> = split(text).collect();
    let is_seen = |lines: &Range<usize>| hash_of(&all[lines.clone()]) == digest;
    if let Some(lines) = extent(citation, text).filter(is_seen) {
        return Some(lines);
    }
    let named = citation.lines?;
    let first = (named.first as usize).checked_sub(1)?;
    let count = (named.last as usize).checked_sub(first).filter(|count| *count > 0)?;
    let places = (all.len() + 1).checked_sub(count)?;
    if places.saturating_mul(count) > MAX_DIGESTED {
        return None;
    }
    let elsewhere = (0..places).map(|start| start..start + count);
    let found = elsewhere.filter(|lines| is_telling(&all[lines.clone()]) && is_seen(lines));
    found.min_by_key(|lines| lines.start.abs_diff(first))
}

/// Hashes lines without their trailing white space.
fn hash_of(lines: &[&[u8]]) -> u128 {
    let mut cited = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        cited.extend_from_slice(line.trim_ascii_end());
        cited.push(b'\n');
    }
    stable_hash(&cited)
}

/// Returns the digest of a cited part of `text` in hexadecimal: of its lines, or of the item that its symbol
/// names. Trailing white space does not count. Returns `None` if the part does not exist or has no clear end,
/// and for a citation of a whole file.
pub fn cited_digest(text: &[u8], citation: &Citation) -> Option<String> {
    let lines = extent(citation, text)?;
    let all: Vec<&[u8]> = split(text).skip(lines.start).take(lines.len()).collect();
    Some(format!("{:032x}", hash_of(&all)))
}
