//! A full-text index of items.

use std::collections::BTreeSet;

use foldhash::HashMap as Map;

use crate::knowledge::Item;
use crate::text::{MIN_PREFIX, Run, Token, question, split};

/// BM25 `k1`: the number of occurrences at which a word's contribution is half saturated.
const K1: f64 = 1.2;
/// BM25 `b`: the strength of length normalisation.
const B: f64 = 0.75;
/// The weight of a keyword, as a number of occurrences in the text.
const KEYWORD: f32 = 3.0;
/// The weight of a word in the item's id, as a number of occurrences in the text.
const ID: f32 = 2.0;
/// The part of a word's share, 0..=1, that depends only on the word's presence. The rest depends on its frequency.
const PRESENT: f64 = 0.8;
/// The minimum credit, 0..=1, for a word that begins with a word of the question. The rest of the credit is
/// proportional to the part of the word that the question's word covers.
const PREFIX: f32 = 0.7;
/// The credit, 0..=1, for another form of a word of the question.
const FORM: f32 = 0.9;
/// The maximum length of the ending of another form, in bytes.
const MAX_ENDING: usize = 3;

/// An index of the words of items, to be built once and queried often. Valid only for the items from which it was
/// built.
///
/// # How closeness is computed
///
/// For each word of the question, BM25 with fields gives the saturation `s = tf / (tf + k1 * (1 - b + b * length /
/// average))`, 0..1. Here `tf` counts words of the text once, words of the id twice, and keywords three times. The
/// word's share in an item that contains it is `0.8 + 0.2 * s`.
///
/// The closeness is the average of the shares, weighted by the rarity of each word: `ln(1 + n / (1 + df))`. A word that
/// no item contains weighs as much as one that a single item contains. A sum, as in plain BM25, has no fixed scale, so
/// no threshold would suit it. The average is at least 0.8 whenever an item contains every word of the question,
/// however long the item is.
///
/// A word matches itself, words that begin with it (three characters or more), and its simple English forms.
/// A compound word also matches by its parts: see [`crate::text::terms`].
///
/// Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and
/// Trends in Information Retrieval 3 (2009), sections 3.4 and 3.6.
#[derive(Clone, Debug, Default)]
pub struct RecallIndex {
    /// All words, sorted.
    words: Vec<Box<str>>,
    /// The start of each word's postings, and the end of the last word's: one entry more than `words`.
    begins: Vec<u32>,
    /// Pairs of an item's index and the word's share in it.
    postings: Vec<(u32, f32)>,
    items: usize,
}

impl RecallIndex {
    /// Indexes the keywords, ids and texts of these items, except to-dos that are done.
    pub fn new(items: &[&Item]) -> Self {
        Builder::default().build(items)
    }

    /// Indexes only the words that can match one question. This is much faster for a single query, and the result for
    /// that question is the same.
    pub fn for_question(items: &[&Item], text: &str) -> Self {
        let wanted = Some(QueryPrefixes::by(&telling(text)));
        Builder { wanted, ..Builder::default() }.build(items)
    }

    /// Returns the closeness by words of each item to a question, 0..=1, in the order of the items. `None` if the
    /// question consists only of filler words.
    pub fn closeness(&self, text: &str) -> Option<Vec<f64>> {
        let asked = telling(text);
        if asked.is_empty() {
            return None;
        }
        let mut sums = vec![0.0_f32; self.items];
        let mut whole = f32::MIN_POSITIVE;
        for token in &asked {
            let shares = self.token(token);
            let holding = shares.iter().filter(|share| **share > 0.0).count().max(1);
            let weight = (self.items as f64 / (1.0 + holding as f64)).ln_1p() as f32;
            whole += weight;
            for (sum, share) in sums.iter_mut().zip(&shares) {
                *sum += weight * share;
            }
        }
        // Rounded to 1e-6, the accuracy of single precision.
        let part = |sum: f32| (f64::from(sum / whole).min(1.0) * 1e6).round() / 1e6;
        Some(sums.into_iter().map(part).collect())
    }

