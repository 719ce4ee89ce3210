//! One version of a cited file, shared by its citations.

use std::collections::HashMap;
use std::ops::Range;

use staleness_core::knowledge::{Citation, Cited, Lines};

use super::query::Cite;
use super::room::{Full, Room};
use crate::git::lines::{Numbers, Text};
use crate::symbols;
use crate::symbols::split;

/// A version of a file. Repeated lookups are cached.
pub(crate) struct Version<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) lines: Vec<&'t [u8]>,
    held: HashMap<&'t str, bool>,
    extents: HashMap<&'t str, Option<Range<usize>>>,
}

impl<'t> Version<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        let lines = split(bytes).collect();
        Self { bytes, lines, held: HashMap::new(), extents: HashMap::new() }
    }

    pub(crate) fn holds(&mut self, symbol: &'t str, room: &mut Room) -> Result<bool, Full> {
        if let Some(known) = self.held.get(symbol) {
            return Ok(*known);
        }
        room.take(self.bytes.len())?;
        let holds = symbols::holds(self.bytes, symbol);
        self.held.insert(symbol, holds);
        Ok(holds)
    }

    /// Returns the part of a citation that this version lacks.
    pub(crate) fn lack(
        &mut self,
        citation: &'t Citation,
        room: &mut Room,
    ) -> Result<Option<Cited>, Full> {
        if let Some(symbol) = &citation.symbol
            && !self.holds(symbol, room)?
        {
            return Ok(Some(Cited::Symbol));
        }
        Ok(citation.lines.filter(|lines| !self.has(lines)).map(|_| Cited::Lines))
    }

    fn has(&self, lines: &Lines) -> bool {
        let Lines { first, last } = *lines;
        first >= 1 && first <= last && last as usize <= self.lines.len()
    }

    /// Returns the cited lines, counted from 0.
    pub(crate) fn extent(
        &mut self,
        citation: &'t Citation,
        room: &mut Room,
    ) -> Result<Option<Range<usize>>, Full> {
        let symbol = match (&citation.lines, &citation.symbol) {
            (Some(lines), _) => {
                let range = || lines.first as usize - 1..lines.last as usize;
                return Ok(self.has(lines).then(range));
            }
            (None, Some(symbol)) => symbol,
            (None, None) => return Ok(None),
        };
        if let Some(known) = self.extents.get(&**symbol) {
            return Ok(known.clone());
        }
        room.take(self.bytes.len())?;
        let extent = symbols::extent(self.bytes, symbol);
        self.extents.insert(symbol, extent.clone());
        Ok(extent)
    }

    /// Returns the lines to which a citation refers in this version, or the final answer if it was never valid.
    pub(crate) fn part(
        &mut self,
        newer: &mut Self,
        citation: &'t Citation,
        room: &mut Room,
    ) -> Result<Result<Option<Range<usize>>, Cite>, Full> {
        Ok(match self.lack(citation, room)? {
            None => Ok(self.extent(citation, room)?),
            Some(lack) => Err(match newer.lack(citation, room)? {
                Some(part) => Cite::NeverThere(part),
                None if lack == Cited::Symbol => Cite::Holds,
                None => Cite::Unknown,
            }),
        })
    }
}

/// Removes white space from lines, because formatters change it.
fn without_blanks(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte == b'\n' || !byte.is_ascii_whitespace()).collect()
}

/// A line-by-line match of two versions.
pub(super) struct Matched {
    pub(super) old: Text,
    pub(super) new: Text,
    /// For each line of the old version, its index in the new one.
    pub(super) targets: Vec<Option<u32>>,
}

impl Matched {
    pub(super) fn new(older: &Version<'_>, newer: &Version<'_>) -> Self {
        let mut numbers = Numbers::default();
        let [old, new] = [older, newer].map(|version| numbers.text(&without_blanks(version.bytes)));
        let targets = old.origins(&new);
        Self { old, new, targets }
    }

    /// Returns the index in the new text of the first of these lines, if all of them are there without new lines
    /// between them.
    pub(super) fn kept(&self, lines: Range<usize>) -> Option<usize> {
        let targets = self.targets.get(lines)?;
        let first = (*targets.first()?)?;
        let is_kept = targets.iter().zip(first..).all(|(target, wanted)| *target == Some(wanted));
        is_kept.then_some(first as usize)
    }
}

/// Returns true if lines are distinctive enough to recognise elsewhere.
pub(super) fn is_telling(lines: &[&[u8]]) -> bool {
    lines.iter().any(|line| line.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= 4)
}
