//! What is asked of git about objects, and what it answers.

use std::fmt::Write as _;

use super::oid::Oid;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Object(Oid),
    /// The commit of that id, or that the tag of that id names.
    Commit(Oid),
    /// The commit that is checked out.
    Head,
    /// The tree of the commit, or the folder in it that has this path.
    Tree(Oid, String),
}

impl Wanted {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Tree(_, folder) => 80 + folder.len(),
            _ => 80,
        }
    }

    pub(super) fn write(&self, questions: &mut String) {
        let _ = match self {
            Self::Object(id) => writeln!(questions, "{id}"),
            Self::Commit(id) => writeln!(questions, "{id}^{{commit}}"),
            Self::Head => writeln!(questions, "HEAD^{{commit}}"),
            Self::Tree(id, folder) if folder.is_empty() => writeln!(questions, "{id}^{{tree}}"),
            Self::Tree(id, folder) => writeln!(questions, "{id}:{folder}"),
        };
    }
}

/// What sort of object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Blob,
    Tree,
    Commit,
    Tag,
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) enum Object<'a> {
    /// The object: its id, its sort and its contents.
    Found(Oid, Sort, &'a [u8]),
    /// The repository does not hold it: a shallow or partial clone, or there is no such thing.
    Missing,
    /// It is larger than the limit; so many bytes of it were read over.
    TooLarge(u64),
    /// Git cannot read it.
    Damaged,
}

/// What was not looked at, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Objects that the repository should hold and does not.
    pub missing: u64,
    /// Objects larger than the limit.
    pub too_large: u64,
    /// Objects that git cannot read.
    pub damaged: u64,
}

/// What git tells of how it keeps an object, without unpacking it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// How many bytes it takes.
    pub(crate) packed: u64,
    /// What it is kept as a difference from, if it is.
    pub(crate) base: Option<Oid>,
}

/// What git is asked to tell of an object. How many bytes it has unpacked is told after some unpacking
/// only: that takes four times as long.
pub(super) const TOLD: &str = "--batch-check=%(objectname) %(objectsize:disk) %(deltabase)";

/// The most that is believed: sums of so many bytes have room in 64 bits.
const MAX_PACKED: u64 = 1 << 40;

/// Reads the answer; `None` for what is none.
pub(crate) fn told(line: &[u8]) -> Option<Told> {
    let mut words = line.split(|byte| *byte == b' ');
    Oid::from_hex(words.next()?)?;
    let packed: u64 = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let base = Oid::from_hex(words.next()?)?;
    // No object has the id of zeros: it stands for none.
    let base = base.as_bytes().iter().any(|byte| *byte != 0).then_some(base);
    words.next().is_none().then_some(Told { packed: packed.min(MAX_PACKED), base })
}

/// Returns true if an answer says that there is no such object.
pub(crate) fn is_missing(line: &[u8]) -> bool {
    // Newer ones say what they miss where it is the commit of a submodule.
    line.ends_with(b" missing") || line.ends_with(b" submodule")
}

/// Reads `<id> <sort> <size>`.
pub(crate) fn header(line: &[u8]) -> Option<(Oid, Sort, u64)> {
    let mut words = line.split(|byte| *byte == b' ');
    let id = Oid::from_hex(words.next()?)?;
    let sort = match words.next()? {
        b"blob" => Sort::Blob,
        b"tree" => Sort::Tree,
        b"commit" => Sort::Commit,
        b"tag" => Sort::Tag,
        _ => return None,
    };
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    words.next().is_none().then_some((id, sort, size))
}
