//! Baselines: textbook BM25 (Robertson and Zaragoza 2009) over lower-case alphanumeric words, with and
//! without stop words.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::{Data, Tool};
use crate::figures::Searcher;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Stop words of the stricter baseline.
const STOP: &str = "a about after all am an and any are as at be been but by can could d did do does for from get give \
    had has have having hello help hi how i if im in into is it its just know let lets like ll looking m me my need of \
    on one or our out please re s show so some t tell than that thats the their them then there these they this to up \
    us use using ve want was we were what whats when where which who why will with would you your";

/// A BM25 index over texts.
#[derive(Debug)]
pub(crate) struct Bm25 {
    /// For each word, the texts that contain it and its count there.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
    stop: BTreeSet<&'static str>,
}

impl Bm25 {
    /// Indexes the descriptions, each with its learned queries appended.
    pub(crate) fn new(data: &Data, learned: &[(usize, &str)], stops: bool) -> Self {
        let text = |tool: &Tool| format!("{} {}", tool.name, tool.description);
        let mut texts: Vec<String> = data.tools.iter().map(text).collect();
        for (tool, query) in learned {
            texts[*tool].push(' ');
            texts[*tool].push_str(query);
        }
        let stop: BTreeSet<&str> = STOP.split_whitespace().filter(|_| stops).collect();
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            words(text, &stop).for_each(|word| *counts.entry(word).or_default() += 1.0);
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                postings.entry(word).or_default().push((at, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        Self { postings, lengths, mean, stop }
    }
}

impl Searcher for Bm25 {
    fn order(&self, data: &Data, query: &str) -> Vec<usize> {
        let mut scores = vec![0.0; self.lengths.len()];
        for word in words(query, &self.stop).collect::<BTreeSet<_>>() {
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

fn words<'a>(text: &'a str, stop: &'a BTreeSet<&str>) -> impl Iterator<Item = String> + 'a {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !stop.contains(word.as_str()))
}
