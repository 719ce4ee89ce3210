//! Tool summaries: the part of a tool that searches read.

use super::{Hold, Listing, Status, Tool, ToolKind, status_of};
use crate::ids::{ClientId, ServerKey, ToolName};

/// A tool without its history: its text, and the facts that determine its status. A search over all tools of a
/// scope reads only summaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSummary {
    /// The tool's name. Its scope is that of the list.
    pub name: ToolName,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server to which the tool belongs, or the server itself.
    pub server: Option<ServerKey>,
    /// The plugin that provides the tool.
    pub plugin: Option<ToolName>,
    /// The tool's description.
    pub description: Option<String>,
    /// The sources that list the tool: see [`Tool::listings`].
    pub listings: Vec<Listing>,
    /// The clients that used the tool: see [`Tool::used_by`].
    pub used_by: Vec<ClientId>,
    /// A decision about the tool, made by hand.
    pub hold: Hold,
    /// True if the tool is present: see [`super::Presence::is_present`].
    pub present: bool,
    /// True if the tool is failing: see [`super::Health::is_failing`].
    pub failing: bool,
    /// True if every use of the tool failed and no source lists it: see [`Tool::failed_only`].
    pub failed_only: bool,
}

impl ToolSummary {
    /// Returns the status: see [`Tool::status`].
    pub fn status(&self) -> Status {
        status_of(self.hold, self.failing, self.present)
    }
}

impl From<&Tool> for ToolSummary {
    fn from(tool: &Tool) -> Self {
        Self {
            name: tool.key.name.clone(),
            kind: tool.kind,
            server: tool.server.clone(),
            plugin: tool.plugin.clone(),
            description: tool.description.clone(),
            listings: tool.listings.clone(),
            used_by: tool.used_by.clone(),
            hold: tool.hold,
            present: tool.presence.is_present(),
            failing: tool.health.is_failing(),
            failed_only: tool.failed_only(),
        }
    }
}

/// Returns true if two versions of one tool have the same summary.
pub(crate) fn reads_alike(one: &Tool, other: &Tool) -> bool {
    let facts = |tool: &Tool| {
        let (is_present, is_failing) = (tool.presence.is_present(), tool.health.is_failing());
        (tool.kind, tool.hold, is_present, is_failing, tool.failed_only())
    };
    facts(one) == facts(other)
        && (&one.server, &one.plugin, &one.description, &one.listings, &one.used_by)
            == (&other.server, &other.plugin, &other.description, &other.listings, &other.used_by)
}
