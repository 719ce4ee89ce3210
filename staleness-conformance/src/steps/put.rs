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
            .lock(ProjectFilter::All)
            .lock(SourceFilter::All)
            .lock(ToolFilter::All)
            .lock(ItemFilter::All)
            .lock(DocumentFilter::All)
            .lock(WorkFilter::All)
            .lock(SessionFilter::All)
            .lock(CursorFilter::All)
            .lock(RouteFilter::All)
            .lock(VectorFilter::All)
            .lock(SuggestionFilter::All)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.0.clone()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
