//! Routes, their vectors and suggestions in the model.

use staleness_core::ids::ModelId;
use staleness_core::route::{Route, RouteKey, RouteVector, Suggestions};
use staleness_core::session::SessionKey;
use staleness_core::store::{
    Access, Change, ChangeSet, RouteFilter, Selection, SuggestionFilter, VectorFilter, View,
};

use super::model::{key_of, once, put};
use super::plan::Looks;

/// The three collections as lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    routes: Vec<Route>,
    vectors: Vec<RouteVector>,
    suggestions: Vec<Suggestions>,
}

impl Routes {
    /// Adds what a selection names.
    pub(super) fn load(&self, selection: &Selection, view: &mut View) {
        for row in &self.routes {
            if selection.routes.iter().any(|pick| of_route(&pick.filter, &row.key)) {
                view.routes.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.vectors {
            if selection.vectors.iter().any(|pick| self.of_vector(&pick.filter, row)) {
                view.vectors.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.suggestions {
            if selection.suggestions.iter().any(|pick| of_suggestions(&pick.filter, &row.key)) {
                view.suggestions.insert(row.key.clone(), row.clone());
            }
        }
        view.route_count = selection.count_routes.as_ref().map(|project| {
            self.routes.iter().filter(|row| row.key.project == *project).count() as u64
        });
    }

    fn of_vector(&self, filter: &VectorFilter, row: &RouteVector) -> bool {
        let VectorFilter::First(project, model) = filter else {
            return names_vector(filter, &row.key, Some(&row.model));
        };
        let is_one = |row: &RouteVector| row.key.project == *project && row.model == *model;
        is_one(row) && !self.vectors.iter().any(|other| is_one(other) && other.key < row.key)
    }

    pub(super) fn write(&mut self, changes: &ChangeSet) {
        changes.routes.iter().for_each(|change| put(&mut self.routes, change, |row| &row.key));
        changes.vectors.iter().for_each(|change| put(&mut self.vectors, change, |row| &row.key));
        let rows = &mut self.suggestions;
        changes.suggestions.iter().for_each(|change| put(rows, change, |row| &row.key));
    }
}

/// Whether a step locked all of these that it writes, and writes no row twice.
pub(super) fn locked(looks: &Looks, changes: &ChangeSet) -> bool {
    let routes: Vec<_> = changes.routes.iter().map(|c| key_of(c, |row| &row.key)).collect();
    let vectors: Vec<_> = changes.vectors.iter().map(|c| key_of(c, |row| &row.key)).collect();
    let made: Vec<_> = changes.suggestions.iter().map(|c| key_of(c, |row| &row.key)).collect();
    let all = || looks.all.iter();
    let route = |key: &RouteKey| {
        let mut picks = all().flat_map(|look| &look.routes);
        picks.any(|pick| pick.access == Access::Lock && of_route(&pick.filter, key))
    };
    once(&routes)
        && once(&vectors)
        && once(&made)
        && routes.iter().all(|key| route(key))
        && changes.vectors.iter().zip(&vectors).all(|(change, key)| {
            let new = if let Change::Put(row) = change { Some(&row.model) } else { None };
            let mut picks = all().flat_map(|look| &look.vectors);
            let own = picks
                .any(|pick| pick.access == Access::Lock && names_vector(&pick.filter, key, new));
            // Whoever locks a route may remove its vector.
            own || new.is_none() && route(key)
        })
        && made.iter().all(|key| {
            let mut picks = all().flat_map(|look| &look.suggestions);
            picks.any(|pick| pick.access == Access::Lock && of_suggestions(&pick.filter, key))
        })
}

fn of_route(filter: &RouteFilter, key: &RouteKey) -> bool {
    match filter {
        RouteFilter::Key(wanted) => wanted == key,
        RouteFilter::Id(project, id) => *project == key.project && *id == key.id,
        RouteFilter::Tool(project, tool) => *project == key.project && *tool == key.tool,
        RouteFilter::Project(project) => *project == key.project,
        RouteFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

/// Whether a filter names a vector by its key and model, whatever others there are.
fn names_vector(filter: &VectorFilter, key: &RouteKey, by: Option<&ModelId>) -> bool {
    match filter {
        VectorFilter::Key(wanted) => wanted == key,
        VectorFilter::Tool(project, tool) => *project == key.project && *tool == key.tool,
        VectorFilter::First(project, model) | VectorFilter::Model(project, model) => {
            *project == key.project && by == Some(model)
        }
        VectorFilter::Project(project) => *project == key.project,
        VectorFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

fn of_suggestions(filter: &SuggestionFilter, key: &SessionKey) -> bool {
    match filter {
        SuggestionFilter::Key(wanted) => wanted == key,
        SuggestionFilter::Project(project) => *project == key.project,
        SuggestionFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}
