//! Finding: how well tools fit a question, by their own words and by what was learned.

use super::index::SearchIndex;
use super::learned::{Best, Candidate, LearnedMatch, Meaning};
use super::question::Question;
use super::words::Shares;
use super::{CLOSEST, Top, is_cold};
use crate::ids::ToolName;
use crate::knowledge::blend;
use crate::verdict::round;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Closeness of the nearest learned query, 0..=1, however many there are and however sure they are.
    pub familiarity: f64,
    /// The tools that fit, best first; equal ones in the order of their names.
    pub matches: Vec<Match>,
}

impl Found {
    /// Returns true if nothing like the question was learned: see `super::COLD`.
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
    /// The score, 0..=1, rounded to 1e-9.
    pub score: f64,
    /// The part of the score for its text, 0..=1.
    pub words: f64,
    /// Of `words`, what habits of the tool and of its server gave, 0..=0.35.
    pub habit: f64,
    /// The learned part of the score, 0..=1: see [`SearchIndex::find`].
    pub learned: f64,
    /// The learned query that is closest, if there is one.
    pub route: Option<LearnedMatch>,
    /// The words of the question that it meets.
    pub met: Vec<String>,
}

impl SearchIndex {
    /// The best `limit` of the tools that `wanted` lets pass. Others take no place and lend no
    /// familiarity.
    ///
    /// # The score
    ///
    /// `words + learned × (1 − words)`, each 0..=1: what was learned fills what the words leave.
    ///
    /// **words**, how well a tool's text fits: BM25 with fields, divided by the most it could reach:
    /// `Σ idf × tf / (tf + 1) ÷ Σ idf` over the words of the question.
    /// - `idf = ln(1 + (n − df + 0.5) / (df + 0.5))` over tools; a tool holds a word when its text or a
    ///   query that was learned of it does.
    /// - `tf` = (2 × in its name or origin + elsewhere) ÷ (0.25 + 0.75 × length ÷ mean length).
    /// - Words that usually led to tools of the same server or plugin add up to 0.35: see `habit.rs`. A tool of
    ///   which nothing but the server fits is not found.
    /// - Whoever gives the name of a tool, whole or without its server, asks for it: 1. Within a longer question a
    ///   name counts from three words on.
    ///
    /// **learned**, of two kinds of evidence, neither of which lowers a score:
    /// - *the closest query* of the tool, closeness × confidence: where that is more than the words, 0.4 times the
    ///   difference. Two queries are as close as
    ///   `(Σ idf of common words ÷ √(Σ idf of one × Σ idf of the other))^3`: equal ones 1, a chance word of many next
    ///   to nothing. Here `idf` is that over the texts of tools alone: how close two queries are does not depend on
    ///   what else was learned. With [`Meaning`] both are blended as `search::blend` says.
    /// - *all of its queries together*: see `evidence.rs`. It grows with their number and has a bound, and counts the
    ///   less the closer the closest query of all is, down to nothing where that is the question itself.
    ///
    /// A tool of which nothing was learned would lose to others for no fault of its own. It is taken to gain as much
    /// as any, times its words ÷ the best words of all; the less, too, the closer the closest query of all is. After
    /// one query it is half of that, from the second on nothing. Half of what its server's habits add comes on top.
    ///
    /// A word of the question is also taken as the beginning of longer ones, from three letters on: they
    /// count 0.56 to 0.8, by how much of them was given. Synonyms of it count 0.7, and less where they are
    /// in more tools than the word itself: see `synonyms.rs`.
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
        let scores = self.scores(question, meaning, wanted);
        let mut top = Top::new(limit);
        for (tool, score, place) in scores.fitting() {
            if top.wants(score) {
                top.offer(score, (tool, place));
            }
        }
        let matches = top.into_sorted().into_iter();
        Found {
            familiarity: scores.best.familiarity,
            matches: matches
                .filter_map(|(score, (_, place))| scores.matched(place, score))
                .collect(),
        }
    }

    /// Scores each tool that `wanted` lets pass: see [`SearchIndex::find`].
    pub(crate) fn scores<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> Scores<'a> {
        self.scores_at(question, meaning, |place| wanted(&self.entries[place as usize].tool))
    }

    /// As [`SearchIndex::scores`], but `wanted` is given the place of a tool.
    pub(crate) fn scores_at<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: impl Fn(u32) -> bool,
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
        let evidence = self.evidence(&shares);
        let mut gain = 0.0_f64;
        let mut whole = vec![0.0; self.entries.len()];
        for (place, whole) in (0..).zip(&mut whole) {
            if !passes(place) {
                continue;
            }
            let at = place as usize;
            let words = evidence.field[at].mul_add(1.0 - surest, words[at]).min(1.0);
            let closest = best.of(place).map_or(0.0, |route| route.score);
            let known = CLOSEST.mul_add((closest - words).max(0.0), words);
            *whole = (evidence.likeness[at] * (1.0 - surest)).mul_add(1.0 - known, known);
            gain = gain.max(*whole - text[at] - habits[at] / 2.0);
        }
        if fitting > 0.0 && self.routes() > 0 {
            let gain = gain * (1.0 - surest) / fitting;
            for (place, whole) in (0..).zip(&mut whole) {
                let (text, habit) = (text[place as usize], habits[place as usize]);
                let doubt = (gain * self.doubt(place)).mul_add(text, text);
                *whole = whole.max((doubt + habit / 2.0).min(1.0));
            }
        }
        let all = (0..).zip(&whole).filter(|(place, whole)| **whole > 0.0 && passes(*place));
        let all = all.map(|(place, whole)| (round(*whole), place)).collect();
        Scores { index: self, question, all, shares, words, habits, best }
    }

    /// The best route of each tool that `wanted` lets pass, the `limit` best of them by closeness ×
    /// confidence, equal ones by their ids; and the familiarity: see [`SearchIndex::find`].
    #[must_use]
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
        let best = self.learned(question, meaning, passes);
        let mut top = Top::new(limit);
        for route in best.all() {
            if route.score > 0.0 && top.wants(route.score) {
                top.offer(route.score, (route.id, route.tool));
            }
        }
        let found = top.into_sorted().into_iter();
        let found = found.filter_map(|(_, (_, tool))| best.of(tool)).map(Candidate::matched);
        (best.familiarity, found.collect())
    }
}

