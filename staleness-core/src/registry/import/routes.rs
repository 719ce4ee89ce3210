//! The steps that write imported vectors, and routes of other systems.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::ITEMS;
use super::rows::PutRows;
use crate::ids::{ModelId, ProjectId};
use crate::registry::routes::{check_dimensions, dimensions_in};
use crate::registry::{RegistryError, Routes};
use crate::route::{Route, RouteKey, RouteVector, Vector, own_id};
use crate::store::{Durability, Edit, Selection, Step, VectorFilter};
use crate::time::Timestamp;

/// Routes that a dry run would write, with the models that embedded them.
pub(super) type Foreseen = Arc<HashMap<RouteKey, Option<ModelId>>>;

/// Writes vectors for routes that exist, have no vector, and were not embedded by another model.
pub(super) fn put_vectors(
    rows: Vec<RouteVector>,
    foreseen: Foreseen,
    durability: Durability,
) -> impl Step {
    let keys = || rows.iter().map(|row| row.key.clone());
    let all = Selection::new().lock_keys::<Route>(keys()).lock_keys::<RouteVector>(keys());
    let models = rows.iter().map(|row| (&row.key.project, &row.model));
    let models: BTreeSet<(&ProjectId, &ModelId)> = models.collect();
    let all = models.into_iter().fold(all, |all, (project, model)| {
        all.peek(VectorFilter::First(project.clone(), model.clone()))
    });
    let put = Edit::new(Timestamp::default(), all, move |draft| {
        let view = draft.view();
        let mut first: BTreeMap<(&ProjectId, &ModelId), usize> = BTreeMap::new();
        for row in &rows {
            let foreseen = foreseen.get(&row.key).cloned();
            let known = || view.routes.get(&row.key).map(|route| route.model.clone());
            let Some(embedded) = foreseen.or_else(known) else { continue };
            let other = embedded.is_some_and(|model| model != row.model);
            if other || view.vectors.contains_key(&row.key) {
                continue;
            }
            let (project, dimensions) = (&row.key.project, row.vector.dimensions());
            let known = dimensions_in(view, project, &row.model).unwrap_or(dimensions);
            let known = *first.entry((project, &row.model)).or_insert(known);
            check_dimensions(&row.model, known, dimensions)?;
            draft.edit::<Route, _>(&row.key, |route| route.model = Some(row.model.clone()));
            draft.put(row.clone());
        }
        Ok(())
    });
    put.lasting(durability)
}

/// A route of another system, with its vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldRoute {
    /// The route. Its model is taken from the vector.
    pub route: Route,
    /// The vector of the query, with the model that made it.
    pub vector: Option<(ModelId, Vector)>,
}

impl Routes<'_> {
    /// Imports routes of another system, 50 per commit: new ones, and known ones that were used later.
    /// Returns the number written. May be repeated: importing again changes nothing.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] if a route is invalid, in which case nothing was written.
    pub async fn import(self, routes: Vec<ToldRoute>) -> Result<usize, RegistryError> {
        routes.iter().try_for_each(|told| told.route.check().and_then(|()| own_id(&told.route)))?;
        let durability = Durability::Full;
        let mut written = 0;
        for part in routes.chunks(ITEMS) {
            let embedded = |told: &ToldRoute| {
                let (model, vector) = told.vector.clone()?;
                Some(RouteVector { key: told.route.key.clone(), model, vector })
            };
            let named = |told: &ToldRoute| Route {
                model: told.vector.as_ref().map(|(model, _)| model.clone()),
                ..told.route.clone()
            };
            let rows = part.iter().map(named).collect();
            let step = Arc::new(PutRows::<Route> { rows, durability });
            written += self.0.carry_out(step).await?.0.routes.len();
            let rows: Vec<RouteVector> = part.iter().filter_map(embedded).collect();
            if !rows.is_empty() {
                let step = put_vectors(rows, Foreseen::default(), durability);
                self.0.carry_out(Arc::new(step)).await?;
            }
        }
        Ok(written)
    }
}
