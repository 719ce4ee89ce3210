//! Ranks tools by how well their text and their learned queries fit a question.

use std::collections::{BTreeMap, BTreeSet};

use super::index::SearchIndex;
use super::is_cold;
use super::learned::{Best, Candidate, LearnedMatch, Meaning};
use super::question::Question;
use super::weights::queries;
use super::words::Shares;
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::verdict::round;

/// Weight of the best learned query in the learned score.
const CLOSEST: f64 = 1.25;
/// Number of words that each question is assumed to have besides its own in [`Scores::sure`], so that neither a word of
/// a short question nor a few of a long one suffice.
const FURTHER: f64 = 8.0;

/// Weight of the best match for a part of the question, relative to the best match for the whole.
const PART: f64 = 0.6;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Closeness of the nearest learned query, 0..=1, regardless of its confidence.
    pub familiarity: f64,
    /// The matching tools, best first. Equal scores are ordered by name.
    pub matches: Vec<Match>,
}

/// A matching tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Name of the tool.
    pub tool: ToolName,
    /// Total score, 0..=1, rounded to 1e-9.
    pub score: f64,
    /// Word score, 0..=1: how well the tool's text fits.
    pub words: f64,
    /// Part of `words` that comes from habits of the tool's server, 0..=0.35.
    pub habit: f64,
    /// Learned score, 0..=1: see [`SearchIndex::find`].
    pub learned: f64,
    /// The best learned query, if any.
    pub route: Option<LearnedMatch>,
    /// Words of the question that the tool matches.
    pub met: Vec<String>,
}

impl SearchIndex {
    /// Returns the best `limit` tools that pass `wanted`. Other tools take no place and do not count for the
    /// familiarity.
    ///
    /// # The score
    ///
    /// `words + learned × (1 − words)`, each 0..=1: the learned score fills the gap that the words leave.
    ///
    /// **words**, how well a tool's text fits: BM25 with fields, divided by its maximum:
    /// `Σ idf × tf / (tf + 1) ÷ Σ idf` over the words of the question.
    /// - `idf = ln(1 + (n − df + 0.5) / (df + 0.5))` over tools. A word counts for a tool if its text or a
    ///   learned query contains it.
    /// - `tf` = (2 × in its name or origin + elsewhere) ÷ (0.25 + 0.75 × length ÷ mean length).
    /// - Words that usually led to tools of the same server or plugin add up to 0.35: see `habit.rs`. A tool is not
    ///   found if only its server fits.
    /// - A tool scores 1 if the question is its name, with or without the server. Within a longer question,
    ///   only names of three or more words count.
    ///
    /// **learned**: `1 − e^−x`, 0 if nothing was learned for any tool. Two kinds of evidence add up to `x`, so
    /// each closes a share of the gap that the other leaves:
    /// - *the best query* of the tool: 1.25 × closeness² × confidence. The closeness of two queries is `(Σ idf
    ///   of common words ÷ √(Σ idf of one × Σ idf of the other))^3`: 1 for equal queries, almost 0 for one
    ///   common word of many. Here `idf` is over the texts of tools only, so closeness does not depend on
    ///   other learned queries. With [`Meaning`], both are blended as in `search::blend`.
    /// - *its text and all of its queries together*, times `1 − c²`: see `evidence.rs`. Here `c` is the closeness ×
    ///   confidence of the best query of any tool, so that other evidence cannot outvote a learned question. A tool
    ///   with neither a word nor a similar query is not found.
    ///
    /// A tool without learned queries gets the benefit of the doubt, so that it does not lose to learned
    /// tools. It gains as much as the tool that learning helps most, times `1 − c²` and `√(its word score ÷ the
    /// best word score)`, and half of the habits of its server. A learned query ends this, in proportion to
    /// its confidence.
    ///
    /// **parts**: a question that asks for several things is also searched by its sentences and clauses, without
    /// vectors. The tool that fits a part best scores at most 0.6 of the best score, other tools of the part in
    /// proportion, and none exceeds its score for the part. The first tool stays the same.
    ///
    /// A word of the question with three or more letters also matches longer words that begin with it. These
    /// count 0.56 to 0.8, depending on the matched part. Synonyms count 0.7, or less if they are in more
    /// tools than the word itself: see `synonyms.rs`.
    ///
    /// # Sources
    /// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and
    /// Trends in Information Retrieval 3 (2009), sections 3.3 to 3.6. Pearl, "Probabilistic Reasoning in
    /// Intelligent Systems" (1988), on the noisy OR (`1 − e^−x`). Parameters as measured: see
    /// `docs/search.md`.
    pub fn find(
        &self,
        question: &Question,
        limit: usize,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> Found {
        let scores = self.scores(question, meaning, wanted);
        let all = scores.fitting().map(|(tool, score, place)| (score, tool, place));
        let matches = best(limit, all).into_iter();
        Found {
            familiarity: scores.best.familiarity,
            matches: matches.filter_map(|(score, _, place)| scores.matched(place, score)).collect(),
        }
    }

    /// Scores the tools that pass `wanted`: see [`SearchIndex::find`].
    pub(crate) fn scores<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> Scores<'a> {
        self.scores_at(question, meaning, |place| wanted(&self.entries[place as usize].tool))
    }

