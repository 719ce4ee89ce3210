//! The names of all documents, each kept once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::words::Shape;
use staleness_core::hash::{fold, seeds};

/// What a name is: by its shape, or the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameSort {
    /// The target of a link or an image, as it is written.
    Link,
    /// What a word imports, where it stands in a file that a client loads.
    Import,
    /// A word of the text.
    Word(Shape),
}

/// The number of a name.
pub(super) type NameId = u32;

/// A name, as a part of the text of all of them.
#[derive(Clone, Copy, Debug)]
struct Name {
    sort: NameSort,
    start: usize,
    end: usize,
    /// Another name of the same hash.
    next: Option<NameId>,
}

/// Names, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The last name of each hash.
    last: HashMap<u64, NameId, BuildHasherDefault<Ready>>,
    all: Vec<Name>,
    text: String,
}

/// The most names of all documents of a check, at some two kilobytes each until they are looked up, and
/// the most bytes of their text.
const MAX_NAMES: usize = 80_000;
const MAX_TEXT: usize = 16 * 1024 * 1024;

impl Names {
    /// None yet, and room for those of a few documents.
    pub(super) fn of_many() -> Self {
        const ROOM: usize = 1 << 10;
        Self {
            last: HashMap::with_capacity_and_hasher(ROOM, BuildHasherDefault::default()),
            all: Vec::with_capacity(ROOM),
            text: String::with_capacity(16 * ROOM),
        }
    }

    /// The number of a name; `None` when there is no room for another one.
    pub(super) fn enter(&mut self, sort: NameSort, text: &str) -> Option<NameId> {
        let hash = hash(sort, text.as_bytes());
        let before = self.last.get(&hash).copied();
        let mut next = before;
        while let Some(id) = next {
            if self.get(id) == (sort, text) {
                return Some(id);
            }
            next = self.all.get(id as usize).and_then(|name| name.next);
        }
        if self.all.len() >= MAX_NAMES || self.text.len() + text.len() > MAX_TEXT {
            return None;
        }
        let id = NameId::try_from(self.all.len()).ok()?;
        let start = self.text.len();
        self.text.push_str(text);
        self.all.push(Name { sort, start, end: self.text.len(), next: before });
        self.last.insert(hash, id);
        Some(id)
    }

    /// The name with this number.
    pub(super) fn get(&self, id: NameId) -> (NameSort, &str) {
        self.all.get(id as usize).map_or((NameSort::Link, ""), |name| {
            (name.sort, self.text.get(name.start..name.end).unwrap_or_default())
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

/// A hash for names, which are short: eight bytes at once, folded by a multiplication.
fn hash(sort: NameSort, text: &[u8]) -> u64 {
    let [first, second] = seeds();
    let kind = match sort {
        NameSort::Link => 0,
        NameSort::Word(Shape::Path) => 1,
        NameSort::Word(Shape::Flag) => 2,
        NameSort::Word(Shape::Identifier) => 3,
        NameSort::Import => 4,
    };
    let mut hash = first ^ ((text.len() as u64) << 3 | kind);
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), second);
    }
    let rest = rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    fold(fold(hash ^ rest, second), first)
}

/// Passes on what is a hash already.
#[derive(Debug, Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number_for_each_sort() {
        let mut names = Names::default();
        let sorts = [
            NameSort::Link,
            NameSort::Word(Shape::Path),
            NameSort::Word(Shape::Flag),
            NameSort::Word(Shape::Identifier),
            NameSort::Import,
        ];
        let texts: Vec<String> =
            (0..40).map(|n| "long_name_".repeat(3)[n % 30..].to_owned() + &n.to_string()).collect();
        let all: Vec<(NameSort, &str)> =
            texts.iter().flat_map(|text| sorts.map(|sort| (sort, &**text))).collect();
        let ids: Vec<NameId> =
            all.iter().map(|(sort, text)| names.enter(*sort, text).unwrap()).collect();
        assert_eq!(ids, (0..200).collect::<Vec<_>>());
        for (id, name) in ids.iter().zip(&all) {
            assert_eq!(names.get(*id), *name);
            assert_eq!(names.enter(name.0, name.1), Some(*id));
        }
        assert_eq!((names.len(), names.get(999)), (200, (NameSort::Link, "")));
    }

    #[test]
    fn names_are_bounded_in_number_and_in_bytes() {
        let (mut names, sort) = (Names::default(), NameSort::Word(Shape::Flag));
        let entered = (0..).take_while(|at| names.enter(sort, &format!("--{at}")).is_some());
        assert_eq!(entered.count(), MAX_NAMES);
        assert_eq!(names.enter(sort, "--7"), Some(7), "one that is known needs no room");
        let mut names = Names::default();
        assert_eq!(names.enter(sort, &"x".repeat(MAX_TEXT)), Some(0));
        assert_eq!(names.enter(sort, "x"), None);
    }
}
