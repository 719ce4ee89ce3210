//! The step that writes what it was given.

use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use staleness_core::journal::{Floor, JournalEntry, Revision};
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteKey, RouteVector, Suggestions};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::source::Source;
use staleness_core::store::{
    Change, ChangeSet, CursorFilter, Decision, DocumentFilter, Durability, ItemFilter,
    OutcomeRange, ProjectFilter, Refusal, RouteFilter, Selection, SessionFilter, SourceFilter,
    Step, SuggestionFilter, ToolFilter, VectorFilter, View, WorkFilter,
};
use staleness_core::tool::Tool;
use staleness_core::work::Work;

/// Writes a change set that was made up beforehand, and locks the keys of exactly its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Write {
    pub(crate) changes: ChangeSet,
    pub(crate) look: Selection,
    pub(crate) full: bool,
}

impl Write {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn project(mut self, row: Project) -> Self {
        self.changes.projects.push(Change::Put(row));
        self
    }

    pub(crate) fn source(mut self, row: Source) -> Self {
        self.changes.sources.push(Change::Put(row));
        self
    }

    pub(crate) fn tool(mut self, row: Tool) -> Self {
        self.changes.tools.push(Change::Put(row));
        self
    }

    pub(crate) fn tools(mut self, rows: impl IntoIterator<Item = Tool>) -> Self {
        self.changes.tools.extend(rows.into_iter().map(Change::Put));
        self
    }

    pub(crate) fn no_project(mut self, id: ProjectId) -> Self {
        self.changes.projects.push(Change::Delete(id));
        self
    }

    pub(crate) fn no_source(mut self, id: SourceId) -> Self {
        self.changes.sources.push(Change::Delete(id));
        self
    }

    pub(crate) fn no_tool(mut self, key: ToolKey) -> Self {
        self.changes.tools.push(Change::Delete(key));
        self
    }

    pub(crate) fn item(mut self, row: Item) -> Self {
        self.changes.knowledge.push(Change::Put(row));
        self
    }

    pub(crate) fn no_item(mut self, key: ItemKey) -> Self {
        self.changes.knowledge.push(Change::Delete(key));
        self
    }

    pub(crate) fn document(mut self, row: Document) -> Self {
        self.changes.documents.push(Change::Put(row));
        self
    }

    pub(crate) fn no_document(mut self, key: DocumentKey) -> Self {
        self.changes.documents.push(Change::Delete(key));
        self
    }

    pub(crate) fn work(mut self, row: Work) -> Self {
        self.changes.work.push(Change::Put(row));
        self
    }

    pub(crate) fn no_work(mut self, key: WorkKey) -> Self {
        self.changes.work.push(Change::Delete(key));
        self
    }

    pub(crate) fn session(mut self, row: Session) -> Self {
        self.changes.sessions.push(Change::Put(row));
        self
    }

    pub(crate) fn no_session(mut self, key: SessionKey) -> Self {
        self.changes.sessions.push(Change::Delete(key));
        self
    }

    pub(crate) fn cursor(mut self, row: Cursor) -> Self {
        self.changes.cursors.push(Change::Put(row));
        self
    }

    pub(crate) fn no_cursor(mut self, key: CursorKey) -> Self {
        self.changes.cursors.push(Change::Delete(key));
        self
    }

    pub(crate) fn route(mut self, row: Route) -> Self {
        self.changes.routes.push(Change::Put(row));
        self
    }

    pub(crate) fn no_route(mut self, key: RouteKey) -> Self {
        self.changes.routes.push(Change::Delete(key));
        self
    }

    pub(crate) fn vector(mut self, row: RouteVector) -> Self {
        self.changes.vectors.push(Change::Put(row));
        self
    }

    pub(crate) fn no_vector(mut self, key: RouteKey) -> Self {
        self.changes.vectors.push(Change::Delete(key));
        self
    }

    pub(crate) fn suggestions(mut self, row: Suggestions) -> Self {
        self.changes.suggestions.push(Change::Put(row));
        self
    }

    pub(crate) fn no_suggestions(mut self, key: SessionKey) -> Self {
        self.changes.suggestions.push(Change::Delete(key));
        self
    }

    pub(crate) fn outcome(mut self, row: Outcome) -> Self {
        self.changes.outcomes.push(row);
        self
    }

    pub(crate) fn outcomes(mut self, rows: impl IntoIterator<Item = Outcome>) -> Self {
        self.changes.outcomes.extend(rows);
        self
    }

    pub(crate) fn range(mut self, range: OutcomeRange) -> Self {
        self.changes.outcome_ranges.push(range);
        self
    }

    pub(crate) fn entry(mut self, row: JournalEntry) -> Self {
        self.changes.journal.push(row);
        self
    }

    pub(crate) fn entries(mut self, rows: impl IntoIterator<Item = JournalEntry>) -> Self {
        self.changes.journal.extend(rows);
        self
    }

    /// Removes the entries of revisions, and raises the floor.
    pub(crate) fn pruned(mut self, revisions: impl IntoIterator<Item = u64>, floor: Floor) -> Self {
        self.changes.pruned.extend(revisions.into_iter().map(Revision));
        self.changes.floor = floor;
        self
    }

    /// Looks at this as well.
    pub(crate) fn looking(mut self, selection: Selection) -> Self {
        self.look.merge(selection);
        self
    }

    /// Must survive a power cut.
    pub(crate) fn full(mut self) -> Self {
        self.full = true;
        self
    }
}

/// `selection`, with a lock on every row that `changes` writes.
pub(crate) fn locking(mut selection: Selection, changes: &ChangeSet) -> Selection {
    for change in &changes.projects {
        let (Change::Put(Project { id, .. }) | Change::Delete(id)) = change;
        selection = selection.lock(ProjectFilter::Id(id.clone()));
    }
    for change in &changes.sources {
        let (Change::Put(Source { id, .. }) | Change::Delete(id)) = change;
        selection = selection.lock(SourceFilter::Id(id.clone()));
    }
    for change in &changes.tools {
        let (Change::Put(Tool { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(ToolFilter::Key(key.clone()));
    }
    for change in &changes.knowledge {
        let (Change::Put(Item { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(ItemFilter::Key(key.clone()));
    }
    for change in &changes.documents {
        let (Change::Put(Document { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(DocumentFilter::Key(key.clone()));
    }
    for change in &changes.work {
        let (Change::Put(Work { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(WorkFilter::Key(key.clone()));
    }
    for change in &changes.sessions {
        let (Change::Put(Session { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(SessionFilter::Key(key.clone()));
    }
    for change in &changes.cursors {
        let (Change::Put(Cursor { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(CursorFilter::Key(key.clone()));
    }
    for change in &changes.routes {
        let (Change::Put(Route { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(RouteFilter::Key(key.clone()));
    }
    for change in &changes.vectors {
        let (Change::Put(RouteVector { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(VectorFilter::Key(key.clone()));
    }
    for change in &changes.suggestions {
        let (Change::Put(Suggestions { key, .. }) | Change::Delete(key)) = change;
        selection = selection.lock(SuggestionFilter::Key(key.clone()));
    }
    selection
}

impl Step for Write {
    fn selection(&self) -> Selection {
        locking(self.look.clone(), &self.changes)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.changes.clone()))
    }

    fn durability(&self) -> Durability {
        if self.full { Durability::Full } else { Durability::Normal }
    }
}
