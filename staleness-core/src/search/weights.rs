//! Weights of words and routes, computed once after each change from integers only.

use super::index::{Entry, SearchIndex};
use super::lexicon::Word;

/// The origin of a tool without a server or plugin, or without a known text.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Confidences and lengths are summed in billionths.
pub(super) const BILLION: u64 = 1_000_000_000;
/// Squares of weights are summed in millionths.
const MILLION: f64 = 1e6;

/// The weights of words, routes and origins.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    /// Weight of each word for comparing queries. Based on the texts of tools only, so that the closeness of
    /// two queries does not depend on other learned queries.
    pub(super) words: Vec<f64>,
    /// Number of tools with each word in their text or learned queries.
    pub(super) held: Vec<u32>,
    /// Sum of the word weights of each route.
    pub(super) routes: Vec<f64>,
    /// Origin of each tool, or [`NOWHERE`].
    pub(super) origins: Vec<u32>,
    /// Sum of the confidences of the routes to each origin, in billionths.
    pub(super) origin_routes: Vec<u64>,
    /// Sum of the confidences of the routes to each tool, in billionths.
    pub(super) tool_routes: Vec<u64>,
    /// Norm of the sum of each tool's queries: `√Σ (idf n)²`.
    pub(super) tool_norms: Vec<f64>,
    /// Sum of the confidences of all routes, in billionths.
    pub(super) all_routes: u64,
    /// Average length of a text in words, at least 1.
    pub(super) mean_length: f64,
    /// Number of words in each tool's text and queries, divided by the average of all tools.
    pub(super) lengths: Vec<f64>,
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
            let length = |entry: &Entry| entry.text.as_ref().map_or(0, |text| text.length);
            let mut lengths: Vec<u64> =
                self.entries.iter().map(|entry| u64::from(length(entry)) * BILLION).collect();
            for route in &self.routes {
                let weight = u64::from(route.confidence.billionths());
                all_routes += weight;
                tool_routes[route.tool as usize] += weight;
                lengths[route.tool as usize] += weight * u64::from(route.length);
                let origin = origins[route.tool as usize];
                if origin != NOWHERE {
                    origin_routes[origin as usize] += weight;
                }
            }
            let held = self.held();
            let tool_norms = self.tool_norms(&held);
            let mean_length = (self.words as f64 / self.described.max(1) as f64).max(1.0);
            Weights {
                words,
                held,
                routes,
                origins,
                origin_routes,
                tool_routes,
                tool_norms,
                all_routes,
                mean_length,
                lengths: relative(&lengths),
            }
        })
    }

    /// Returns the number of tools that have each word.
    fn held(&self) -> Vec<u32> {
        // The last word for which each tool was counted, plus one.
        let mut counted = vec![0; self.entries.len()];
        let count = |(turn, word): (u32, &Word)| {
            let learned = word.all_routes().map(|route| self.routes[route as usize].tool);
            let tools = word.texts.iter().map(|posting| posting.tool).chain(learned);
            let is_new = |tool: &u32| std::mem::replace(&mut counted[*tool as usize], turn) != turn;
            tools.filter(is_new).count() as u32
        };
        (1..).zip(self.lexicon.iter()).map(count).collect()
    }

    /// Returns the norm of the sum of each tool's queries. `held` is the number of tools that have each word.
    fn tool_norms(&self, held: &[u32]) -> Vec<f64> {
        let mut squares = vec![0_u64; self.entries.len()];
        let mut counts = vec![0_u64; self.entries.len()];
        for (word, tools) in self.lexicon.iter().zip(held) {
            let routes = || word.all_routes().map(|route| &self.routes[route as usize]);
            for route in routes() {
                counts[route.tool as usize] += u64::from(route.confidence.billionths());
            }
            // Most words are in no query, and some are in many.
            let idf = routes().next().map_or(0.0, |_| self.idf(*tools));
            for place in routes().map(|route| route.tool as usize) {
                let weight = idf * queries(std::mem::take(&mut counts[place]));
                // Sums of integers do not depend on their order.
                squares[place] += (weight * weight * MILLION).round() as u64;
            }
        }
        squares.into_iter().map(|square| (square as f64 / MILLION).sqrt()).collect()
    }

    /// Returns the weight of a word that `tools` tools have: the inverse document frequency of BM25, never
    /// negative.
    pub(super) fn idf(&self, tools: u32) -> f64 {
        idf(self.places(), tools as usize)
    }

    /// Works like [`SearchIndex::idf`], but counts only described tools and words in their texts.
    pub(super) fn idf_described(&self, tools: usize) -> f64 {
        idf(self.described, tools)
    }
}

fn idf(all: usize, holding: usize) -> f64 {
    let (all, holding) = (all as f64, holding as f64);
    ((all - holding + 0.5) / (holding + 0.5)).max(0.0).ln_1p()
}

/// Divides numbers by their average.
fn relative(numbers: &[u64]) -> Vec<f64> {
    let mean = numbers.iter().sum::<u64>() as f64 / numbers.len() as f64;
    numbers.iter().map(|number| *number as f64 / mean.max(1.0)).collect()
}

/// Converts a sum of confidences in billionths to a number of queries.
pub(super) fn queries(confidences: u64) -> f64 {
    confidences as f64 / BILLION as f64
}

/// Sums numbers so that the result does not depend on their order.
pub(super) fn ordered_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.into_iter().sum()
}
