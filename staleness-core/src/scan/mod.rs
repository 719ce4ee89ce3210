//! Scans: what the sources list, as read from the outside world.

mod apply;
mod define;
mod evaluate;
mod providers;
mod viewpoint;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::definition::{DefinitionVersion, digest_of_all};
use crate::ids::{
    ClientId, Level, ProjectId, ServerKey, SessionId, SourceId, ToolName, stable_hash_of,
};
use crate::source::SourceState;
use crate::time::Timestamp;
use crate::tool::{ListingState, Tool, ToolKind};

pub(crate) use apply::{ApplyScan, readings_of};
pub(crate) use providers::{Entry, Provider, Providers};
pub(crate) use viewpoint::{ClientServers, invented, may_be_invented, see_as};

/// A project as the caller knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRef {
    /// Its id.
    pub id: ProjectId,
    /// Its root folder.
    pub root: String,
}

impl ProjectRef {
    /// The project with this root folder.
    #[must_use]
    pub fn of_root(root: impl Into<String>) -> Self {
        let root = root.into();
        Self { id: ProjectId::of_root(&root), root }
    }
}

/// One tool that a source lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name under which it is called, or the entry of a server.
    pub name: ToolName,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server that it is, or belongs to.
    pub server: Option<ServerKey>,
    /// The plugin that provides it.
    pub plugin: Option<ToolName>,
    /// Its own description.
    pub description: Option<String>,
    /// Its state in the client; never [`ListingState::Gone`].
    pub state: ListingState,
    /// Its definition, where a live list has it.
    pub definition: Option<Arc<DefinitionVersion>>,
}

impl Found {
    /// A tool that is listed and loaded.
    #[must_use]
    pub const fn new(name: ToolName, kind: ToolKind) -> Self {
        Self {
            name,
            kind,
            server: None,
            plugin: None,
            description: None,
            state: ListingState::Configured,
            definition: None,
        }
    }

    /// An MCP server that a configuration lists as `server`. `None` when the name cannot be stored.
    #[must_use]
    pub fn server(server: &str) -> Option<Self> {
        let mut found = Self::new(ToolName::of_server(server)?, ToolKind::McpServer);
        found.server = ServerKey::of(server);
        Some(found)
    }

    /// A tool that the MCP server `server` lists as `tool`: called `mcp__<server>__<tool>` with the
    /// server's name as clients rewrite it. `None` when the name cannot be stored, or would stand
    /// for the whole server.
    #[must_use]
    pub fn server_tool(server: &str, tool: &str) -> Option<Self> {
        let key = ServerKey::of(server)?;
        let name = ToolName::new(format!("mcp__{key}__{tool}")).ok()?;
        if name.is_server_entry() {
            return None;
        }
        let mut found = Self::new(name, ToolKind::McpTool);
        found.server = Some(key);
        Some(found)
    }

    /// Marks the tool as switched off by a person if `off` is true.
    #[must_use]
    pub fn switched_off(mut self, off: bool) -> Self {
        if off {
            self.state = ListingState::Off;
        }
        self
    }

    /// Sets the description, trimmed and cut to [`Tool::MAX_DESCRIPTION_CHARS`] characters; an
    /// empty one is left out.
    #[must_use]
    pub fn described(mut self, description: Option<&str>) -> Self {
        self.description = description
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| text.chars().take(Tool::MAX_DESCRIPTION_CHARS).collect());
        self
    }
}

/// A source as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReading {
    /// Which source.
    pub id: SourceId,
    /// Its path.
    pub path: String,
    /// The result of reading it.
    pub state: SourceState,
    /// A missing source proves absence only while its root can be listed and is not empty. Of no
    /// meaning for other states.
    pub root_is_there: bool,
    /// The error, with file and line; never a value from the file.
    pub error: Option<String>,
    /// The tools that it lists, each name once, in any order.
    pub found: Vec<Found>,
}

impl SourceReading {
    /// Returns true if a tool that the source does not list is proven not to be in it.
    #[must_use]
    pub fn covers(&self) -> bool {
        match self.state {
            SourceState::Read | SourceState::Refused => true,
            SourceState::Missing => self.root_is_there,
            SourceState::Partial | SourceState::Failed => false,
        }
    }

    /// A digest of state and findings: while it is the same, nothing needs to be evaluated.
    #[must_use]
    pub fn digest(&self) -> u128 {
        let part = |found: &Found| {
            stable_hash_of([
                found.name.as_str(),
                "\u{1f}",
                found.server.as_ref().map_or("", ServerKey::as_str),
                "\u{1f}",
                found.kind.as_str(),
                "\u{1f}",
                found.plugin.as_ref().map_or("", ToolName::as_str),
                "\u{1f}",
                found.state.as_str(),
                "\u{1f}",
                found.description.as_deref().unwrap_or(""),
            ])
        };
        let covers = if self.covers() { "covers" } else { "" };
        let state = stable_hash_of([self.state.as_str(), "\u{1f}", covers]);
        // A sum does not depend on the order in which a source lists its tools.
        let found = self.found.iter().map(part).fold(state, u128::wrapping_add);
        let mut defined = self
            .found
            .iter()
            .filter_map(|found| Some((found.name.as_str(), found.definition.as_deref()?)))
            .peekable();
        if defined.peek().is_none() { found } else { found ^ digest_of_all(defined) }
    }
}

/// An index of sources that was read completely: sources known under it that this scan does not
/// bring are gone, and so are covered and empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceIndex {
    /// The client.
    pub client: String,
    /// The level.
    pub level: Level,
    /// The project, unless the index serves every project.
    pub project: Option<ProjectId>,
    /// The prefix of the parts of its sources, such as `plugin:`.
    pub part_prefix: String,
}

impl SourceIndex {
    /// Returns true if a source belongs to this index.
    #[must_use]
    pub fn lists(&self, id: &SourceId) -> bool {
        id.client == self.client
            && id.level == self.level
            && id.project == self.project
            && id.part.starts_with(&self.part_prefix)
    }
}

/// The sources that one project sees, as they were read at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The project.
    pub project: ProjectRef,
    /// The sources that were read, each once.
    pub sources: Vec<SourceReading>,
    /// Indexes that were read completely.
    pub indexes: Vec<SourceIndex>,
    /// For each source the number of its reading before the files were read: see
    /// [`crate::source::Source::readings`]. Sources that were not known are left out.
    pub read_under: BTreeMap<SourceId, u64>,
    /// When.
    pub at: Timestamp,
    /// The session that asked for it.
    pub session: Option<SessionId>,
    /// The client that asked for it.
    pub client: Option<ClientId>,
}
