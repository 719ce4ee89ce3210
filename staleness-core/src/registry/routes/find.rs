//! Finding routes by a query, by words and where there is a vector by meaning.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use serde::Serialize;

use crate::ids::{ModelId, ProjectId, ToolName};
use crate::registry::Registry;
use crate::registry::queries::{refused, visible};
use crate::report::{Context, RouteReport, search_index};
use crate::route::{Precision, Route, RouteId, Values, Vector, Vectors};
use crate::scan::ProjectRef;
use crate::search::{LearnedMatch, Meaning, Question, is_cold, nearest};
use crate::store::{Refusal, RouteFilter, StoreError, VectorFilter};
use crate::time::Timestamp;
use crate::tool::Status;

/// How many of the vectors nearest to a question are taken up, beside `limit`: the best route of a
/// tool may be less close and more sure than others of it.
const MORE_BY_MEANING: usize = 200;

/// What to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct FindRoutes {
    /// What is asked.
    pub query: String,
    /// What a model made of it: the model, and the numbers.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// How many routes at most.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundRoutes {
    /// Nothing like the query was learned: the familiarity is below 0.3.
    pub cold: bool,
    /// Closeness of the nearest learned query, 0..=1, however many there are.
    pub familiarity: f64,
    /// The best route of each tool, best first.
    pub routes: Vec<FoundRoute>,
    /// Why nothing was found, where that is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A route with how well it fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundRoute {
    /// The route.
    #[serde(flatten)]
    pub route: RouteReport,
    /// Closeness × confidence, 0..=1.
    pub score: f64,
    /// How close the learned query is, 0..=1.
    pub closeness: f64,
}

impl Registry {
    /// The routes that are close to a query: the best one of each tool that is active and not ignored,
    /// by closeness × confidence. With a vector the two kinds of closeness are blended; a model of
    /// which no vector is known finds nothing, and a note says so.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a query that has no words or is too long, for a vector that has no
    /// direction, and for one that has not as many dimensions as the others of its model; else what
    /// the store reports.
    pub async fn find_routes(
        &self,
        project: &ProjectRef,
        find: FindRoutes,
        now: Timestamp,
    ) -> Result<FoundRoutes, StoreError> {
        let asked = Question::new(&find.query).map_err(refused)?;
        let id = &project.id;
        let mut selection =
            visible(id, self.policy()).peek_routes(RouteFilter::Project(id.clone()));
        if let Some((model, numbers)) = &find.vector {
            Vector::new(numbers, Precision::F64)
                .map_err(|error| Refusal::Invalid(error.to_string()))?;
            selection = selection.peek_vectors(VectorFilter::Model(id.clone(), model.clone()));
        }
        let view = self.ask(selection).await?;
        let context = Context::new(&view, self.policy(), project, now);
        let usable = context
            .visible()
            .filter(|tool| context.status(tool) == Status::Active && !context.is_ignored(tool));
        let usable: HashSet<&ToolName> = usable.map(|tool| &tool.key.name).collect();
        let wanted = |tool: &ToolName| usable.contains(tool);
        let mut meaning = Meaning::default();
        if let Some((model, numbers)) = &find.vector {
            if view.vectors.of(id, model).next().is_none() {
                let note = format!("no route has a vector of the model {model}");
                return Ok(FoundRoutes {
                    cold: true,
                    familiarity: 0.0,
                    routes: Vec::new(),
                    note: Some(note),
                });
            }
            let limit = find.limit.saturating_add(MORE_BY_MEANING);
            meaning.routes = by_meaning(&view.vectors, id, model, numbers, limit, wanted)?
                .into_iter()
                .map(|(cosine, id)| (id, cosine))
                .collect();
        }
        let (familiarity, found) =
            search_index(&context, &asked).find_routes(&asked, find.limit, &meaning, wanted);
        let of_project = view.routes.values().filter(|route| route.key.project == *id);
        let by_id: HashMap<RouteId, &Route> =
            of_project.map(|route| (route.key.id, route)).collect();
        let report = |each: &LearnedMatch| FoundRoute {
            route: by_id[&each.id].into(),
            score: each.score(),
            closeness: each.closeness,
        };
        let routes = found.iter().map(report).collect();
        Ok(FoundRoutes { cold: is_cold(familiarity), familiarity, routes, note: None })
    }
}

/// The routes whose vectors are nearest, with their cosines.
fn by_meaning(
    vectors: &Vectors,
    project: &ProjectId,
    model: &ModelId,
    numbers: &[f64],
    limit: usize,
    wanted: impl Fn(&ToolName) -> bool + Sync,
) -> Result<Vec<(f64, RouteId)>, StoreError> {
    let mut found = Vec::new();
    let mut dimensions = None;
    for (form, matrix) in vectors.of(project, model) {
        dimensions = dimensions.or(Some(form.dimensions));
        if form.dimensions != numbers.len() {
            continue;
        }
        dimensions = Some(form.dimensions);
        let usable: Vec<bool> = matrix.names().iter().map(&wanted).collect();
        let key = |row: usize| {
            let tool = matrix.tool(row)?;
            (*usable.get(tool as usize)?).then(|| matrix.ids()[row])
        };
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let question = Vector::new(numbers, form.precision)
            .map_err(|error| Refusal::Invalid(error.to_string()))?;
        found.extend(match (matrix.values(), &question) {
            (Values::F32(rows), Vector::F32(question)) => {
                nearest(rows, form.dimensions, question, limit, threads, key)
            }
            (Values::F64(rows), Vector::F64(question)) => {
                nearest(rows, form.dimensions, question, limit, threads, key)
            }
            _ => Vec::new(),
        });
    }
    match dimensions {
        Some(known) if known != numbers.len() => Err(Refusal::Invalid(format!(
            "the vector has {} dimensions; those of the model {model} have {known}",
            numbers.len()
        ))
        .into()),
        _ => Ok(found),
    }
}
