//! How close learned queries are to a question.

use std::collections::HashMap;

use super::index::SearchIndex;
use super::question::Question;
use super::weights::ordered_sum;
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::route::{Confidence, RouteId};
use crate::verdict::round;

/// How much less a partial overlap of two queries says than a full one.
const SHARPNESS: f64 = 3.0;

/// How close tools and learned queries are to a question by meaning, as cosines; empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Learned queries, by their ids.
    pub routes: HashMap<RouteId, f64>,
    /// Tools, by the vectors of their descriptions.
    pub tools: HashMap<ToolName, f64>,
}

/// A learned query that is close to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedMatch {
    /// The route.
    pub id: RouteId,
    /// How close the queries are, 0..=1: by words and by meaning, blended.
    pub closeness: f64,
    /// How close they are by words, 0..=1.
    pub words: f64,
    /// The cosine of their vectors, where both have one and it is above 0.
    pub meaning: Option<f64>,
    /// How sure the route is.
    pub confidence: Confidence,
}

impl LearnedMatch {
    /// Closeness × confidence, rounded to 1e-9.
    #[must_use]
    pub fn score(&self) -> f64 {
        round(self.closeness * self.confidence.get())
    }

    /// Whether it is the better one: by score, then by id.
    fn beats(&self, other: &Self) -> bool {
        self.score().total_cmp(&other.score()).then(other.id.cmp(&self.id)).is_gt()
    }
}

impl SearchIndex {
    /// The nearest closeness, and the best route of each tool that passes, by its place.
    pub(super) fn learned(
        &self,
        question: &Question,
        meaning: &Meaning,
        passes: &mut impl FnMut(u32) -> bool,
    ) -> (f64, HashMap<u32, LearnedMatch>) {
        let weights = self.weights();
        let weight_of = |number: Option<u32>| {
            number.map_or_else(|| self.idf_described(0), |number| weights.words[number as usize])
        };
        let mut common = vec![0.0; self.routes.len()];
        for stem in question.stems.keys() {
            let Some(number) = self.lexicon.number(stem) else { continue };
            for route in &self.lexicon[number].routes {
                common[*route as usize] += weights.words[number as usize];
            }
        }
        let asked = ordered_sum(question.stems.keys().map(|it| weight_of(self.lexicon.number(it))));
        let (mut familiarity, mut best) = (0.0_f64, HashMap::new());
        for (place, common) in common.into_iter().enumerate() {
            let Some(route) = &self.routes[place] else { continue };
            let cosine = meaning.routes.get(&route.id).copied();
            let meant = cosine.unwrap_or(0.0);
            if (common <= 0.0 && meant <= 0.0) || !passes(route.bundle) {
                continue;
            }
            // 0 ÷ 0 is no overlap.
            let alike = (common / (asked * weights.routes[place]).sqrt()).clamp(0.0, 1.0);
            let alike = if alike.is_nan() { 0.0 } else { alike.powf(SHARPNESS) };
            let closeness = round(blend(alike, meant));
            familiarity = familiarity.max(closeness);
            let each = LearnedMatch {
                id: route.id,
                closeness,
                words: round(alike),
                meaning: cosine.map(round),
                confidence: route.confidence,
            };
            best.entry(route.bundle)
                .and_modify(|old| {
                    if each.beats(old) {
                        *old = each;
                    }
                })
                .or_insert(each);
        }
        (familiarity, best)
    }
}