/// The scores of tools for one question. [`Scores::matched`] tells what led to a score.
#[derive(Debug)]
pub(crate) struct Scores<'a> {
    index: &'a SearchIndex,
    question: &'a Question,
    /// Scores above 0, rounded, with the places of the tools.
    all: Vec<(f64, u32)>,
    shares: Vec<Shares<'a>>,
    words: Vec<f64>,
    habits: Vec<f64>,
    best: Best,
}

impl<'a> Scores<'a> {
    /// The tools that fit, each with its score and its place, in no order that means anything.
    pub(crate) fn fitting(&self) -> impl Iterator<Item = (&'a ToolName, f64, u32)> + '_ {
        self.all
            .iter()
            .map(|(score, place)| (&self.index.entries[*place as usize].tool, *score, *place))
    }

    /// The tools that fit so well that they may be named unasked, as [`Scores::fitting`] has them: they reach
    /// `least` without what habits add, by two words of the question or by a learned query that is not cold.
    pub(crate) fn sure(&self, least: f64) -> impl Iterator<Item = (&'a ToolName, f64, u32)> + '_ {
        let two = self.index.meets_two(self.question, &self.shares);
        self.fitting().filter(move |(_, score, place)| {
            let at = *place as usize;
            let own = self.words[at] - self.habits[at];
            let route = self.route(*place);
            let closest = route.map_or(0.0, |route| route.score());
            let without_habits = CLOSEST.mul_add((closest - own).max(0.0), own);
            score.min(round(without_habits)) >= least
                && (two[at] || route.is_some_and(|route| !is_cold(route.closeness)))
        })
    }

    /// The learned query that is closest, of the tool at a place.
    pub(crate) fn route(&self, place: u32) -> Option<LearnedMatch> {
        self.best.of(place).filter(|route| route.score > 0.0).map(Candidate::matched)
    }

    /// Returns the tool at a place with its score and what led to it.
    pub(crate) fn matched(&self, place: u32, score: f64) -> Option<Match> {
        let entry = self.index.entries.get(place as usize)?;
        let words = self.words[place as usize];
        let left = 1.0 - words;
        Some(Match {
            tool: entry.tool.clone(),
            score,
            words: round(words),
            habit: round(self.habits[place as usize]),
            learned: if left > 0.0 { round(((score - words) / left).clamp(0.0, 1.0)) } else { 0.0 },
            route: self.route(place),
            met: self.index.met(self.question, &self.shares, place),
        })
    }
}
