//! Search: ranks tools for a question by their texts, by learned queries, and by meaning if there are vectors.
//!
//! ```
//! use staleness_core::ids::ToolName;
//! use staleness_core::route::{Confidence, RouteId};
//! use staleness_core::search::{Meaning, Question, SearchIndex};
//!
//! let name = |name| ToolName::new(name).expect("a valid name");
//! let mut index = SearchIndex::new();
//! index.put_tool(&name("mcp__hub__search_issues"), "Search issues and pulls");
//! index.put_tool(&name("mcp__hub__merge"), "Merge a pull request");
//! let ask = |index: &SearchIndex, text| {
//!     let question = Question::new(text).expect("a question with words");
//!     let found = index.find(&question, 5, &Meaning::default(), |_| true);
//!     found.matches.first().map(|each| each.tool.to_string())
//! };
//! assert_eq!(ask(&index, "searching issues").as_deref(), Some("mcp__hub__search_issues"));
//! assert_eq!(ask(&index, "ship it"), None);
//!
//! let sure = Confidence::new(0.9).expect("0..=1");
//! index.put_route(RouteId(1), &name("mcp__hub__merge"), "ship it now", sure);
//! assert_eq!(ask(&index, "ship it").as_deref(), Some("mcp__hub__merge"));
//! ```

mod evidence;
mod find;
mod habit;
mod index;
mod learned;
mod lexicon;
mod question;
mod stem;
mod synonyms;
mod weights;
mod words;

pub(crate) use find::Scores;
pub use find::{Found, Match};
pub use index::SearchIndex;
pub use learned::{LearnedMatch, Meaning};
pub use question::Question;

/// Familiarity below which no learned query counts as similar to the question.
pub(crate) const COLD: f64 = 0.3;

/// Returns true if no learned query is similar to the question.
pub(crate) fn is_cold(familiarity: f64) -> bool {
    familiarity < COLD
}
