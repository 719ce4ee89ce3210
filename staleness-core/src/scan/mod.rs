//! Scans: the contents of all sources, as they were read.

mod apply;
mod define;
mod evaluate;
mod providers;
mod shadow;
mod viewpoint;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::definition::{DefinitionVersion, digest_of_all};
use crate::ids::{
    Caller, ClientId, Level, ProjectId, ServerKey, SessionId, SourceId, ToolName, stable_hash_of,
};
use crate::source::SourceState;
use crate::time::Timestamp;
use crate::tool::{ListingState, Tool, ToolKind};

pub(crate) use apply::{ApplyScan, readings_of};
pub(crate) use providers::{Entry, Provider, Providers};
pub(crate) use shadow::state_for;
pub(crate) use viewpoint::{
    ClientServers, invented, is_of_an_account, is_read_by, may_be_invented, see_all, see_as,
    withheld_from, withhold,
};

/// A project, by id and root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRef {
    /// The id of the project.
    pub id: ProjectId,
    /// The root folder of the project.
    pub root: String,
}

impl ProjectRef {
    /// Returns the project with this root folder.
    pub fn of_root(root: impl Into<String>) -> Self {
        let root = root.into();
        Self { id: ProjectId::of_root(&root), root }
    }

    /// Returns the caller whose rules apply: this project with the given agent, or with any agent.
    pub fn caller<'a>(&'a self, agent: Option<&'a str>) -> Caller<'a> {
        Caller { project: Some((&self.id, &self.root)), agent }
    }
}

/// A tool listed by a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name under which the tool is called, or the name of a server entry.
    pub name: ToolName,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server to which the tool belongs, or the server itself.
    pub server: Option<ServerKey>,
    /// The plugin that provides the tool.
    pub plugin: Option<ToolName>,
    /// The tool's description.
    pub description: Option<String>,
    /// The state of the tool in the client, never [`ListingState::Gone`].
    pub state: ListingState,
    /// True if a file that affects the state cannot be read, so that the last known state stays.
    pub unsure: bool,
    /// The tool's definition, if a live list contains it.
    pub definition: Option<Arc<DefinitionVersion>>,
}

impl Found {
    /// Creates a tool that is listed and loaded, without further details.
    pub const fn new(name: ToolName, kind: ToolKind) -> Self {
        Self {
            name,
            kind,
            server: None,
            plugin: None,
            description: None,
            state: ListingState::Configured,
            unsure: false,
            definition: None,
        }
    }

    /// Creates an MCP server that a configuration lists as `server`. `None` if the name is not a valid id.
    pub fn server(server: &str) -> Option<Self> {
        let mut found = Self::new(ToolName::of_server(server)?, ToolKind::McpServer);
        found.server = ServerKey::of(server);
        Some(found)
    }

    /// Returns true if this is the instructions of a server, which are not a separate entry.
    pub(crate) fn is_instructed(&self) -> bool {
        self.kind == ToolKind::McpServer && self.definition.is_some()
    }

    /// Creates a tool that the MCP server `server` lists as `tool`. It is called `mcp__<server>__<tool>`,
    /// with the server's name as clients rewrite it. `None` if the name is not a valid id, or would mean the
    /// whole server.
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

    /// Marks the tool as disabled by the user if `off` is true.
    #[must_use]
    pub fn switched_off(mut self, off: bool) -> Self {
        if off {
            self.state = ListingState::Off;
        }
        self
    }

    /// Sets the description, on one line without control characters and truncated to [`Tool::MAX_DESCRIPTION_CHARS`]
    /// characters. An empty description becomes `None`.
    #[must_use]
    pub fn described(mut self, description: Option<&str>) -> Self {
        self.description = description.and_then(Tool::description_of);
        self
    }
}

/// The result of reading one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReading {
    /// The source.
    pub id: SourceId,
    /// The path that was read.
    pub path: String,
    /// The result of the reading.
    pub state: SourceState,
    /// True if the source is missing although its root folder can be listed and is not empty, which proves the absence
    /// of its tools. Ignored for other states.
    pub root_is_there: bool,
    /// The error, with file and line but without any value from the file.
    pub error: Option<String>,
    /// The tools that the source lists, each name once, in any order.
    pub found: Vec<Found>,
}

impl SourceReading {
    /// Returns true if every tool that the source does not list is proven to be absent from it.
    pub fn covers(&self) -> bool {
        match self.state {
            SourceState::Read | SourceState::Refused => true,
            SourceState::Missing => self.root_is_there,
            SourceState::Partial | SourceState::Failed => false,
        }
    }

    /// Returns true if a tool that the source does not list is proven to be absent from it. Missing instructions prove
    /// nothing while the live list exists.
    pub(crate) fn lacks(&self, name: &ToolName) -> bool {
        let is_list = self.id.level == Level::Live && self.state != SourceState::Missing;
        self.covers() && !(is_list && name.is_server_entry())
    }

    /// Returns the tools that the source lists. A live list does not list its server, although it contains the server's
    /// instructions.
    pub fn listed(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| !found.is_instructed())
    }

    /// Returns a digest of the state and the tools. While it is unchanged, there is nothing to evaluate.
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
                if found.unsure { "?" } else { "" },
                "\u{1f}",
                found.description.as_deref().unwrap_or(""),
            ])
        };
        let covers = if self.covers() { "covers" } else { "" };
        let state = stable_hash_of([self.state.as_str(), "\u{1f}", covers]);
        // A sum does not depend on the order of the tools.
        let found = self.found.iter().map(part).fold(state, u128::wrapping_add);
        let mut defined = self
            .found
            .iter()
            .filter_map(|found| Some((found.name.as_str(), found.definition.as_deref()?)))
            .peekable();
        if defined.peek().is_none() { found } else { found ^ digest_of_all(defined) }
    }
}

/// An index of sources that was read completely. If a source of this index is missing from the scan, the source and its
/// tools are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceIndex {
    /// The client that owns the index.
    pub client: String,
    /// The level of the sources in the index.
    pub level: Level,
    /// The project. `None` if the index serves every project.
    pub project: Option<ProjectId>,
    /// The prefix of the parts of the index's sources, such as `plugin:`.
    pub part_prefix: String,
}

impl SourceIndex {
    /// Returns true if a source belongs to this index.
    pub fn lists(&self, id: &SourceId) -> bool {
        id.client == self.client
            && id.level == self.level
            && id.project == self.project
            && id.part.starts_with(&self.part_prefix)
    }
}

/// The sources that a project sees, as read at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The project that was scanned.
    pub project: ProjectRef,
    /// The sources that were read, without duplicates.
    pub sources: Vec<SourceReading>,
    /// The indexes that were read completely.
    pub indexes: Vec<SourceIndex>,
    /// The reading count of each known source before the files were read: see
    /// [`crate::source::Source::readings`].
    pub read_under: BTreeMap<SourceId, u64>,
    /// The time of the scan.
    pub at: Timestamp,
    /// The session that requested the scan.
    pub session: Option<SessionId>,
    /// The client that requested the scan.
    pub client: Option<ClientId>,
}
