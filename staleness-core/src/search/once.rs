//! An index for one question: what cannot matter to it is left out, and where a word occurs that nobody
//! asked for is counted alone.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use super::index::{Bundle, Route, SearchIndex, Text};
use super::lexicon::{Lexicon, MIN_PREFIX, Posting};
use super::question::{Question, each_learned_stem, squashed};
use super::split::{Cut, split_wanted};
use super::stem::stem;
use super::synonyms::alike;
use super::text::{Learned, origin};
use crate::ids::ToolName;
use crate::route::RouteBrief;
use crate::tool::ToolBrief;

/// What is kept of what was read for one question, beside the index.
#[derive(Clone, Debug)]
pub(super) struct Only {
    wanted: Wanted,
    tally: Tally,
    /// Where the routes of each tool that has any are, by its place.
    routes: Vec<Range<usize>>,
    /// Room for the words that are asked for of the text that is being put, empty between.
    counts: Vec<(u32, bool)>,
    cut: Cut,
}

/// What can matter to one question.
#[derive(Clone, Debug)]
struct Wanted {
    /// Its words, of which others may be longer forms: sorted, and none begins with another.
    beginnings: Vec<Box<str>>,
    /// Its words that are too short for that and what else they may be called, sorted.
    whole: Vec<Box<str>>,
    /// Whether a word that matters begins with these two bytes; of one byte, that byte and 0.
    first: Box<Pairs>,
    squashed: Box<str>,
}

/// Which words were counted for which tool.
#[derive(Clone, Debug, Default)]
struct Tally {
    words: Vec<Counted>,
    /// How many tools were read: each counts a word once.
    turn: u32,
    /// The numbers of short words as they are written, where they matter: few words make up most texts.
    spelled: HashMap<[u8; SHORT], Option<u32>, RandomState>,
}

/// How a word was counted.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// Whether the question asks for it.
    asked: bool,
    /// The turn in which it was counted last for a tool.
    tool: u32,
    /// The turn in which it was counted last for the text of one.
    text: u32,
}

impl Counted {
    const fn never(asked: bool) -> Self {
        Self { asked, tool: 0, text: 0 }
    }
}

/// A word that is remembered as it is written, at most, in bytes.
const SHORT: usize = 16;
/// So many words are remembered.
const MAX_SPELLED: usize = 1 << 15;

/// A bit for each pair of bytes.
type Pairs = [u64; 1024];

const fn pair(first: u8, second: u8) -> (usize, u64) {
    ((first as usize) << 2 | (second >> 6) as usize, 1 << (second & 63))
}

impl Wanted {
    fn new(question: &Question) -> Self {
        let wholes = question.asked.iter().filter_map(|asked| asked.whole.as_ref());
        let mut all = Self {
            beginnings: Vec::new(),
            whole: Vec::new(),
            first: Box::new([0; 1024]),
            squashed: question.squashed.as_str().into(),
        };
        for word in question.stems.keys().chain(wholes) {
            all.note(word);
            let long = word.chars().count() >= MIN_PREFIX;
            if long {
                all.beginnings.push(word.clone())
            } else {
                all.whole.push(word.clone())
            }
            for (other, _) in alike(word) {
                all.note(other);
                all.whole.push(other.into());
            }
        }
        all.whole.sort_unstable();
        all.beginnings.sort_unstable();
        all.beginnings.dedup_by(|longer, kept| longer.starts_with(&**kept));
        all
    }

    /// Lets words pass whose stem this is.
    fn note(&mut self, stem: &str) {
        let [first, rest @ ..] = stem.as_bytes() else { return };
        let (at, bit) = pair(*first, rest.first().copied().unwrap_or(0));
        self.first[at] |= bit;
        if rest.is_empty() {
            // A longer word may have it as its stem.
            self.first[at..at + 4].fill(u64::MAX);
        }
    }

    /// Whether a word may have a stem that matters: its beginning says no to most that have not.
    fn may_hold(&self, word: &str) -> bool {
        let [first, rest @ ..] = word.as_bytes() else { return false };
        self.may_begin(*first, rest.first().copied().unwrap_or(0))
    }

    fn may_begin(&self, first: u8, second: u8) -> bool {
        let (at, bit) = pair(first, second);
        self.first[at] & bit != 0
    }

