//! Scores tools by the words that they share with a question.

use super::index::{SearchIndex, Text};
use super::lexicon::MIN_PREFIX;
use super::question::{Question, is_code};
use super::synonyms::alike;

/// BM25: how quickly repetitions of a word stop helping.
const K1: f64 = 1.0;
/// BM25: how strongly long texts are penalised.
pub(super) const B: f64 = 0.75;
/// Upper bound of the credit for a longer word that begins with the given one.
const BEGINNING: f64 = 0.8;
/// Minimum share of this credit. The rest depends on the matched part of the word.
const PREFIX: f64 = 0.7;
/// Maximum number of words of a question to look up: those with the highest weights.
const MAX_WORDS: usize = 64;

/// One word of a question, with the tools that match it and how well.
#[derive(Debug)]
pub(super) struct Shares<'a> {
    pub(super) stem: &'a str,
    pub(super) weight: f64,
    /// Indices of the matching tools, and how well each matches the word, 0..1.
    of: Vec<(u32, f64)>,
}

impl SearchIndex {
    /// Returns the matching tools for the words of a question with the highest weights.
    pub(super) fn shares<'a>(&self, question: &'a Question) -> Vec<Shares<'a>> {
        let held = &self.weights().held;
        let mut all: Vec<(bool, f64, &str)> = question
            .stems
            .keys()
            .map(|stem| {
                let number = self.lexicon.number(stem);
                let tools = number.map_or(0, |number| held[number as usize]);
                (number.is_some(), self.idf(tools), &**stem)
            })
            .collect();
        if all.len() > MAX_WORDS {
            // Words that no tool has weigh most but find nothing, so they come last.
            all.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
            all.truncate(MAX_WORDS);
            all.sort_by(|a, b| a.2.cmp(b.2));
        }
        let mut noted = SparseVector::new(self.entries.len());
        all.into_iter()
            .map(|(_, weight, stem)| {
                self.meet(stem, &mut noted);
                for (other, credit) in alike(stem) {
                    if let Some(number) = self.lexicon.number(other) {
                        // A synonym that more tools have must not weigh more than the word itself.
                        let tells = self.idf(held[number as usize]) / weight;
                        self.note(number, credit * tells.min(1.0), &mut noted);
                    }
                }
                for asked in &question.stems[stem] {
                    if let Some(whole) = &question.asked[*asked].whole {
                        self.meet(whole, &mut noted);
                    }
                }
                Shares { stem, weight, of: noted.take() }
            })
            .collect()
    }

    /// Records how well tools match a word.
    fn meet(&self, stem: &str, noted: &mut SparseVector) {
        if let Some(number) = self.lexicon.number(stem) {
            self.note(number, 1.0, noted);
        }
        let characters = stem.chars().count();
        if characters < MIN_PREFIX {
            return;
        }
        for (number, word) in self.lexicon.beginning_with(stem) {
            let part = characters as f64 / word.chars().count() as f64;
            self.note(number, BEGINNING * (1.0 - PREFIX).mul_add(part, PREFIX), noted);
        }
    }

    /// Records how well tools match a known word: the saturation of its weighted frequency.
    fn note(&self, number: u32, credit: f64, noted: &mut SparseVector) {
        let (weights, word) = (self.weights(), &self.lexicon[number]);
        for posting in &word.texts {
            let Some(text) = &self.entries[posting.tool as usize].text else { continue };
            let held_back = B.mul_add(f64::from(text.length) / weights.mean_length, 1.0 - B);
            let frequency = f64::from(posting.count) / held_back;
            noted.most(posting.tool, credit * frequency / (frequency + K1));
        }
    }

    /// Returns the word score of each tool, 0..=1. A tool that the question names scores 1.
    pub(super) fn words(&self, question: &Question, shares: &[Shares<'_>]) -> Vec<f64> {
        let whole: f64 = shares.iter().map(|each| each.weight).sum();
        let mut sums = vec![0.0; self.entries.len()];
        for each in shares {
            for (place, share) in &each.of {
                sums[*place as usize] += each.weight * share / whole;
            }
        }
        // If the whole question is a name, names within it do not count.
        for names in [&question.names[..1], &question.names[1..]] {
            let mut names: Vec<u64> = names.iter().map(|name| self.hash_of_name(name)).collect();
            names.sort_unstable();
            let mut found = false;
            for (sum, entry) in sums.iter_mut().zip(&self.entries) {
                let is_asked =
                    |text: &Text| text.names.iter().any(|name| names.binary_search(name).is_ok());
                if entry.text.as_ref().is_some_and(is_asked) {
                    (*sum, found) = (1.0, true);
                }
            }
            if found {
                break;
            }
        }
        sums
    }

    /// Returns the words of a question that a tool matches.
    pub(super) fn met(
        &self,
        question: &Question,
        shares: &[Shares<'_>],
        place: u32,
    ) -> Vec<String> {
        let mut met = vec![false; question.asked.len()];
        for each in shares.iter().filter(|each| each.of.iter().any(|(at, _)| *at == place)) {
            question.stems[each.stem].iter().for_each(|asked| met[*asked] = true);
        }
        let asked = question.asked.iter().zip(met).filter(|(_, met)| *met);
        let mut shown: Vec<String> = asked.map(|(asked, _)| asked.shown.clone()).collect();
        shown.dedup();
        shown
    }

    /// Returns the weight of the words that are about code, and the part of it that each tool matches.
    pub(super) fn code(&self, shares: &[Shares<'_>]) -> (f64, Vec<f64>) {
        let (mut whole, mut met) = (0.0, vec![0.0; self.entries.len()]);
        for each in shares.iter().filter(|each| is_code(each.stem)) {
            whole += each.weight;
            for (place, share) in &each.of {
                met[*place as usize] += each.weight * share;
            }
        }
        (whole, met)
    }

    /// Returns true for each tool that matches two or more words of a question, counted as in [`SearchIndex::met`].
    pub(super) fn meets_two(&self, question: &Question, shares: &[Shares<'_>]) -> Vec<bool> {
        let mut first: Vec<Option<&str>> = vec![None; self.entries.len()];
        let mut two = vec![false; self.entries.len()];
        for each in shares {
            for asked in &question.stems[each.stem] {
                let shown = question.asked[*asked].shown.as_str();
                for (place, _) in &each.of {
                    let place = *place as usize;
                    two[place] |= *first[place].get_or_insert(shown) != shown;
                }
            }
        }
        two
    }
}

/// A sparse vector: numbers by index.
struct SparseVector {
    values: Vec<f64>,
    touched: Vec<u32>,
}

impl SparseVector {
    fn new(places: usize) -> Self {
        Self { values: vec![0.0; places], touched: Vec::new() }
    }

    /// Keeps the larger of `value` and the number at an index.
    fn most(&mut self, place: u32, value: f64) {
        let known = &mut self.values[place as usize];
        if *known == 0.0 {
            self.touched.push(place);
        }
        *known = known.max(value);
    }

    /// Returns the numbers above 0 with their indices, and resets all numbers.
    fn take(&mut self) -> Vec<(u32, f64)> {
        let touched = std::mem::take(&mut self.touched);
        let noted = |place: u32| (place, std::mem::take(&mut self.values[place as usize]));
        touched.into_iter().map(noted).filter(|(_, value)| *value > 0.0).collect()
    }
}
