//! The names of all documents, each stored once.

use std::sync::Arc;

use foldhash::HashMap;

use staleness_core::knowledge::WordKind;

/// Sort of a name: its shape, or the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NameSort {
    /// The target of a link or an image, as written.
    Link,
    /// An import in a file that a client loads.
    Import,
    Word(WordKind),
}

pub(crate) type NameId = u32;

/// Names, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: HashMap<NameSort, HashMap<Arc<str>, NameId>>,
    all: Vec<(NameSort, Arc<str>)>,
    /// Total size of all names, in bytes.
    bytes: usize,
}

/// Maximum number of names in all documents of a check. A name takes about two kilobytes until it is looked up.
const MAX_NAMES: usize = 80_000;
const MAX_TEXT: usize = 16 * 1024 * 1024;

impl Names {
    /// Returns the number of a name, adding it if needed. `None` if the limit is reached.
    pub(crate) fn enter(&mut self, sort: NameSort, text: &str) -> Option<NameId> {
        let numbers = self.numbers.entry(sort).or_default();
        if let Some(id) = numbers.get(text) {
            return Some(*id);
        }
        if self.all.len() >= MAX_NAMES || self.bytes + text.len() > MAX_TEXT {
            return None;
        }
        let id = NameId::try_from(self.all.len()).ok()?;
        let text: Arc<str> = text.into();
        self.bytes += text.len();
        numbers.insert(Arc::clone(&text), id);
        self.all.push((sort, text));
        Some(id)
    }

    pub(crate) fn get(&self, id: NameId) -> (NameSort, &str) {
        self.all.get(id as usize).map_or((NameSort::Link, ""), |(sort, text)| (*sort, text))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, NameSort, &str)> {
        (0..).zip(&self.all).map(|(id, (sort, text))| (id, *sort, &**text))
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
            NameSort::Word(WordKind::Path),
            NameSort::Word(WordKind::Flag),
            NameSort::Word(WordKind::Identifier),
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
        assert_eq!((names.iter().count(), names.get(999)), (200, (NameSort::Link, "")));
    }

    #[test]
    fn names_are_bounded_in_number_and_in_bytes() {
        let (mut names, sort) = (Names::default(), NameSort::Word(WordKind::Flag));
        let entered = (0..).take_while(|at| names.enter(sort, &format!("--{at}")).is_some());
        assert_eq!(entered.count(), MAX_NAMES);
        assert_eq!(names.enter(sort, "--7"), Some(7), "one that is known needs no room");
        let mut names = Names::default();
        assert_eq!(names.enter(sort, &"x".repeat(MAX_TEXT)), Some(0));
        assert_eq!(names.enter(sort, "x"), None);
    }
}
