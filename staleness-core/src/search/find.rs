//! Finding: how well tools fit a question, by their own words and by what was learned.

use std::collections::HashMap;

use super::index::{Bundle, SearchIndex};
use super::lexicon::MIN_PREFIX;
use super::question::Question;
use super::{LEARNED_SHARE, STATIC_SHARE, Top, is_cold};
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::verdict::round;

/// BM25: how soon more of the same word ceases to help.
const K1: f64 = 1.2;
/// BM25: how much longer texts are held back.
const B: f64 = 0.6;
/// How often a word of a tool's own name counts.
const NAME: f64 = 2.0;
/// What a word counts that only begins like the one that was asked for, and the rest by how much of
/// it was asked for.
const PREFIX: f64 = 0.7;
/// Words of a question that are looked for: the weightiest ones.
const MAX_WORDS: usize = 64;
/// How much less a partial overlap of two queries says than a full one.
const SHARPNESS: f64 = 1.5;
/// How close at most a tool is taken to be of which nothing was learned.
const MOST_ASSUMED: f64 = 0.3;

/// How close tools and learned queries are to a question by meaning, as cosines; empty without vectors.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Learned queries, by their ids.
    pub routes: HashMap<u128, f64>,
    /// Tools, by the vectors of their descriptions.
    pub tools: HashMap<ToolName, f64>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Closeness of the nearest learned query, 0..=1, however many there are and however sure they are.
    pub familiarity: f64,
    /// The tools that fit, best first; equal ones in the order of their names.
    pub matches: Vec<Match>,
}

impl Found {
    /// Whether nothing like the question was learned: see [`super::COLD`].
    #[must_use]
    pub fn is_cold(&self) -> bool {
        is_cold(self.familiarity)
    }
}

/// A tool that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The tool.
    pub tool: ToolName,
    /// How well it fits, 0..=1 and rounded to 1e-9.
    pub score: f64,
    /// How well its own words fit, 0..=1.
    pub words: f64,
    /// What was learned of it, where that is what counts.
    pub learned: Option<LearnedMatch>,
    /// What it is taken to have learned, where nothing is known: see [`SearchIndex::find`].
    pub assumed: f64,
    /// The words of the question that it meets.
    pub met: Vec<String>,
}

/// A learned query that is close to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedMatch {
    /// The route.
    pub id: u128,
    /// How close the queries are, 0..=1.
    pub closeness: f64,
    /// How sure the route is, 0..=1.
    pub confidence: f64,
}

impl LearnedMatch {
    /// Closeness × confidence.
    #[must_use]
    pub fn score(&self) -> f64 {
        round(self.closeness * self.confidence)
    }
}

/// What words and routes weigh.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// By number of the word.
    words: Vec<f64>,
    /// The sum over its words, by place of the route.
    routes: Vec<f64>,
}

/// How well one word of a question is met, by place of the tool.
struct Shares<'a> {
    stem: &'a str,
    weight: f64,
    of: Vec<(u32, f64)>,
}

