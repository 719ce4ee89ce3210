//! Views: what a step or query saw.

use std::collections::BTreeMap;

use super::{Change, ChangeSet};
use crate::ids::{
    DocumentKey, ItemKey, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName, WorkKey,
};
use crate::journal::{JournalEntry, Revision};
use crate::knowledge::{Document, Item, ItemBrief};
use crate::outcome::{Mark, Outcome};
use crate::project::Project;
use crate::route::{Route, RouteBriefs, RouteKey, RouteVector, Suggestions, Vectors};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::time::Timestamp;
use crate::tool::{Tool, ToolBriefs, ToolKind};
use crate::work::Work;

/// How many outcomes there are, and how many a cut would remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Outcomes in the store.
    pub total: u64,
    /// Those that the selected [`super::OutcomeCut`] would remove.
    pub cut: u64,
}

/// The union of everything that was selected, from one snapshot.
///
/// Since selections unite, a reader filters again for what it asked: the last outcomes of a
/// project may come beside older ones that another filter selected.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// The store's revision in this snapshot.
    pub revision: Revision,
    /// Projects by id.
    pub projects: BTreeMap<ProjectId, Project>,
    /// Sources by identity.
    pub sources: BTreeMap<SourceId, Source>,
    /// Tools by key.
    pub tools: BTreeMap<ToolKey, Tool>,
    /// Every tool of the scopes that were selected so, in brief.
    pub briefs: BTreeMap<Scope, ToolBriefs>,
    /// Items of knowledge by key.
    pub knowledge: BTreeMap<ItemKey, Item>,
    /// Every item of the scopes that were selected so, in brief and in the order of ids.
    pub item_briefs: BTreeMap<Scope, Vec<ItemBrief>>,
    /// Documents by key.
    pub documents: BTreeMap<DocumentKey, Document>,
    /// Work items by key.
    pub work: BTreeMap<WorkKey, Work>,
    /// Sessions by key.
    pub sessions: BTreeMap<SessionKey, Session>,
    /// Cursors by key.
    pub cursors: BTreeMap<CursorKey, Cursor>,
    /// Routes by key.
    pub routes: BTreeMap<RouteKey, Route>,
    /// Every route of the projects that were selected so, in brief.
    pub route_briefs: BTreeMap<ProjectId, RouteBriefs>,
    /// Vectors of routes, those of one project and model side by side.
    pub vectors: Vectors,
    /// What was suggested in sessions, by session.
    pub suggestions: BTreeMap<SessionKey, Suggestions>,
    /// Outcomes by order of recording.
    pub outcomes: BTreeMap<u64, Outcome>,
    /// Journal entries by revision and index.
    pub journal: BTreeMap<(Revision, u32), JournalEntry>,
    /// The counts, where they were selected.
    pub counts: Option<OutcomeCounts>,
    /// How many routes the project has whose routes were to be counted.
    pub route_count: Option<u64>,
    /// How many looks it unites; set by [`super::run`] and [`super::look`], 0 for a bare selection.
    pub looks: usize,
}

impl View {
    /// Adds what another look at the same snapshot saw.
    pub fn merge(&mut self, other: Self) {
        self.revision = self.revision.max(other.revision);
        self.projects.extend(other.projects);
        self.sources.extend(other.sources);
        self.tools.extend(other.tools);
        self.briefs.extend(other.briefs);
        self.knowledge.extend(other.knowledge);
        self.item_briefs.extend(other.item_briefs);
        self.documents.extend(other.documents);
        self.work.extend(other.work);
        self.sessions.extend(other.sessions);
        self.cursors.extend(other.cursors);
        self.routes.extend(other.routes);
        self.route_briefs.extend(other.route_briefs);
        self.vectors.merge(other.vectors);
        self.suggestions.extend(other.suggestions);
        self.outcomes.extend(other.outcomes);
        self.journal.extend(other.journal);
        self.counts = other.counts.or(self.counts);
        self.route_count = other.route_count.or(self.route_count);
        self.looks += other.looks;
    }

