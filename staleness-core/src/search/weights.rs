//! What words and routes weigh: computed once after each change, from whole numbers alone.

use super::index::{Entry, SearchIndex};
use super::lexicon::Word;

/// Where a tool comes from that comes from nowhere.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What words, routes and origins weigh.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    /// By number of the word, for comparing queries: by the texts of tools alone, so that two queries are as
    /// close whatever else was learned.
    pub(super) words: Vec<f64>,
    /// By number of the word: how many tools hold it, in their texts or in what was learned of them.
    pub(super) held: Vec<u32>,
    /// By place of the route: the sum over its words.
    pub(super) routes: Vec<f64>,
    /// Where each tool comes from, by its place.
    pub(super) origins: Vec<u32>,
    /// What the routes to tools of each origin weigh, each as sure as it is, in billionths.
    pub(super) origin_routes: Vec<u64>,
    /// What the routes to each tool weigh, by its place.
    pub(super) tool_routes: Vec<u64>,
    /// What all routes weigh.
    pub(super) all_routes: u64,
    /// How long a text is on average, in words; at least 1.
    pub(super) mean_length: f64,
}

impl SearchIndex {
    pub(super) fn weights(&self) -> &Weights {
        self.weights.get_or_init(|| {
            let words: Vec<f64> =
                self.lexicon.iter().map(|word| self.idf_described(word.texts.len())).collect();
            let sum = |numbers: &[u32]| ordered_sum(numbers.iter().map(|at| words[*at as usize]));
            let routes = self.routes.iter().map(|route| sum(&route.words)).collect();
            let origin = |entry: &Entry| entry.text.as_ref()?.origin;
            let origins: Vec<u32> =
                self.entries.iter().map(|entry| origin(entry).unwrap_or(NOWHERE)).collect();
            let mut tool_routes = vec![0; self.entries.len()];
            let mut origin_routes = vec![0; self.origins.len()];
            let mut all_routes = 0;
            for route in &self.routes {
                let weight = u64::from(route.confidence.billionths());
                all_routes += weight;
                tool_routes[route.tool as usize] += weight;
                let origin = origins[route.tool as usize];
                if origin != NOWHERE {
                    origin_routes[origin as usize] += weight;
                }
            }
            let held = self.held();
            let mean_length = (self.words as f64 / self.described.max(1) as f64).max(1.0);
            Weights {
                words,
                held,
                routes,
                origins,
                origin_routes,
                tool_routes,
                all_routes,
                mean_length,
            }
        })
    }

    /// The number of tools that hold each word, by its number.
    fn held(&self) -> Vec<u32> {
        // The word for which each tool was counted last, and one more.
        let mut counted = vec![0; self.entries.len()];
        let count = |(turn, word): (u32, &Word)| {
            let learned = word.routes.iter().map(|route| self.routes[*route as usize].tool);
            let tools = word.texts.iter().map(|posting| posting.tool).chain(learned);
            let is_new = |tool: &u32| std::mem::replace(&mut counted[*tool as usize], turn) != turn;
            tools.filter(is_new).count() as u32
        };
        (1..).zip(self.lexicon.iter()).map(count).collect()
    }

    /// How much a word tells that so many tools hold: the inverse document frequency of BM25, never
    /// negative.
    pub(super) fn idf(&self, tools: u32) -> f64 {
        idf(self.places(), tools as usize)
    }

    /// How much a word tells that so many tools hold in their texts.
    pub(super) fn idf_described(&self, tools: usize) -> f64 {
        idf(self.described, tools)
    }
}

fn idf(all: usize, holding: usize) -> f64 {
    let (all, holding) = (all as f64, holding as f64);
    ((all - holding + 0.5) / (holding + 0.5)).max(0.0).ln_1p()
}

/// A sum that does not depend on the order in which the numbers come.
pub(super) fn ordered_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.into_iter().sum()
}
