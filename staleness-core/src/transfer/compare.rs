//! Line-by-line comparison of two exports.

use std::cmp::Ordering;
use std::hash::Hasher as _;

use siphasher::sip128::{Hasher128, SipHasher13};

use super::check::Place;
use super::{KINDS, Record};

/// The index of the journal in [`KINDS`].
const JOURNAL: usize = KINDS.len() - 1;

/// The state of a record in a copy compared with the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The record is identical on both sides.
    Same,
    /// The copy does not have the record.
    Missing,
    /// The copy has an older version of the record.
    Older,
    /// The copy has a different record in this place that is not an older version, or its journal has a gap here.
    Other,
    /// Only the copy has the record.
    Foreign,
}

/// The contents of a collection in one of the two exports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The number of records.
    pub records: u64,
    /// A digest of the lines in order. It detects accidental differences, not attacks.
    pub digest: u128,
}

/// The comparison of one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The name of the collection.
    pub name: &'static str,
    /// The contents of the original.
    pub original: Contents,
    /// The contents of the copy.
    pub copy: Contents,
    /// Records that are identical on both sides.
    pub same: u64,
    /// Records that the copy does not have.
    pub missing: u64,
    /// Records of which the copy has an older version.
    pub older: u64,
    /// Records of which the copy has a different version that is not older.
    pub other: u64,
    /// Records that only the copy has.
    pub foreign: u64,
}

impl Compared {
    /// Returns true if both sides are identical.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.original == self.copy && self.missing + self.older + self.other + self.foreign == 0
    }

    /// Returns true if the copy is a subset or an earlier state of the original.
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.other + self.foreign == 0
    }
}

/// Compares two exports record by record, without storing records.
///
/// The caller reads the next line of each side and calls [`Comparison::next`], which says how they compare
/// and which side to advance. Outcomes and journal entries are identified only by their position, so a copy
/// must contain the first of them without gaps.
#[derive(Debug, Default)]
pub struct Comparison {
    tallies: [Tally; KINDS.len()],
    /// True if the last pair were identical journal entries.
    in_journal: bool,
}

/// The hashes of a collection's lines on both sides, and the number of records in each standing.
#[derive(Debug, Default)]
struct Tally {
    original: SipHasher13,
    copy: SipHasher13,
    standings: [u64; 5],
}

impl Comparison {
    /// Creates a comparison. Header lines must be skipped.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares the next record, given the next line of each side. Returns `None` at the end of both.
    ///
    /// Advance the original after every result except [`Standing::Foreign`], and the copy after every result
    /// except [`Standing::Missing`].
    ///
    /// # Errors
    /// If a line is invalid; the text explains why.
    pub fn next(
        &mut self,
        original: Option<&str>,
        copy: Option<&str>,
    ) -> Result<Option<Standing>, String> {
        let standing = match (original, copy) {
            (None, None) => return Ok(None),
            (Some(line), None) => self.lacking(line)?,
            (None, Some(_)) => Standing::Foreign,
            (Some(one), Some(other)) if one == other => Standing::Same,
            (Some(one), Some(other)) => judge(one, other)?,
        };
        let line = if standing == Standing::Foreign { copy } else { original };
        let kind = kind_of(line.unwrap_or_default())?;
        self.in_journal = kind == JOURNAL && standing == Standing::Same;
        let tally = &mut self.tallies[kind];
        tally.standings[standing as usize] += 1;
        let of_original = original.filter(|_| standing != Standing::Foreign);
        let of_copy = copy.filter(|_| standing != Standing::Missing);
        for (hasher, line) in [(&mut tally.original, of_original), (&mut tally.copy, of_copy)] {
            if let Some(line) = line {
                hasher.write(line.as_bytes());
                hasher.write_u8(b'\n');
            }
        }
        Ok(Some(standing))
    }

    /// Returns the result for each collection so far, in the order of an export.
    #[must_use]
    pub fn collections(&self) -> Vec<Compared> {
        let compared = |((_, name), tally): (&(&str, &'static str), &Tally)| {
            let Tally { original, copy, standings } = tally;
            let [same, missing, older, other, foreign] = *standings;
            let both = same + older + other;
            let contents = |only, hasher: &SipHasher13| Contents {
                records: both + only,
                digest: hasher.finish128().as_u128(),
            };
            let (original, copy) = (contents(missing, original), contents(foreign, copy));
            Compared { name, original, copy, same, missing, older, other, foreign }
        };
        KINDS.iter().zip(&self.tallies).map(compared).collect()
    }

    /// Handles a record after the end of the copy. A journal revision is one commit, so a copy that ends
    /// within one differs from the original.
    fn lacking(&self, line: &str) -> Result<Standing, String> {
        if self.in_journal
            && let Record::Journal(entry) = Record::read(line)?
            && entry.index > 0
        {
            return Ok(Standing::Other);
        }
        Ok(Standing::Missing)
    }
}

/// Compares two different lines.
fn judge(original: &str, copy: &str) -> Result<Standing, String> {
    let (kind, other) = (kind_of(original)?, kind_of(copy)?);
    if kind != other {
        return Ok(if kind < other { Standing::Missing } else { Standing::Foreign });
    }
    let (row, known) = (Record::read(original)?, Record::read(copy)?);
    Ok(match Place::of(&row).cmp(&Place::of(&known)) {
        // The journal is only appended to, so a missing entry never arrives later.
        Ordering::Less if kind == JOURNAL => Standing::Other,
        Ordering::Less => Standing::Missing,
        Ordering::Greater => Standing::Foreign,
        Ordering::Equal if row.follows(&known) => Standing::Older,
        Ordering::Equal => Standing::Other,
    })
}

/// Returns the index of a line's kind in [`KINDS`].
fn kind_of(line: &str) -> Result<usize, String> {
    let word = line.strip_prefix("{\"kind\":\"").and_then(|rest| rest.split('"').next());
    KINDS
        .iter()
        .position(|(kind, _)| Some(*kind) == word)
        .ok_or_else(|| "not the line of a record".into())
}
