//! Selections: which rows of which collection a step or query looks at.

use super::{
    CursorFilter, DocumentFilter, ItemFilter, JournalFilter, OutcomeFilter, ProjectFilter,
    RouteFilter, SessionFilter, SourceFilter, SuggestionFilter, ToolFilter, VectorFilter,
    WorkFilter,
};
use crate::ids::{ProjectId, Scope};
use crate::time::Timestamp;

/// What a step means to do with the rows it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Look only.
    Peek,
    /// Change, create or delete them. A store with finer locks than one writer locks them.
    Lock,
}

/// A filter over one collection, with what the step means to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pick<F> {
    /// Look or change.
    pub access: Access,
    /// Which rows.
    pub filter: F,
}

/// Outcomes that may be pruned: recorded at or before a time, and not among the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeCut {
    /// The latest time of an outcome that may go.
    pub until: Timestamp,
    /// This many newest outcomes of the store stay, by order of recording.
    pub keep_newest: u64,
}

/// What a step or query looks at: for each collection, the union of its picks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Projects.
    pub projects: Vec<Pick<ProjectFilter>>,
    /// Sources.
    pub sources: Vec<Pick<SourceFilter>>,
    /// Tools.
    pub tools: Vec<Pick<ToolFilter>>,
    /// Scopes whose tools are looked at in brief: see [`ToolBrief`](crate::tool::ToolBrief).
    pub briefs: Vec<Scope>,
    /// Items of knowledge.
    pub knowledge: Vec<Pick<ItemFilter>>,
    /// Scopes whose items are looked at in brief: see [`ItemBrief`](crate::knowledge::ItemBrief).
    pub item_briefs: Vec<Scope>,
    /// Documents as they were last checked.
    pub documents: Vec<Pick<DocumentFilter>>,
    /// Work items.
    pub work: Vec<Pick<WorkFilter>>,
    /// Sessions.
    pub sessions: Vec<Pick<SessionFilter>>,
    /// Cursors.
    pub cursors: Vec<Pick<CursorFilter>>,
    /// Routes.
    pub routes: Vec<Pick<RouteFilter>>,
    /// Projects whose routes are looked at in brief: see [`RouteBrief`](crate::route::RouteBrief).
    pub route_briefs: Vec<ProjectId>,
    /// Vectors of routes.
    pub vectors: Vec<Pick<VectorFilter>>,
    /// What was suggested in sessions.
    pub suggestions: Vec<Pick<SuggestionFilter>>,
    /// Outcomes; they are only appended and cut, so they are never locked.
    pub outcomes: Vec<OutcomeFilter>,
    /// Journal entries; they are only appended, so they are never locked.
    pub journal: Vec<JournalFilter>,
    /// Count the outcomes of the store, and those that this cut would remove.
    pub count_outcomes: Option<OutcomeCut>,
    /// Count the routes of this project.
    pub count_routes: Option<ProjectId>,
}

impl Selection {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that is stored.
    #[must_use]
    pub fn everything() -> Self {
        Self::records().peek_documents(DocumentFilter::All).peek_suggestions(SuggestionFilter::All)
    }

    /// Everything that an export holds: all but documents, which are a cache of what files and their
    /// history can tell again, and what was suggested in sessions, which goes with them.
    #[must_use]
    pub fn records() -> Self {
        Self::new()
            .peek_projects(ProjectFilter::All)
            .peek_sources(SourceFilter::All)
            .peek_tools(ToolFilter::All)
            .peek_knowledge(ItemFilter::All)
            .peek_work(WorkFilter::All)
            .peek_sessions(SessionFilter::All)
            .peek_cursors(CursorFilter::All)
            .peek_routes(RouteFilter::All)
            .peek_vectors(VectorFilter::All)
            .outcomes(OutcomeFilter::All)
            .journal(JournalFilter::All)
    }

    /// Projects to look at.
    #[must_use]
    pub fn peek_projects(mut self, filter: ProjectFilter) -> Self {
        push(&mut self.projects, Access::Peek, filter);
        self
    }

    /// Projects to change.
    #[must_use]
    pub fn lock_projects(mut self, filter: ProjectFilter) -> Self {
        push(&mut self.projects, Access::Lock, filter);
        self
    }

    /// Sources to look at.
    #[must_use]
    pub fn peek_sources(mut self, filter: SourceFilter) -> Self {
        push(&mut self.sources, Access::Peek, filter);
        self
    }

    /// Sources to change.
    #[must_use]
    pub fn lock_sources(mut self, filter: SourceFilter) -> Self {
        push(&mut self.sources, Access::Lock, filter);
        self
    }

    /// Tools to look at.
    #[must_use]
    pub fn peek_tools(mut self, filter: ToolFilter) -> Self {
        push(&mut self.tools, Access::Peek, filter);
        self
    }

    /// Tools to change.
    #[must_use]
    pub fn lock_tools(mut self, filter: ToolFilter) -> Self {
        push(&mut self.tools, Access::Lock, filter);
        self
    }

    /// Every tool of a scope in brief. Pages leave it out. A brief vouches for what it carries; the rest of its
    /// row may be damaged unseen until it is read, or checked.
    #[must_use]
    pub fn briefs(mut self, scope: Scope) -> Self {
        self.briefs.push(scope);
        self
    }

