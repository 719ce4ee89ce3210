//! Habits: where the words of a question usually led, whatever else was asked with them.

use std::collections::BTreeMap;

use super::index::SearchIndex;
use super::weights::NOWHERE;
use super::words::Shares;

/// The weight of an origin's habit: added to each of its tools per nat by which a word is more
/// usual there. The sum is divided by the weight of all words of the question.
const ORIGIN: f64 = 0.5;
/// Queries as usual as any that an origin is taken to have learned beforehand.
const ORIGIN_BEFORE: f64 = 5.0;
/// The weight of a tool's habit, in the unit of [`ORIGIN`].
const TOOL: f64 = 1.2;
/// Queries as usual as any that a tool is taken to have learned beforehand.
const TOOL_BEFORE: f64 = 10.0;
/// Queries with a word that are no habit of a tool yet: each of them is a route that counts already.
const NO_HABIT: u64 = 2;
/// Queries after which an origin is given half the benefit of the doubt that one has of which nothing was
/// learned.
const HALF_KNOWN: f64 = 3.0;
/// The most that habits add: less than the learned share of a score, so that no number of queries with a
/// word in common outweighs the one that is the question itself.
const MOST: f64 = 0.35;
/// Confidences come in billionths.
const ONE: u64 = 1_000_000_000;

impl SearchIndex {
    /// Returns by how much habits raise the word score of each tool, 0..=0.35, by its place.
    ///
    /// A word speaks for an origin, a server or a plugin, by how much more usual it is among the queries
    /// that led to its tools than among all of them: `ln(p(word | origin) ÷ p(word))`, where that is
    /// more than 0, with `p(word | origin) = (n + 5 p(word)) ÷ (N + 5)`; `n` of its `N` queries hold the
    /// word, each as sure as it is. So tools gain by what was learned of their siblings. It speaks for
    /// one tool in the same way, from the third query on that holds it. Their sums over the words of the
    /// question count 0.5 and 1.2 times, divided by `Σ idf`.
    ///
    /// A tool, or an origin, of which nothing was learned is taken to have as much of the strongest
    /// habit as its words fit: it does not lose to others for no fault of its own. So that it does not lose for
    /// having learned something else either, it keeps a part of that: a tool [`doubt`], an origin
    /// `3 ÷ (N + 3)`. A tool of which nothing but the origin fits gains nothing.
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
        let mut of_tools = vec![0.0; self.entries.len()];
        let mut of_origins = vec![0.0; weights.origin_routes.len()];
        let mut met = vec![false; self.entries.len()];
        for share in shares {
            let Some(number) = self.lexicon.number(share.stem) else { continue };
            // Whole numbers have one sum, whatever their order.
            let mut everywhere = 0;
            let (mut tools, mut origins) = (BTreeMap::new(), BTreeMap::new());
            for route in &self.lexicon[number].routes {
                let route = &self.routes[*route as usize];
                let weight = u64::from(route.confidence.billionths());
                everywhere += weight;
                if !passes(route.tool) {
                    continue;
                }
                *tools.entry(route.tool).or_insert(0_u64) += weight;
                let origin = weights.origins[route.tool as usize];
                if origin != NOWHERE {
                    *origins.entry(origin).or_insert(0_u64) += weight;
                }
            }
            if everywhere == 0 {
                continue;
            }
            let usual = everywhere as f64 / weights.all_routes as f64;
            for (origin, with) in origins {
                let all = weights.origin_routes[origin as usize];
                of_origins[origin as usize] += ORIGIN * nats(with, all, usual, ORIGIN_BEFORE);
            }
            for (place, with) in tools {
                met[place as usize] = true;
                let (with, all) =
                    (with.saturating_sub(NO_HABIT * ONE), weights.tool_routes[place as usize]);
                of_tools[place as usize] += TOOL * nats(with, all, usual, TOOL_BEFORE);
            }
        }
        let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
        let (fitting, best_tool, best_origin) = (most(words), most(&of_tools), most(&of_origins));
        for (place, habit) in habits.iter_mut().enumerate() {
            if words[place] <= 0.0 && !met[place] {
                continue;
            }
            let like = if fitting > 0.0 { words[place] / fitting } else { 0.0 };
            let of_tool =
                of_tools[place].max(like * best_tool * doubt(queries(weights.tool_routes[place])));
            let (own, known) = match weights.origins[place] {
                NOWHERE => (0.0, 0.0),
                at => (of_origins[at as usize], queries(weights.origin_routes[at as usize])),
            };
            let of_origin = own.max(like * best_origin * HALF_KNOWN / (known + HALF_KNOWN));
            *habit = ((of_tool + of_origin) / whole).min(MOST);
        }
        habits
    }
}

/// Returns the share of the benefit of the doubt for a tool of which `queries` were learned: 1
/// without any, 0 from the third on, with which habits begin.
pub(super) fn doubt(queries: f64) -> f64 {
    (1.0 - queries / (NO_HABIT + 1) as f64).max(0.0)
}

/// Billionths of queries as queries.
fn queries(weight: u64) -> f64 {
    weight as f64 / ONE as f64
}

/// By how many nats a word is more usual here than elsewhere, given what the queries with it and all
/// queries here weigh; 0 where it is less usual.
fn nats(with: u64, all: u64, usual: f64, before: f64) -> f64 {
    if with == 0 {
        return 0.0;
    }
    let (with, all) = (queries(with), queries(all));
    (before.mul_add(usual, with) / (all + before) / usual).ln().max(0.0)
}
