//! Routes: learn, list, prune, forget.
//!
//! The journal does not record routes, which are a cache of past successes.

mod find;
mod forget;
mod learn;
mod prompt;
mod prune;
mod suggested;
mod teach;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use find::{FindRoutes, FoundRoute, FoundRoutes};
pub use learn::Learn;
pub use prune::{PrunedRoute, RoutePruneReport};

pub(super) use find::{offer, words_alone};
pub(super) use forget::{routes_in, routes_to};
pub(super) use teach::{Taught, teach};

use learn::LearnRoute;

use super::Registry;
use crate::ids::{ModelId, ProjectId};
use crate::registry::{RegistryError, Routes, Sessions};
use crate::report::of_model;
use crate::route::{Route, RouteId, RouteVector, Suggestions};
use crate::scan::ProjectRef;
use crate::session::SessionKey;
use crate::store::{
    Change, Commit, Invalid, Refusal, RouteFilter, Selection, SuggestionFilter, VectorFilter, View,
};
use crate::time::Timestamp;

impl Routes<'_> {
    /// Records how well a tool answered a query. May be repeated with the same op id while the route remembers it
    /// ([`Route::MAX_OPS`]). Returns the route that learned: a new one, the known one, or an older one with a query of
    /// the same meaning. If the project has too many routes afterwards, they are pruned. Returns `None` if the signal
    /// is too weak to create a route, or if the new route was pruned.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if the query has no words, the signal is outside `0..=1`, or the vector has no
    /// direction or a number of dimensions that differs from its model's; [`Refusal::TooLarge`] if the query is too
    /// long; [`Refusal::Conflict`] if the tool is absent; or [`Refusal::Unknown`] if the project does not know the
    /// tool.
    pub async fn learn(
        self,
        project: &ProjectRef,
        learn: Learn,
    ) -> Result<Option<Route>, RegistryError> {
        let at = learn.at;
        let step = Arc::new(learn.step(project, &self.0.policy)?);
        let commit = self.0.transact(Arc::<LearnRoute>::clone(&step)).await?;
        let learned = step.learned(&commit);
        if commit.view.route_count.is_some_and(|known| self.0.too_many(known + 1)) {
            let pruned = self.prune(&project.id, at, false).await?.removed;
            let went = |route: &Route| {
                pruned.iter().any(|it| (it.id, &it.tool) == (route.key.id, &route.key.tool))
            };
            return Ok(learned.filter(|route| !went(route)));
        }
        Ok(learned)
    }

    /// Returns the result of [`Routes::learn`] before pruning, without writing anything.
    ///
    /// # Errors
    /// As [`Routes::learn`].
    pub async fn preview_learn(
        self,
        project: &ProjectRef,
        learn: Learn,
    ) -> Result<Option<Route>, RegistryError> {
        let step = Arc::new(learn.step(project, &self.0.policy)?);
        let commit = self.0.dry().transact(Arc::<LearnRoute>::clone(&step)).await?;
        Ok(step.learned(&commit))
    }

    /// Returns the routes of a project: highest confidence first, and the last used one first among equals.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Route>, RegistryError> {
        let all = Selection::new().peek(RouteFilter::Project(project.clone()));
        let mut routes: Vec<Route> = self.0.ask(all).await?.routes.into_values().collect();
        routes.sort_by(|a, b| {
            let order = |route: &Route| (Reverse(route.confidence), Reverse(route.last_used_at));
            order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
        });
        Ok(routes)
    }

    /// Returns the vectors that a model made in a project, by key.
    pub async fn vectors(
        self,
        project: &ProjectId,
        model: &ModelId,
    ) -> Result<Vec<RouteVector>, RegistryError> {
        let filter = VectorFilter::Model(project.clone(), model.clone());
        let view = self.0.ask(Selection::new().peek(filter)).await?;
        Ok(view.vectors.into_values().collect())
    }

    /// Returns the number of dimensions of a model's vectors in a project. `None` if there are no vectors.
    pub async fn dimensions(
        self,
        project: &ProjectId,
        model: &ModelId,
    ) -> Result<Option<usize>, RegistryError> {
        let filter = VectorFilter::First(project.clone(), model.clone());
        let view = self.0.ask(Selection::new().peek(filter)).await?;
        Ok(dimensions_in(&view, project, model))
    }
}

impl Registry {
    /// Prunes the routes of each project whose limit a commit of outcomes has exceeded. Reads nothing if the commit
    /// added no route.
    pub(super) async fn trim_routes(
        &self,
        commit: &Commit,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let made = commit.changes.routes.iter().filter_map(Change::put);
        let new = made.filter(|row| !commit.view.routes.contains_key(&row.key));
        let projects: BTreeSet<&ProjectId> = new.map(|row| &row.key.project).collect();
        for project in projects {
            let count = Selection::new().count_routes(project.clone());
            if self.ask(count).await?.route_count.is_some_and(|known| self.too_many(known)) {
                self.routes().prune(project, at, false).await?;
            }
        }
        Ok(())
    }

    fn too_many(&self, routes: u64) -> bool {
        routes > u64::from(self.policy.routes.max_routes)
    }
}

impl Sessions<'_> {
    /// Returns the suggestions made in a session. `None` if there are none.
    pub async fn suggestions(self, key: &SessionKey) -> Result<Option<Suggestions>, RegistryError> {
        let filter = SuggestionFilter::Key(key.clone());
        let mut view = self.0.ask(Selection::new().peek(filter)).await?;
        Ok(view.suggestions.remove(key))
    }
}

/// Returns the number of dimensions of a model's vectors. `None` if the view contains none.
pub(super) fn dimensions_in(view: &View, project: &ProjectId, model: &ModelId) -> Option<usize> {
    of_model(&view.vectors, project, model).next().map(|row| row.vector.dimensions())
}

fn unknown(id: RouteId) -> Refusal {
    Refusal::Unknown { what: "route", id: id.to_string() }
}

/// Refuses a vector if `found`, its number of dimensions, differs from `known`, that of its model.
pub(super) fn check_dimensions(model: &ModelId, known: usize, found: usize) -> Result<(), Invalid> {
    if known == found {
        return Ok(());
    }
    Err(Invalid::Dimensions { model: model.clone(), found, known })
}