    /// Works like [`SearchIndex::scores`], but `wanted` receives the index of a tool.
    pub(crate) fn scores_at<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: impl Fn(u32) -> bool,
    ) -> Scores<'a> {
        let mut whole = self.scores_of_whole(question, meaning, &wanted);
        let best = whole.best_score();
        for part in &question.parts {
            let part = self.scores_of_whole(part, &Meaning::default(), &wanted);
            whole.parts.push(((PART * best / part.best_score()).min(1.0), part));
        }
        if !whole.parts.is_empty() {
            let mut all: BTreeMap<u32, f64> =
                whole.all.iter().map(|(score, place)| (*place, *score)).collect();
            for (weight, part) in &whole.parts {
                for (score, place) in &part.all {
                    let known = all.entry(*place).or_default();
                    *known = known.max(round(weight * score));
                }
            }
            let all = all.into_iter().filter(|(_, score)| *score > 0.0);
            whole.all = all.map(|(place, score)| (score, place)).collect();
        }
        whole
    }

    /// Scores the tools for a question without its parts.
    fn scores_of_whole<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: &impl Fn(u32) -> bool,
    ) -> Scores<'a> {
        let mut pass = vec![None; self.entries.len()];
        let mut passes = |place: u32| *pass[place as usize].get_or_insert_with(|| wanted(place));
        let shares = self.shares(question);
        let mut words = self.words(question, &shares);
        if !meaning.tools.is_empty() {
            for (words, entry) in words.iter_mut().zip(&self.entries) {
                let meant = meaning.tools.get(&entry.tool);
                *words = blend(*words, meant.copied().unwrap_or(0.0));
            }
        }
        let text = words.clone();
        let mut habits = self.habits(&shares, &words, &mut passes);
        for (words, habit) in words.iter_mut().zip(&mut habits) {
            let own = *words;
            *words = (own + *habit).min(1.0);
            *habit = *words - own;
        }
        let fitting = (0..).zip(&text).filter(|(place, _)| passes(*place));
        let fitting = fitting.fold(0.0, |most: f64, (_, text)| most.max(*text));
        let best = self.learned(question, meaning, &mut passes);
        let surest = best.all().iter().map(|route| route.score).fold(0.0, f64::max);
        let rest = surest.mul_add(-surest, 1.0);
        let evidence = self.evidence(question, &shares);
        let mut gain = 0.0_f64;
        let mut whole = vec![0.0; self.entries.len()];
        for (place, whole) in (0..).zip(&mut whole) {
            if !passes(place) {
                continue;
            }
            let at = place as usize;
            let closest = best.of(place).map_or(0.0, |route| route.closeness * route.score);
            if words[at] > 0.0 || closest > 0.0 {
                let learned = evidence[at].mul_add(rest, CLOSEST * closest);
                *whole = (1.0 - words[at]).mul_add(-(-learned).exp(), 1.0);
            }
            gain = gain.max(*whole - text[at] - habits[at] / 2.0);
        }
        if fitting > 0.0 && self.routes() > 0 {
            let gain = gain * rest;
            for (place, whole) in whole.iter_mut().enumerate() {
                let (text, habit) = (text[place], habits[place]);
                let doubt = (1.0 - queries(self.weights().tool_routes[place])).max(0.0);
                let doubt = (gain * doubt).mul_add((text / fitting).sqrt(), text);
                *whole = whole.max((doubt + habit / 2.0).min(1.0));
            }
        }
        let all = (0..).zip(&whole).filter(|(place, whole)| **whole > 0.0 && passes(*place));
        let all = all.map(|(place, whole)| (round(*whole), place)).collect();
        Scores { index: self, question, all, shares, words, habits, best, parts: Vec::new() }
    }

    /// Returns the familiarity and the best route of each tool that passes `wanted`: the `limit` best ones by
    /// closeness × confidence, then by id. See [`SearchIndex::find`].
    pub fn find_routes(
        &self,
        question: &Question,
        limit: usize,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> (f64, Vec<LearnedMatch>) {
        let mut pass = vec![None; self.entries.len()];
        let passes = |place: u32| {
            let entry = &self.entries[place as usize];
            *pass[place as usize].get_or_insert_with(|| wanted(&entry.tool))
        };
        let learned = self.learned(question, meaning, passes);
        let all = learned.all().iter().filter(|route| route.score > 0.0);
        let found = best(limit, all.map(|route| (route.score, route.id, route))).into_iter();
        (learned.familiarity, found.map(|(_, _, route)| route.matched()).collect())
    }
}

