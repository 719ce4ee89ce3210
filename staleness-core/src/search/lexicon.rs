//! The words of an index, with their numbers and occurrences.

use std::sync::Arc;

use foldhash::HashMap;

/// Minimum length of a word that may match the beginning of longer words, in characters.
pub(super) const MIN_PREFIX: usize = crate::text::MIN_PREFIX;

/// Maximum number of words that one prefix may match.
const MAX_BEGINNINGS: usize = 32;

/// Weight of a word in the name of a tool or its server.
const NAME: u32 = 2;

/// The occurrences of one word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: Arc<str>,
    /// The tools with the word in their texts.
    pub(super) texts: Vec<Posting>,
    /// The learned queries in which the word describes the tool that is wanted.
    pub(super) routes: Vec<u32>,
    /// The learned queries in which it is a filler word, like `please`.
    pub(super) talk: Vec<u32>,
}

impl Word {
    /// Returns true if the text or a learned query of some tool contains the word.
    pub(super) fn is_held(&self) -> bool {
        !(self.texts.is_empty() && self.routes.is_empty() && self.talk.is_empty())
    }

    /// Returns all learned queries with the word.
    pub(super) fn all_routes(&self) -> impl Iterator<Item = u32> {
        self.routes.iter().chain(&self.talk).copied()
    }
}

/// The count of a word in the text of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Posting {
    /// Index of the tool.
    pub(super) tool: u32,
    /// Occurrences in the description and the hints, plus twice those in the name.
    pub(super) count: u32,
}

/// All words of an index.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon {
    numbers: HashMap<Arc<str>, u32>,
    words: Vec<Word>,
}

impl Posting {
    /// Counts one more occurrence in the text of a tool. The words of one text must be counted in succession.
    pub(super) fn count(all: &mut Vec<Self>, tool: u32, is_name: bool) {
        if all.last().is_none_or(|last| last.tool != tool) {
            all.push(Self { tool, ..Self::default() });
        }
        if let Some(last) = all.last_mut() {
            last.count = last.count.saturating_add(if is_name { NAME } else { 1 });
        }
    }
}

impl Lexicon {
    /// Returns the number of a word, adding it if needed.
    pub(super) fn learn(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number): (Arc<str>, u32) = (text.into(), self.words.len() as u32);
        self.words.push(Word { text: Arc::clone(&text), ..Word::default() });
        self.numbers.insert(text, number);
        number
    }

    /// Returns the number of a word, even if no tool has it.
    pub(super) fn known(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// Returns the number of a word that some tool has.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.known(text).filter(|number| self[*number].is_held())
    }

    /// Returns the words of tools that begin with a text, at most [`MAX_BEGINNINGS`]. Shorter words take
    /// precedence, then alphabetical order.
    pub(super) fn beginning_with(&self, text: &str) -> Vec<(u32, &str)> {
        let held = |word: &Word| word.is_held() && word.text.starts_with(text);
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

    /// Iterates over the words by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Word> {
        self.words.iter()
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
                lexicon[number].routes.push(0);
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
