//! The index: tools and what was learned of them, following every change.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;

use super::lexicon::{Lexicon, Posting};
use super::once::Only;
use super::question::{learned_stems, squashed};
use super::split::split;
use super::stem::stem;
use super::text::{Learned, ToolText};
use super::weights::Weights;
use crate::ids::ToolName;
use crate::route::{Confidence, RouteId};

/// Removed places that an index puts up with before it sweeps, beside as many as are left.
const MAX_DEAD: usize = 256;

/// A tool that is described, or of which something was learned.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) tool: ToolName,
    /// Where its text is.
    pub(super) text: Option<u32>,
    /// The words that were learned of it, with the number of routes that hold each.
    pub(super) learned: HashMap<u32, u32, RandomState>,
    /// How many routes lead to it.
    pub(super) routes: usize,
}

impl Bundle {
    /// A tool of which nothing is known yet.
    pub(super) fn of(tool: ToolName) -> Self {
        Self { tool, text: None, learned: HashMap::default(), routes: 0 }
    }
}

/// The text of a tool.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) bundle: u32,
    /// Its words, in the order of their numbers; of an index for one question none.
    pub(super) words: Vec<u32>,
    pub(super) length: u32,
    /// The server or plugin that it comes from.
    pub(super) from: Option<Arc<str>>,
    /// The forms in which a person may give its name: whole, and its own part. Empty where they
    /// cannot matter.
    pub(super) names: [Box<str>; 2],
}

/// A route: a query that led to a tool.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) id: RouteId,
    pub(super) bundle: u32,
    pub(super) words: Vec<u32>,
    pub(super) confidence: Confidence,
}

/// An index over the tools of one project and the queries that were learned of them.
///
/// It follows every change, and answers as a fresh one of the same tools and routes would: all that
/// it keeps are whole numbers, and scores are sums in the order of words. See
/// [`SearchIndex::find`] for the formulas.
///
/// Memory: about 12 bytes for each word of a tool and 4 for each word of a route, beside the words.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    pub(super) lexicon: Lexicon,
    pub(super) bundles: Vec<Option<Bundle>>,
    free_bundles: Vec<u32>,
    /// Where each tool is; in an index for one question, where those with routes are.
    pub(super) places: HashMap<ToolName, u32, RandomState>,
    pub(super) texts: Vec<Option<Text>>,
    free_texts: Vec<u32>,
    pub(super) routes: Vec<Option<Route>>,
    free_routes: Vec<u32>,
    pub(super) route_places: HashMap<RouteId, u32, RandomState>,
    /// Words in all texts.
    pub(super) words: u64,
    /// How many texts there are.
    pub(super) tools: usize,
    /// Places of texts and routes that were removed, and are not free before the next sweep.
    dead: (Vec<u32>, Vec<u32>),
    /// What is taken up, where only one question will be asked.
    pub(super) only: Option<Only>,
    /// Tools that were left out since they cannot matter.
    pub(super) left_out: usize,
    /// What each word and each route weighs, until something changes.
    pub(super) weights: OnceLock<Weights>,
}

impl SearchIndex {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tools are described.
    #[must_use]
    pub const fn tools(&self) -> usize {
        self.tools
    }

    /// How many tools are described, or have routes.
    pub(super) fn places(&self) -> usize {
        self.bundles.len() - self.free_bundles.len() + self.left_out
    }

    /// How many routes there are.
    #[must_use]
    pub fn routes(&self) -> usize {
        self.routes.len() - self.free_routes.len() - self.dead.1.len()
    }

    /// Adds the words of a tool, or replaces them.
    pub fn put_tool(&mut self, tool: &ToolText) {
        if self.only.is_some() {
            self.put_once(tool.name.as_str(), tool.from.as_deref(), &tool.own, &tool.about);
            return;
        }
        self.remove_text(&tool.name);
        self.weights = OnceLock::new();
        let (mut counts, mut length) = (Vec::new(), 0);
        let from = tool.from.as_deref();
        let mut read = |part: &str, is_name: bool| {
            let words = split(part, |word| {
                counts.push((self.lexicon.learn(stem(word)), is_name));
            });
            length += u32::try_from(words).unwrap_or(u32::MAX);
        };
        read(&tool.own, true);
        read(from.unwrap_or(""), true);
        tool.about.iter().for_each(|part| read(part, false));
        self.words += u64::from(length);
        self.tools += 1;
        let named = if tool.own.is_empty() { from.unwrap_or("") } else { &tool.own };
        let names = [tool.name.as_str(), named].map(|text| squashed(text).into());
        let bundle = self.bundle(&tool.name);
        counts.sort_unstable();
        self.put_text(bundle, &counts, length, from, names);
        self.sweep();
    }

    /// An origin; tools of one origin mostly come one behind the other, and share its text.
    pub(super) fn origin(&self, from: Option<&str>) -> Option<Arc<str>> {
        let last = self.texts.last().and_then(Option::as_ref).and_then(|text| text.from.as_ref());
        from.map(|from| {
            last.filter(|last| ***last == *from).map_or_else(|| from.into(), Arc::clone)
        })
    }

    /// Adds a text: its words by number with whether each is of the name, sorted.
    fn put_text(
        &mut self,
        bundle: u32,
        counts: &[(u32, bool)],
        length: u32,
        from: Option<&str>,
        names: [Box<str>; 2],
    ) {
        let text = self.free_texts.pop().unwrap_or(self.texts.len() as u32);
        let mut words = Vec::with_capacity(counts.len());
        for same in counts.chunk_by(|a, b| a.0 == b.0) {
            let number = same[0].0;
            self.lexicon[number].texts.push(Posting::of(text, same));
            self.lexicon[number].described += 1;
            let learned = self.bundles[bundle as usize].as_ref();
            if !learned.is_some_and(|bundle| bundle.learned.contains_key(&number)) {
                self.lexicon[number].tools += 1;
            }
            words.push(number);
        }
        let from = self.origin(from);
        put(&mut self.texts, text, Text { bundle, words, length, from, names });
        if let Some(bundle) = &mut self.bundles[bundle as usize] {
            bundle.text = Some(text);
        }
    }

