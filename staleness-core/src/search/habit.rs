//! Habits: the server or plugin to which the words of a question usually led.

use std::collections::BTreeMap;

use super::index::SearchIndex;
use super::weights::{NOWHERE, queries};
use super::words::Shares;

/// The weight of a habit: added to each tool of an origin per nat by which a word is more usual there. The
/// sum is divided by the weight of all words of the question.
const WEIGHT: f64 = 0.5;
/// Queries as usual as any that an origin is taken to have learned beforehand.
const BEFORE: f64 = 5.0;
/// The most that habits add.
const MOST: f64 = 0.35;

impl SearchIndex {
    /// Returns by how much habits raise the word score of each tool, 0..=0.35, by its place.
    ///
    /// A word speaks for an origin, a server or a plugin, by how much more usual it is among the queries
    /// that led to its tools than among all of them: `ln(p(word | origin) ÷ p(word))`, where that is
    /// more than 0, with `p(word | origin) = (n + 5 p(word)) ÷ (N + 5)`; `n` of its `N` queries hold the
    /// word, each as sure as it is. So tools gain by what was learned of their siblings. The sum over the words of
    /// the question counts half, divided by `Σ idf`. A tool of which nothing but the origin fits gains nothing.
    ///
    /// # Sources
    /// Zhai and Lafferty, "A Study of Smoothing Methods for Language Models Applied to Information
    /// Retrieval", ACM Transactions on Information Systems 22 (2004), section 2 (Dirichlet priors).
    pub(super) fn habits(
        &self,
        shares: &[Shares<'_>],
        words: &[f64],
        passes: &mut impl FnMut(u32) -> bool,
    ) -> Vec<f64> {
        let weights = self.weights();
        let whole: f64 = shares.iter().map(|each| each.weight).sum();
        let mut habits = vec![0.0; self.entries.len()];
        if weights.all_routes == 0 {
            return habits;
        }
        let mut of_origins = vec![0.0; weights.origin_routes.len()];
        let mut met = vec![false; self.entries.len()];
        for share in shares {
            let Some(number) = self.lexicon.number(share.stem) else { continue };
            // Whole numbers have one sum, whatever their order.
            let (mut everywhere, mut origins) = (0, BTreeMap::new());
            for route in &self.lexicon[number].routes {
                let route = &self.routes[*route as usize];
                let weight = u64::from(route.confidence.billionths());
                everywhere += weight;
                if weight == 0 || !passes(route.tool) {
                    continue;
                }
                met[route.tool as usize] = true;
                let origin = weights.origins[route.tool as usize];
                if origin != NOWHERE {
                    *origins.entry(origin).or_insert(0_u64) += weight;
                }
            }
            let usual = everywhere as f64 / weights.all_routes as f64;
            for (origin, with) in origins {
                let all = weights.origin_routes[origin as usize];
                of_origins[origin as usize] += WEIGHT * nats(with, all, usual);
            }
        }
        for (place, habit) in habits.iter_mut().enumerate() {
            let origin = weights.origins[place];
            if origin != NOWHERE && (words[place] > 0.0 || met[place]) {
                *habit = (of_origins[origin as usize] / whole).min(MOST);
            }
        }
        habits
    }
}

/// By how many nats a word is more usual at an origin than elsewhere, given what the queries with it and all
/// queries there weigh; 0 where it is less usual.
fn nats(with: u64, all: u64, usual: f64) -> f64 {
    let (with, all) = (queries(with), queries(all));
    (BEFORE.mul_add(usual, with) / (all + BEFORE) / usual).ln().max(0.0)
}