    /// Returns the share of a token in each item: that of the whole word or the mean over its parts, whichever is
    /// larger.
    fn token(&self, token: &Token) -> Vec<f32> {
        let mut shares = self.word(&token.whole);
        if let [Run { whole, parts }] = token.runs.as_slice()
            && parts.len() <= 1
            && *whole == token.whole
        {
            return shares;
        }
        let runs = self.mean(token.runs.iter().map(|run| {
            let mut shares =
                if run.whole == token.whole { shares.clone() } else { self.word(&run.whole) };
            if run.parts.len() > 1 {
                most(&mut shares, &self.mean(run.parts.iter().map(|part| self.word(part))));
            }
            shares
        }));
        most(&mut shares, &runs);
        shares
    }

    fn mean(&self, all: impl Iterator<Item = Vec<f32>>) -> Vec<f32> {
        let mut sums = vec![0.0_f32; self.items];
        let mut count = 0.0_f32;
        for shares in all {
            count += 1.0;
            sums.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += share);
        }
        sums.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        sums
    }

    /// Returns the share of a word in each item: as it is, as a prefix, and in other forms.
    fn word(&self, asked: &str) -> Vec<f32> {
        let mut shares = vec![0.0_f32; self.items];
        let characters = asked.chars().count();
        if characters < MIN_PREFIX {
            if let Ok(at) = self.words.binary_search_by(|word| (**word).cmp(asked)) {
                self.add(at, 1.0, &mut shares);
            }
            return shares;
        }
        let from = self.words.partition_point(|word| **word < *asked);
        let beginning = self.words[from..].iter().take_while(|word| word.starts_with(asked));
        for (at, word) in beginning.enumerate() {
            let part = characters as f32 / word.chars().count() as f32;
            self.add(from + at, (1.0 - PREFIX).mul_add(part, PREFIX), &mut shares);
        }
        for stem in stems(asked) {
            let most = stem.len() + if stem.len() > MIN_PREFIX { MAX_ENDING } else { 0 };
            let from = self.words.partition_point(|word| **word < *stem);
            let beginning = self.words[from..].iter().take_while(|word| word.starts_with(&stem));
            for (at, _) in beginning.enumerate().filter(|(_, word)| word.len() <= most) {
                self.add(from + at, FORM, &mut shares);
            }
        }
        shares
    }

    fn add(&self, word: usize, credit: f32, shares: &mut [f32]) {
        let (from, to) = (self.begins[word] as usize, self.begins[word + 1] as usize);
        for (item, share) in &self.postings[from..to] {
            let most = &mut shares[*item as usize];
            *most = most.max(credit * share);
        }
    }
}

fn telling(text: &str) -> Vec<Token> {
    question(text).into_iter().filter(|token| !token.is_filler()).collect()
}

fn most(shares: &mut [f32], others: &[f32]) {
    shares.iter_mut().zip(others).for_each(|(share, other)| *share = share.max(*other));
}

/// Returns a word without its simple English endings: `deploy` for `deployed`, `polic` for `policies`, `run` for
/// `running`. Words that extend a stem by a few letters count as its forms.
fn stems(word: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (suffix, shortest) in
        [("ies", 3), ("es", 4), ("s", 3), ("ed", 3), ("ing", 3), ("y", 4), ("e", 4)]
    {
        let Some(stem) = word.strip_suffix(suffix).filter(|stem| stem.len() >= shortest) else {
            continue;
        };
        all.insert(stem.to_owned());
        let mut last = stem.chars().rev();
        if matches!(suffix, "ed" | "ing")
            && let (Some(a), Some(b)) = (last.next(), last.next())
            && a == b
            && stem.len() > MIN_PREFIX
        {
            all.insert(stem[..stem.len() - a.len_utf8()].to_owned());
        }
    }
    all
}

/// The prefixes of words that may match a question, and the words that are too short for a prefix.
#[derive(Debug, Default)]
struct QueryPrefixes {
    beginnings: Vec<[u8; MIN_PREFIX]>,
    whole: Vec<String>,
}

impl QueryPrefixes {
    fn by(asked: &[Token]) -> Self {
        let mut wanted = Self::default();
        for token in asked {
            let runs = token.runs.iter().flat_map(|run| run.parts.iter().chain([&run.whole]));
            for word in runs.chain([&token.whole]) {
                stems(word).into_iter().chain([word.clone()]).for_each(|word| wanted.add(word));
            }
        }
        wanted.beginnings.sort_unstable();
        wanted.beginnings.dedup();
        wanted
    }

    fn add(&mut self, word: String) {
        match word.as_bytes().first_chunk() {
            Some(first) => self.beginnings.push(*first),
            None => self.whole.push(word),
        }
    }

