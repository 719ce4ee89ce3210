//! How close learned queries are to a question.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::index::{Route, SearchIndex};
use super::near::{NearRoutes, Rows};
use super::question::Question;
use super::weights::{NOWHERE, RouteWeight, UpTo, Weights, ordered_sum, slot};
use crate::ids::ToolName;
use crate::knowledge::{AGREEMENT, blend};
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
        meaning: &Meaning<'_>,
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
        let bounds = Bounds::new(self, &alike);
        let near: Vec<NearRows<'_>> =
            meaning.routes.rows().map(|rows| NearRows::new(rows, &bounds)).collect();
        near.iter().for_each(|rows| search.likely(rows));
        search.words();
        near.iter().for_each(|rows| search.others(rows));
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
struct Alike {
    /// Those that share any, each once.
    places: Vec<u32>,
    /// All, by place; empty where none shares any.
    of: Vec<f64>,
}

impl Alike {
    fn of(&self, place: u32) -> f64 {
        self.of.get(place as usize).copied().unwrap_or_default()
    }
}

/// At most how close routes are to a question, and how sure.
struct Bounds<'a> {
    index: &'a SearchIndex,
    /// How close those of each slot are by words; empty where none is.
    words: Vec<UpTo>,
    /// The most of these.
    most_words: UpTo,
    /// How sure those of each slot are.
    surest: &'a [UpTo],
    weights: &'a [RouteWeight],
    places: Cow<'a, HashMap<RouteId, u32, RandomState>>,
}

impl<'a> Bounds<'a> {
    fn new(index: &'a SearchIndex, alike: &Alike) -> Self {
        let Weights { surest, routes: weights, .. } = index.weights();
        let (mut words, mut most_words) = (Vec::new(), UpTo::default());
        if !alike.places.is_empty() {
            words.resize(surest.len(), UpTo::default());
        }
        for place in &alike.places {
            let share = UpTo::share(alike.of(*place));
            let words = &mut words[weights[*place as usize].slot as usize];
            *words = share.max(*words);
            most_words = share.max(most_words);
        }
        Self { index, words, most_words, surest, weights, places: index.places_of_routes() }
    }

    /// At most how close a route is.
    #[inline]
    fn closeness(&self, id: RouteId, cosine: f64) -> f32 {
        let words = if self.words.is_empty() {
            UpTo::default()
        } else {
            self.words[slot(id, self.words.len())]
        };
        closeness(words.get(), cosine)
    }

    /// At most how close any route of that cosine is.
    #[inline]
    fn closeness_of_any(&self, cosine: f64) -> f32 {
        closeness(self.most_words.get(), cosine)
    }

    /// The score of a route at most; 0 where its vector says nothing.
    #[inline]
    fn score(&self, id: RouteId, cosine: f64) -> f32 {
        let surest = self.surest[slot(id, self.surest.len())].get();
        if cosine > 0.0 { self.closeness(id, cosine) * surest } else { 0.0 }
    }
}

/// As [`blend`] has it, in fewer steps: both are shares.
#[inline]
fn closeness(words: f32, cosine: f64) -> f32 {
    let cosine = cosine as f32;
    let (greater, lesser) = (words.max(cosine), words.min(cosine));
    greater + lesser * (1.0 - greater) * AGREEMENT as f32
}

/// Learned queries that are close by meaning.
struct NearRows<'a> {
    bounds: &'a Bounds<'a>,
    rows: &'a Rows<'a>,
    /// The places of their tools, by the places of the names.
    places: Vec<u32>,
    /// At most what each row scores.
    scores: Vec<f32>,
    /// Of each tool the row that promises most, by the place of the name.
    likely: Vec<Option<usize>>,
}

impl<'a> NearRows<'a> {
    fn new(rows: &'a Rows<'a>, bounds: &'a Bounds<'a>) -> Self {
        let place = |tool| bounds.index.places.get(tool).copied().unwrap_or(NOWHERE);
        let places: Vec<u32> = rows.names.iter().map(place).collect();
        let score = |(id, cosine): (&RouteId, &f64)| bounds.score(*id, *cosine);
        let scores: Vec<f32> = rows.ids.iter().zip(&rows.cosines).map(score).collect();
        let mut likely = vec![(0.0, None); places.len()];
        for (row, (score, tool)) in scores.iter().zip(&*rows.tools).enumerate() {
            let likely = &mut likely[*tool as usize];
            if *score > likely.0 {
                *likely = (*score, Some(row));
            }
        }
        let likely = likely.into_iter().map(|(_, row)| row).collect();
        Self { bounds, rows, places, scores, likely }
    }

    /// The place of the route of a row.
    fn place(&self, row: usize) -> Option<u32> {
        self.bounds.places.get(&self.rows.ids[row]).copied()
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

    /// Takes in a route; again once its meaning is known.
    fn offer(&mut self, id: RouteId, route: &RouteWeight, words: f64, cosine: Option<f64>) {
        let closeness = round(blend(words, cosine.unwrap_or(0.0)));
        let (words, meaning) = (round(words), cosine.map(round));
        let each = LearnedMatch { id, closeness, words, meaning, confidence: route.confidence };
        self.best.familiarity = self.best.familiarity.max(closeness);
        let known = self.best.of_tools.entry(route.bundle).or_insert(each);
        let is_better = if known.id == id {
            (closeness, meaning) > (known.closeness, known.meaning)
        } else {
            each.beats(known)
        };
        if is_better {
            *known = each;
        }
        self.bars[route.bundle as usize].score = known.score() as f32;
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
