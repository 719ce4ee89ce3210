//! Closeness of learned queries to a question.

use std::collections::HashMap;

use super::index::SearchIndex;
use super::question::Question;
use super::weights::ordered_sum;
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::route::{Confidence, RouteId};
use crate::verdict::round;

/// Upper bound of the rounding error of a closeness or a score.
const SLACK: f64 = 1e-8;

/// Closeness of tools and learned queries to a question by meaning. Empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Cosines of the learned queries and the question, -1..=1. Values of 0 or less are ignored. If a route
    /// occurs twice, the greater cosine counts.
    pub routes: Vec<(RouteId, f64)>,
    /// Cosines of the tools' descriptions and the question.
    pub tools: HashMap<ToolName, f64>,
}

/// A learned query that is close to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedMatch {
    /// Id of the route.
    pub id: RouteId,
    /// Closeness to the question, 0..=1: words and meaning blended.
    pub closeness: f64,
    /// Closeness by words alone, 0..=1.
    pub words: f64,
    /// Cosine of the vectors, if both exist and it is above 0.
    pub meaning: Option<f64>,
    /// Confidence of the route, 0..=1.
    pub confidence: Confidence,
}

impl LearnedMatch {
    /// Returns closeness × confidence, rounded to 1e-9.
    pub fn score(&self) -> f64 {
        score(self.closeness, self.confidence)
    }
}

fn score(closeness: f64, confidence: Confidence) -> f64 {
    round(closeness * confidence.get())
}

/// The best route of each tool, and the closeness of the nearest route.
#[derive(Debug, Default)]
pub(super) struct Best {
    all: Vec<Candidate>,
    /// Index in `all` of each tool's best route, by index of the tool.
    of_tools: Vec<Option<u32>>,
    pub(super) familiarity: f64,
}

/// A candidate route. Only the score used for ranking is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) id: RouteId,
    /// Index of the tool.
    pub(super) tool: u32,
    /// Closeness × confidence, rounded to 1e-9.
    pub(super) score: f64,
    pub(super) closeness: f64,
    words: f64,
    meaning: Option<f64>,
    confidence: Confidence,
}

impl Candidate {
    pub(super) fn matched(&self) -> LearnedMatch {
        LearnedMatch {
            id: self.id,
            closeness: self.closeness,
            words: round(self.words),
            meaning: self.meaning.map(round),
            confidence: self.confidence,
        }
    }

    /// Returns true if this candidate is better: by score, then by lower id. For the same route, the closer
    /// one wins.
    fn beats(&self, other: &Self) -> bool {
        if self.id == other.id {
            return (self.closeness, self.meaning) > (other.closeness, other.meaning);
        }
        self.score.total_cmp(&other.score).then(other.id.cmp(&self.id)).is_gt()
    }
}

impl Best {
    fn new(tools: usize) -> Self {
        Self { of_tools: vec![None; tools], ..Self::default() }
    }

    /// Returns the best route of each tool.
    pub(super) fn all(&self) -> &[Candidate] {
        &self.all
    }

    /// Returns the best route of a tool.
    pub(super) fn of(&self, tool: u32) -> Option<&Candidate> {
        self.all.get((*self.of_tools.get(tool as usize)?)? as usize)
    }

    /// Considers a route. It may be offered again once its meaning is known.
    fn offer(&mut self, each: Candidate) {
        self.familiarity = self.familiarity.max(each.closeness);
        let next = self.all.len() as u32;
        let at = *self.of_tools[each.tool as usize].get_or_insert(next);
        match self.all.get_mut(at as usize) {
            None => self.all.push(each),
            Some(known) if each.beats(known) => *known = each,
            Some(_) => {}
        }
    }
}

impl SearchIndex {
    /// Returns the best route of each tool that passes.
    pub(super) fn learned(
        &self,
        question: &Question,
        meaning: &Meaning,
        mut passes: impl FnMut(u32) -> bool,
    ) -> Best {
        let alike = self.alike(question);
        let mut best = Best::new(self.entries.len());
        let mut offer = |place: u32, meaning: Option<f64>| {
            let (route, words) = (&self.routes[place as usize], alike.of(place));
            let (id, tool, confidence) = (route.id, route.tool, route.confidence);
            let closeness = blend(words, meaning.unwrap_or(0.0));
            // Most routes are neither the best of their tool nor the nearest of all.
            let known = best.of(tool).map_or(-1.0, |known| known.score);
            let is_worth = closeness + SLACK > best.familiarity
                || closeness * confidence.get() + SLACK > known;
            if is_worth && passes(tool) {
                let closeness = round(closeness);
                let score = score(closeness, confidence);
                best.offer(Candidate { id, tool, score, closeness, words, meaning, confidence });
            }
        };
        alike.places.iter().for_each(|place| offer(*place, None));
        for (id, cosine) in meaning.routes.iter().filter(|(_, cosine)| *cosine > 0.0) {
            if let Some(place) = self.route_places.get(id) {
                offer(*place, Some(*cosine));
            }
        }
        best
    }

    /// Returns the closeness of all routes to a question by words.
    fn alike(&self, question: &Question) -> Alike {
        let weights = self.weights();
        let mut alike = Alike::default();
        let mut asked = Vec::new();
        for stem in question.stems.keys() {
            let Some(number) = self.lexicon.number(stem) else {
                asked.push(self.idf_described(0));
                continue;
            };
            let weight = weights.words[number as usize];
            asked.push(weight);
            let routes = &self.lexicon[number].routes;
            if weight <= 0.0 || routes.is_empty() {
                // A weight of zero is not an overlap.
                continue;
            }
            alike.of.resize(self.routes.len(), 0.0);
            for place in routes {
                let common = &mut alike.of[*place as usize];
                if *common <= 0.0 {
                    alike.places.push(*place);
                }
                *common += weight;
            }
        }
        let asked = ordered_sum(asked.into_iter());
        for place in &alike.places {
            let common = &mut alike.of[*place as usize];
            let own = weights.routes[*place as usize];
            // A partial overlap of two queries means much less than a full one.
            let share = (*common / (asked * own).sqrt()).min(1.0);
            *common = share * share * share;
        }
        alike
    }
}

/// Closeness of routes to a question by words, 0..=1.
#[derive(Default)]
pub(super) struct Alike {
    /// Indices of the routes that share a word, without duplicates.
    pub(super) places: Vec<u32>,
    /// Closeness of each route, by index. Empty if no route shares a word.
    of: Vec<f64>,
}

impl Alike {
    pub(super) fn of(&self, place: u32) -> f64 {
        self.of.get(place as usize).copied().unwrap_or_default()
    }
}