    /// Returns true if a word may match the question. May be true for a few words that do not, but is never false for
    /// one that does.
    fn may_hold(&self, word: &str) -> bool {
        match word.as_bytes().first_chunk() {
            Some(first) => self.beginnings.binary_search(first).is_ok(),
            None => self.whole.iter().any(|whole| whole == word),
        }
    }
}

/// A builder for the index. Numbers words in order of appearance and counts them item by item, so that memory is
/// written sequentially.
#[derive(Debug, Default)]
struct Builder {
    numbers: Map<Box<str>, u32>,
    /// Pairs of a word's number and its count, grouped by item.
    counts: Vec<(u32, f32)>,
    /// The end of each item's entries in `counts`.
    ends: Vec<usize>,
    /// The number of words in each item's text.
    lengths: Vec<u32>,
    /// The numbers and weights of the words of the current item.
    here: Vec<(u32, f32)>,
    /// The words to index. `None` for all.
    wanted: Option<QueryPrefixes>,
}

impl Builder {
    fn build(mut self, items: &[&Item]) -> RecallIndex {
        for item in items {
            let mut length = 0;
            if !item.is_done() {
                length = self.read(&item.body, 1.0);
                self.read(item.key.id.as_str(), ID);
                item.keywords.iter().for_each(|keyword| {
                    self.read(keyword, KEYWORD);
                });
            }
            self.end_item(length);
        }
        self.finish()
    }

    /// Adds the words of a text to the current item, each with the weight `times`. Returns the number of words.
    fn read(&mut self, text: &str, times: f32) -> u32 {
        let (numbers, here, wanted) = (&mut self.numbers, &mut self.here, &self.wanted);
        let words = split(text, |word| {
            if wanted.as_ref().is_some_and(|wanted| !wanted.may_hold(word)) {
                return;
            }
            let number = match numbers.get(word) {
                Some(number) => *number,
                None => {
                    let number = numbers.len() as u32;
                    numbers.insert(word.into(), number);
                    number
                }
            };
            here.push((number, times));
        });
        u32::try_from(words).unwrap_or(u32::MAX)
    }

    /// Finishes the current item, whose text has `length` words.
    fn end_item(&mut self, length: u32) {
        self.here.sort_unstable_by_key(|(number, _)| *number);
        for (number, times) in self.here.drain(..) {
            let begin = self.ends.last().copied().unwrap_or(0);
            match self.counts[begin..].last_mut() {
                Some((last, count)) if *last == number => *count += times,
                _ => self.counts.push((number, times)),
            }
        }
        self.ends.push(self.counts.len());
        self.lengths.push(length);
    }

    fn finish(self) -> RecallIndex {
        let items = self.lengths.len();
        let total: u64 = self.lengths.iter().map(|length| u64::from(*length)).sum();
        let average = (total as f64 / items.max(1) as f64).max(1.0);
        let mut order: Vec<(Box<str>, u32)> = self.numbers.into_iter().collect();
        order.sort_unstable();
        // A counting sort: computes where each word's postings begin, then puts each count in its place.
        let mut holding = vec![0_u32; order.len()];
        self.counts.iter().for_each(|(number, _)| holding[*number as usize] += 1);
        let mut places = vec![0_u32; order.len()];
        let mut begins = Vec::with_capacity(order.len() + 1);
        let mut begin = 0;
        for (_, number) in &order {
            begins.push(begin);
            places[*number as usize] = begin;
            begin += holding[*number as usize];
        }
        begins.push(begin);
        let mut postings = vec![(0, 0.0); self.counts.len()];
        let mut from = 0;
        for (item, (end, length)) in self.ends.iter().zip(&self.lengths).enumerate() {
            let held_back = K1 * B.mul_add(f64::from(*length) / average, 1.0 - B);
            for (number, count) in &self.counts[from..*end] {
                let place = &mut places[*number as usize];
                postings[*place as usize] = (item as u32, share(*count, held_back));
                *place += 1;
            }
            from = *end;
        }
        let words = order.into_iter().map(|(word, _)| word).collect();
        RecallIndex { words, begins, postings, items }
    }
}

/// Returns the share of a word in an item that contains it: see [`RecallIndex`].
fn share(count: f32, held_back: f64) -> f32 {
    let count = f64::from(count);
    (1.0 - PRESENT).mul_add(count / (count + held_back), PRESENT) as f32
}
