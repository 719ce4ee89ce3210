//! The words of an index, numbered, with where each occurs.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// A word that so many characters of a question may be the beginning of.
pub(super) const MIN_PREFIX: usize = crate::report::words::MIN_PREFIX;

/// Words that one beginning may mean.
const MAX_BEGINNINGS: usize = 32;

/// Where one word occurs. Places that were removed stay in the lists until the next sweep: whoever
/// reads them asks whether they are still there.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: Arc<str>,
    /// The texts of tools that hold it, with how often in their names and in the rest.
    pub(super) texts: Vec<Posting>,
    /// The learned queries that hold it.
    pub(super) routes: Vec<u32>,
    /// How many tools hold it, in their texts or in what was learned of them.
    pub(super) tools: u32,
    /// How many of them hold it in their texts.
    pub(super) described: u32,
}

/// How often a word occurs in one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) text: u32,
    /// In the name.
    pub(super) name: u16,
    /// In the description and the hints.
    pub(super) body: u16,
}

/// All words.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon {
    numbers: HashMap<Arc<str>, u32, RandomState>,
    words: Vec<Word>,
    free: Vec<u32>,
}

impl Posting {
    /// One word of a text, by whether each occurrence is in the name.
    pub(super) fn of(text: u32, same: &[(u32, bool)]) -> Self {
        let name = same.iter().filter(|(_, is_name)| *is_name).count();
        let many = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        Self { text, name: many(name), body: many(same.len() - name) }
    }
}

impl Lexicon {
    /// The number of a word, which becomes known if it is not.
    pub(super) fn learn(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let text: Arc<str> = text.into();
        let word = Word { text: Arc::clone(&text), ..Word::default() };
        let number = match self.free.pop() {
            Some(number) => {
                self.words[number as usize] = word;
                number
            }
            None => {
                self.words.push(word);
                self.words.len() as u32 - 1
            }
        };
        self.numbers.insert(text, number);
        number
    }

    /// The number of a word that has one, whether some tool holds it or not.
    pub(super) fn known(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of a word that some tool holds.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied().filter(|number| self[*number].tools > 0)
    }

    /// The words that begin with a text and that some tool holds: the shortest ones, at most
    /// [`MAX_BEGINNINGS`], equally long ones in order.
    pub(super) fn beginning_with(&self, text: &str) -> Vec<(u32, &str)> {
        let held = |word: &Word| word.tools > 0 && word.text.starts_with(text);
        let numbered = (0..).zip(&self.words).filter(|(_, word)| held(word));
        let mut all: Vec<(u32, &str)> =
            numbered.map(|(number, word)| (number, &*word.text)).collect();
        let order = |word: &(u32, &str)| (word.1.len(), word.1.to_owned());
        if all.len() > MAX_BEGINNINGS {
            all.sort_by_cached_key(order);
            all.truncate(MAX_BEGINNINGS);
        }
        all
    }

    /// The words, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &*word.text)
    }

    /// How many words have a number.
    pub(super) const fn len(&self) -> usize {
        self.words.len()
    }

    /// Keeps of each word only the places that are still there, and forgets words that occur nowhere.
    pub(super) fn sweep(&mut self, text: impl Fn(u32) -> bool, route: impl Fn(u32) -> bool) {
        for (number, word) in (0..).zip(&mut self.words) {
            word.texts.retain(|posting| text(posting.text));
            word.routes.retain(|place| route(*place));
            let gone = word.texts.is_empty() && word.routes.is_empty() && word.tools == 0;
            if gone && self.numbers.remove(&word.text).is_some() {
                *word = Word::default();
                self.free.push(number);
            }
        }
    }
}

impl std::ops::Index<u32> for Lexicon {
    type Output = Word;
    fn index(&self, number: u32) -> &Word {
        &self.words[number as usize]
    }
}

impl std::ops::IndexMut<u32> for Lexicon {
    fn index_mut(&mut self, number: u32) -> &mut Word {
        &mut self.words[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_means_few_words_whatever_the_order_in_which_they_became_known() {
        let words: Vec<String> = (0..1_000).map(|at| format!("con{at}")).collect();
        let mut known: Vec<Vec<String>> = Vec::new();
        for turned in [false, true] {
            let mut lexicon = Lexicon::default();
            let mut words = words.clone();
            if turned {
                words.reverse();
            }
            for word in &words {
                let number = lexicon.learn(word);
                lexicon[number].tools = 1;
            }
            lexicon.learn("contrary");
            let mut found: Vec<String> =
                lexicon.beginning_with("con").iter().map(|(_, word)| (*word).to_owned()).collect();
            found.sort();
            known.push(found);
        }
        assert_eq!(known[0].len(), MAX_BEGINNINGS);
        assert_eq!(known[0], known[1]);
        assert!(known[0].contains(&"con9".to_owned()) && !known[0].contains(&"con999".to_owned()));
    }
}