    /// Whether a stem is a word of the question, or begins with one.
    fn asks_for(&self, stem: &str) -> bool {
        // Whatever stands between a word and a longer form of it begins with that word.
        let upto = self.beginnings.partition_point(|word| **word <= *stem);
        upto.checked_sub(1).is_some_and(|last| stem.starts_with(&*self.beginnings[last]))
            || self.whole.binary_search_by(|word| (**word).cmp(stem)).is_ok()
    }

    /// The form in which a person may give a name, where the question is that.
    fn name(&self, text: &str) -> Box<str> {
        if text.is_ascii() {
            let told = text.bytes().filter(u8::is_ascii_alphanumeric);
            let same = told.map(|byte| byte.to_ascii_lowercase()).eq(self.squashed.bytes());
            return if same { self.squashed.clone() } else { Box::default() };
        }
        Some(squashed(text)).filter(|text| **text == *self.squashed).unwrap_or_default().into()
    }
}

impl Tally {
    /// The number of a stem that matters.
    fn number(&mut self, wanted: &Wanted, lexicon: &mut Lexicon, stem: &str) -> Option<u32> {
        let known = lexicon.known(stem);
        known.or_else(|| {
            wanted.asks_for(stem).then(|| {
                self.words.push(Counted::never(true));
                lexicon.learn(stem)
            })
        })
    }

    /// The number of a word as it is written, if it matters.
    fn spelled(&mut self, wanted: &Wanted, lexicon: &mut Lexicon, word: &str) -> Option<u32> {
        // Words hold no zeros.
        let mut short = [0; SHORT];
        let place = short.get_mut(..word.len());
        if let Some(place) = place {
            place.copy_from_slice(word.as_bytes());
            if let Some(known) = self.spelled.get(&short) {
                return *known;
            }
        }
        let number =
            wanted.may_hold(word).then(|| self.number(wanted, lexicon, stem(word))).flatten();
        if word.len() <= SHORT && self.spelled.len() < MAX_SPELLED {
            self.spelled.insert(short, number);
        }
        number
    }

    /// Counts a word of the tool that is being read, if it is its first; whether it is asked for.
    fn count(&mut self, lexicon: &mut Lexicon, number: u32) -> bool {
        let counted = &mut self.words[number as usize];
        if counted.tool != self.turn {
            counted.tool = self.turn;
            lexicon[number].tools += 1;
        }
        counted.asked
    }

    /// The same of a word of its text.
    fn count_text(&mut self, lexicon: &mut Lexicon, number: u32) -> bool {
        let counted = &mut self.words[number as usize];
        if counted.text != self.turn {
            counted.text = self.turn;
            lexicon[number].described += 1;
        }
        self.count(lexicon, number)
    }
}

