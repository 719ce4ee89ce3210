//! Folding and checking of queries.

use super::Route;
use crate::refusal::{Invalid, Refusal};
use crate::text::fold_query;

impl Route {
    /// Folds case, accents and white space. Queries that fold to the same text share a route.
    pub fn fold(query: &str) -> String {
        fold_query(query)
    }

    /// Folds a query and checks that it may be learned.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if the query is blank, [`Refusal::TooLarge`] if it exceeds
    /// [`Self::MAX_QUERY_BYTES`].
    pub fn check_query(text: &str) -> Result<String, Refusal> {
        Refusal::check_size("query", text.len(), Self::MAX_QUERY_BYTES)?;
        let folded = fold_query(text);
        if folded.is_empty() {
            return Err(Invalid::Blank { what: "query" }.into());
        }
        Ok(folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_query_teaches_nothing() {
        for text in ["", " ", "\t\n\u{3000}", "\u{200b}\u{feff}", "\u{ad}"] {
            let refused = Route::check_query(text);
            assert_eq!(refused, Err(Invalid::Blank { what: "query" }.into()), "{text:?}");
        }
    }

    #[test]
    fn a_query_of_a_megabyte_is_refused_with_the_bound() {
        let why = Route::check_query(&"x".repeat(1 << 20)).unwrap_err();
        assert_eq!(why, Refusal::TooLarge { what: "query", bytes: 1 << 20, limit: 4_096 });
        assert_eq!(why.to_string(), "the query is 1048576 bytes long; at most 4096 are allowed");
        assert!(Route::check_query(&"x".repeat(Route::MAX_QUERY_BYTES)).is_ok());
    }
}
