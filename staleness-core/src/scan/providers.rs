//! Providers: the known entries of MCP servers, and the states of the servers.

use std::collections::HashMap;

use crate::ids::{Scope, ServerKey, ToolName};
use crate::tool::{PresenceCause, Tool, ToolKind};

/// The state of an MCP server in a scope, according to all of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// No entry is known, so nothing is proven.
    Unknown,
    /// At least one entry is present.
    Present,
    /// Every entry is absent.
    Removed,
    /// Every entry is absent, and at least one is only disabled.
    Disabled,
    /// Every entry is absent, none is disabled, and at least one is listed without being loaded.
    NotLoaded,
}

impl Provider {
    /// Returns the cause of absence for the server's tools. `None` if they are not absent.
    pub(crate) const fn lost(self) -> Option<PresenceCause> {
        match self {
            Self::Removed => Some(PresenceCause::ServerRemoved),
            Self::Disabled => Some(PresenceCause::ServerDisabled),
            Self::NotLoaded => Some(PresenceCause::ServerNotLoaded),
            Self::Present | Self::Unknown => None,
        }
    }
}

/// One entry of a server, in one of its spellings.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) scope: Scope,
    pub(crate) cause: PresenceCause,
    pub(crate) plugin: Option<ToolName>,
}

#[derive(Debug, Default)]
pub(crate) struct Providers(HashMap<ServerKey, Vec<Entry>>);

impl Providers {
    pub(crate) fn of<'a>(tools: impl Iterator<Item = &'a Tool>) -> Self {
        let mut entries: HashMap<ServerKey, Vec<Entry>> = HashMap::new();
        for tool in tools.filter(|tool| tool.kind == ToolKind::McpServer) {
            if let Some(server) = &tool.server {
                entries.entry(server.clone()).or_default().push(Entry {
                    scope: tool.key.scope.clone(),
                    cause: tool.presence.cause,
                    plugin: tool.plugin.clone(),
                });
            }
        }
        Self(entries)
    }

    pub(crate) fn servers(&self) -> impl Iterator<Item = &ServerKey> {
        self.0.keys()
    }

    /// Returns the entries that can provide a server for the tools of a scope: those of the scope itself, and global
    /// ones.
    fn entries(&self, scope: &Scope, server: &ServerKey) -> impl Iterator<Item = &Entry> {
        let all = self.0.get(server).into_iter().flatten();
        all.filter(move |entry| entry.scope == Scope::Global || entry.scope == *scope)
    }

    pub(crate) fn state(&self, scope: &Scope, server: &ServerKey) -> Provider {
        let mut state = Provider::Unknown;
        for entry in self.entries(scope, server) {
            if entry.cause.is_present() {
                return Provider::Present;
            }
            let by_entry = match entry.cause {
                PresenceCause::Disabled => Provider::Disabled,
                PresenceCause::Pending | PresenceCause::Untrusted | PresenceCause::Refused => {
                    Provider::NotLoaded
                }
                _ => Provider::Removed,
            };
            let rank = |state| match state {
                Provider::Unknown => 0,
                Provider::Removed => 1,
                Provider::NotLoaded => 2,
                Provider::Present | Provider::Disabled => 3,
            };
            if rank(by_entry) > rank(state) {
                state = by_entry;
            }
        }
        state
    }

    /// Returns the entry that a scope uses for a server. A present entry takes precedence over an absent one, and the
    /// scope's own over a global one.
    pub(crate) fn entry(&self, scope: &Scope, server: &ServerKey) -> Option<&Entry> {
        self.entries(scope, server)
            .min_by_key(|entry| (!entry.cause.is_present(), entry.scope != *scope))
    }
}
