//! What words and routes weigh: computed once after each change, from whole numbers alone.

use std::collections::HashMap;

use super::index::{Route, SearchIndex};
use crate::route::{Confidence, RouteId};

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
    /// How sure the surest route of each slot is.
    pub(super) surest: Vec<UpTo>,
}

/// What is asked of many routes, close together in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouteWeight {
    /// The sum over its words.
    pub(super) words: f64,
    /// Its tool, by its place.
    pub(super) bundle: u32,
    /// A few routes share a slot: it goes by the end of the id alone.
    pub(super) slot: u32,
    /// How sure it is.
    pub(super) confidence: Confidence,
}

impl RouteWeight {
    const GONE: Self = Self { words: 0.0, bundle: NOWHERE, slot: 0, confidence: Confidence::ZERO };
}

/// A share, rounded up: small, so that many of them stay near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UpTo(u8);

impl UpTo {
    const ONE: f32 = u8::MAX as f32;

    /// Of 0..=1.
    pub(super) fn share(share: f64) -> Self {
        Self((share * f64::from(Self::ONE)).ceil() as u8)
    }

    #[inline]
    pub(super) fn get(self) -> f32 {
        f32::from(self.0) * (1.0 / Self::ONE)
    }
}

/// How many slots there are at most: a mebibyte of them.
const MAX_SLOTS: usize = 1 << 20;

/// The slot of a route, of so many, a power of two.
#[inline]
pub(super) fn slot(id: RouteId, slots: usize) -> usize {
    id.0 as usize & (slots - 1)
}

impl SearchIndex {
    pub(super) fn weights(&self) -> &Weights {
        self.weights.get_or_init(|| {
            let words: Vec<f64> = (0..self.lexicon.len() as u32)
                .map(|number| self.idf_described(self.lexicon[number].described))
                .collect();
            let sum = |numbers: &[u32]| ordered_sum(numbers.iter().map(|at| words[*at as usize]));
            let mut surest =
                vec![UpTo::default(); (self.routes.len() * 2).next_power_of_two().min(MAX_SLOTS)];
            let mut route = |route: &Route| {
                let (slot, confidence) = (slot(route.id, surest.len()), route.confidence);
                surest[slot] = UpTo::share(confidence.get()).max(surest[slot]);
                let words = sum(&route.words);
                RouteWeight { words, bundle: route.bundle, slot: slot as u32, confidence }
            };
            let routes =
                self.routes.iter().map(|each| each.as_ref().map_or(RouteWeight::GONE, &mut route));
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
            Weights {
                routes,
                words,
                origins,
                origin_routes,
                tool_routes,
                surest,
                all_routes,
                mean_length,
            }
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
