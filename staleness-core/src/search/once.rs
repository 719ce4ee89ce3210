//! An index for one question: what cannot matter to it is left out.

use super::index::SearchIndex;
use super::lexicon::{Lexicon, MIN_PREFIX};
use super::question::{Question, each_learned_stem, squashed};
use super::text::Learned;

/// What can matter to one question.
#[derive(Clone, Debug)]
pub(super) struct Only {
    /// Its words, of which others may be longer forms: sorted, and none begins with another.
    beginnings: Vec<Box<str>>,
    /// Its words that are too short for that, sorted.
    whole: Vec<Box<str>>,
    /// Whether a word that matters begins with these two bytes; of one byte, that byte and 0.
    first: Box<Pairs>,
    squashed: Box<str>,
}

/// A bit for each pair of bytes.
type Pairs = [u64; 1024];

fn pair(word: &[u8]) -> Option<(usize, u64)> {
    let (first, second) = (*word.first()?, word.get(1).copied().unwrap_or(0));
    Some((usize::from(first) << 2 | usize::from(second >> 6), 1 << (second & 63)))
}

impl Only {
    fn new(question: &Question) -> Self {
        let wholes = question.asked.iter().filter_map(|asked| asked.whole.as_ref());
        let mut only = Self {
            beginnings: Vec::new(),
            whole: Vec::new(),
            first: Box::new([0; 1024]),
            squashed: question.squashed.as_str().into(),
        };
        for word in question.stems.keys().chain(wholes) {
            only.note(word);
            let long = word.chars().count() >= MIN_PREFIX;
            if long { only.beginnings.push(word.clone()) } else { only.whole.push(word.clone()) }
        }
        only.whole.sort_unstable();
        only.beginnings.sort_unstable();
        only.beginnings.dedup_by(|longer, kept| longer.starts_with(&**kept));
        only
    }

    /// Lets words pass whose stem this is.
    fn note(&mut self, stem: &str) {
        let Some((at, bit)) = pair(stem.as_bytes()) else { return };
        self.first[at] |= bit;
        if stem.len() == 1 {
            // A longer word may have it as its stem.
            self.first[at..at + 4].fill(u64::MAX);
        }
    }

    /// Whether a word may have a stem that matters: its beginning says no to most that have not.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        pair(word.as_bytes()).is_some_and(|(at, bit)| self.first[at] & bit != 0)
    }

    /// Whether a stem is a word of the question, or begins with one.
    fn asks_for(&self, stem: &str) -> bool {
        // Whatever stands between a word and a longer form of it begins with that word.
        let upto = self.beginnings.partition_point(|word| **word <= *stem);
        upto.checked_sub(1).is_some_and(|last| stem.starts_with(&*self.beginnings[last]))
            || self.whole.binary_search_by(|word| (**word).cmp(stem)).is_ok()
    }

    /// The number of a stem that matters.
    pub(super) fn number(&self, lexicon: &mut Lexicon, stem: &str) -> Option<u32> {
        lexicon.known(stem).or_else(|| self.asks_for(stem).then(|| lexicon.learn(stem)))
    }

    /// The form in which a person may give a name, where the question is that.
    pub(super) fn name(&self, text: &str) -> Box<str> {
        if text.is_ascii() {
            let told = text.bytes().filter(u8::is_ascii_alphanumeric);
            let same = told.map(|byte| byte.to_ascii_lowercase()).eq(self.squashed.bytes());
            return if same { self.squashed.clone() } else { Box::default() };
        }
        Some(squashed(text)).filter(|text| **text == *self.squashed).unwrap_or_default().into()
    }
}

impl SearchIndex {
    /// An index that will be asked one question, over these routes: put its tools in next, each once.
    /// It leaves out what cannot matter, so it is made in a fraction of the time, and its answer to that
    /// question is the same; but for tools that are found by [`Meaning::tools`](super::Meaning) alone,
    /// which have no words that matter.
    ///
    /// Words matter that meet the question, and those of queries that share a word with it: how close
    /// these are depends on how rare each of their words is.
    #[must_use]
    pub fn for_question<'a>(
        question: &Question,
        routes: impl IntoIterator<Item = &'a Learned>,
    ) -> Self {
        let mut index = Self::default();
        let mut only = Only::new(question);
        let routes: Vec<&Learned> = routes.into_iter().collect();
        let asked = only.clone();
        for route in &routes {
            let mut meets = false;
            each_learned_stem(&route.query, |stem| {
                meets = meets || asked.may_hold(stem) && question.stems.contains_key(stem);
            });
            if meets {
                each_learned_stem(&route.query, |stem| {
                    index.lexicon.learn(stem);
                    only.note(stem);
                });
            }
        }
        let mut numbers = Vec::new();
        for route in routes {
            each_learned_stem(&route.query, |stem| {
                if only.may_hold(stem) {
                    numbers.extend(only.number(&mut index.lexicon, stem));
                }
            });
            numbers.sort_unstable();
            numbers.dedup();
            index.put_learned(route, &numbers);
            numbers.clear();
        }
        index.only = Some(only);
        index
    }
}
