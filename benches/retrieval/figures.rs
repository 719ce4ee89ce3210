//! Measures how high a search ranks the right tool.

use std::fmt;

use crate::data::{Case, Data};

/// A search that ranks tools by relevance.
pub(crate) trait Searcher {
    /// Returns the indexes of matching tools, best first.
    fn order(&self, data: &Data, query: &str) -> Vec<usize>;
}

/// For each question, the rank of the first right tool (1 is best), or `None` if it was not found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    ranks: Vec<Option<usize>>,
}

impl Figures {
    /// Runs the search on all questions.
    pub(crate) fn of(searcher: &impl Searcher, data: &Data, cases: &[&Case]) -> Self {
        let rank = |case: &&Case| {
            let order = searcher.order(data, &case.query);
            order.iter().position(|tool| case.accepted.contains(tool)).map(|at| at + 1)
        };
        Self { ranks: cases.iter().map(rank).collect() }
    }

    /// Adds the ranks of other questions.
    pub(crate) fn add(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
    }

    /// Returns the percentage of questions with a right tool among the first `most`.
    pub(crate) fn top(&self, most: usize) -> f64 {
        let hits = self.ranks.iter().flatten().filter(|rank| **rank <= most).count();
        100.0 * hits as f64 / self.ranks.len() as f64
    }

    /// Returns the difference to `other` in the percentage of questions with a right tool among the first
    /// `most`, with 1.96 standard errors of the paired difference.
    pub(crate) fn more(&self, other: &Self, most: usize) -> String {
        let hit = |rank: &Option<usize>| rank.is_some_and(|rank| rank <= most);
        let pairs = || self.ranks.iter().zip(&other.ranks);
        let won = pairs().filter(|(a, b)| hit(a) && !hit(b)).count() as f64;
        let lost = pairs().filter(|(a, b)| !hit(a) && hit(b)).count() as f64;
        let all = self.ranks.len() as f64;
        let error = (won + lost - (won - lost).powi(2) / all).sqrt() / all;
        format!("{:+.1} ± {:.1}", 100.0 * (won - lost) / all, 196.0 * error)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} | {:.1}", self.top(1), self.top(5))
    }
}