    /// Items of knowledge to look at.
    #[must_use]
    pub fn peek_knowledge(mut self, filter: ItemFilter) -> Self {
        push(&mut self.knowledge, Access::Peek, filter);
        self
    }

    /// Items of knowledge to change.
    #[must_use]
    pub fn lock_knowledge(mut self, filter: ItemFilter) -> Self {
        push(&mut self.knowledge, Access::Lock, filter);
        self
    }

    /// Every item of a scope in brief: a store that does not know how leaves the scope out of
    /// [`View::item_briefs`](super::View::item_briefs). Pages leave it out.
    #[must_use]
    pub fn item_briefs(mut self, scope: Scope) -> Self {
        self.item_briefs.push(scope);
        self
    }

    /// Documents to look at.
    #[must_use]
    pub fn peek_documents(mut self, filter: DocumentFilter) -> Self {
        push(&mut self.documents, Access::Peek, filter);
        self
    }

    /// Documents to change.
    #[must_use]
    pub fn lock_documents(mut self, filter: DocumentFilter) -> Self {
        push(&mut self.documents, Access::Lock, filter);
        self
    }

    /// Work items to look at.
    #[must_use]
    pub fn peek_work(mut self, filter: WorkFilter) -> Self {
        push(&mut self.work, Access::Peek, filter);
        self
    }

    /// Work items to change.
    #[must_use]
    pub fn lock_work(mut self, filter: WorkFilter) -> Self {
        push(&mut self.work, Access::Lock, filter);
        self
    }

    /// Sessions to look at.
    #[must_use]
    pub fn peek_sessions(mut self, filter: SessionFilter) -> Self {
        push(&mut self.sessions, Access::Peek, filter);
        self
    }

    /// Sessions to change.
    #[must_use]
    pub fn lock_sessions(mut self, filter: SessionFilter) -> Self {
        push(&mut self.sessions, Access::Lock, filter);
        self
    }

    /// Cursors to look at.
    #[must_use]
    pub fn peek_cursors(mut self, filter: CursorFilter) -> Self {
        push(&mut self.cursors, Access::Peek, filter);
        self
    }

    /// Cursors to change.
    #[must_use]
    pub fn lock_cursors(mut self, filter: CursorFilter) -> Self {
        push(&mut self.cursors, Access::Lock, filter);
        self
    }

    /// Routes to look at.
    #[must_use]
    pub fn peek_routes(mut self, filter: RouteFilter) -> Self {
        push(&mut self.routes, Access::Peek, filter);
        self
    }

    /// Every route of a project in brief. Pages leave it out. A brief vouches for what it carries; the rest of its
    /// row may be damaged unseen until it is read, or checked.
    #[must_use]
    pub fn route_briefs(mut self, project: ProjectId) -> Self {
        self.route_briefs.push(project);
        self
    }

    /// Routes to change.
    #[must_use]
    pub fn lock_routes(mut self, filter: RouteFilter) -> Self {
        push(&mut self.routes, Access::Lock, filter);
        self
    }

    /// Vectors to look at.
    #[must_use]
    pub fn peek_vectors(mut self, filter: VectorFilter) -> Self {
        push(&mut self.vectors, Access::Peek, filter);
        self
    }

    /// Vectors to change. Who locks a route may remove its vector without having looked at it.
    #[must_use]
    pub fn lock_vectors(mut self, filter: VectorFilter) -> Self {
        push(&mut self.vectors, Access::Lock, filter);
        self
    }

    /// Suggestions to look at.
    #[must_use]
    pub fn peek_suggestions(mut self, filter: SuggestionFilter) -> Self {
        push(&mut self.suggestions, Access::Peek, filter);
        self
    }

    /// Suggestions to change.
    #[must_use]
    pub fn lock_suggestions(mut self, filter: SuggestionFilter) -> Self {
        push(&mut self.suggestions, Access::Lock, filter);
        self
    }

    /// Outcomes to look at.
    #[must_use]
    pub fn outcomes(mut self, filter: OutcomeFilter) -> Self {
        self.outcomes.push(filter);
        self
    }

    /// Journal entries to look at.
    #[must_use]
    pub fn journal(mut self, filter: JournalFilter) -> Self {
        self.journal.push(filter);
        self
    }

    /// Outcomes to count.
    #[must_use]
    pub const fn count_outcomes(mut self, cut: OutcomeCut) -> Self {
        self.count_outcomes = Some(cut);
        self
    }

    /// Routes of a project to count.
    #[must_use]
    pub fn count_routes(mut self, project: ProjectId) -> Self {
        self.count_routes = Some(project);
        self
    }

    /// Adds everything that `other` selects.
    pub fn merge(&mut self, other: Self) {
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
        self.vectors.extend(other.vectors);
        self.suggestions.extend(other.suggestions);
        self.outcomes.extend(other.outcomes);
        self.journal.extend(other.journal);
        self.count_outcomes = other.count_outcomes.or(self.count_outcomes);
        self.count_routes = other.count_routes.or_else(|| self.count_routes.take());
    }
}

fn push<F>(picks: &mut Vec<Pick<F>>, access: Access, filter: F) {
    picks.push(Pick { access, filter });
}
