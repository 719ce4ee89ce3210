//! Closeness of learned queries to a question.

use std::collections::HashMap;

use super::index::SearchIndex;
use super::question::Question;
use super::weights::ordered_sum;
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::route::{Confidence, RouteId};
use crate::verdict::round;

/// More than rounding adds to a closeness or a score, or takes from it.
const SLACK: f64 = 1e-8;

/// The closeness of tools and learned queries to a question by meaning; empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Learned queries, by the cosines of their vectors and that of the question, -1..=1. One at a cosine of 0 or
    /// less says nothing; of one that is given twice the greater cosine counts.
    pub routes: Vec<(RouteId, f64)>,
    /// Tools, by the cosines of the vectors of their descriptions.
    pub tools: HashMap<ToolName, f64>,
}

/// A learned query that is close to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedMatch {
    /// The route.
    pub id: RouteId,
    /// Its closeness to the question, 0..=1: by words and by meaning, blended.
    pub closeness: f64,
    /// Its closeness by words alone, 0..=1.
    pub words: f64,
    /// The cosine of their vectors, where both have one and it is above 0.
    pub meaning: Option<f64>,
    /// The confidence of the route, 0..=1.
    pub confidence: Confidence,
}

impl LearnedMatch {
    /// Closeness × confidence, rounded to 1e-9.
    #[must_use]
    pub fn score(&self) -> f64 {
        score(self.closeness, self.confidence)
    }
}

fn score(closeness: f64, confidence: Confidence) -> f64 {
    round(closeness * confidence.get())
}

/// The best route of each tool, and the nearest closeness.
#[derive(Debug, Default)]
pub(super) struct Best {
    all: Vec<Candidate>,
    /// The index in `all` of the best route of each tool, by place of the tool.
    of_tools: Vec<Option<u32>>,
    pub(super) familiarity: f64,
}

/// A route of which only what decides is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) id: RouteId,
    /// Its tool, by its place.
    pub(super) tool: u32,
    /// Closeness × confidence, rounded to 1e-9.
    pub(super) score: f64,
    closeness: f64,
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

    /// Returns true if it is the better one: by score, then by id; of the same route the closer one.
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

    /// The best routes, of each tool one.
    pub(super) fn all(&self) -> &[Candidate] {
        &self.all
    }

    /// The best route of the tool at a place.
    pub(super) fn of(&self, tool: u32) -> Option<&Candidate> {
        self.all.get((*self.of_tools.get(tool as usize)?)? as usize)
    }

    /// Takes in a route; again once its meaning is known.
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

    /// Returns the closeness of routes to a question by words.
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
                // What weighs nothing is no overlap.
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
            // A partial overlap of two queries says much less than a full one.
            let share = (*common / (asked * own).sqrt()).min(1.0);
            *common = share * share * share;
        }
        alike
    }
}

/// The closeness of routes to a question by words, 0..=1.
#[derive(Default)]
pub(super) struct Alike {
    /// Those that share any, each once.
    pub(super) places: Vec<u32>,
    /// All, by place; empty where none shares any.
    of: Vec<f64>,
}

impl Alike {
    pub(super) fn of(&self, place: u32) -> f64 {
        self.of.get(place as usize).copied().unwrap_or_default()
    }
}