    /// Whether nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.projects.is_empty()
            && self.sources.is_empty()
            && self.tools.is_empty()
            && self.briefs.is_empty()
            && self.knowledge.is_empty()
            && self.item_briefs.is_empty()
            && self.documents.is_empty()
            && self.work.is_empty()
            && self.sessions.is_empty()
            && self.cursors.is_empty()
            && self.routes.is_empty()
            && self.route_briefs.is_empty()
            && self.vectors.is_empty()
            && self.suggestions.is_empty()
            && self.outcomes.is_empty()
            && self.journal.is_empty()
    }

    /// The entry that a name means in a project: the project's own, else the global one; the global
    /// one too where it alone is present.
    #[must_use]
    pub fn resolve(&self, project: &ProjectId, name: &ToolName) -> Option<&Tool> {
        meant(
            self.tools.get(&ToolKey::project(project.clone(), name.clone())),
            self.tools.get(&ToolKey::global(name.clone())),
        )
    }

    /// The entries of a server in a scope, among the tools that were seen.
    pub fn entries<'a>(
        &'a self,
        scope: &'a Scope,
        server: &'a ServerKey,
    ) -> impl Iterator<Item = &'a Tool> + 'a {
        self.tools.values().filter(move |tool| {
            tool.kind == ToolKind::McpServer
                && tool.key.scope == *scope
                && tool.server.as_ref() == Some(server)
        })
    }

    /// The last counted outcomes of a project, latest first, at most `limit`.
    pub fn last_of_project<'a>(
        &'a self,
        project: &'a ProjectId,
        limit: u32,
    ) -> impl Iterator<Item = &'a Outcome> + 'a {
        self.outcomes
            .values()
            .rev()
            .filter(move |outcome| outcome.mark.is_counted() && outcome.project == *project)
            .take(limit as usize)
    }

    /// For each server its last outcome at or after `since` that is not an interruption.
    #[must_use]
    pub fn last_per_server(&self, since: Timestamp) -> BTreeMap<(Scope, ServerKey), &Outcome> {
        last_per_server(self.outcomes.values(), since)
    }

    /// This view as it would be had `changes` been written; briefs stay. Outcomes and journal entries keep the
    /// numbers that the change set gives them.
    #[must_use]
    pub fn with(mut self, changes: &ChangeSet) -> Self {
        write(&mut self.projects, &changes.projects, |row| &row.id);
        write(&mut self.sources, &changes.sources, |row| &row.id);
        write(&mut self.tools, &changes.tools, |row| &row.key);
        write(&mut self.knowledge, &changes.knowledge, |row| &row.key);
        write(&mut self.documents, &changes.documents, |row| &row.key);
        write(&mut self.work, &changes.work, |row| &row.key);
        write(&mut self.sessions, &changes.sessions, |row| &row.key);
        write(&mut self.cursors, &changes.cursors, |row| &row.key);
        write(&mut self.routes, &changes.routes, |row| &row.key);
        write_vectors(&mut self.vectors, &changes.vectors);
        write(&mut self.suggestions, &changes.suggestions, |row| &row.key);
        self.outcomes.extend(changes.outcomes.iter().map(|row| (row.seq, row.clone())));
        self.journal.extend(
            changes.journal.iter().map(|entry| ((entry.revision, entry.index), entry.clone())),
        );
        self
    }
}

/// Writes changes to the rows of one collection. Shared with the memory store.
pub(crate) fn write<K: Ord + Clone, R: Clone>(
    rows: &mut BTreeMap<K, R>,
    changes: &[Change<R, K>],
    key_of: impl Fn(&R) -> &K,
) {
    for change in changes {
        match change {
            Change::Put(row) => rows.insert(key_of(row).clone(), row.clone()),
            Change::Delete(key) => rows.remove(key),
        };
    }
}

/// Writes changes to vectors.
fn write_vectors(rows: &mut Vectors, changes: &[Change<RouteVector, RouteKey>]) {
    for change in changes {
        match change {
            Change::Put(row) => rows.insert(row),
            Change::Delete(key) => rows.remove(key),
        }
    }
}

/// Which of two tools of one name a project means: its own, unless only the global one is present.
pub(crate) fn meant<'a>(own: Option<&'a Tool>, global: Option<&'a Tool>) -> Option<&'a Tool> {
    let gone = own.is_none_or(|own| own.presence.is_absent());
    global.filter(|global| gone && global.presence.is_present()).or(own).or(global)
}

/// For each server its last outcome at or after `since` that is not an interruption, of `outcomes`
/// in order of recording. Shared with the memory store.
pub(crate) fn last_per_server<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    since: Timestamp,
) -> BTreeMap<(Scope, ServerKey), &'a Outcome> {
    let mut last = BTreeMap::new();
    for outcome in outcomes {
        if outcome.at < since || outcome.mark == Mark::Interrupted {
            continue;
        }
        if let Some(server) = &outcome.server {
            last.insert((outcome.tool.scope.clone(), server.clone()), outcome);
        }
    }
    last
}
