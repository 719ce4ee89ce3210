//! Imports routes of other systems, one per line.

use std::collections::BTreeMap;

use serde::Deserialize;
use staleness::ids::{ModelId, ProjectId, ToolName};
use staleness::scan::ProjectRef;
use staleness::{Registry, Wait};
use staleness_core::route::{Confidence, Precision, Route, RouteKey, RouteVector, Vector};
use staleness_core::search::Question;

use super::home::project_of;
use super::moment::Moment;
use crate::error::{CliError, quoted};

/// A line to import. Its fields have the names of this program or of other systems.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouteLine {
    #[serde(alias = "text")]
    query: String,
    tool: ToolName,
    #[serde(alias = "weight", alias = "score")]
    confidence: Option<f64>,
    uses: Option<u64>,
    #[serde(alias = "created_at")]
    created: Moment,
    #[serde(alias = "last_used_at", alias = "updated_at")]
    last_used: Option<Moment>,
    model: Option<ModelId>,
    #[serde(alias = "embedding")]
    vector: Option<Vec<f64>>,
    project: Option<String>,
}

impl RouteLine {
    /// Converts the line to a route, its vector and its project, which is `here` if the line names none.
    pub(super) fn route(
        self,
        here: &ProjectRef,
        precision: Precision,
    ) -> Result<(Route, Option<RouteVector>, ProjectRef), String> {
        let project = project_of(self.project.as_deref(), here)?;
        // A query without words could never be found.
        Question::new(&self.query).map_err(|why| why.to_string())?;
        let folded = Route::check_query(&self.query).map_err(|refusal| refusal.to_string())?;
        let confidence = self.confidence.unwrap_or(1.0);
        let confidence = Confidence::new(confidence)
            .ok_or_else(|| format!("the confidence {confidence} is not between 0 and 1"))?;
        let key = RouteKey::of(&project.id, &self.tool, &folded);
        let vector = match (self.model, self.vector) {
            (Some(model), Some(numbers)) => {
                let vector = Vector::new(&numbers, precision).map_err(|why| why.to_string())?;
                Some(RouteVector { key: key.clone(), model, vector })
            }
            (None, None) => None,
            (None, Some(_)) => return Err("a vector needs the `model` that made it".into()),
            (Some(_), None) => return Err("a `model` needs its vector".into()),
        };
        let Moment(created_at) = self.created;
        let last_used_at = self.last_used.map_or(created_at, |Moment(at)| at);
        if last_used_at < created_at {
            return Err(format!("last used {last_used_at}, but created {created_at}"));
        }
        let route = Route {
            key,
            query: self.query.trim().to_owned(),
            confidence,
            uses: self.uses.unwrap_or(1),
            created_at,
            last_used_at,
            model: vector.as_ref().map(|row| row.model.clone()),
            ops: Vec::new(),
        };
        Ok((route, vector, project))
    }
}

/// The number of dimensions per model and project in the file.
#[derive(Default)]
pub(super) struct Dimensions {
    known: BTreeMap<(ProjectId, ModelId), usize>,
}

impl Dimensions {
    /// Records the dimensions of a vector. Errors if earlier vectors of the same model and project differ.
    pub(super) fn note(&mut self, row: &RouteVector) -> Result<(), String> {
        let own = row.vector.dimensions();
        let key = (row.key.project.clone(), row.model.clone());
        same(&row.model, *self.known.entry(key).or_insert(own), own)
    }

    /// Returns an error if the registry has other dimensions for a model.
    pub(super) fn check(&self, registry: &Registry) -> Result<(), CliError> {
        for ((project, model), found) in &self.known {
            if let Some(known) = registry.routes().dimensions(project, model).wait()? {
                same(model, known, *found).map_err(CliError::invalid)?;
            }
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

fn same(model: &ModelId, known: usize, found: usize) -> Result<(), String> {
    if known == found {
        return Ok(());
    }
    let model = quoted(model.as_str());
    Err(format!("a vector has {found} dimensions; others of the model {model} have {known}"))
}
