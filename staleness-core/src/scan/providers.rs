//! Providers: which entries of an MCP server are known, and whether one of them is there.

use std::collections::HashMap;

use crate::ids::{Scope, ServerKey, ToolName};
use crate::tool::{PresenceCause, Tool, ToolKind};

/// The state of an MCP server in a scope, over all of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// No entry is known: nothing can be said.
    Unknown,
    /// At least one entry is present.
    Present,
    /// Every entry is absent.
    Removed,
    /// Every entry is absent, and at least one is only switched off.
    Disabled,
    /// Every entry is absent, none is switched off, and at least one is listed without being loaded.
    NotLoaded,
}

impl Provider {
    /// Why a tool of the server is absent with it; `None`: it need not be.
    pub(crate) const fn lost(self) -> Option<PresenceCause> {
        match self {
            Self::Removed => Some(PresenceCause::ServerRemoved),
            Self::Disabled => Some(PresenceCause::ServerDisabled),
            Self::NotLoaded => Some(PresenceCause::ServerNotLoaded),
            Self::Present | Self::Unknown => None,
        }
    }
}

/// One entry of a server, under one of its spellings.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) scope: Scope,
    pub(crate) cause: PresenceCause,
    pub(crate) plugin: Option<ToolName>,
}

/// The entries of every server that is known, for looking up who provides it.
#[derive(Debug, Default)]
pub(crate) struct Providers(HashMap<ServerKey, Vec<Entry>>);

impl Providers {
    /// The entries among `tools`.
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

    /// Every server that has an entry.
    pub(crate) fn servers(&self) -> impl Iterator<Item = &ServerKey> {
        self.0.keys()
    }

    /// The entries that can provide a server for the tools of a scope: global ones, and those of
    /// the scope itself.
    fn entries(&self, scope: &Scope, server: &ServerKey) -> impl Iterator<Item = &Entry> {
        let all = self.0.get(server).into_iter().flatten();
        all.filter(move |entry| entry.scope == Scope::Global || entry.scope == *scope)
    }

    /// Returns the state of a server for the tools of a scope.
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

    /// The entry that a scope means by a server: one that is present before one that is gone, its
    /// own before a global one.
    pub(crate) fn entry(&self, scope: &Scope, server: &ServerKey) -> Option<&Entry> {
        self.entries(scope, server)
            .min_by_key(|entry| (!entry.cause.is_present(), entry.scope != *scope))
    }
}
