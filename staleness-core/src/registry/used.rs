//! A use of a tool as reported by a caller, and the rows needed to record it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, ClientId, OpId, Scope, ServerKey, SessionId, ToolKey, ToolName};
use crate::outcome::OutcomeKind;
use crate::report::{is_own_server, is_own_tool};
use crate::scan::{Found, ProjectRef, Providers};
use crate::session::SessionKey;
use crate::store::{
    Draft, OutcomeFilter, ProjectFilter, Selection, SuggestionFilter, ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{Listing, ListingState, Tool, ToolKind};

/// A use of a tool, to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The id of the use. Repeating it has no further effect.
    pub op: OpId,
    /// The name under which the tool was called, in one of the forms that clients use.
    ///
    /// `mcp_server_tool` means the first of these that exists: the tool of exactly that name; a known tool, by a
    /// possible spelling of the name; a tool of a known server, by such a spelling; otherwise the spelling with the
    /// shortest server name.
    ///
    /// `MCP:tool` means the tool of that name on the only server of the client that is known to have it. Live lists
    /// take precedence. If no server is known to have it, the tool is on the client's only server besides this
    /// program's own.
    pub tool: ToolName,
    /// The outcome.
    pub outcome: OutcomeKind,
    /// The time at which the use ended.
    pub at: Timestamp,
    /// The project in which the tool was used.
    pub project: ProjectRef,
    /// The session in which the tool was used.
    pub session: Option<SessionId>,
    /// The agent that used the tool.
    pub agent: Option<AgentId>,
    /// The client that reported the use.
    pub client: Option<ClientId>,
    /// The duration of the use, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The kind of the tool, if the client reports it. Used only for an unknown tool.
    pub kind: Option<ToolKind>,
    /// The server of the tool, if the client reports it. Takes precedence over the server in the name.
    pub server: Option<String>,
    /// The names that the use mentions. Known tools among them get credit for it.
    pub mentions: Vec<ToolName>,
}

impl Use {
    /// Creates a use of `tool` that ended at `at` in `project`, without further details.
    pub const fn new(
        op: OpId,
        tool: ToolName,
        outcome: OutcomeKind,
        at: Timestamp,
        project: ProjectRef,
    ) -> Self {
        Self {
            op,
            tool,
            outcome,
            at,
            project,
            session: None,
            agent: None,
            client: None,
            duration_ms: None,
            kind: None,
            server: None,
            mentions: Vec::new(),
        }
    }

    pub(super) fn scopes(&self) -> [Scope; 2] {
        [Scope::Project(self.project.id.clone()), Scope::Global]
    }

    pub(super) fn key(&self, scope: Scope) -> ToolKey {
        ToolKey { scope, name: self.tool.clone() }
    }

    /// Returns all names that the tool may have: the reported one and its other possible spellings.
    pub(super) fn names(&self) -> Vec<ToolName> {
        let mut names = vec![self.tool.clone()];
        names.extend(ToolName::splits(self.tool.as_str()));
        names
    }

    /// Returns all names under which the use may have been recorded, most likely first. `view` is the view of the
    /// recording step.
    pub(super) fn recorded_as(&self, view: &View) -> Vec<ToolName> {
        self.names_on_servers(view).into_iter().chain(self.names()).collect()
    }

    /// Returns the possible names if the client omits the server, as Cursor does: one for each server that the
    /// client lists, or only those in live lists if there are any.
    pub(super) fn names_on_servers(&self, view: &View) -> BTreeSet<ToolName> {
        let (Some(part), Some(client)) = (self.tool.serverless(), &self.client) else {
            return BTreeSet::new();
        };
        let loads = |listing: &Listing| {
            listing.source.client == client.as_str() && listing.state == ListingState::Configured
        };
        let entries = view.tools.values().filter(|tool| {
            tool.kind == ToolKind::McpServer
                && self.scopes().contains(&tool.key.scope)
                && tool.listings.iter().any(loads)
        });
        let name = |server: &ServerKey| Some(Found::server_tool(server.as_str(), part)?.name);
        let names: BTreeSet<ToolName> =
            entries.filter_map(|entry| name(entry.server.as_ref()?)).collect();
        let listed = |name: &&ToolName| {
            let keys = ToolKey::both(&self.project.id, name);
            let mut tools = keys.iter().filter_map(|key| view.tools.get(key));
            tools.any(|tool| tool.listings.iter().any(Listing::is_live))
        };
        let live: BTreeSet<ToolName> = names.iter().filter(listed).cloned().collect();
        if live.is_empty() { names } else { live }
    }