    /// Removes the words of a tool; whether there were any. What was learned of it stays, and is
    /// found again when the tool returns.
    pub fn remove_tool(&mut self, tool: &ToolName) -> bool {
        let removed = self.remove_text(tool);
        self.sweep();
        removed
    }

    /// Adds a route, or replaces the one of the same id.
    pub fn put_route(&mut self, learned: &Learned) {
        let stems = learned_stems(&learned.query);
        let words: Vec<u32> = stems.iter().map(|stem| self.lexicon.learn(stem)).collect();
        self.remove_one_route(learned.id);
        self.weights = OnceLock::new();
        let bundle = self.bundle(&learned.tool);
        let place = self.free_routes.pop().unwrap_or(self.routes.len() as u32);
        for &number in &words {
            self.lexicon[number].routes.push(place);
            if self.count_learned(bundle, number, true) {
                self.lexicon[number].tools += 1;
            }
        }
        if let Some(bundle) = &mut self.bundles[bundle as usize] {
            bundle.routes += 1;
        }
        let (id, confidence) = (learned.id, learned.confidence);
        let route = Route { id, bundle, words, confidence };
        put(&mut self.routes, place, route);
        self.route_places.insert(learned.id, place);
        self.sweep();
    }

    /// Removes a route; whether there was one.
    pub fn remove_route(&mut self, id: RouteId) -> bool {
        let removed = self.remove_one_route(id);
        self.sweep();
        removed
    }

    fn remove_text(&mut self, tool: &ToolName) -> bool {
        let Some(&bundle) = self.places.get(tool) else { return false };
        let place = self.bundles[bundle as usize].as_mut().and_then(|bundle| bundle.text.take());
        let Some(place) = place else { return false };
        self.weights = OnceLock::new();
        let Some(text) = self.texts[place as usize].take() else { return false };
        let learned = self.bundles[bundle as usize].as_ref();
        for number in &text.words {
            self.lexicon[*number].described -= 1;
            if !learned.is_some_and(|bundle| bundle.learned.contains_key(number)) {
                self.lexicon[*number].tools -= 1;
            }
        }
        self.words -= u64::from(text.length);
        self.tools -= 1;
        self.dead.0.push(place);
        self.drop_empty(bundle);
        true
    }

    fn remove_one_route(&mut self, id: RouteId) -> bool {
        let Some(place) = self.route_places.remove(&id) else { return false };
        let Some(route) = self.routes[place as usize].take() else { return false };
        self.weights = OnceLock::new();
        for number in &route.words {
            if self.count_learned(route.bundle, *number, false) {
                self.lexicon[*number].tools -= 1;
            }
        }
        if let Some(bundle) = &mut self.bundles[route.bundle as usize] {
            bundle.routes -= 1;
        }
        self.dead.1.push(place);
        self.drop_empty(route.bundle);
        true
    }

    /// Counts one route more or less that holds a word; whether the tool did not hold the word before,
    /// or does not any more.
    fn count_learned(&mut self, bundle: u32, number: u32, more: bool) -> bool {
        let Some(bundle) = &mut self.bundles[bundle as usize] else { return false };
        let count = bundle.learned.entry(number).or_insert(0);
        *count = if more { *count + 1 } else { *count - 1 };
        let turned = *count == u32::from(more);
        if *count == 0 {
            bundle.learned.remove(&number);
        }
        let text = bundle.text.and_then(|text| self.texts[text as usize].as_ref());
        turned && text.is_none_or(|text| text.words.binary_search(&number).is_err())
    }

    /// The place of a tool, which becomes known if it is not.
    fn bundle(&mut self, tool: &ToolName) -> u32 {
        if let Some(place) = self.places.get(tool) {
            return *place;
        }
        let bundle = Bundle::of(tool.clone());
        let place = self.free_bundles.pop().unwrap_or(self.bundles.len() as u32);
        put(&mut self.bundles, place, bundle);
        self.places.insert(tool.clone(), place);
        place
    }

    /// Forgets a tool of which nothing is left.
    fn drop_empty(&mut self, place: u32) {
        let slot = &mut self.bundles[place as usize];
        if slot.as_ref().is_some_and(|bundle| bundle.text.is_none() && bundle.routes == 0)
            && let Some(bundle) = slot.take()
        {
            self.places.remove(&bundle.tool);
            self.free_bundles.push(place);
        }
    }

    /// Gives removed places free, once there are as many of them as others: each change pays for a
    /// constant share of the sweep.
    fn sweep(&mut self) {
        let (texts, routes) = (self.dead.0.len(), self.dead.1.len());
        if texts <= self.tools + MAX_DEAD && routes <= self.route_places.len() + MAX_DEAD {
            return;
        }
        let (there, learned) = (&self.texts, &self.routes);
        self.lexicon.sweep(
            |text| there[text as usize].is_some(),
            |route| learned[route as usize].is_some(),
        );
        self.free_texts.append(&mut self.dead.0);
        self.free_routes.append(&mut self.dead.1);
    }
}

fn put<T>(slots: &mut Vec<Option<T>>, place: u32, value: T) {
    let place = place as usize;
    if place == slots.len() {
        slots.push(Some(value));
    } else {
        slots[place] = Some(value);
    }
}
