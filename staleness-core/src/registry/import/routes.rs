//! The step that writes imported vectors.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::ids::{ModelId, ProjectId};
use crate::registry::routes::{check_dimensions, dimensions_in};
use crate::route::{Route, RouteKey, RouteVector};
use crate::store::{Durability, Edit, Selection, Step, VectorFilter};
use crate::time::Timestamp;

/// Routes that a dry run would write, each with the model that embedded it.
pub(super) type Foreseen = Arc<HashMap<RouteKey, Option<ModelId>>>;

/// Writes vectors for existing routes that have none yet. Skips routes of which another model made a vector.
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
