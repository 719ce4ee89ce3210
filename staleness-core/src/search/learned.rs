//! How close learned queries are to a question.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ptr;

use foldhash::fast::RandomState;

use super::index::{Route, SearchIndex};
use super::near::{Near, NearRoutes};
use super::question::Question;
use super::weights::{Weights, ordered_sum, slot};
use crate::ids::ToolName;
use crate::knowledge::{AGREEMENT, blend};
use crate::route::{Confidence, RouteId};
use crate::verdict::round;

/// More than rounding adds to a closeness or a score, or takes from it.
const SLACK: f64 = 1e-6;

/// How close tools and learned queries are to a question by meaning; empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Learned queries.
    pub routes: NearRoutes,
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
        round(self.closeness * self.confidence.get())
    }

    /// Whether it is the better one: by score, then by id.
    fn beats(&self, other: &Self) -> bool {
        self.score().total_cmp(&other.score()).then(other.id.cmp(&self.id)).is_gt()
    }
}

/// The best route of each tool, by its place, and the nearest closeness.
#[derive(Debug, Default)]
pub(super) struct Best {
    pub(super) of_tools: HashMap<u32, LearnedMatch, RandomState>,
    pub(super) familiarity: f64,
}

impl SearchIndex {
    /// The best routes of the tools that pass. What is likely to be one is looked at first: the others then
    /// need not be looked at closely, which costs more than to compare them.
    pub(super) fn learned(
        &self,
        question: &Question,
        meaning: &Meaning,
        passes: impl FnMut(u32) -> bool,
    ) -> Best {
        let bars = self.bundles.iter().map(|_| Bar::default()).collect();
        let alike = self.alike(question);
        let best = Best::default();
        let mut search = Search { index: self, alike: &alike, bars, passes, best };
        if meaning.routes.is_empty() {
            search.words();
            return search.best;
        }
        let near = Rows::new(self, &meaning.routes, &alike);
        let likely = near.likely();
        search.rows(&near, likely.iter().copied().flatten());
        search.words();
        let is_likely = |row: &Near| likely[row.tool as usize].is_some_and(|it| ptr::eq(it, row));
        search.rows(&near, meaning.routes.rows().iter().filter(|row| !is_likely(row)));
        search.best
    }

    /// Where each route is.
    fn places_of_routes(&self) -> Cow<'_, HashMap<RouteId, u32, RandomState>> {
        if self.only.is_none() {
            return Cow::Borrowed(&self.route_places);
        }
        // An index for one question keeps none.
        let routes = (0..).zip(&self.routes);
        Cow::Owned(routes.filter_map(|(place, route)| Some((route.as_ref()?.id, place))).collect())
    }

    /// How close routes are to a question by words.
    fn alike(&self, question: &Question) -> Alike {
        let weights = self.weights();
        let mut alike = Alike { places: Vec::new(), of: vec![0.0; self.routes.len()] };
        let mut asked = Vec::new();
        for stem in question.stems.keys() {
            let Some(number) = self.lexicon.number(stem) else {
                asked.push(self.idf_described(0));
                continue;
            };
            let weight = weights.words[number as usize];
            asked.push(weight);
            // What weighs nothing is no overlap.
            for place in self.lexicon[number].routes.iter().filter(|_| weight > 0.0) {
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
            let share = *common / (asked * weights.routes[*place as usize].words).sqrt();
            // A partial overlap of two queries says much less than a full one.
            let share = share.min(1.0);
            *common = share * share * share;
        }
        alike
    }
}

/// How close routes are to a question by words, 0..=1.
struct Alike {
    /// Those that share any, each once.
    places: Vec<u32>,
    /// All, by place.
    of: Vec<f64>,
}

/// Learned queries that are close by meaning, in a row, and at most how close to a question and how sure each is.
struct Rows<'a> {
    near: &'a NearRoutes,
    /// The places of the tools.
    tools: Vec<Option<u32>>,
    /// How close by words the routes of each slot are at most.
    words: Vec<f32>,
    surest: &'a [f32],
    places: Cow<'a, HashMap<RouteId, u32, RandomState>>,
}

