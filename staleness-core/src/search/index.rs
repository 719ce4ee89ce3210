//! The index: tools and what was learned of them.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::lexicon::{Lexicon, MIN_PREFIX, Posting};
use super::question::{Question, each_learned_stem, squashed};
use super::stem::stem;
use super::synonyms::alike;
use super::text::Learned;
use super::weights::Weights;
use crate::ids::{ServerKey, ToolName};
use crate::route::{Confidence, RouteId};
use crate::text::split;

/// A tool that is described, or of which something was learned.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) tool: ToolName,
    /// Its text; `None` for a tool of which only routes are known.
    pub(super) text: Option<Text>,
}

/// The text of a tool.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) length: u32,
    /// The server or plugin that it comes from, by its number.
    pub(super) origin: Option<u32>,
    /// Hashes of the forms in which a person may give its name: whole, and its own part.
    pub(super) names: [u64; 2],
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

/// Of an index for one question, how words begin that may be longer forms of those it asks for, in order; nothing
/// where every word is taken up.
#[derive(Clone, Debug, Default)]
struct Only(Option<Vec<[u8; MIN_PREFIX]>>);

impl Only {
    /// The number of a word that is taken up.
    fn number(&self, lexicon: &mut Lexicon, stem: &str) -> Option<u32> {
        let Some(beginnings) = &self.0 else { return Some(lexicon.learn(stem)) };
        let known = lexicon.known(stem);
        // What merely begins alike is taken up as well: to compare the whole would cost more than it saves.
        let is_longer = || {
            stem.as_bytes()
                .first_chunk()
                .is_some_and(|first| beginnings.binary_search(first).is_ok())
        };
        known.or_else(|| is_longer().then(|| lexicon.learn(stem)))
    }
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
    /// The number of described tools.
    pub(super) described: usize,
    only: Only,
    /// The weights of words and routes; computed when the index is asked first.
    pub(super) weights: OnceLock<Weights>,
}

impl SearchIndex {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An index that will be asked one question, of which it takes up only words that matter: those that may meet
    /// the question, and those of routes, since how close these are depends on how rare each of their words is. Its
    /// routes are put in before its tools. The answer is that of an index of every word.
    pub(crate) fn for_question(question: &Question) -> Self {
        let mut index = Self::default();
        let stems = || question.stems.keys();
        let mut beginnings = Vec::new();
        for word in stems().chain(question.asked.iter().filter_map(|asked| asked.whole.as_ref())) {
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

    /// Returns the number of tools that are described.
    #[must_use]
    pub const fn tools(&self) -> usize {
        self.described
    }

    /// Returns the number of routes.
    #[must_use]
    pub const fn routes(&self) -> usize {
        self.routes.len()
    }

    /// Returns the number of tools that are described or have routes.
    pub(crate) const fn places(&self) -> usize {
        self.entries.len()
    }

    /// Adds the words of a tool that goes by a name, with its description; the server is read from the name. Of one that
    /// is added again the first ones stay.
    pub fn put_tool(&mut self, name: &ToolName, description: &str) {
        let servers = ServerKey::owners_of(name.as_str());
        let server = servers.first().filter(|server| server.tool_part(name.as_str()).is_some());
        let own = server.and_then(|server| server.tool_part(name.as_str()));
        let own = own.unwrap_or(name.as_str());
        self.put_text(name, server.map(ServerKey::as_str), own, &[description]);
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
        let (lexicon, mut words) = (&mut self.lexicon, Vec::new());
        each_learned_stem(query, |stem| words.push(lexicon.learn(stem)));
        words.sort_unstable();
        words.dedup();
        let route = self.routes.len() as u32;
        words.iter().for_each(|number| self.lexicon[*number].routes.push(route));
        let tool = self.place(tool);
        self.route_places.insert(id, route);
        let (words, query) = (words.into(), query.into());
        self.routes.push(Route { id, tool, words, confidence, query });
    }

    /// Makes room for so many more tools.
    pub(crate) fn reserve(&mut self, tools: usize) {
        self.entries.reserve(tools);
        self.places.reserve(tools);
    }

    /// The hash of a form of a name; another one in each process.
    pub(super) fn hash_of_name(&self, squashed: &str) -> u64 {
        self.places.hasher().hash_one(squashed)
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
        self.entries.push(Entry { tool: tool.clone(), text: None });
        self.places.insert(tool.clone(), place);
        place
    }
}
