//! At most what learned queries score that are close to a question by meaning.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::index::SearchIndex;
use super::learned::Alike;
use super::near::Rows;
use super::weights::{NOWHERE, RouteWeight, UpTo, Weights, slot};
use crate::knowledge::AGREEMENT;
use crate::route::RouteId;

/// At most how close routes are to a question, and how sure.
pub(super) struct Bounds<'a> {
    index: &'a SearchIndex,
    /// How close those of each slot are by words; empty where none is.
    words: Vec<UpTo>,
    /// The most of these.
    most_words: UpTo,
    /// How sure those of each slot are.
    surest: &'a [UpTo],
    pub(super) weights: &'a [RouteWeight],
    places: Cow<'a, HashMap<RouteId, u32, RandomState>>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(index: &'a SearchIndex, alike: &Alike) -> Self {
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
    pub(super) fn closeness(&self, id: RouteId, cosine: f64) -> f32 {
        let words = if self.words.is_empty() {
            UpTo::default()
        } else {
            self.words[slot(id, self.words.len())]
        };
        closeness(words.get(), cosine)
    }

    /// At most how close any route of that cosine is.
    #[inline]
    pub(super) fn closeness_of_any(&self, cosine: f64) -> f32 {
        closeness(self.most_words.get(), cosine)
    }

    /// The score of a route at most; 0 where its vector says nothing.
    #[inline]
    pub(super) fn score(&self, id: RouteId, cosine: f64) -> f32 {
        let surest = self.surest[slot(id, self.surest.len())].get();
        if cosine > 0.0 { self.closeness(id, cosine) * surest } else { 0.0 }
    }
}

impl SearchIndex {
    /// Where each route is.
    fn places_of_routes(&self) -> Cow<'_, HashMap<RouteId, u32, RandomState>> {
        if self.only.is_none() {
            return Cow::Borrowed(&self.route_places);
        }
        // An index for one question keeps none.
        let routes = (0..).zip(&self.routes);
        Cow::Owned(routes.filter_map(|(place, route)| Some((route.as_ref()?.id, place))).collect())
    }
}

/// As [`blend`](crate::knowledge::blend) has it, in fewer steps: both are shares.
#[inline]
fn closeness(words: f32, cosine: f64) -> f32 {
    let cosine = cosine as f32;
    let (greater, lesser) = (words.max(cosine), words.min(cosine));
    greater + lesser * (1.0 - greater) * AGREEMENT as f32
}

/// Learned queries that are close by meaning.
pub(super) struct NearRows<'a> {
    pub(super) bounds: &'a Bounds<'a>,
    pub(super) rows: &'a Rows<'a>,
    /// The places of their tools, by the places of the names.
    pub(super) places: Vec<u32>,
    /// At most what each row scores.
    pub(super) scores: Vec<f32>,
    /// Of each tool the row that promises most, by the place of the name.
    pub(super) likely: Vec<Option<usize>>,
}

impl<'a> NearRows<'a> {
    pub(super) fn new(rows: &'a Rows<'a>, bounds: &'a Bounds<'a>) -> Self {
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
    pub(super) fn place(&self, row: usize) -> Option<u32> {
        self.bounds.places.get(&self.rows.ids[row]).copied()
    }
}
