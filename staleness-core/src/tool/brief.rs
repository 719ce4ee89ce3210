//! What a search needs of a tool.

use super::{Hold, Status, Tool, ToolKind, status_of};
use crate::ids::{ServerKey, ToolName};

/// A tool without what happened to it: its words, and what its status follows from. A tenth of the
/// record, for whoever looks at every tool of a scope to find a few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolBrief {
    /// Its name; the scope is that of the list.
    pub name: ToolName,
    /// What sort of thing it is.
    pub kind: ToolKind,
    /// The MCP server that it is, or belongs to.
    pub server: Option<ServerKey>,
    /// The plugin that provides it.
    pub plugin: Option<ToolName>,
    /// What it says of itself.
    pub description: Option<String>,
    /// What a person decided about it.
    pub hold: Hold,
    /// Whether it is there: see [`super::Presence::is_present`].
    pub present: bool,
    /// Whether it is failing: see [`super::Health::is_failing`].
    pub failing: bool,
}

impl ToolBrief {
    /// Its status: that of its [`Tool`].
    #[must_use]
    pub fn status(&self) -> Status {
        status_of(self.hold, self.failing, self.present)
    }
}

impl From<&Tool> for ToolBrief {
    fn from(tool: &Tool) -> Self {
        Self {
            name: tool.key.name.clone(),
            kind: tool.kind,
            server: tool.server.clone(),
            plugin: tool.plugin.clone(),
            description: tool.description.clone(),
            hold: tool.hold,
            present: tool.presence.is_present(),
            failing: tool.health.is_failing(),
        }
    }
}
