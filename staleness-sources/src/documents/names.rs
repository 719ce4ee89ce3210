//! The names of all documents, each kept once.

use std::collections::HashMap;

use super::words::Shape;

/// What a name is: by its shape, or the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameSort {
    /// The target of a link or an image, as it is written.
    Link,
    /// A word of the text.
    Word(Shape),
}

/// The number of a name.
pub(super) type NameId = u32;

/// Names, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: HashMap<Box<str>, [Option<NameId>; 4]>,
    all: Vec<(NameSort, Box<str>)>,
}

impl Names {
    /// The number of a name.
    pub(super) fn enter(&mut self, sort: NameSort, text: &str) -> NameId {
        let place = match sort {
            NameSort::Link => 0,
            NameSort::Word(Shape::Path) => 1,
            NameSort::Word(Shape::Flag) => 2,
            NameSort::Word(Shape::Identifier) => 3,
        };
        if let Some(Some(id)) = self.ids.get(text).map(|ids| ids[place]) {
            return id;
        }
        let id = NameId::try_from(self.all.len()).unwrap_or(NameId::MAX);
        self.all.push((sort, text.into()));
        self.ids.entry(text.into()).or_default()[place] = Some(id);
        id
    }

    /// The name with this number.
    pub(super) fn get(&self, id: NameId) -> (NameSort, &str) {
        self.all.get(id as usize).map_or((NameSort::Link, ""), |(sort, text)| (*sort, text))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}
