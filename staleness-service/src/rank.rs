//! The sort order of entries that need attention.

use std::cmp::Ordering;

use staleness::Timestamp;
use staleness::report::KnowledgeReport;
use staleness::verdict::{Ground, Verdict};

/// The sort key of a list entry.
#[derive(Clone, Copy, Debug)]
pub struct Rank<'a> {
    /// The verdict, which sorts first.
    pub verdict: &'a Verdict,
    /// The time of the last verification, or the time of writing if there was none.
    pub since: Option<Timestamp>,
    /// The file that contains the entry; empty if there is none.
    pub path: &'a str,
    /// The line in the file.
    pub line: Option<u32>,
}

impl<'a> Rank<'a> {
    /// Returns the sort key of an entry without time and place.
    pub const fn alone(verdict: &'a Verdict) -> Self {
        Self { verdict, since: None, path: "", line: None }
    }

    /// Returns the sort key of an item or a document's block.
    pub fn of(told: &'a KnowledgeReport) -> Self {
        Self {
            verdict: &told.verdict,
            since: Some(since(told)),
            path: told.path.as_deref().unwrap_or_default(),
            line: told.line,
        }
    }

    /// Compares by verdict, worst first; then by age, oldest first and undated last; then by file and line. A tool with
    /// a withheld definition comes first in its level, so that its server cannot hide it behind many others.
    pub fn worst_first(&self, other: &Self) -> Ordering {
        let (a, b) = (self.verdict, other.verdict);
        let withheld = |verdict: &Verdict| verdict.rests_on(Ground::DefinitionWithheld);
        (b.level.cmp(&a.level))
            .then_with(|| withheld(b).cmp(&withheld(a)))
            .then_with(|| a.freshness.total_cmp(&b.freshness))
            .then_with(|| {
                (self.since.is_none(), self.since).cmp(&(other.since.is_none(), other.since))
            })
            .then_with(|| (self.path, self.line).cmp(&(other.path, other.line)))
    }
}

/// Returns the time of the last verification, or else of writing.
pub fn since(told: &KnowledgeReport) -> Timestamp {
    told.verified_at.unwrap_or(told.added_at)
}

/// Compares items and blocks by [`Rank::worst_first`], then by id and title.
pub fn worst_first(a: &KnowledgeReport, b: &KnowledgeReport) -> Ordering {
    (Rank::of(a).worst_first(&Rank::of(b))).then_with(|| (&a.id, &a.title).cmp(&(&b.id, &b.title)))
}

#[cfg(test)]
mod tests {
    use staleness::verdict::{Level, Signal};

    use super::*;

    #[test]
    fn worse_then_older_then_by_place() {
        let verdict = |level, freshness| Verdict { level, freshness, ..Verdict::fresh() };
        let [bad, poor, fair] = [
            verdict(Level::Stale, 0.1),
            verdict(Level::Stale, 0.3),
            // The level takes precedence over the freshness.
            verdict(Level::Review, 0.2),
        ];
        let ground = Signal::new(Ground::DefinitionWithheld, 1.0, 0.7, "x".to_owned());
        let withheld = Verdict { signals: vec![ground], ..poor.clone() };
        let at = |day: i64| Some(Timestamp::from_millis(day));
        let rank = |verdict, since, path, line| Rank { verdict, since, path, line };
        let in_order = [
            rank(&withheld, None, "", None),
            rank(&bad, at(9), "z", Some(9)),
            rank(&poor, at(1), "z", Some(9)),
            rank(&poor, at(2), "a", Some(9)),
            rank(&poor, at(2), "a", Some(10)),
            rank(&poor, at(2), "b", Some(1)),
            rank(&poor, None, "a", Some(1)),
            rank(&fair, at(0), "a", Some(1)),
        ];
        for pair in in_order.windows(2) {
            assert_eq!(pair[0].worst_first(&pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(pair[1].worst_first(&pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(in_order[0].worst_first(&in_order[0]), Ordering::Equal);
    }
}
