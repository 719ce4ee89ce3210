//! One use of a tool, as a caller hands it in, and what recording it must look at.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::record::both_keys;
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

/// One use of a tool, to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Identifies the use: recording it twice has the effect of recording it once.
    pub op: OpId,
    /// The name under which the tool was called. `mcp_server_tool` stands for the tool of that name where there is one,
    /// else for the first of its spellings whose tool is known, else for the first whose server is, else for that of the
    /// shortest server. `MCP:tool` stands for the tool of the one server, of those that the client lists, that is known to
    /// have one of this name, by its live list before all; where none is, of the only server that the client lists beside
    /// this program's.
    pub tool: ToolName,
    /// The outcome.
    pub outcome: OutcomeKind,
    /// When it ended.
    pub at: Timestamp,
    /// The project in which it happened.
    pub project: ProjectRef,
    /// The session in which it happened.
    pub session: Option<SessionId>,
    /// The agent that used it.
    pub agent: Option<AgentId>,
    /// The client that reported it.
    pub client: Option<ClientId>,
    /// The duration, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The kind, where the client tells it; used only for a tool that is not known yet.
    pub kind: Option<ToolKind>,
    /// The server, where the client tells it: believed over the name.
    pub server: Option<String>,
    /// Names that the use mentions: those that are known tools are credited with it.
    pub mentions: Vec<ToolName>,
}

impl Use {
    /// A use of `tool` that ended at `at` in `project`, with nothing else known of it.
    #[must_use]
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

    /// Every name that it may have: the one that was told, and those that it stands for.
    pub(super) fn names(&self) -> Vec<ToolName> {
        let mut names = vec![self.tool.clone()];
        names.extend(ToolName::splits(self.tool.as_str()));
        names
    }

    /// Every name under which it may have been recorded, given what recording it looked at; the likeliest first.
    pub(super) fn recorded_as(&self, view: &View) -> Vec<ToolName> {
        self.names_on_servers(view).into_iter().chain(self.names()).collect()
    }

    /// The names that it may have where the client leaves the server out, as Cursor does: one for each server that
    /// the client lists; where live lists hold some of them, those alone.
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
            let keys = both_keys(&self.project.id, name);
            let mut tools = keys.iter().filter_map(|key| view.tools.get(key));
            tools.any(|tool| tool.listings.iter().any(Listing::is_live))
        };
        let live: BTreeSet<ToolName> = names.iter().filter(listed).cloned().collect();
        if live.is_empty() { names } else { live }
    }

    /// Adds what recording it under these names must look at.
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

    /// Returns the use under the name that the registry knows, of those that it may have.
    pub(super) fn known(&self, draft: &Draft<'_>, providers: &Providers) -> Cow<'_, Self> {
        let [project, _] = self.scopes();
        let is_tool = |name: &&ToolName| {
            let keys = both_keys(&self.project.id, name);
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

    /// The one of these names on servers that is known, or is a tool of this program's server.
    fn on_server<'n>(
        &self,
        names: &'n BTreeSet<ToolName>,
        is_tool: impl Fn(&&ToolName) -> bool,
    ) -> Option<&'n ToolName> {
        let is_own_tool = self.tool.serverless().is_some_and(is_own_tool);
        let mut known = names.iter().filter(|name| is_tool(name) || is_own_tool && is_own(name));
        known.next().filter(|_| known.next().is_none())
    }

    /// The session in which it happened, where the client told.
    pub(super) fn session_key(&self) -> Option<SessionKey> {
        let id = self.session.clone()?;
        Some(SessionKey { project: self.project.id.clone(), id })
    }

    /// The servers that may own the tool, most likely first.
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
        // It is known but for its very first use, and uses in one project need not wait for each other.
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

/// Returns true if a name on a server is on this program's.
fn is_own(name: &ToolName) -> bool {
    let servers = ServerKey::owners_of(name.as_str());
    servers.iter().any(|server| is_own_server(server.as_str()))
}

/// The name on the only server beside this program's.
fn on_only_server(names: &BTreeSet<ToolName>) -> Option<&ToolName> {
    let mut others = names.iter().filter(|name| !is_own(name));
    others.next().filter(|_| others.next().is_none())
}
