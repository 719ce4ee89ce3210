//! The search index: tools and the queries learned for them.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::lexicon::{Lexicon, MIN_PREFIX, Posting};
use super::question::{Question, each_learned_stem, squashed};
use super::stem::stem;
use super::synonyms::alike;
use super::weights::Weights;
use crate::ids::{ServerKey, ToolName};
use crate::route::{Confidence, RouteId};
use crate::text::split;

/// A tool with a description or learned queries.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) tool: ToolName,
    /// Text of the tool. `None` if only routes are known.
    pub(super) text: Option<Text>,
}

/// The text of a tool.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) length: u32,
    /// Number of the server or plugin.
    pub(super) origin: Option<u32>,
    /// Hashes of the forms of its name that a person may use, with and without the server.
    pub(super) names: [u64; 2],
}

/// A route: a query that led to a tool.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) id: RouteId,
    /// Index of the tool.
    pub(super) tool: u32,
    /// Numbers of the words in the query, without filler words.
    pub(super) words: Box<[u32]>,
    /// Number of different words in the query.
    pub(super) length: u32,
    pub(super) confidence: Confidence,
    query: Box<str>,
}

/// The first letters of the words that an index for one question accepts, sorted. They may begin longer forms
/// of the question's words. `None` accepts every word.
#[derive(Clone, Debug, Default)]
struct Only(Option<Vec<[u8; MIN_PREFIX]>>);

impl Only {
    /// Returns the number of a word if the index accepts it.
    fn number(&self, lexicon: &mut Lexicon, stem: &str) -> Option<u32> {
        let Some(beginnings) = &self.0 else { return Some(lexicon.learn(stem)) };
        let known = lexicon.known(stem);
        // Only the first letters are compared, because comparing whole words would cost more than it saves.
        let is_longer = || {
            stem.as_bytes()
                .first_chunk()
                .is_some_and(|first| beginnings.binary_search(first).is_ok())
        };
        known.or_else(|| is_longer().then(|| lexicon.learn(stem)))
    }
}

/// An index of the tools of one project and the queries learned for them.
///
/// It is built once and then queried; after a change it is built anew. Results do not depend on the order in
/// which tools and routes are added, because only integers are stored and scores are summed in word order.
/// See [`SearchIndex::find`] for the formulas.
///
/// Memory: about 8 bytes for each word of a tool or route, besides the words themselves.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    pub(super) lexicon: Lexicon,
    /// The tools, by index.
    pub(super) entries: Vec<Entry>,
    places: HashMap<ToolName, u32>,
    pub(super) origins: HashMap<Box<str>, u32>,
    pub(super) routes: Vec<Route>,
    pub(super) route_places: HashMap<RouteId, u32>,
    /// Number of words in all texts.
    pub(super) words: u64,
    /// Number of tools with a description.
    pub(super) described: usize,
    only: Only,
    /// Weights of words and routes, computed by the first query.
    pub(super) weights: OnceLock<Weights>,
}

impl SearchIndex {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an index for one question. It accepts only words that affect the result: those that may match
    /// the question, and those of routes, because they affect closeness. Add the routes before the tools. The
    /// result is the same as with an index of all words.
    pub(crate) fn for_question(question: &Question) -> Self {
        let mut index = Self::default();
        for word in &question.talk {
            index.lexicon.learn(word);
        }
        let wholes = question.asked.iter().filter_map(|asked| asked.whole.as_ref());
        let mut beginnings = Vec::new();
        for word in question.stems.keys().chain(wholes) {
            index.lexicon.learn(word);
            for (other, _) in alike(word) {
                index.lexicon.learn(other);
            }
            beginnings.extend(word.as_bytes().first_chunk());
        }
        beginnings.sort_unstable();
        beginnings.dedup();
        index.only = Only(Some(beginnings));
        index
    }

    /// Returns the number of tools with a description.
    pub const fn tools(&self) -> usize {
        self.described
    }

    /// Returns the number of routes.
    pub const fn routes(&self) -> usize {
        self.routes.len()
    }

