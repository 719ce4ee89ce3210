//! Lists and accepts changed definitions of tools.

use super::hold::ByHand;
use super::{RegistryError, Tools};
use crate::definition::{ChangeClass, Definition};
use crate::ids::{ProjectId, Scope, ServerKey, ToolKey};
use crate::journal::{Action, JournalEntry};
use crate::scan::{Providers, withheld_from, withhold};
use crate::store::{
    Change, Conflict, Decision, DefinitionFilter, Draft, Query, Refusal, Selection, Step,
    ToolFilter, View,
};
use crate::tool::{Listing, ListingState, Presence, PresenceCause, Status, Tool, ToolKind};

impl Tools<'_> {
    /// Returns the definition of a tool. For a server, returns those definitions of its tools that have a pending
    /// change.
    pub async fn definitions(
        self,
        project: &ProjectId,
        key: &ToolKey,
    ) -> Result<Vec<Definition>, RegistryError> {
        let wanted = DefinitionLookup { keys: vec![key.clone()], project: project.clone() };
        let mut view = self.0.store.view(std::sync::Arc::new(wanted)).await?;
        withhold(&mut view, self.0.client.as_ref());
        let tool = view.tools.get(key);
        let keys = tool.map_or_else(|| vec![key.clone()], |tool| meant(&view, tool));
        Ok(keys.iter().filter_map(|key| view.definitions.get(key).cloned()).collect())
    }

    /// Returns the definitions of the tools that belong to the project's own scope, each with its tool.
    pub async fn pinned(
        self,
        project: &ProjectId,
    ) -> Result<Vec<(Tool, Definition)>, RegistryError> {
        let scope = Scope::Project(project.clone());
        let all = Selection::new()
            .peek(DefinitionFilter::Scope(scope.clone()))
            .peek(ToolFilter::Scope(scope));
        let mut view = self.0.store.view(std::sync::Arc::new(all)).await?;
        withhold(&mut view, None);
        let rows = view.definitions.values();
        let pinned = rows.filter_map(|row| Some((view.tools.get(&row.key)?.clone(), row.clone())));
        // A server's own definition holds its instructions, which it may not have.
        let has = |(tool, row): &(Tool, Definition)| {
            tool.kind != ToolKind::McpServer
                || tool.listings.iter().any(Listing::is_live) && row.listed().parts().count() > 0
        };
        Ok(pinned.filter(has).collect())
    }

    /// Accepts the changed definition of a tool, or of every tool of a server, and returns the accepted ones. `seen` is
    /// the beginning of the digest of the version that a person saw, at least
    /// [`DefinitionVersion::NAMED_BY`](crate::definition::DefinitionVersion::NAMED_BY) digits. A suspicious change
    /// requires it. If the server has reverted the change, only the version that it lists now can be accepted. May be
    /// repeated with the same op id.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] for an unknown name; or [`Refusal::Conflict`] if no change is pending, the digest does
    /// not match, or a suspicious change was accepted without a digest.
    pub async fn accept(
        self,
        by_hand: ByHand,
        seen: Option<String>,
    ) -> Result<Vec<Definition>, RegistryError> {
        let commit = self.0.run(Accept { by_hand, seen }).await?;
        Ok(commit.changes.definitions.iter().filter_map(Change::put).cloned().collect())
    }
}

#[derive(Debug)]
struct DefinitionLookup {
    keys: Vec<ToolKey>,
    project: ProjectId,
}

impl DefinitionLookup {
    fn selection(&self) -> Selection {
        self.keys.iter().cloned().fold(Selection::new(), |all, key| {
            all.lock(ToolFilter::Key(key.clone())).lock(DefinitionFilter::Key(key))
        })
    }

    /// Selects the server's entries in both scopes. For a server also its tools and pending changes in its own scope.
    fn around(&self, tool: &Tool) -> Selection {
        let Some(server) = &tool.server else { return Selection::new() };
        let scopes = [Scope::Global, Scope::Project(self.project.clone())].into_iter();
        let entries = scopes.map(|scope| ToolFilter::Entries(scope, server.clone()));
        let all = entries.fold(Selection::new(), Selection::lock);
        let scope = &tool.key.scope;
        match tool.kind {
            ToolKind::McpServer => all
                .lock(ToolFilter::Server(scope.clone(), server.clone()))
                .lock(DefinitionFilter::Pending(scope.clone())),
            _ => all,
        }
    }
}

impl Query for DefinitionLookup {
    fn selection(&self) -> Selection {
        self.selection()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        let tool = self.keys.iter().find_map(|key| view.tools.get(key));
        let more = tool.filter(|_| view.looks == 1).map(|tool| self.around(tool));
        more.filter(|more| *more != Selection::new())
    }
}

