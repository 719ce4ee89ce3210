//! Input of an index: the words of a tool, and a query that was learned.

use crate::ids::ToolName;
use crate::names;
use crate::route::{Confidence, RouteId};

/// Returns the server or plugin that a tool comes from, and the part of its name that is its own.
pub(crate) fn origin<'a>(
    name: &'a str,
    server: Option<&'a str>,
    plugin: Option<&'a str>,
) -> (Option<&'a str>, &'a str) {
    let own = match server.and_then(|server| names::part_behind(name, server)) {
        // The entry of a server goes by the server's name.
        Some("*") => "",
        Some(part) => part,
        None => name.strip_prefix("mcp__").unwrap_or(name),
    };
    (server.or(plugin), own)
}

/// A query that led to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Its identity.
    pub id: RouteId,
    /// The tool, by the name under which it is called.
    pub tool: ToolName,
    /// The query as it was given.
    pub query: String,
    /// The confidence of the route, 0..=1.
    pub confidence: Confidence,
}