    /// Returns the number of tools that have a description or routes.
    pub(crate) const fn places(&self) -> usize {
        self.entries.len()
    }

    /// Adds a tool with its description. The server is derived from the name. An existing text of the tool is not
    /// replaced.
    pub fn put_tool(&mut self, name: &ToolName, description: &str) {
        let servers = ServerKey::owners_of(name.as_str());
        let server = servers.first().filter(|server| server.tool_part(name.as_str()).is_some());
        let own = server.and_then(|server| server.tool_part(name.as_str()));
        let own = own.unwrap_or(name.as_str());
        self.put_text(name, server.map(ServerKey::as_str), own, &[description]);
    }

    /// Adds the text of a tool, like [`SearchIndex::put_tool`], and returns its index.
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
        let (lexicon, only, mut length) = (&mut self.lexicon, &self.only, 0);
        let mut read = |part: &str, is_name: bool| {
            let words = split(part, |word| {
                if let Some(number) = only.number(lexicon, stem(word)) {
                    Posting::count(&mut lexicon[number].texts, place, is_name);
                }
            });
            length += u32::try_from(words).unwrap_or(u32::MAX);
        };
        read(own, true);
        read(from.unwrap_or(""), true);
        about.iter().for_each(|part| read(part.as_ref(), false));
        self.words += u64::from(length);
        self.described += 1;
        let named = if own.is_empty() { from.unwrap_or("") } else { own };
        let names = [name.as_str(), named].map(|text| self.hash_of_name(&squashed(text)));
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

    /// Adds a route: the query as entered, which led to the tool. An existing route with this id is not replaced.
    pub fn put_route(&mut self, id: RouteId, tool: &ToolName, query: &str, confidence: Confidence) {
        if self.route_places.contains_key(&id) {
            return;
        }
        self.weights = OnceLock::new();
        let (lexicon, mut words, mut talk) = (&mut self.lexicon, Vec::new(), Vec::new());
        each_learned_stem(query, |stem, is_talk| {
            let words = if is_talk { &mut talk } else { &mut words };
            words.push(lexicon.learn(stem));
        });
        for words in [&mut words, &mut talk] {
            words.sort_unstable();
            words.dedup();
        }
        talk.retain(|number| words.binary_search(number).is_err());
        let route = self.routes.len() as u32;
        words.iter().for_each(|number| self.lexicon[*number].routes.push(route));
        talk.iter().for_each(|number| self.lexicon[*number].talk.push(route));
        let length = (words.len() + talk.len()) as u32;
        let tool = self.place(tool);
        self.route_places.insert(id, route);
        let (words, query) = (words.into(), query.into());
        self.routes.push(Route { id, tool, words, length, confidence, query });
    }

    /// Reserves capacity for `tools` more tools.
    pub(crate) fn reserve(&mut self, tools: usize) {
        self.entries.reserve(tools);
        self.places.reserve(tools);
    }

    /// Hashes a form of a name. The hash differs between processes.
    pub(super) fn hash_of_name(&self, squashed: &str) -> u64 {
        self.places.hasher().hash_one(squashed)
    }

    /// Returns the name of a tool.
    pub(crate) fn name(&self, place: u32) -> Option<&ToolName> {
        Some(&self.entries.get(place as usize)?.tool)
    }

    /// Returns the index of a tool.
    pub(crate) fn place_of(&self, tool: &ToolName) -> Option<u32> {
        self.places.get(tool).copied()
    }

    /// Returns the learned query of a route.
    pub(crate) fn query(&self, id: RouteId) -> Option<&str> {
        Some(&self.routes.get(*self.route_places.get(&id)? as usize)?.query)
    }

    /// Returns the index of a tool, adding it if needed.
    fn place(&mut self, tool: &ToolName) -> u32 {
        if let Some(place) = self.places.get(tool) {
            return *place;
        }
        let place = self.entries.len() as u32;
        self.entries.push(Entry { tool: tool.clone(), text: None });
        self.places.insert(tool.clone(), place);
        place
    }
}