impl SearchIndex {
    /// The best `limit` of the tools that `wanted` lets pass. Others take no place and lend no
    /// familiarity.
    ///
    /// # The score
    ///
    /// `0.6 × words + 0.4 × learned`, each 0..=1.
    ///
    /// **words**, how well the tool's own text fits: BM25 with fields, divided by the most it could
    /// reach. With `idf = ln(1 + (n − df + 0.5) / (df + 0.5))` over tools, where a tool holds a word
    /// when its text or a query that was learned of it does, and `tf` = (2 × in its name + elsewhere) ÷
    /// (0.4 + 0.6 × length ÷ mean length): `Σ idf × tf / (tf + 1.2) ÷ Σ idf`. Whoever gives the name
    /// of a tool, whole or without its server, asks for it: 1.
    ///
    /// **learned**, of the tool's best route (never a sum): closeness × confidence. Two queries are
    /// as close as `(Σ idf of common words ÷ √(Σ idf of one × Σ idf of the other))^1.5`, so that
    /// equal ones are 1 and a chance word of many is next to nothing; with [`Meaning`] the two are
    /// blended as [`blend`] says.
    ///
    /// **A tool of which nothing was learned** would lose to every other one for no fault of its own.
    /// It is taken to be as close as its words suggest: its words ÷ the best words of all, times the
    /// best learned score; at most 0.3, and the less the surer that score is, down to none where it is
    /// 1. So what is clearly known wins, and what is vaguely alike does not displace what is new.
    ///
    /// A word of the question that no tool holds is taken as the beginning of longer ones, from three
    /// letters on: they count 0.7, and the rest by how much of them was given.
    ///
    /// # Sources
    /// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations
    /// and Trends in Information Retrieval 3 (2009), sections 3.3 to 3.6; parameters as measured in
    /// decision record 19.
    #[must_use]
    pub fn find(
        &self,
        question: &Question,
        limit: usize,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> Found {
        let mut pass = vec![None; self.bundles.len()];
        let mut passes = |place: u32| {
            let tool = || self.bundles[place as usize].as_ref().map(|bundle| &bundle.tool);
            *pass[place as usize].get_or_insert_with(|| tool().is_some_and(&wanted))
        };
        let shares = self.shares(question);
        let mut words = self.words(question, &shares);
        if !meaning.tools.is_empty() {
            for (place, bundle) in self.bundles.iter().enumerate() {
                let meant = bundle.as_ref().and_then(|bundle| meaning.tools.get(&bundle.tool));
                words[place] = blend(words[place], meant.copied().unwrap_or(0.0));
            }
        }
        let (familiarity, best) = self.learned(question, meaning, &mut passes);
        let surest = best.values().map(LearnedMatch::score).fold(0.0, f64::max);
        let mut fitting = 0.0_f64;
        for (place, words) in (0..).zip(&words) {
            if *words > fitting && passes(place) {
                fitting = *words;
            }
        }
        let assumed = assumed(surest, fitting);
        // What counts as learned of a tool, and its score.
        let merge = |place: u32, bundle: &Bundle| {
            let words = words[place as usize];
            let assumed = if bundle.routes == 0 { assumed * words } else { 0.0 };
            let known = best.get(&place).map_or(assumed, LearnedMatch::score);
            // With nothing learned at all the words are all there is.
            let learned = surest > 0.0;
            let merged = STATIC_SHARE.mul_add(words, LEARNED_SHARE * known);
            (known, if learned { merged } else { words })
        };
        let mut top = Top::new(limit);
        for (place, words) in (0..).zip(&words) {
            let learned = best.get(&place);
            if (*words <= 0.0 && learned.is_none()) || !passes(place) {
                continue;
            }
            let Some(bundle) = &self.bundles[place as usize] else { continue };
            let (_, score) = merge(place, bundle);
            if score > 0.0 && top.wants(score) {
                top.offer(score, (&bundle.tool, place));
            }
        }
        let mut matches = Vec::new();
        for (score, (tool, place)) in top.into_sorted() {
            let learned = best.get(&place).copied();
            let bundle = self.bundles[place as usize].as_ref();
            let known = bundle.map_or(0.0, |bundle| merge(place, bundle).0);
            matches.push(Match {
                tool: tool.clone(),
                score,
                words: round(words[place as usize]),
                assumed: if learned.is_none() { round(known) } else { 0.0 },
                learned,
                met: self.met(question, &shares, place),
            });
        }
        Found { familiarity, matches }
    }

    /// The best route of each tool that `wanted` lets pass, the `limit` best of them first, by
    /// closeness × confidence, equal ones by their ids; and the familiarity: see
    /// [`SearchIndex::find`].
    #[must_use]
    pub fn find_routes(
        &self,
        question: &Question,
        limit: usize,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> (f64, Vec<LearnedMatch>) {
        let mut passes = |place: u32| {
            self.bundles[place as usize].as_ref().is_some_and(|bundle| wanted(&bundle.tool))
        };
        let (familiarity, best) = self.learned(question, meaning, &mut passes);
        let mut top = Top::new(limit);
        for each in best.values().filter(|each| each.score() > 0.0) {
            top.offer(each.score(), each.id);
        }
        let by_id: HashMap<u128, LearnedMatch> =
            best.into_values().map(|each| (each.id, each)).collect();
        let found = top.into_sorted();
        (familiarity, found.into_iter().filter_map(|(_, id)| by_id.get(&id).copied()).collect())
    }

    /// What words and routes weigh, computed once after each change.
    fn weights(&self) -> &Weights {
        self.weights.get_or_init(|| {
            let words: Vec<f64> = (0..self.lexicon.len() as u32)
                .map(|number| self.idf(self.lexicon[number].tools))
                .collect();
            let sum = |numbers: &[u32]| {
                let mut weights: Vec<f64> =
                    numbers.iter().map(|number| words[*number as usize]).collect();
                // In an order that does not depend on the numbers of words.
                weights.sort_unstable_by(f64::total_cmp);
                weights.iter().sum()
            };
            let routes =
                self.routes.iter().map(|route| route.as_ref().map_or(0.0, |r| sum(&r.words)));
            Weights { routes: routes.collect(), words }
        })
    }

    /// How much a word tells that so many tools hold.
    fn idf(&self, tools: u32) -> f64 {
        let all = self.places() as f64;
        let holding = f64::from(tools);
        ((all - holding + 0.5) / (holding + 0.5)).max(0.0).ln_1p()
    }

    /// For the weightiest words of a question, which tools meet them and how well.
    fn shares<'a>(&self, question: &'a Question) -> Vec<Shares<'a>> {
        let mut all: Vec<(f64, &Box<str>)> = question
            .stems
            .keys()
            .map(|stem| {
                let number = self.lexicon.number(stem);
                (self.idf(number.map_or(0, |number| self.lexicon[number].tools)), stem)
            })
            .collect();
        if all.len() > MAX_WORDS {
            // Words that nothing holds weigh most and find least.
            let known = |stem: &str| self.lexicon.number(stem).is_some();
            all.sort_by(|a, b| {
                known(b.1).cmp(&known(a.1)).then(b.0.total_cmp(&a.0)).then(a.1.cmp(b.1))
            });
            all.truncate(MAX_WORDS);
            all.sort_by(|a, b| a.1.cmp(b.1));
        }
        let mut scratch = Scratch::new(self.bundles.len());
        all.into_iter()
            .map(|(weight, stem)| {
                self.meet(stem, &mut scratch);
                for asked in &question.stems[stem] {
                    if let Some(whole) = &question.asked[*asked].whole {
                        self.meet(whole, &mut scratch);
                    }
                }
                Shares { stem, weight, of: scratch.take() }
            })
            .collect()
    }

