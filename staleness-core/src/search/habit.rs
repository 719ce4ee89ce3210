//! Habits: the server or plugin that the words of a question usually lead to.

use std::collections::BTreeMap;

use super::index::SearchIndex;
use super::weights::{NOWHERE, queries};
use super::words::Shares;

/// Weight of a habit per nat by which a word is more frequent at an origin. The sum is divided by the weight
/// of all words of the question.
const WEIGHT: f64 = 0.5;
/// Number of average queries that each origin is assumed to start with.
const BEFORE: f64 = 5.0;
/// Upper bound of the habit score.
const MOST: f64 = 0.35;

impl SearchIndex {
    /// Returns the habit part of each tool's word score, 0..=0.35, by index.
    ///
    /// A word favours an origin (a server or plugin) if it is more frequent among the queries that led to tools of
    /// this origin than among all queries: by `ln(p(word | origin) ÷ p(word))`, if positive. Here `p(word | origin)
    /// = (n + 5 p(word)) ÷ (N + 5)`, and `n` of the origin's `N` queries contain the word, weighted by confidence.
    /// A tool therefore profits from queries learned for its siblings. The sum over the words of the question counts
    /// half and is divided by `Σ idf`. A tool gains nothing if only its origin fits.
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
            // Sums of integers do not depend on their order.
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

/// Returns by how many nats a word is more frequent at an origin than overall, or 0 if it is less frequent. `with`
/// is the weight of the queries with it there, and `all` of all queries there.
fn nats(with: u64, all: u64, usual: f64) -> f64 {
    let (with, all) = (queries(with), queries(all));
    (BEFORE.mul_add(usual, with) / (all + BEFORE) / usual).ln().max(0.0)
}
