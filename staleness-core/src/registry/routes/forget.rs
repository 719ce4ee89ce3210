//! Forgets routes: one by id, or those to a forgotten tool.

use super::unknown;
use crate::ids::{ProjectId, Scope, ToolKey};
use crate::registry::{RegistryError, Routes};
use crate::route::{Route, RouteId, RouteKey, Suggestions};
use crate::store::{Edit, RouteFilter, Selection, Step, SuggestionFilter, View};
use crate::text::fold_query;
use crate::time::Timestamp;

impl Routes<'_> {
    /// Forgets a route and its vector, and removes its query from recorded suggestions. Returns the removed route.
    ///
    /// # Errors
    /// [`Refusal::Unknown`](crate::refusal::Refusal::Unknown) if the id is unknown.
    pub async fn forget(
        self,
        project: &ProjectId,
        id: RouteId,
        at: Timestamp,
    ) -> Result<Route, RegistryError> {
        let commit = self.0.run(forget_route(project, id, at)).await?;
        let mut routes = commit.view.routes.into_values();
        Ok(routes.find(|row| row.key.id == id).ok_or_else(|| unknown(id))?)
    }
}

fn forget_route(project: &ProjectId, id: RouteId, at: Timestamp) -> impl Step + use<> {
    let all = Selection::new()
        .lock(RouteFilter::Id(project.clone(), id))
        .lock(SuggestionFilter::Project(project.clone()));
    Edit::new(at, all, move |draft| {
        let view = draft.view();
        let own = view.routes.values().find(|row| row.key.id == id);
        let route = own.ok_or_else(|| unknown(id))?;
        let folded = fold_query(&route.query);
        for row in view.suggestions.values() {
            let mut row: Suggestions = row.clone();
            for prompt in &mut row.prompts {
                let same = |query: &String| fold_query(query) == folded;
                let led = prompt.tools.iter().any(|tool| tool.route == Some(id));
                if led || prompt.query.as_ref().is_some_and(same) {
                    prompt.query = None;
                }
                for tool in prompt.tools.iter_mut().filter(|tool| tool.route == Some(id)) {
                    tool.route = None;
                }
            }
            draft.put(row);
        }
        draft.delete_route(&route.key);
        Ok(())
    })
    .durable()
}

/// Returns the projects in the view in which a route may mean this tool: its own project, or all for a global tool.
pub(crate) fn routes_in(view: &View, key: &ToolKey) -> Vec<ProjectId> {
    match &key.scope {
        Scope::Project(project) => vec![project.clone()],
        Scope::Global => view.projects.keys().cloned().collect(),
    }
}

/// Returns the routes in the view that mean this tool: those with its name, except in projects where that name means
/// another tool.
pub(crate) fn routes_to<'v>(
    view: &'v View,
    key: &'v ToolKey,
) -> impl Iterator<Item = &'v RouteKey> + 'v {
    view.routes.keys().filter(move |route| {
        let mut entries = ToolKey::both(&route.project, &key.name).into_iter();
        route.tool == key.name
            && !entries.any(|entry| entry != *key && view.tools.contains_key(&entry))
    })
}
