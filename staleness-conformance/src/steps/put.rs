//! A step that writes whatever it is given.

use staleness_core::store::{
    ChangeSet, CursorFilter, Decision, DocumentFilter, Durability, ItemFilter, ProjectFilter,
    Refusal, RouteFilter, Selection, SessionFilter, SourceFilter, Step, SuggestionFilter,
    ToolFilter, VectorFilter, View, WorkFilter,
};

/// Writes what was made up beforehand, and locks everything.
#[derive(Clone, Debug)]
pub struct Put(pub ChangeSet);

impl Step for Put {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock_projects(ProjectFilter::All)
            .lock_sources(SourceFilter::All)
            .lock_tools(ToolFilter::All)
            .lock_knowledge(ItemFilter::All)
            .lock_documents(DocumentFilter::All)
            .lock_work(WorkFilter::All)
            .lock_sessions(SessionFilter::All)
            .lock_cursors(CursorFilter::All)
            .lock_routes(RouteFilter::All)
            .lock_vectors(VectorFilter::All)
            .lock_suggestions(SuggestionFilter::All)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.0.clone()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
