//! Parses names, ids and keywords from user input.

use staleness_core::ids::IdError;
use staleness_core::registry::nearest;

use crate::error::{ServiceError, quoted};
use crate::model_text::is_plain;

/// Parses a name or an id. `what` names it in the error.
///
/// # Errors
/// If the text is not a valid id.
pub fn id<T: TryFrom<String, Error = IdError>>(
    what: &str,
    text: impl Into<String>,
) -> Result<T, ServiceError> {
    T::try_from(text.into()).map_err(|why| ServiceError::invalid(format!("the {what} {why}")))
}

/// Returns the hint of an error about an unknown id: the most similar of the `known` ones or, if there is none, `list`,
/// the command that lists all.
pub(crate) fn near(text: &str, known: impl Iterator<Item = String>, list: &str) -> String {
    match nearest(text, known).filter(|near| is_plain(near)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("see `{list}`"),
    }
}

/// Returns the verb for entries that need attention.
pub const fn need(count: usize) -> &'static str {
    if count == 1 { "needs" } else { "need" }
}

/// Formats a freshness or another share with two decimals, rounded down.
pub fn two_decimals(share: f64) -> String {
    // 0.29 * 100.0 is slightly less than 29.
    format!("{:.2}", (share * 100.0 + 1e-7).floor() / 100.0)
}

/// Parses an optional id. `what` names it in the error.
///
/// # Errors
/// If the text is not a valid id.
pub fn optional<T>(what: &str, text: Option<&String>) -> Result<Option<T>, ServiceError>
where
    T: TryFrom<String, Error = IdError>,
{
    text.map(|text| id(what, text.as_str())).transpose()
}

/// Parses one of a few keywords. `what` names the value in the error, and `allowed` lists the keywords.
///
/// # Errors
/// If the text is not one of them.
pub fn word<T>(
    text: Option<&str>,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
    allowed: impl Fn() -> String,
) -> Result<Option<T>, ServiceError> {
    text.map(|text| {
        read(text).ok_or_else(|| {
            ServiceError::invalid(format!("unknown {what} {}", quoted(text)))
                .hint(format!("use one of: {}", allowed()))
        })
    })
    .transpose()
}