/// Returns the keys of the definitions to show for a tool: its own, or for a server those with a change.
fn meant(view: &View, tool: &Tool) -> Vec<ToolKey> {
    if tool.kind != ToolKind::McpServer {
        return vec![tool.key.clone()];
    }
    let is_own = |row: &&Definition| {
        let known = view.tools.get(&row.key).filter(|_| row.key.scope == tool.key.scope);
        let is_told = row.pending.is_some() || row.key == tool.key && row.previous.is_some();
        is_told && known.is_some_and(|known| known.server == tool.server)
    };
    view.definitions.values().filter(is_own).map(|row| row.key.clone()).collect()
}

#[derive(Debug)]
struct Accept {
    by_hand: ByHand,
    seen: Option<String>,
}

impl Accept {
    fn wanted(&self) -> DefinitionLookup {
        DefinitionLookup { keys: self.by_hand.keys(), project: self.by_hand.project.id.clone() }
    }

    /// Accepts one definition. The tool is present again unless its server is gone.
    fn accept(&self, draft: &mut Draft<'_>, key: &ToolKey, providers: &Providers) {
        draft.edit::<Definition, _>(key, |row| {
            row.accept();
            // The journal will record the next change, whenever it comes.
            row.journalled = None;
        });
        let Some(tool) = draft.get::<Tool>(key) else { return };
        let is_server = tool.kind == ToolKind::McpServer;
        // A stored tool is not marked as withheld with its server; only views are.
        let before = if is_server && tool.is_withheld() { Status::Stale } else { tool.status() };
        let clients = withheld_from(&tool.listings);
        let at = self.by_hand.act.at;
        let description = draft.get::<Definition>(key).and_then(Definition::description);
        draft.edit::<Tool, _>(key, |tool| {
            if !is_server {
                tool.description = description;
            }
            for listing in &mut tool.listings {
                if matches!(listing.state, ListingState::Changed | ListingState::Withheld) {
                    listing.state = ListingState::Configured;
                }
            }
            tool.listings.sort();
            if tool.presence.cause == PresenceCause::DefinitionChanged {
                let server: Option<&ServerKey> = tool.server.as_ref();
                let lost = server.and_then(|server| providers.state(&key.scope, server).lost());
                tool.presence = Presence::new(lost.unwrap_or(PresenceCause::Configured), at);
            }
        });
        let after = draft.get::<Tool>(key).map_or(before, Tool::status);
        let entry =
            self.by_hand.entry(key, Action::Accepted, before.as_str(), Some(after.as_str()));
        draft.append_journal(JournalEntry { clients, ..entry });
    }
}

impl Step for Accept {
    fn selection(&self) -> Selection {
        let mut selection = self.by_hand.selection();
        selection.merge(self.wanted().selection());
        selection
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let tool = self.by_hand.find(view)?;
        let mut draft = Draft::new(view, self.by_hand.act.at);
        if self.by_hand.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        if view.looks <= 1 && tool.server.is_some() {
            return Ok(Decision::Need(self.wanted().around(tool)));
        }
        let waits = |key: &ToolKey| {
            view.definitions.get(key).is_some_and(|definition| definition.pending.is_some())
        };
        let mut keys: Vec<ToolKey> = meant(view, tool).into_iter().filter(waits).collect();
        if keys.is_empty() {
            return Err(Conflict::NoChange { tool: tool.key.name.clone() }.into());
        }
        // A digest selects one of a server's definitions.
        let is_seen = |key: &ToolKey| {
            let seen = self.seen.as_ref().zip(view.definitions.get(key));
            seen.is_some_and(|(seen, row)| row.listed().is_named(seen))
        };
        if keys.iter().any(is_seen) {
            keys.retain(is_seen);
        }
        for row in keys.iter().filter_map(|key| view.definitions.get(key)) {
            let tool = row.key.name.clone();
            let why = match &self.seen {
                Some(seen) if row.listed().is_named(seen) => continue,
                Some(seen) if row.current.is_named(seen) => Conflict::TakenBack { tool },
                Some(_) => Conflict::OtherVersion { tool },
                None if row.pending == Some(ChangeClass::Suspicious) => {
                    Conflict::Suspicious { tool }
                }
                _ => continue,
            };
            return Err(why.into());
        }
        let providers = Providers::of(view.tools.values());
        for key in &keys {
            self.accept(&mut draft, key, &providers);
        }
        Ok(Decision::Write(draft.finish()))
    }
}