impl SearchIndex {
    /// An index that will be asked one question, over these routes: put its tools in next, each once,
    /// and nothing else. It leaves out what cannot matter, so it is made in a fraction of the time, and
    /// its answer to that question is the same; but for tools that are found by
    /// [`Meaning::tools`](super::Meaning) alone, which have no words that matter.
    ///
    /// Words matter that meet the question, and those of queries that share a word with it: how close
    /// these are depends on how rare each of their words is.
    #[must_use]
    pub fn for_question<'a>(
        question: &Question,
        routes: impl IntoIterator<Item = &'a Learned>,
    ) -> Self {
        Self::over(question, routes.into_iter().map(RouteBrief::from).collect())
    }

    /// The same.
    pub(crate) fn over(question: &Question, mut routes: Vec<RouteBrief<'_>>) -> Self {
        // Those of one tool stand together; as they come from a store they do already.
        routes.sort_by_key(|route| route.tool);
        let mut index = Self::default();
        let asked = Wanted::new(question);
        let mut wanted = asked.clone();
        // The words of queries that meet the question, by place of the route; of others none yet.
        let mut words = vec![Vec::new(); routes.len()];
        for (route, words) in routes.iter().zip(&mut words) {
            let mut meets = false;
            each_learned_stem(route.query, |stem| {
                meets = meets || asked.may_hold(stem) && question.stems.contains_key(stem);
            });
            if meets {
                each_learned_stem(route.query, |stem| {
                    wanted.note(stem);
                    words.push(index.lexicon.learn(stem));
                });
            }
        }
        let tally =
            index.lexicon.iter().map(|word| Counted::never(wanted.asks_for(word))).collect();
        let tally = Tally { words: tally, ..Tally::default() };
        let (counts, cut) = (Vec::new(), Cut::default());
        let mut only = Only { wanted, tally, routes: Vec::new(), counts, cut };
        let mut words = words.into_iter();
        for of_tool in routes.chunk_by(|one, next| one.tool == next.tool) {
            index.learn_once(&mut only, of_tool, &mut words);
        }
        index.only = Some(only);
        index
    }

    /// Adds the routes of one tool, with those of their words that are known.
    fn learn_once(
        &mut self,
        only: &mut Only,
        routes: &[RouteBrief<'_>],
        words: &mut impl Iterator<Item = Vec<u32>>,
    ) {
        let Only { wanted, tally, .. } = only;
        tally.turn += 1;
        let bundle = self.bundles.len() as u32;
        only.routes.push(self.routes.len()..self.routes.len() + routes.len());
        for (route, mut words) in routes.iter().zip(words) {
            if words.is_empty() {
                each_learned_stem(route.query, |stem| {
                    if wanted.may_hold(stem) {
                        words.extend(tally.number(wanted, &mut self.lexicon, stem));
                    }
                });
            }
            words.sort_unstable();
            words.dedup();
            let place = self.routes.len() as u32;
            for number in &words {
                if tally.count(&mut self.lexicon, *number) {
                    self.lexicon[*number].routes.push(place);
                }
            }
            let (id, confidence) = (route.id, route.confidence);
            self.routes.push(Some(Route { id, bundle, words, confidence }));
            self.route_places.insert(id, place);
        }
        let tool = ToolName::checked(routes[0].tool);
        self.places.insert(tool.clone(), bundle);
        self.bundles.push(Some(Bundle { routes: routes.len(), ..Bundle::of(tool) }));
    }

    /// Makes room for so many tools.
    pub(crate) fn expect(&mut self, tools: usize) {
        self.bundles.reserve(tools);
        self.texts.reserve(tools);
    }

    /// Adds the words of a tool to an index for one question. Its place there, unless it cannot matter.
    pub(crate) fn put_brief(&mut self, tool: &ToolBrief<'_>) -> Option<u32> {
        let (from, own) = origin(tool.name, tool.server, tool.plugin);
        self.put_once(tool.name, from, own, tool.description.as_slice())
    }

    /// The same.
    pub(super) fn put_once(
        &mut self,
        name: &str,
        from: Option<&str>,
        own: &str,
        about: &[impl AsRef<str>],
    ) -> Option<u32> {
        self.weights = OnceLock::new();
        let lexicon = &mut self.lexicon;
        let Only { wanted, tally, routes, counts, cut } = self.only.as_mut()?;
        let known = self.places.get(name).copied();
        tally.turn += 1;
        // What was learned of it is counted already.
        let learned = known.map_or(0..0, |place| routes[place as usize].clone());
        for number in self.routes[learned].iter().flatten().flat_map(|route| &route.words) {
            tally.words[*number as usize].tool = tally.turn;
        }
        let mut length = 0;
        let mut read = |text: &str, is_name: bool| {
            let begins = |first, second| wanted.may_begin(first, second);
            let words = split_wanted(text, cut, begins, |word| {
                if let Some(number) = tally.spelled(wanted, lexicon, word)
                    && tally.count_text(lexicon, number)
                {
                    counts.push((number, is_name));
                }
            });
            length += u32::try_from(words).unwrap_or(u32::MAX);
        };
        read(own, true);
        read(from.unwrap_or(""), true);
        about.iter().for_each(|part| read(part.as_ref(), false));
        self.words += u64::from(length);
        self.tools += 1;
        let named = if own.is_empty() { from.unwrap_or("") } else { own };
        let names = [name, named].map(|text| wanted.name(text));
        if known.is_none() && counts.is_empty() && names.iter().all(|name| name.is_empty()) {
            self.left_out += 1;
            return None;
        }
        counts.sort_unstable();
        let text = self.texts.len() as u32;
        for same in counts.chunk_by(|one, next| one.0 == next.0) {
            lexicon[same[0].0].texts.push(Posting::of(text, same));
        }
        counts.clear();
        let place = known.unwrap_or(self.bundles.len() as u32);
        if known.is_none() {
            self.bundles.push(Some(Bundle::of(ToolName::checked(name))));
        }
        if let Some(bundle) = &mut self.bundles[place as usize] {
            bundle.text = Some(text);
        }
        let from = self.origin(from);
        self.texts.push(Some(Text { bundle: place, words: Vec::new(), length, from, names }));
        Some(place)
    }
}
