//! Steps that the cases carry out.

use staleness_core::ids::{DocumentKey, ItemKey, OpId, ProjectId, SourceId, ToolKey};
use staleness_core::journal::{JournalEntry, Subject};
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::source::Source;
use staleness_core::store::{
    Change, ChangeSet, Decision, DocumentFilter, Durability, ItemFilter, JournalFilter,
    OutcomeFilter, OutcomeRange, ProjectFilter, Query, Refusal, Selection, SourceFilter, Step,
    ToolFilter, View,
};
use staleness_core::tool::Tool;

use crate::rows;

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
        let (Change::Put(Project { id, .. }) | Change::Delete(id)) = change else {
            continue;
        };
        selection = selection.lock_projects(ProjectFilter::Id(id.clone()));
    }
    for change in &changes.sources {
        let (Change::Put(Source { id, .. }) | Change::Delete(id)) = change else {
            continue;
        };
        selection = selection.lock_sources(SourceFilter::Id(id.clone()));
    }
    for change in &changes.tools {
        let (Change::Put(Tool { key, .. }) | Change::Delete(key)) = change else {
            continue;
        };
        selection = selection.lock_tools(ToolFilter::Key(key.clone()));
    }
    for change in &changes.knowledge {
        let (Change::Put(Item { key, .. }) | Change::Delete(key)) = change else {
            continue;
        };
        selection = selection.lock_knowledge(ItemFilter::Key(key.clone()));
    }
    for change in &changes.documents {
        let (Change::Put(Document { key, .. }) | Change::Delete(key)) = change else {
            continue;
        };
        selection = selection.lock_documents(DocumentFilter::Key(key.clone()));
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

/// Adds one to the uses of a tool, and creates it with one.
#[derive(Clone, Debug)]
pub(crate) struct Bump(pub(crate) ToolKey);

impl Step for Bump {
    fn selection(&self) -> Selection {
        Selection::new().lock_tools(ToolFilter::Key(self.0.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        changes.tools.push(Change::Put(bumped(view, &self.0)));
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

fn bumped(view: &View, key: &ToolKey) -> Tool {
    let mut tool = view.tools.get(key).cloned().unwrap_or_else(|| rows::tool(key.clone()));
    tool.uses += 1;
    tool
}

/// Records one use of a tool in three places at once: the tool's uses, an outcome and a journal
/// entry. Does nothing when its op was seen.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) tool: ToolKey,
    pub(crate) op: OpId,
    pub(crate) durability: Durability,
}

impl Use {
    pub(crate) fn new(tool: ToolKey, by: impl AsRef<str>) -> Self {
        Self { tool, op: rows::op(by), durability: Durability::Normal }
    }
}

impl Step for Use {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock_tools(ToolFilter::Key(self.tool.clone()))
            .outcomes(OutcomeFilter::Op(self.tool.clone(), self.op.clone()))
            .journal(JournalFilter::Op(self.op.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        if view.outcomes.is_empty() && view.journal.is_empty() {
            changes.tools.push(Change::Put(bumped(view, &self.tool)));
            changes.outcomes.push(rows::outcome(self.tool.clone(), self.op.as_str()));
            let mut entry = rows::entry(Subject::tool(&self.tool));
            entry.op = Some(self.op.clone());
            changes.journal.push(entry);
        }
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Saves one item of every project under a key of its own, and tells the journal. Does nothing when
/// its op was seen.
#[derive(Clone, Debug)]
pub(crate) struct Save {
    pub(crate) op: OpId,
    pub(crate) durability: Durability,
}

impl Save {
    pub(crate) fn new(by: impl AsRef<str>) -> Self {
        Self { op: rows::op(by), durability: Durability::Normal }
    }

    fn key(&self) -> ItemKey {
        rows::item_key(None, self.op.as_str())
    }
}

impl Step for Save {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock_knowledge(ItemFilter::Key(self.key()))
            .journal(JournalFilter::Op(self.op.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        if view.journal.is_empty() {
            changes.knowledge.push(Change::Put(rows::item(self.key())));
            let mut entry = rows::entry(Subject::item(&self.key()));
            entry.op = Some(self.op.clone());
            changes.journal.push(entry);
        }
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Follows a chain of tools, each described by the name of the next, one look per tool; at the end
/// writes what is asked, locking all the way.
#[derive(Clone, Debug)]
pub(crate) struct Chase {
    pub(crate) first: ToolKey,
    pub(crate) then: ChangeSet,
}

impl Chase {
    pub(crate) fn from(first: ToolKey) -> Self {
        Self { first, then: ChangeSet::default() }
    }

    /// The first tool of the chain that was not seen yet and is not known to be missing.
    fn next(&self, view: &View) -> Option<ToolKey> {
        let mut key = self.first.clone();
        loop {
            let Some(tool) = view.tools.get(&key) else {
                return Some(key);
            };
            key = rows::global(tool.description.as_ref()?);
        }
    }
}

impl Step for Chase {
    fn selection(&self) -> Selection {
        locking(Selection::new(), &self.then).lock_tools(ToolFilter::Key(self.first.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        Ok(match self.next(view) {
            Some(key) => Decision::Need(Selection::new().lock_tools(ToolFilter::Key(key))),
            None => Decision::Write(self.then.clone()),
        })
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

impl Query for Chase {
    fn selection(&self) -> Selection {
        Selection::new().peek_tools(ToolFilter::Key(self.first.clone()))
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.next(view).map(|key| Selection::new().peek_tools(ToolFilter::Key(key)))
    }
}

/// Refuses, having looked at everything.
#[derive(Clone, Debug)]
pub(crate) struct Refuse(pub(crate) Refusal);

impl Step for Refuse {
    fn selection(&self) -> Selection {
        Selection::everything().lock_tools(ToolFilter::All)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Err(self.0.clone())
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// The words with which [`Panics`] panics.
pub(crate) const PANIC: &str = "a step or query of the suite that panics on purpose";

/// Panics quietly (no message on the terminal), having looked at everything.
#[derive(Clone, Debug)]
pub(crate) struct Panics;

impl Step for Panics {
    fn selection(&self) -> Selection {
        Selection::everything().lock_tools(ToolFilter::All)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        std::panic::resume_unwind(Box::new(PANIC))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

impl Query for Panics {
    fn selection(&self) -> Selection {
        Selection::everything()
    }

    fn more(&self, _: &View) -> Option<Selection> {
        std::panic::resume_unwind(Box::new(PANIC))
    }
}
