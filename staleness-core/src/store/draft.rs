//! Drafts: a view that a step edits, and the change set that comes out.

use std::collections::BTreeMap;

use super::{Change, ChangeSet, OutcomeRange, View};
use crate::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use crate::journal::{JournalEntry, Revision};
use crate::knowledge::{Document, Item};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::{Route, RouteKey, RouteVector, Suggestions, Vectors};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::time::Timestamp;
use crate::tool::Tool;
use crate::work::Work;

/// Rows as a step wants them, over rows as they were seen. Only real changes come out.
#[derive(Clone, Debug)]
pub struct Draft<'v> {
    view: &'v View,
    at: Timestamp,
    projects: BTreeMap<ProjectId, Option<Project>>,
    sources: BTreeMap<SourceId, Option<Source>>,
    tools: BTreeMap<ToolKey, Option<Tool>>,
    knowledge: BTreeMap<ItemKey, Option<Item>>,
    documents: BTreeMap<DocumentKey, Option<Document>>,
    work: BTreeMap<WorkKey, Option<Work>>,
    sessions: BTreeMap<SessionKey, Option<Session>>,
    cursors: BTreeMap<CursorKey, Option<Cursor>>,
    routes: BTreeMap<RouteKey, Option<Route>>,
    vectors: BTreeMap<RouteKey, Option<RouteVector>>,
    suggestions: BTreeMap<SessionKey, Option<Suggestions>>,
    outcomes: Vec<Outcome>,
    ranges: Vec<OutcomeRange>,
    journal: Vec<JournalEntry>,
}

impl<'v> Draft<'v> {
    /// A draft without changes. Tools that change get `at` as the time of their last change; whether a
    /// change of an item is an edit is for its step to say.
    #[must_use]
    pub const fn new(view: &'v View, at: Timestamp) -> Self {
        Self {
            view,
            at,
            projects: BTreeMap::new(),
            sources: BTreeMap::new(),
            tools: BTreeMap::new(),
            knowledge: BTreeMap::new(),
            documents: BTreeMap::new(),
            work: BTreeMap::new(),
            sessions: BTreeMap::new(),
            cursors: BTreeMap::new(),
            routes: BTreeMap::new(),
            vectors: BTreeMap::new(),
            suggestions: BTreeMap::new(),
            outcomes: Vec::new(),
            ranges: Vec::new(),
            journal: Vec::new(),
        }
    }