/// Returns the best `limit` elements, best first: by score, then by key.
fn best<K: Ord, T>(limit: usize, all: impl Iterator<Item = (f64, K, T)>) -> Vec<(f64, K, T)> {
    let order = |a: &(f64, K, T), b: &(f64, K, T)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
    let mut best: Vec<(f64, K, T)> = all.collect();
    if limit < best.len() {
        best.select_nth_unstable_by(limit, order);
        best.truncate(limit);
    }
    best.sort_unstable_by(order);
    best
}

/// The scores of all tools for one question. [`Scores::matched`] gives the details of a score.
#[derive(Debug)]
pub(crate) struct Scores<'a> {
    index: &'a SearchIndex,
    question: &'a Question,
    /// Rounded scores above 0, with the indices of the tools.
    all: Vec<(f64, u32)>,
    shares: Vec<Shares<'a>>,
    words: Vec<f64>,
    habits: Vec<f64>,
    best: Best,
    /// The scores for the parts of the question, with their weights.
    parts: Vec<(f64, Self)>,
}

impl<'a> Scores<'a> {
    fn best_score(&self) -> f64 {
        self.all.iter().fold(0.0, |most, (score, _)| most.max(*score))
    }

    /// Returns the matching tools with their scores and indices, in no particular order.
    pub(crate) fn fitting(&self) -> impl Iterator<Item = (&'a ToolName, f64, u32)> + '_ {
        self.all
            .iter()
            .map(|(score, place)| (&self.index.entries[*place as usize].tool, *score, *place))
    }

    /// Returns the tools that fit well enough for an unsolicited suggestion of `limit` tools: their certainty is at
    /// least `least`, and two words of the question fit, or a learned query is not cold.
    ///
    /// The certainty is `(fit + lead) ÷ (V + 8 × idf of a word that one tool has)`:
    /// - *V*: `Σ idf` over the words of the question that are not about code.
    /// - *fit*: the part of `V` that the tool's text matches, as in its word score; or `Σ idf` of all words × closeness² ×
    ///   confidence of its best query, if that is more.
    /// - *lead*: `V` times what its score exceeds that of the first tool after `limit`.
    pub(crate) fn sure(&self, least: f64, limit: usize) -> BTreeSet<&'a ToolName> {
        let whole: f64 = self.shares.iter().map(|each| each.weight).sum();
        let (code, about_code) = self.index.code(&self.shares);
        let telling = whole - code;
        let all = self.all.iter().map(|(score, place)| (*score, *place, ()));
        let next = best(limit + 1, all).get(limit).map_or(0.0, |(score, ..)| *score);
        let two = self.index.meets_two(self.question, &self.shares);
        let sure = |(_, score, place): &(&ToolName, f64, u32)| {
            let (at, route) = (*place as usize, self.route(*place));
            let own = (self.words[at] - self.habits[at]).mul_add(whole, -about_code[at]);
            let closest = route.map_or(0.0, |route| route.closeness * route.score());
            let fit = own.max(whole * closest);
            let lead = telling * (score - next).max(0.0);
            let certainty = (fit + lead) / FURTHER.mul_add(self.index.idf(1), telling);
            round(certainty) >= least
                && (two[at] || route.is_some_and(|route| !is_cold(route.closeness)))
        };
        self.fitting().filter(sure).map(|(tool, ..)| tool).collect()
    }

    /// Returns the best learned query of a tool.
    pub(crate) fn route(&self, place: u32) -> Option<LearnedMatch> {
        self.best.of(place).filter(|route| route.score > 0.0).map(Candidate::matched)
    }

    /// Returns a tool with its score and the details: those of the part of the question that gave it the score, or of
    /// the whole.
    pub(crate) fn matched(&self, place: u32, score: f64) -> Option<Match> {
        let gave = |(weight, part): &&(f64, Self)| {
            part.all.iter().any(|(each, at)| *at == place && round(weight * each) == score)
        };
        match self.parts.iter().find(gave) {
            Some((weight, part)) => part.weighed(place, score, *weight),
            None => self.weighed(place, score, 1.0),
        }
    }

    fn weighed(&self, place: u32, score: f64, weight: f64) -> Option<Match> {
        let entry = self.index.entries.get(place as usize)?;
        let words = weight * self.words[place as usize];
        let left = 1.0 - words;
        Some(Match {
            tool: entry.tool.clone(),
            score,
            words: round(words),
            habit: round(weight * self.habits[place as usize]),
            learned: if left > 0.0 { round(((score - words) / left).clamp(0.0, 1.0)) } else { 0.0 },
            route: self.route(place),
            met: self.index.met(self.question, &self.shares, place),
        })
    }
}
