//! What an index reads: the words of a tool, and a query that was learned.

use crate::ids::ToolName;
use crate::names;
use crate::tool::Tool;

/// The words by which a tool is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolText {
    /// The name under which it is called: the tool's identity in an index.
    pub name: ToolName,
    /// The part of the name that is its own, such as `search_issues` of `mcp__github__search_issues`.
    pub own: String,
    /// What else is said of it: the server or plugin it comes from, its description, hints.
    pub about: Vec<String>,
}

impl ToolText {
    /// A tool that goes by a name, with what is said of it.
    #[must_use]
    pub fn new(name: ToolName, description: Option<&str>) -> Self {
        let servers = names::possible_servers(name.as_str());
        let (server, own) = servers
            .first()
            .and_then(|server| Some((server.as_str(), names::tool_part(name.as_str(), server)?)))
            .unwrap_or(("", name.as_str()));
        let own = own.to_owned();
        let about = [server, description.unwrap_or("")];
        let about = about.into_iter().filter(|text| !text.is_empty()).map(Into::into).collect();
        Self { name, own, about }
    }
}

impl From<&Tool> for ToolText {
    fn from(tool: &Tool) -> Self {
        let name = tool.key.name.as_str();
        let server = tool.server.as_ref();
        let part = server.and_then(|server| names::tool_part(name, server));
        // The entry of a server goes by the server's name.
        let own = match part {
            Some("*") | None => name.strip_prefix("mcp__").unwrap_or(name),
            Some(part) => part,
        };
        let about = [
            server.filter(|_| part.is_some_and(|part| part != "*")).map(|server| server.as_str()),
            tool.plugin.as_ref().map(ToolName::as_str),
            tool.description.as_deref(),
        ];
        let about = about.into_iter().flatten().map(Into::into).collect();
        Self { name: tool.key.name.clone(), own: own.to_owned(), about }
    }
}

/// A query that led to a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Its identity.
    pub id: u128,
    /// The tool, by the name under which it is called.
    pub tool: ToolName,
    /// The query as it was given.
    pub query: String,
    /// How sure it is, 0..=1; what lies outside is brought within, and what is no number is 0.
    pub confidence: f64,
}