    /// Adds the rows needed to record the use under these names.
    pub(super) fn select_names<'n>(
        &self,
        names: impl Iterator<Item = &'n ToolName> + Clone,
        mut selection: Selection,
    ) -> Selection {
        for scope in self.scopes() {
            for name in names.clone() {
                let key = ToolKey { scope: scope.clone(), name: name.clone() };
                selection = selection
                    .outcomes(OutcomeFilter::Op(key.clone(), self.op.clone()))
                    .lock(ToolFilter::Key(key));
            }
        }
        selection
    }

    /// Returns the use with the name under which the registry knows the tool.
    pub(super) fn known(&self, draft: &Draft<'_>, providers: &Providers) -> Cow<'_, Self> {
        let [project, _] = self.scopes();
        let is_tool = |name: &&ToolName| {
            let keys = ToolKey::both(&self.project.id, name);
            keys.iter().any(|key| draft.get::<Tool>(key).is_some())
        };
        let is_served = |name: &&ToolName| {
            let servers = ServerKey::owners_of(name.as_str());
            servers.iter().any(|server| providers.entry(&project, server).is_some())
        };
        let names = self.names();
        let on_servers = self.names_on_servers(draft.view());
        let known = names.iter().find(is_tool).or_else(|| names.iter().find(is_served));
        let known = self.on_server(&on_servers, is_tool).or(known);
        match known.or_else(|| on_only_server(&on_servers)).or(names.last()) {
            Some(name) if *name != self.tool => {
                Cow::Owned(Self { tool: name.clone(), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns the only one of these names that is a known tool, or a tool of this program's own server. `None` if
    /// there is not exactly one.
    fn on_server<'n>(
        &self,
        names: &'n BTreeSet<ToolName>,
        is_tool: impl Fn(&&ToolName) -> bool,
    ) -> Option<&'n ToolName> {
        let is_own_tool = self.tool.serverless().is_some_and(is_own_tool);
        let mut known = names.iter().filter(|name| is_tool(name) || is_own_tool && is_own(name));
        known.next().filter(|_| known.next().is_none())
    }

    pub(super) fn session_key(&self) -> Option<SessionKey> {
        let id = self.session.clone()?;
        Some(SessionKey { project: self.project.id.clone(), id })
    }

    /// Returns the servers that may own the tool, most likely first.
    pub(super) fn possible_servers(&self) -> Vec<ServerKey> {
        if !self.tool.is_mcp() || self.tool.is_server_entry() {
            return Vec::new();
        }
        match self.server.as_deref().and_then(ServerKey::of) {
            Some(told) => vec![told],
            None => ServerKey::owners_of(self.tool.as_str()).into_iter().rev().collect(),
        }
    }

    pub(super) fn select(&self, mut selection: Selection) -> Selection {
        // Only peek at the project: it nearly always exists, and uses in one project should not wait for each other.
        selection = selection.peek(ProjectFilter::Id(self.project.id.clone()));
        if let Some(session) = self.session_key() {
            selection = selection.lock(SuggestionFilter::Key(session));
        }
        let mut servers = self.possible_servers();
        let names = self.names();
        let others = names.iter().filter(|name| **name != self.tool);
        servers.extend(others.flat_map(|name| ServerKey::owners_of(name.as_str())));
        selection = self.select_names(names.iter(), selection);
        for scope in self.scopes() {
            if self.tool.serverless().is_some() {
                selection = selection.peek(ToolFilter::Configured(scope.clone()));
            }
            for name in &self.mentions {
                let key = ToolKey { scope: scope.clone(), name: name.clone() };
                selection = selection.lock(ToolFilter::Key(key));
            }
            for server in &servers {
                let entries = ToolFilter::Entries(scope.clone(), server.clone());
                selection = selection.peek(entries);
            }
        }
        selection
    }

    pub(super) fn may_be_an_outage(&self) -> bool {
        self.outcome == OutcomeKind::Failure && self.names().iter().any(ToolName::is_mcp)
    }
}

/// Returns true if the name belongs to this program's own server.
fn is_own(name: &ToolName) -> bool {
    let servers = ServerKey::owners_of(name.as_str());
    servers.iter().any(|server| is_own_server(server.as_str()))
}

/// Returns the name on the only server besides this program's own.
fn on_only_server(names: &BTreeSet<ToolName>) -> Option<&ToolName> {
    let mut others = names.iter().filter(|name| !is_own(name));
    others.next().filter(|_| others.next().is_none())
}
