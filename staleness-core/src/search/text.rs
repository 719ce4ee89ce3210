//! Input of an index: the text of a tool, and a learned query.

use crate::ids::ToolName;
use crate::names;
use crate::route::{Confidence, RouteId};

/// Returns the server or plugin of a tool, and the tool's own part of the name.
pub(crate) fn origin<'a>(
    name: &'a str,
    server: Option<&'a str>,
    plugin: Option<&'a str>,
) -> (Option<&'a str>, &'a str) {
    let own = match server.and_then(|server| names::part_behind(name, server)) {
        // The entry of a whole server has the server's name.
        Some("*") => "",
        Some(part) => part,
        None => name.strip_prefix("mcp__").unwrap_or(name),
    };
    (server.or(plugin), own)
}

/// A learned query that led to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Id of the route.
    pub id: RouteId,
    /// The tool, by the name under which it is called.
    pub tool: ToolName,
    /// The query as entered.
    pub query: String,
    /// Confidence of the route, 0..=1.
    pub confidence: Confidence,
}
