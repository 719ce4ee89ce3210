//! The things found in a commit or in a file.

use std::sync::Arc;

use crate::symbols::{Lexicon, Thing};

#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Numbers of the things, sorted.
    pub(crate) things: Arc<[u32]>,
    /// True if something could not be searched, so that more may exist.
    pub(crate) holes: bool,
    /// True if this file is too large or cannot be read.
    pub(crate) unread: bool,
}

impl Found {
    pub(crate) fn of(things: &mut Vec<u32>, holes: bool) -> Self {
        things.sort_unstable();
        things.dedup();
        if things.is_empty() && !holes {
            Self::default()
        } else {
            Self { things: things.as_slice().into(), holes, unread: false }
        }
    }

    pub(crate) fn holds(&self, thing: u32) -> bool {
        self.things.binary_search(&thing).is_ok()
    }
}

/// A word as groups of thing numbers. It exists if one thing of each group exists.
pub(crate) type Numbered = Vec<Vec<u32>>;

/// Returns the things whose presence proves that an earlier commit had the given ones.
pub(crate) fn earlier(groups: &[Vec<Thing>]) -> Vec<Vec<Thing>> {
    groups.iter().map(|group| group.iter().filter_map(Thing::earlier).flatten().collect()).collect()
}

/// Adds the things of a word to the lexicon and returns their numbers.
pub(crate) fn number(groups: &[Vec<Thing>], lexicon: &mut Lexicon) -> Numbered {
    groups.iter().map(|group| group.iter().map(|thing| thing.enter(lexicon)).collect()).collect()
}

pub(crate) fn exists(word: &Numbered, found: &Found) -> bool {
    word.iter().all(|group| group.iter().any(|thing| found.holds(*thing)))
}