impl<'a> Rows<'a> {
    fn new(index: &'a SearchIndex, near: &'a NearRoutes, alike: &Alike) -> Self {
        let Weights { surest, routes, .. } = index.weights();
        let mut words = vec![0.0_f32; surest.len()];
        for place in &alike.places {
            let words = &mut words[routes[*place as usize].slot as usize];
            *words = words.max(alike.of[*place as usize] as f32);
        }
        let tools = near.tools().iter().map(|tool| index.places.get(tool).copied()).collect();
        Self { near, tools, words, surest, places: index.places_of_routes() }
    }

    #[inline]
    fn most(&self, row: &Near) -> (f64, f64) {
        let slot = slot(row.id, self.surest.len());
        let (words, meaning) = (f64::from(self.words[slot]), row.cosine);
        // As `blend` does, in fewer steps: both are shares, and the words perhaps too many.
        let (greater, lesser) = (words.max(meaning), words.min(meaning));
        let closeness = greater + lesser * (1.0 - greater) * AGREEMENT;
        (closeness, f64::from(self.surest[slot]))
    }

    /// Of each tool the row that promises most.
    fn likely(&self) -> Vec<Option<&'a Near>> {
        let mut likely = vec![(0.0, None); self.tools.len()];
        for row in self.near.rows() {
            let (closeness, surest) = self.most(row);
            let likely = &mut likely[row.tool as usize];
            if closeness * surest > likely.0 {
                *likely = (closeness * surest, Some(row));
            }
        }
        likely.into_iter().map(|(_, row)| row).collect()
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
    /// The score of its best route so far.
    score: f64,
}

impl<P: FnMut(u32) -> bool> Search<'_, P> {
    /// Whether a route may change anything that is at most so close and so sure.
    #[inline]
    fn matters(&mut self, bundle: u32, closeness: f64, confidence: f64) -> bool {
        let bar = &mut self.bars[bundle as usize];
        let near = closeness + SLACK > self.best.familiarity;
        (closeness * confidence + SLACK >= bar.score || near)
            && *bar.passes.get_or_insert_with(|| (self.passes)(bundle))
    }

    /// Takes in a route; again once its meaning is known, which never makes it worse.
    fn offer(&mut self, route: &Route, words: f64, cosine: Option<f64>) {
        let closeness = round(blend(words, cosine.unwrap_or(0.0)));
        let each = LearnedMatch {
            id: route.id,
            closeness,
            words: round(words),
            meaning: cosine.map(round),
            confidence: route.confidence,
        };
        self.best.familiarity = self.best.familiarity.max(closeness);
        let known = self.best.of_tools.entry(route.bundle).or_insert(each);
        if known.id == each.id && each.meaning.is_some() || each.beats(known) {
            *known = each;
        }
        self.bars[route.bundle as usize].score = known.score();
    }

    /// Takes in what is close by words.
    fn words(&mut self) {
        let weights = self.index.weights();
        for place in &self.alike.places {
            let (place, weight) = (*place as usize, &weights.routes[*place as usize]);
            let words = self.alike.of[place];
            if self.matters(weight.bundle, words, weight.confidence)
                && let Some(route) = &self.index.routes[place]
            {
                self.offer(route, words, None);
            }
        }
    }

    /// Takes in what is close by meaning.
    fn rows<'r>(&mut self, all: &Rows<'_>, rows: impl IntoIterator<Item = &'r Near>) {
        for row in rows {
            let (closeness, surest) = all.most(row);
            if let Some(bundle) = all.tools[row.tool as usize]
                && self.matters(bundle, closeness, surest)
                && let Some(place) = all.places.get(&row.id)
                && let Some(route) = &self.index.routes[*place as usize]
                && route.bundle == bundle
            {
                self.offer(route, self.alike.of[*place as usize], Some(row.cosine));
            }
        }
    }
}
