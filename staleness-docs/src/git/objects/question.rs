//! Requests for objects, and git's answers.

use std::fmt::Write as _;

use super::oid::Oid;

/// A request for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Object(Oid),
    /// The commit with this id, or the commit to which a tag with this id points.
    Commit(Oid),
    /// The checked-out commit.
    Head,
    /// The tree of a commit, or of the folder at this path in it.
    Tree(Oid, String),
}

impl Wanted {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Tree(_, folder) => 80 + folder.len(),
            _ => 80,
        }
    }

    /// Returns true if a complete repository must have the object, because its id comes from its own trees or
    /// commits.
    pub(super) fn is_owed(&self) -> bool {
        match self {
            Self::Object(_) => true,
            Self::Tree(_, folder) => folder.is_empty(),
            Self::Commit(_) | Self::Head => false,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Blob,
    Tree,
    Commit,
    Tag,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) enum Object<'a> {
    /// The id, type and contents of the object.
    Found(Oid, Sort, &'a [u8]),
    /// The repository does not have the object. It may be shallow or partial, or there is no such object.
    Missing,
    /// The object exceeds the limit. This many bytes were read and discarded.
    TooLarge(u64),
    /// Git cannot read the object.
    Damaged,
}

/// Numbers of objects that could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Objects that the repository should have but lacks.
    pub missing: u64,
    /// Objects larger than the limit.
    pub too_large: u64,
    /// Objects that git cannot read.
    pub damaged: u64,
}

/// Returns true if git's answer is that there is no such object.
pub(crate) fn is_missing(line: &[u8]) -> bool {
    // Newer versions of git answer `submodule` for a missing commit of a submodule.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_stands_in_the_answer_that_it_was_read_from(
            line in "([0-9a-f]{40}|[0-9a-f]{64}|[0-9A-Fx]{0,41})( (blob|tree|tag|x|missing)){0,2}( [0-9x]{1,3}){0,2}",
        ) {
            if let Some((id, ..)) = header(line.as_bytes()) {
                prop_assert!(line.starts_with(&id.to_string()) && !is_missing(line.as_bytes()));
            }
        }
    }
}