    /// Notes how well tools meet a word: the most of what was noted.
    fn meet(&self, stem: &str, scratch: &mut Scratch) {
        if let Some(number) = self.lexicon.number(stem) {
            self.add(number, 1.0, scratch);
            return;
        }
        let characters = stem.chars().count();
        if characters < MIN_PREFIX {
            return;
        }
        for (number, word) in self.lexicon.beginning_with(stem) {
            let part = characters as f64 / word.chars().count() as f64;
            self.add(number, (1.0 - PREFIX).mul_add(part, PREFIX), scratch);
        }
    }

    fn add(&self, number: u32, credit: f64, scratch: &mut Scratch) {
        let mean = (self.words as f64 / self.tools.max(1) as f64).max(1.0);
        for posting in &self.lexicon[number].texts {
            let Some(text) = &self.texts[posting.text as usize] else { continue };
            let count = NAME.mul_add(f64::from(posting.name), f64::from(posting.body));
            let held_back = B.mul_add(f64::from(text.length) / mean, 1.0 - B);
            let tf = count / held_back;
            scratch.note(text.bundle, credit * tf / (tf + K1));
        }
    }

    /// How well the words of each tool fit, by its place.
    fn words(&self, question: &Question, shares: &[Shares<'_>]) -> Vec<f64> {
        let whole: f64 = shares.iter().map(|each| each.weight).sum();
        let mut sums = vec![0.0; self.bundles.len()];
        for each in shares {
            for (place, share) in &each.of {
                sums[*place as usize] += each.weight * share / whole;
            }
        }
        for text in self.texts.iter().flatten() {
            if text.names.contains(&question.squashed) {
                sums[text.bundle as usize] = 1.0;
            }
        }
        sums
    }

    /// The nearest closeness, and the best route of each tool, by its place.
    fn learned(
        &self,
        question: &Question,
        meaning: &Meaning,
        passes: &mut impl FnMut(u32) -> bool,
    ) -> (f64, HashMap<u32, LearnedMatch>) {
        let weights = self.weights();
        let mut asked = Vec::new();
        let mut common = vec![0.0; self.routes.len()];
        for stem in question.stems.keys() {
            let number = self.lexicon.number(stem);
            let weight = number.map_or_else(|| self.idf(0), |n| weights.words[n as usize]);
            asked.push(weight);
            for route in number.map_or(&[][..], |number| &self.lexicon[number].routes) {
                common[*route as usize] += weight;
            }
        }
        asked.sort_unstable_by(f64::total_cmp);
        let asked: f64 = asked.iter().sum();
        let (mut familiarity, mut best) = (0.0_f64, HashMap::new());
        for (place, common) in common.into_iter().enumerate() {
            let Some(route) = &self.routes[place] else { continue };
            let meant = meaning.routes.get(&route.id).copied().unwrap_or(0.0);
            if (common <= 0.0 && meant <= 0.0) || !passes(route.bundle) {
                continue;
            }
            let alike = (common / (asked * weights.routes[place]).sqrt()).min(1.0);
            let alike = if alike.is_nan() { 0.0 } else { alike.powf(SHARPNESS) };
            let closeness = round(blend(alike, meant));
            familiarity = familiarity.max(closeness);
            let each = LearnedMatch { id: route.id, closeness, confidence: route.confidence };
            best.entry(route.bundle)
                .and_modify(|old: &mut LearnedMatch| {
                    let order = each.score().total_cmp(&old.score());
                    if order.then(old.id.cmp(&each.id)).is_gt() {
                        *old = each;
                    }
                })
                .or_insert(each);
        }
        (familiarity, best)
    }

    /// The words of a question that a tool meets.
    fn met(&self, question: &Question, shares: &[Shares<'_>], place: u32) -> Vec<String> {
        let mut met = vec![false; question.asked.len()];
        for each in shares.iter().filter(|each| each.of.iter().any(|(at, _)| *at == place)) {
            question.stems[each.stem].iter().for_each(|asked| met[*asked] = true);
        }
        let asked = question.asked.iter().zip(met).filter(|(_, met)| *met);
        let mut shown: Vec<String> = asked.map(|(asked, _)| asked.shown.clone()).collect();
        shown.dedup();
        shown
    }
}

/// How close a tool of which nothing was learned is taken to be, per unit of how its words fit.
fn assumed(surest: f64, fitting: f64) -> f64 {
    if fitting <= 0.0 {
        return 0.0;
    }
    let most = if surest <= MOST_ASSUMED {
        surest
    } else {
        MOST_ASSUMED * (1.0 - surest) / (1.0 - MOST_ASSUMED)
    };
    most / fitting
}

/// The most that was noted for each place.
struct Scratch {
    values: Vec<f64>,
    touched: Vec<u32>,
}

impl Scratch {
    fn new(places: usize) -> Self {
        Self { values: vec![0.0; places], touched: Vec::new() }
    }

    fn note(&mut self, place: u32, value: f64) {
        let known = &mut self.values[place as usize];
        if *known == 0.0 {
            self.touched.push(place);
        }
        *known = known.max(value);
    }

    /// What was noted, by place; and starts afresh.
    fn take(&mut self) -> Vec<(u32, f64)> {
        let touched = std::mem::take(&mut self.touched);
        let value = |place: &u32| (*place, std::mem::take(&mut self.values[*place as usize]));
        touched.iter().map(value).collect()
    }
}
