//! The index: tools and what was learned of them.

use std::sync::OnceLock;

use foldhash::HashMap;

use super::lexicon::{Lexicon, Posting};
use super::question::{each_learned_stem, squashed};
use super::split::split;
use super::stem::stem;
use super::text::{Learned, ToolText};
use super::weights::Weights;
use crate::ids::ToolName;
use crate::route::{Confidence, RouteId};

/// A tool that is described, or of which something was learned.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) tool: ToolName,
    /// What its text comes to; none for one of which only routes are known.
    pub(super) text: Option<Text>,
    /// How many routes lead to it.
    pub(super) routes: usize,
}

/// The text of a tool.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) length: u32,
    /// The server or plugin that it comes from, by its number.
    pub(super) origin: Option<u32>,
    /// The forms in which a person may give its name: whole, and its own part.
    pub(super) names: [Box<str>; 2],
}

/// A route: a query that led to a tool.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) id: RouteId,
    /// The place of its tool.
    pub(super) tool: u32,
    /// The numbers of its words.
    pub(super) words: Box<[u32]>,
    pub(super) confidence: Confidence,
    query: Box<str>,
}

/// An index over the tools of one project and the queries that were learned of them.
///
/// It is filled once and then asked; what changes is indexed anew. Answers do not depend on the order in which
/// tools and routes were added: all that it keeps are whole numbers, and scores are sums in the order of words.
/// See [`SearchIndex::find`] for the formulas.
///
/// Memory: about 8 bytes for each word of a tool and 8 for each word of a route, beside the words.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    pub(super) lexicon: Lexicon,
    /// The tools, by their places.
    pub(super) entries: Vec<Entry>,
    places: HashMap<ToolName, u32>,
    pub(super) origins: HashMap<Box<str>, u32>,
    pub(super) routes: Vec<Route>,
    pub(super) route_places: HashMap<RouteId, u32>,
    /// Words in all texts.
    pub(super) words: u64,
    /// How many tools are described.
    pub(super) described: usize,
    /// What each word and each route weighs; computed when the index is asked first.
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
        self.described
    }

    /// How many routes there are.
    #[must_use]
    pub const fn routes(&self) -> usize {
        self.routes.len()
    }

    /// How many tools are described, or have routes.
    pub(crate) const fn places(&self) -> usize {
        self.entries.len()
    }

    /// Adds the words of a tool. Of one that is added again the first ones stay.
    pub fn put_tool(&mut self, tool: &ToolText) {
        self.put_text(&tool.name, tool.from.as_deref(), &tool.own, &tool.about);
    }

    /// Adds the words of a tool, as [`SearchIndex::put_tool`], and returns its place.
    pub(crate) fn put_text(
        &mut self,
        name: &ToolName,
        from: Option<&str>,
        own: &str,
        about: &[impl AsRef<str>],
    ) -> u32 {
        let place = self.place(name);
        if self.entries[place as usize].text.is_some() {
            return place;
        }
        self.weights = OnceLock::new();
        let (lexicon, mut length) = (&mut self.lexicon, 0);
        let mut read = |part: &str, is_name: bool| {
            let words = split(part, |word| {
                let number = lexicon.learn(stem(word));
                Posting::count(&mut lexicon[number].texts, place, is_name);
            });
            length += u32::try_from(words).unwrap_or(u32::MAX);
        };
        read(own, true);
        read(from.unwrap_or(""), true);
        about.iter().for_each(|part| read(part.as_ref(), false));
        self.words += u64::from(length);
        self.described += 1;
        let named = if own.is_empty() { from.unwrap_or("") } else { own };
        let names = [name.as_str(), named].map(|text| squashed(text).into());
        let origin = from.map(|from| {
            let next = self.origins.len() as u32;
            match self.origins.get(from) {
                Some(known) => *known,
                None => *self.origins.entry(from.into()).or_insert(next),
            }
        });
        self.entries[place as usize].text = Some(Text { length, origin, names });
        place
    }

    /// Adds a route. Of one that is added again the first one stays.
    pub fn put_route(&mut self, learned: &Learned) {
        let Learned { id, tool, query, confidence } = learned;
        self.put_learned(*id, tool, query, *confidence);
    }

    /// Adds a route, as [`SearchIndex::put_route`].
    pub(crate) fn put_learned(
        &mut self,
        id: RouteId,
        tool: &ToolName,
        query: &str,
        confidence: Confidence,
    ) {
        if self.route_places.contains_key(&id) {
            return;
        }
        self.weights = OnceLock::new();
        let mut words = Vec::new();
        each_learned_stem(query, |stem| words.push(self.lexicon.learn(stem)));
        words.sort_unstable();
        words.dedup();
        let route = self.routes.len() as u32;
        words.iter().for_each(|number| self.lexicon[*number].routes.push(route));
        let tool = self.place(tool);
        self.entries[tool as usize].routes += 1;
        self.route_places.insert(id, route);
        let (words, query) = (words.into(), query.into());
        self.routes.push(Route { id, tool, words, confidence, query });
    }

    /// The name of the tool at a place.
    pub(crate) fn name(&self, place: u32) -> Option<&ToolName> {
        Some(&self.entries.get(place as usize)?.tool)
    }

    /// The place of a tool.
    pub(crate) fn place_of(&self, tool: &ToolName) -> Option<u32> {
        self.places.get(tool).copied()
    }

    /// The query that a route learned.
    pub(crate) fn query(&self, id: RouteId) -> Option<&str> {
        Some(&self.routes.get(*self.route_places.get(&id)? as usize)?.query)
    }

    /// The place of a tool, which becomes known if it is not.
    fn place(&mut self, tool: &ToolName) -> u32 {
        if let Some(place) = self.places.get(tool) {
            return *place;
        }
        let place = self.entries.len() as u32;
        self.entries.push(Entry { tool: tool.clone(), text: None, routes: 0 });
        self.places.insert(tool.clone(), place);
        place
    }
}
