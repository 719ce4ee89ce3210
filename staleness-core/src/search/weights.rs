//! What words and routes weigh: computed once after each change, from whole numbers alone.

use std::collections::HashMap;

use super::index::{Route, SearchIndex};
use crate::route::Confidence;

/// Where a tool comes from that comes from nowhere.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What words, routes and origins weigh.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    /// By number of the word, for comparing queries: by the texts of tools alone, so that two queries are as
    /// close whatever else was learned.
    pub(super) words: Vec<f64>,
    /// By place of the route.
    pub(super) routes: Vec<RouteWeight>,
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

/// What is asked of many routes, close together in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouteWeight {
    /// The sum over its words.
    pub(super) words: f64,
    /// Its tool, by its place.
    pub(super) bundle: u32,
    /// How sure it is.
    pub(super) confidence: Confidence,
}

impl RouteWeight {
    const GONE: Self = Self { words: 0.0, bundle: NOWHERE, confidence: Confidence::ZERO };
}

impl SearchIndex {
    pub(super) fn weights(&self) -> &Weights {
        self.weights.get_or_init(|| {
            let words: Vec<f64> = (0..self.lexicon.len() as u32)
                .map(|number| self.idf_described(self.lexicon[number].described))
                .collect();
            let sum = |numbers: &[u32]| ordered_sum(numbers.iter().map(|at| words[*at as usize]));
            let route = |route: &Route| RouteWeight {
                words: sum(&route.words),
                bundle: route.bundle,
                confidence: route.confidence,
            };
            let routes =
                self.routes.iter().map(|each| each.as_ref().map_or(RouteWeight::GONE, route));
            let routes = routes.collect();
            let mut numbers: HashMap<&str, u32> = HashMap::new();
            let mut origins = vec![NOWHERE; self.bundles.len()];
            for text in self.texts.iter().flatten() {
                if let Some(from) = &text.from {
                    let next = numbers.len() as u32;
                    origins[text.bundle as usize] = *numbers.entry(from).or_insert(next);
                }
            }
            let mut tool_routes = vec![0; self.bundles.len()];
            let mut origin_routes = vec![0; numbers.len()];
            let mut all_routes = 0;
            for route in self.routes.iter().flatten() {
                let weight = u64::from(route.confidence.billionths());
                all_routes += weight;
                tool_routes[route.bundle as usize] += weight;
                let origin = origins[route.bundle as usize];
                if origin != NOWHERE {
                    origin_routes[origin as usize] += weight;
                }
            }
            let mean_length = (self.words as f64 / self.tools.max(1) as f64).max(1.0);
            Weights { routes, words, origins, origin_routes, tool_routes, all_routes, mean_length }
        })
    }

    /// How much a word tells that so many tools hold: the inverse document frequency of BM25, never
    /// negative.
    pub(super) fn idf(&self, tools: u32) -> f64 {
        idf(self.places(), tools)
    }

    /// How much a word tells that so many tools hold in their texts.
    pub(super) fn idf_described(&self, tools: u32) -> f64 {
        idf(self.tools, tools)
    }
}

fn idf(all: usize, holding: u32) -> f64 {
    let (all, holding) = (all as f64, f64::from(holding));
    ((all - holding + 0.5) / (holding + 0.5)).max(0.0).ln_1p()
}

/// A sum that does not depend on the order in which the numbers come.
pub(super) fn ordered_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.into_iter().sum()
}
