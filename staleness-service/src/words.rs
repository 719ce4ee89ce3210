//! Parses names, ids and keywords from user input.

use staleness::ids::{AgentId, ToolName};
use staleness_core::ids::IdError;

use crate::error::{ServiceError, quoted};

/// Parses a tool's name.
///
/// # Errors
/// If the text is not a valid name.
pub fn tool_name(text: &str) -> Result<ToolName, ServiceError> {
    ToolName::new(text).map_err(|why| ServiceError::invalid(format!("the tool's name {why}")))
}

/// Returns the verb for things that need attention.
#[must_use]
pub const fn need(count: usize) -> &'static str {
    if count == 1 { "needs" } else { "need" }
}

/// Formats a freshness or another share with two decimals, rounded down.
#[must_use]
pub fn two_decimals(share: f64) -> String {
    // 0.29 * 100.0 is a little less than 29.
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
    let read = |text: String| {
        T::try_from(text).map_err(|why| ServiceError::invalid(format!("the {what} {why}")))
    };
    text.cloned().map(read).transpose()
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

/// An agent's name.
///
/// # Errors
/// When the text cannot be one.
pub(crate) fn agent_name(text: &str) -> Result<AgentId, ServiceError> {
    AgentId::new(text).map_err(|why| ServiceError::invalid(format!("the agent's name {why}")))
}
