//! Comparing two exports line by line.

use std::cmp::Ordering;
use std::hash::Hasher as _;

use siphasher::sip128::{Hasher128, SipHasher13};

use super::Record;
use super::check::Place;

/// The words that lines begin with, and those of the collections that they belong to, in the order of an
/// export.
const KINDS: [(&str, &str); 12] = [
    ("project", "projects"),
    ("source", "sources"),
    ("tool", "tools"),
    ("definition", "definitions"),
    ("knowledge", "knowledge"),
    ("work", "work"),
    ("session", "sessions"),
    ("cursor", "cursors"),
    ("route", "routes"),
    ("vector", "vectors"),
    ("outcome", "outcomes"),
    ("journal", "journal"),
];

/// The last of [`KINDS`].
const JOURNAL: usize = KINDS.len() - 1;

/// The state of a record in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is the same on both sides.
    Same,
    /// The copy lacks it.
    Missing,
    /// The copy has it as it was before.
    Older,
    /// Both have a record in this place, and that of the copy is no older form of the original's; or the
    /// journal of the copy has a gap there.
    Other,
    /// Only the copy has it.
    Foreign,
}

/// The contents of a collection on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The number of records.
    pub records: u64,
    /// A digest of their lines in order. It tells accidents, not attacks.
    pub digest: u128,
}

/// A collection on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The collection.
    pub name: &'static str,
    /// The contents of the original.
    pub original: Contents,
    /// The contents of the copy.
    pub copy: Contents,
    /// Records that are the same on both sides.
    pub same: u64,
    /// Records that the copy lacks.
    pub missing: u64,
    /// Records that the copy has in an older form.
    pub older: u64,
    /// Records that the copy has in a form that is no older one.
    pub other: u64,
    /// Records that only the copy has.
    pub foreign: u64,
}

impl Compared {
    /// Returns true if both sides hold the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.original == self.copy && self.missing + self.older + self.other + self.foreign == 0
    }

    /// Returns true if what the copy holds is what the original held before, or a part of it.
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.other + self.foreign == 0
    }
}

/// Compares the lines of two exports, record by record, and remembers none of them.
///
/// The caller holds the next line of each side and asks [`Comparison::next`] how they stand; of the sides that
/// the answer speaks of it then takes the next line. Outcomes and journal entries have no place but their
/// number: a copy holds the first of them, or it is none.
#[derive(Debug, Default)]
pub struct Comparison {
    tallies: [Tally; KINDS.len()],
    /// The last journal entries were the same.
    in_journal: bool,
}

#[derive(Debug, Default)]
struct Tally {
    original: Side,
    copy: Side,
    standings: [u64; 5],
}

#[derive(Debug, Default)]
struct Side {
    records: u64,
    hasher: SipHasher13,
}

impl Side {
    fn add(&mut self, line: &str) {
        self.records += 1;
        self.hasher.write(line.as_bytes());
        self.hasher.write_u8(b'\n');
    }

    fn contents(&self) -> Contents {
        Contents { records: self.records, digest: self.hasher.finish128().as_u128() }
    }
}

impl Comparison {
    /// Before the first lines; headers are none.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges the next record, given the next line of either side; `None` at the end of both.
    ///
    /// Of the original the next line comes after every answer but [`Standing::Foreign`], of the copy after every
    /// answer but [`Standing::Missing`].
    ///
    /// # Errors
    /// What is wrong with a line, in words.
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
        if let Some(line) = original.filter(|_| standing != Standing::Foreign) {
            tally.original.add(line);
        }
        if let Some(line) = copy.filter(|_| standing != Standing::Missing) {
            tally.copy.add(line);
        }
        Ok(Some(standing))
    }

    /// The collections, in the order of an export, as far as they were compared.
    #[must_use]
    pub fn collections(&self) -> [Compared; KINDS.len()] {
        std::array::from_fn(|kind| {
            let Tally { original, copy, standings: [same, missing, older, other, foreign] } =
                &self.tallies[kind];
            Compared {
                name: KINDS[kind].1,
                original: original.contents(),
                copy: copy.contents(),
                same: *same,
                missing: *missing,
                older: *older,
                other: *other,
                foreign: *foreign,
            }
        })
    }

    /// A record behind the last one of the copy. A revision of the journal is one commit: where the copy
    /// ends within one, it was another commit.
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

/// Judges two lines that are not the same.
fn judge(original: &str, copy: &str) -> Result<Standing, String> {
    let (kind, other) = (kind_of(original)?, kind_of(copy)?);
    if kind != other {
        return Ok(if kind < other { Standing::Missing } else { Standing::Foreign });
    }
    let (row, known) = (Record::read(original)?, Record::read(copy)?);
    Ok(match Place::of(&row).cmp(&Place::of(&known)) {
        // The journal is written at its end only: what is not in its place never comes there.
        Ordering::Less if kind == JOURNAL => Standing::Other,
        Ordering::Less => Standing::Missing,
        Ordering::Greater => Standing::Foreign,
        Ordering::Equal if row.follows(&known) => Standing::Older,
        Ordering::Equal => Standing::Other,
    })
}

/// The place of a line's kind among all.
fn kind_of(line: &str) -> Result<usize, String> {
    let word = line.strip_prefix("{\"kind\":\"").and_then(|rest| rest.split('"').next());
    KINDS
        .iter()
        .position(|(kind, _)| Some(*kind) == word)
        .ok_or_else(|| "not the line of a record".into())
}
