//! The baseline: BM25 as the textbook has it (Robertson and Zaragoza 2009), over lower-cased words of
//! letters and digits.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::Data;
use crate::figures::Searcher;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// An index over texts, by their places.
#[derive(Debug)]
pub(crate) struct Bm25 {
    /// Counts of each word, by the texts that hold it.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Bm25 {
    pub(crate) fn new(texts: &[String]) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            words(text).for_each(|word| *counts.entry(word).or_default() += 1.0);
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                postings.entry(word).or_default().push((at, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        Self { postings, lengths, mean }
    }
}

impl Searcher for Bm25 {
    fn order(&self, data: &Data, query: &str) -> Vec<usize> {
        let mut scores = vec![0.0; self.lengths.len()];
        for word in words(query).collect::<BTreeSet<_>>() {
            let Some(postings) = self.postings.get(&word) else { continue };
            let (all, holding) = (self.lengths.len() as f64, postings.len() as f64);
            let idf = ((all - holding + 0.5) / (holding + 0.5)).ln_1p();
            for (at, count) in postings {
                let held_back = 1.0 - B + B * self.lengths[*at] / self.mean;
                scores[*at] += idf * count * (K1 + 1.0) / (count + K1 * held_back);
            }
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        found.sort_by(|a, b| {
            let names = || data.tools[*a].name.cmp(&data.tools[*b].name);
            scores[*b].total_cmp(&scores[*a]).then_with(names)
        });
        found
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
