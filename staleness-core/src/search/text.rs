//! What an index reads: the words of a tool, and a query that was learned.

use crate::ids::{ServerKey, ToolName};
use crate::names;
use crate::route::{Confidence, RouteId};

/// The words by which a tool is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolText {
    /// The name under which it is called: the tool's identity in an index.
    pub name: ToolName,
    /// The server or the plugin that it comes from. Tools that come from one place share what was
    /// learned of its vocabulary.
    pub from: Option<String>,
    /// The part of the name that is its own, such as `search_issues` of `mcp__github__search_issues`.
    pub own: String,
    /// What else is said of it: its description, hints.
    pub about: Vec<String>,
}

impl ToolText {
    /// A tool that goes by a name, with what is said of it. The server is read from the name.
    #[must_use]
    pub fn new(name: ToolName, description: Option<&str>) -> Self {
        let servers = ServerKey::owners_of(name.as_str());
        let split = servers.first().and_then(|server| {
            Some((server.to_string(), server.tool_part(name.as_str())?.to_owned()))
        });
        let (from, own) = match split {
            Some((server, own)) => (Some(server), own),
            None => (None, name.to_string()),
        };
        Self { name, from, own, about: description.into_iter().map(Into::into).collect() }
    }
}

/// Where a tool comes from, and the part of its name that is its own.
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
    /// How sure it is.
    pub confidence: Confidence,
}
