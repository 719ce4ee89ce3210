//! How close learned queries are to a question.

use std::collections::HashMap;

use super::bounds::{Bounds, NearRows};
use super::index::{Route, SearchIndex};
use super::near::NearRoutes;
use super::question::Question;
use super::weights::{RouteWeight, ordered_sum};
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::route::{Confidence, RouteId};
use crate::verdict::round;

/// More than rounding adds to a closeness or a score, or takes from it.
const SLACK: f32 = 1e-6;

/// How close tools and learned queries are to a question by meaning; empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning<'a> {
    /// Learned queries.
    pub routes: NearRoutes<'a>,
    /// Tools, by the cosines of the vectors of their descriptions.
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
    /// Where among all the one of each tool is, by place of the tool.
    of_tools: Vec<Option<u32>>,
    pub(super) familiarity: f64,
}

/// A route of which only what decides is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) id: RouteId,
    /// Its tool, by its place.
    pub(super) bundle: u32,
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

    /// Whether it is the better one: by score, then by id; of the same route the closer one.
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

    /// Takes in a route; again once its meaning is known. Returns the score of the best one of its tool.
    fn offer(&mut self, each: Candidate) -> f64 {
        self.familiarity = self.familiarity.max(each.closeness);
        let next = self.all.len() as u32;
        let at = *self.of_tools[each.bundle as usize].get_or_insert(next);
        match self.all.get_mut(at as usize) {
            None => self.all.push(each),
            Some(known) if each.beats(known) => *known = each,
            Some(known) => return known.score,
        }
        each.score
    }
}

impl SearchIndex {
    /// The best routes of the tools that pass. What is likely to be one is looked at first: the others then
    /// need not be looked at closely, which costs more than to compare them.
    pub(super) fn learned(
        &self,
        question: &Question,
        meaning: &Meaning<'_>,
        passes: impl FnMut(u32) -> bool,
    ) -> Best {
        let bars = self.bundles.iter().map(|_| Bar::default()).collect();
        let alike = self.alike(question);
        let best = Best::new(self.bundles.len());
        let mut search = Search { index: self, alike: &alike, bars, passes, best };
        if meaning.routes.is_empty() {
            search.words();
            return search.best;
        }
        let bounds = Bounds::new(self, &alike);
        let near: Vec<NearRows<'_>> =
            meaning.routes.rows().map(|rows| NearRows::new(rows, &bounds)).collect();
        near.iter().for_each(|rows| search.likely(rows));
        search.words();
        near.iter().for_each(|rows| search.others(rows));
        search.best
    }

    /// How close routes are to a question by words.
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
            let own = weights.routes[*place as usize].words;
            // Of one that is gone no word is left.
            let share = if own > 0.0 { *common / (asked * own).sqrt() } else { 0.0 };
            // A partial overlap of two queries says much less than a full one.
            let share = share.min(1.0);
            *common = share * share * share;
        }
        alike
    }
}

/// How close routes are to a question by words, 0..=1.
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

/// What was found so far, and what it takes to change it.
struct Search<'a, P> {
    index: &'a SearchIndex,
    alike: &'a Alike,
    passes: P,
    /// By place of the tool.
    bars: Vec<Bar>,
    best: Best,
}

/// What a route to a tool must reach to be its best one.
#[derive(Default)]
struct Bar {
    /// Whether the tool passes, once that was asked.
    passes: Option<bool>,
    /// The score of its best route so far; out of reach where it does not pass.
    score: f32,
}

impl<P: FnMut(u32) -> bool> Search<'_, P> {
    fn passes(&mut self, bundle: u32) -> bool {
        let bar = &mut self.bars[bundle as usize];
        *bar.passes.get_or_insert_with(|| {
            let passes = (self.passes)(bundle);
            bar.score = if passes { 0.0 } else { f32::INFINITY };
            passes
        })
    }

    fn offer(&mut self, id: RouteId, route: &RouteWeight, words: f64, meaning: Option<f64>) {
        let RouteWeight { bundle, confidence, .. } = *route;
        let closeness = round(blend(words, meaning.unwrap_or(0.0)));
        let score = score(closeness, confidence);
        let each = Candidate { id, bundle, score, closeness, words, meaning, confidence };
        self.bars[bundle as usize].score = self.best.offer(each) as f32;
    }

    /// Takes in what is close by words.
    fn words(&mut self) {
        let weights = self.index.weights();
        for place in &self.alike.places {
            let route = &weights.routes[*place as usize];
            let Some(bar) = self.bars.get(route.bundle as usize) else { continue };
            let words = self.alike.of(*place);
            let score = (words * route.confidence.get()) as f32;
            if (score + SLACK >= bar.score || words as f32 + SLACK > self.best.familiarity as f32)
                && self.passes(route.bundle)
                && let Some(Route { id, .. }) = &self.index.routes[*place as usize]
            {
                self.offer(*id, route, words, None);
            }
        }
    }

    /// Takes in the queries that promise most.
    fn likely(&mut self, near: &NearRows<'_>) {
        // All are looked up before any is asked about: the look-ups need not wait for each other.
        let rows = near.likely.iter().flatten();
        let found: Vec<_> = rows.map(|row| (*row, near.place(*row))).collect();
        for (row, place) in found {
            self.row(near, row, place);
        }
    }

    /// Takes in the other ones that may change anything.
    fn others(&mut self, near: &NearRows<'_>) {
        let NearRows { bounds, rows, places, .. } = near;
        let bar = |bars: &[Bar], place: u32| {
            bars.get(place as usize).map_or(f32::INFINITY, |bar| bar.score - SLACK)
        };
        let mut bars: Vec<f32> = places.iter().map(|place| bar(&self.bars, *place)).collect();
        let all = near.scores.iter().zip(&rows.cosines).zip(&*rows.tools).enumerate();
        for (row, ((score, cosine), tool)) in all {
            let tool = *tool as usize;
            let is_best = *score > 0.0 && *score >= bars[tool];
            let is_nearest = || {
                let bar = self.best.familiarity as f32 - SLACK;
                *cosine > 0.0
                    && bounds.closeness_of_any(*cosine) > bar
                    && bounds.closeness(rows.ids[row], *cosine) > bar
            };
            if (is_best || is_nearest()) && near.likely[tool] != Some(row) {
                self.row(near, row, near.place(row));
                bars[tool] = bar(&self.bars, places[tool]);
            }
        }
    }

    /// Takes in a row that says something, whose route has that place.
    fn row(&mut self, near: &NearRows<'_>, row: usize, place: Option<u32>) {
        let (tool, cosine) = (near.places[near.rows.tools[row] as usize], near.rows.cosines[row]);
        let Some(place) = place else { return };
        let route = &near.bounds.weights[place as usize];
        if route.bundle == tool && self.passes(tool) {
            self.offer(near.rows.ids[row], route, self.alike.of(place), Some(cosine));
        }
    }
}
