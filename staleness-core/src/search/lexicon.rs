//! The words of an index, numbered, with where each occurs.

use std::sync::Arc;

use foldhash::HashMap;

/// A word that so many characters of a question may be the beginning of.
pub(super) const MIN_PREFIX: usize = crate::text::MIN_PREFIX;

/// Words that one beginning may mean.
const MAX_BEGINNINGS: usize = 32;

/// The occurrences of one word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: Arc<str>,
    /// The tools that hold it in their texts, with how often in their names and in the rest.
    pub(super) texts: Vec<Posting>,
    /// The learned queries that hold it.
    pub(super) routes: Vec<u32>,
}

impl Word {
    /// Returns true if some tool holds it, in its text or in what was learned of it.
    pub(super) fn is_held(&self) -> bool {
        !self.texts.is_empty() || !self.routes.is_empty()
    }
}

/// The occurrences of a word in the text of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Posting {
    /// The place of the tool.
    pub(super) tool: u32,
    /// In the name.
    pub(super) name: u16,
    /// In the description and the hints.
    pub(super) body: u16,
}

/// All words.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon {
    numbers: HashMap<Arc<str>, u32>,
    words: Vec<Word>,
}

impl Posting {
    /// Counts one more occurrence in the text of a tool, whose text is read in one go.
    pub(super) fn count(all: &mut Vec<Self>, tool: u32, is_name: bool) {
        if all.last().is_none_or(|last| last.tool != tool) {
            all.push(Self { tool, ..Self::default() });
        }
        if let Some(last) = all.last_mut() {
            let count = if is_name { &mut last.name } else { &mut last.body };
            *count = count.saturating_add(1);
        }
    }
}

impl Lexicon {
    /// The number of a word, which becomes known if it is not.
    pub(super) fn learn(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number): (Arc<str>, u32) = (text.into(), self.words.len() as u32);
        self.words.push(Word { text: Arc::clone(&text), ..Word::default() });
        self.numbers.insert(text, number);
        number
    }

    /// The number of a word that has one, whether some tool holds it or not.
    pub(super) fn known(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of a word that some tool holds.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.known(text).filter(|number| self[*number].is_held())
    }

    /// The words that begin with a text and that some tool holds: the shortest ones, at most
    /// [`MAX_BEGINNINGS`], equally long ones in order.
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

    /// The words, in the order of their numbers.
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