    /// The view under the draft.
    #[must_use]
    pub const fn view(&self) -> &'v View {
        self.view
    }

    /// A project as it stands in the draft.
    #[must_use]
    pub fn project(&self, id: &ProjectId) -> Option<&Project> {
        match self.projects.get(id) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.projects.get(id),
        }
    }

    /// Creates or replaces a project.
    pub fn put_project(&mut self, project: Project) {
        self.projects.insert(project.id.clone(), Some(project));
    }

    /// Removes a project.
    pub fn delete_project(&mut self, id: &ProjectId) {
        self.projects.insert(id.clone(), None);
    }

    /// A source as it stands in the draft.
    #[must_use]
    pub fn source(&self, id: &SourceId) -> Option<&Source> {
        match self.sources.get(id) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.sources.get(id),
        }
    }

    /// Every source that is there in the draft, in no particular order.
    pub fn sources(&self) -> impl Iterator<Item = &Source> + '_ {
        let seen = self.view.sources.values().filter(|row| !self.sources.contains_key(&row.id));
        seen.chain(self.sources.values().flatten())
    }

    /// Creates or replaces a source.
    pub fn put_source(&mut self, source: Source) {
        self.sources.insert(source.id.clone(), Some(source));
    }

    /// Removes a source.
    pub fn delete_source(&mut self, id: &SourceId) {
        self.sources.insert(id.clone(), None);
    }

    /// A tool as it stands in the draft.
    #[must_use]
    pub fn tool(&self, key: &ToolKey) -> Option<&Tool> {
        match self.tools.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.tools.get(key),
        }
    }

    /// The keys of every tool that is there in the draft, in order.
    #[must_use]
    pub fn tool_keys(&self) -> Vec<ToolKey> {
        let seen = self.view.tools.keys().filter(|key| !self.tools.contains_key(key));
        let drafted = self.tools.iter().filter(|(_, tool)| tool.is_some()).map(|(key, _)| key);
        let mut keys: Vec<ToolKey> = seen.chain(drafted).cloned().collect();
        keys.sort_unstable();
        keys
    }

    /// Every tool that is there in the draft, in no particular order.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> + '_ {
        // Both come in the order of keys: the few that were drafted go along with the many seen.
        let mut drafted = self.tools.keys().peekable();
        let seen = self.view.tools.values().filter(move |tool| {
            while drafted.next_if(|key| **key < tool.key).is_some() {}
            drafted.peek().is_none_or(|key| **key != tool.key)
        });
        seen.chain(self.tools.values().flatten())
    }

    /// The tools of the draft that were not seen, in the order of keys.
    pub fn new_tools(&self) -> impl Iterator<Item = &Tool> + '_ {
        let drafted = self.tools.values().flatten();
        drafted.filter(|tool| !self.view.tools.contains_key(&tool.key))
    }

    /// Creates or replaces a tool.
    pub fn put_tool(&mut self, tool: Tool) {
        self.tools.insert(tool.key.clone(), Some(tool));
    }

    /// Removes a tool.
    pub fn delete_tool(&mut self, key: &ToolKey) {
        self.tools.insert(key.clone(), None);
    }

    /// Edits a tool that is there. `None` when it is not.
    pub fn edit_tool<T>(&mut self, key: &ToolKey, edit: impl FnOnce(&mut Tool) -> T) -> Option<T> {
        edited(&mut self.tools, &self.view.tools, key).map(edit)
    }

    /// An item of knowledge as it stands in the draft.
    #[must_use]
    pub fn item(&self, key: &ItemKey) -> Option<&Item> {
        match self.knowledge.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.knowledge.get(key),
        }
    }

    /// Creates or replaces an item of knowledge.
    pub fn put_item(&mut self, item: Item) {
        self.knowledge.insert(item.key.clone(), Some(item));
    }

    /// Removes an item of knowledge.
    pub fn delete_item(&mut self, key: &ItemKey) {
        self.knowledge.insert(key.clone(), None);
    }

    /// Edits an item of knowledge that is there. `None` when it is not.
    pub fn edit_item<T>(&mut self, key: &ItemKey, edit: impl FnOnce(&mut Item) -> T) -> Option<T> {
        edited(&mut self.knowledge, &self.view.knowledge, key).map(edit)
    }

    /// A document as it stands in the draft.
    #[must_use]
    pub fn document(&self, key: &DocumentKey) -> Option<&Document> {
        match self.documents.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.documents.get(key),
        }
    }

    /// Creates or replaces a document.
    pub fn put_document(&mut self, document: Document) {
        self.documents.insert(document.key.clone(), Some(document));
    }

    /// Removes a document.
    pub fn delete_document(&mut self, key: &DocumentKey) {
        self.documents.insert(key.clone(), None);
    }

    /// A work item as it stands in the draft.
    #[must_use]
    pub fn work(&self, key: &WorkKey) -> Option<&Work> {
        match self.work.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.work.get(key),
        }
    }

    /// Creates or replaces a work item.
    pub fn put_work(&mut self, work: Work) {
        self.work.insert(work.key.clone(), Some(work));
    }

    /// Removes a work item.
    pub fn delete_work(&mut self, key: &WorkKey) {
        self.work.insert(key.clone(), None);
    }

    /// Creates or replaces a session.
    pub fn put_session(&mut self, session: Session) {
        self.sessions.insert(session.key.clone(), Some(session));
    }

    /// Removes a session.
    pub fn delete_session(&mut self, key: &SessionKey) {
        self.sessions.insert(key.clone(), None);
    }

    /// Creates or replaces a cursor.
    pub fn put_cursor(&mut self, cursor: Cursor) {
        self.cursors.insert(cursor.key.clone(), Some(cursor));
    }

    /// Removes a cursor.
    pub fn delete_cursor(&mut self, key: &CursorKey) {
        self.cursors.insert(key.clone(), None);
    }

    /// A route as it stands in the draft.
    #[must_use]
    pub fn route(&self, key: &RouteKey) -> Option<&Route> {
        match self.routes.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.routes.get(key),
        }
    }

    /// Creates or replaces a route.
    pub fn put_route(&mut self, route: Route) {
        self.routes.insert(route.key.clone(), Some(route));
    }

    /// Removes a route, and its vector where it has one.
    pub fn delete_route(&mut self, key: &RouteKey) {
        if self.route(key).is_some_and(|route| route.model.is_some()) {
            self.vectors.insert(key.clone(), None);
        }
        self.routes.insert(key.clone(), None);
    }

    /// Edits a route that is there. `None` when it is not.
    pub fn edit_route<T>(
        &mut self,
        key: &RouteKey,
        edit: impl FnOnce(&mut Route) -> T,
    ) -> Option<T> {
        edited(&mut self.routes, &self.view.routes, key).map(edit)
    }

    /// Creates or replaces the vector of a route.
    pub fn put_vector(&mut self, vector: RouteVector) {
        self.vectors.insert(vector.key.clone(), Some(vector));
    }

    /// Removes the vector of a route.
    pub fn delete_vector(&mut self, key: &RouteKey) {
        self.vectors.insert(key.clone(), None);
    }

    /// What was suggested in a session, as it stands in the draft.
    #[must_use]
    pub fn suggestions(&self, key: &SessionKey) -> Option<&Suggestions> {
        match self.suggestions.get(key) {
            Some(drafted) => drafted.as_ref(),
            None => self.view.suggestions.get(key),
        }
    }

    /// Creates or replaces what was suggested in a session.
    pub fn put_suggestions(&mut self, suggestions: Suggestions) {
        self.suggestions.insert(suggestions.key.clone(), Some(suggestions));
    }

    /// Forgets what was suggested in a session.
    pub fn delete_suggestions(&mut self, key: &SessionKey) {
        self.suggestions.insert(key.clone(), None);
    }

    /// The outcomes that were appended so far.
    #[must_use]
    pub fn appended(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Appends an outcome.
    pub fn append_outcome(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// Removes a range of outcomes.
    pub fn delete_outcomes(&mut self, range: OutcomeRange) {
        self.ranges.push(range);
    }

    /// Appends a journal entry.
    pub fn append_journal(&mut self, entry: JournalEntry) {
        self.journal.push(entry);
    }

    /// The store's revision once the draft, as it stands, is written.
    #[must_use]
    pub const fn revision_after(&self) -> Revision {
        Revision(self.view.revision.0 + !self.journal.is_empty() as u64)
    }

    /// What the draft changes: rows that ended as they were seen are left out.
    #[must_use]
    pub fn finish(mut self) -> ChangeSet {
        for (key, drafted) in &mut self.tools {
            if let Some(tool) = drafted
                && self.view.tools.get(key) != Some(tool)
            {
                tool.updated_at = self.at;
            }
        }
        ChangeSet {
            projects: changed(self.projects, &self.view.projects),
            sources: changed(self.sources, &self.view.sources),
            tools: changed(self.tools, &self.view.tools),
            knowledge: changed(self.knowledge, &self.view.knowledge),
            documents: changed(self.documents, &self.view.documents),
            work: changed(self.work, &self.view.work),
            sessions: changed(self.sessions, &self.view.sessions),
            cursors: changed(self.cursors, &self.view.cursors),
            routes: changed(self.routes, &self.view.routes),
            vectors: changed_vectors(self.vectors, &self.view.vectors),
            suggestions: changed(self.suggestions, &self.view.suggestions),
            outcomes: self.outcomes,
            outcome_ranges: self.ranges,
            journal: self.journal,
        }
    }
}

/// A drafted row to edit; taken from what was seen when it was not drafted yet.
fn edited<'d, K: Ord + Clone, R: Clone>(
    drafted: &'d mut BTreeMap<K, Option<R>>,
    seen: &BTreeMap<K, R>,
    key: &K,
) -> Option<&'d mut R> {
    if !drafted.contains_key(key) {
        drafted.insert(key.clone(), Some(seen.get(key)?.clone()));
    }
    drafted.get_mut(key)?.as_mut()
}

fn changed<K: Ord, R: PartialEq>(
    drafted: BTreeMap<K, Option<R>>,
    seen: &BTreeMap<K, R>,
) -> Vec<Change<R, K>> {
    drafted
        .into_iter()
        .filter_map(|(key, row)| match (row, seen.get(&key)) {
            (Some(row), before) if before != Some(&row) => Some(Change::Put(row)),
            (None, Some(_)) => Some(Change::Delete(key)),
            _ => None,
        })
        .collect()
}

/// The same of vectors. One that goes need not have been seen.
fn changed_vectors(
    drafted: BTreeMap<RouteKey, Option<RouteVector>>,
    seen: &Vectors,
) -> Vec<Change<RouteVector, RouteKey>> {
    drafted
        .into_iter()
        .filter_map(|(key, row)| match row {
            Some(row) => (seen.get(&key).as_ref() != Some(&row)).then_some(Change::Put(row)),
            None => Some(Change::Delete(key)),
        })
        .collect()
}
