//! Search for routes by words and, with a vector, by meaning.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::ids::{ModelId, ProjectId, ToolName};
use crate::registry::finding::meant;
use crate::registry::queries::visible;
use crate::registry::{RegistryError, Routes};
use crate::report::{Context, QueryVector, RouteReport};
use crate::route::{Route, RouteId};
use crate::scan::ProjectRef;
use crate::search::{LearnedMatch, Meaning, Question, is_cold};
use crate::store::{RouteFilter, Selection, VectorFilter};
use crate::text::counted;
use crate::time::Timestamp;
use crate::tool::Status;

/// A request to find routes.
#[derive(Clone, Debug, PartialEq)]
pub struct FindRoutes {
    /// The query, in words.
    pub query: String,
    /// The query's vector and the model that made it. The vector need not be normalised.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// The maximum number of routes.
    pub limit: usize,
}

/// The result of a search for routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundRoutes {
    /// True if nothing similar to the query was learned, that is, if the familiarity is below 0.3.
    pub cold: bool,
    /// The closeness of the nearest learned query, 0..=1.
    pub familiarity: f64,
    /// The best route of each tool, best first.
    pub routes: Vec<FoundRoute>,
    /// A note on why nothing was found, or on vectors that were not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A route with its match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundRoute {
    /// The route that matched.
    #[serde(flatten)]
    pub route: RouteReport,
    /// Closeness × confidence, 0..=1.
    pub score: f64,
    /// The closeness of the learned query, 0..=1: by words and by meaning combined.
    pub closeness: f64,
    /// The closeness by words, 0..=1.
    pub by_words: f64,
    /// The cosine of the two vectors, if both exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_meaning: Option<f64>,
}

impl Routes<'_> {
    /// Finds the routes that are close to a query: the best one for each active tool that is not ignored, by closeness
    /// × confidence. With a vector, closeness combines words and meaning. If no route has a vector from the same model,
    /// only words decide. A note says so, and mentions routes embedded by other models.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] if the query has no words, or if the vector has no direction or a number
    /// of dimensions that differs from its model's.
    pub async fn find(
        self,
        project: &ProjectRef,
        find: FindRoutes,
        now: Timestamp,
    ) -> Result<FoundRoutes, RegistryError> {
        let asked = Question::new(&find.query)?;
        let id = &project.id;
        let vector = find.vector.as_ref().map(QueryVector::of);
        let mut vectors = Selection::new();
        if let Some(vector) = vector {
            vector.check()?;
            vectors = vectors.peek(VectorFilter::Model(id.clone(), vector.model.clone()));
        }
        let (catalog, vectors) = self.0.catalog(id, vectors).await?;
        // The routes are read after the catalog, so they include every route that the catalog finds, except those
        // removed in the meantime.
        let routes = RouteFilter::Project(id.clone());
        let view = self.0.ask(visible(id, self.0.policy()).peek(routes)).await?;
        let context = Context::new(&view, self.0.policy(), project, now);
        let usable = context
            .visible()
            .filter(|tool| context.status(tool) == Status::Active && !context.is_ignored(tool));
        let usable: HashSet<&ToolName> = usable.map(|tool| &tool.key.name).collect();
        let (meaning, note) = match vector {
            Some(vector) => meant(vector, &catalog, &vectors)?,
            None => (Meaning::default(), None),
        };
        let wanted = |tool: &ToolName| usable.contains(tool);
        let (familiarity, found) =
            catalog.index().find_routes(&asked, find.limit, &meaning, wanted);
        let of_project = view.routes.values().filter(|route| route.key.project == *id);
        let by_id: HashMap<RouteId, &Route> =
            of_project.map(|route| (route.key.id, route)).collect();
        let report = |each: &LearnedMatch| {
            Some(FoundRoute {
                route: (*by_id.get(&each.id)?).into(),
                score: each.score(),
                closeness: each.closeness,
                by_words: each.words,
                by_meaning: each.meaning,
            })
        };
        let routes = found.iter().filter_map(report).collect();
        Ok(FoundRoutes { cold: is_cold(familiarity), familiarity, routes, note })
    }

    /// Returns a note with the number of a project's routes that other models embedded, and with the command to embed
    /// one again. `None` if there are no such routes.
    pub async fn offer_to_embed(
        self,
        project: &ProjectId,
        model: &ModelId,
    ) -> Result<Option<String>, RegistryError> {
        let routes = self.list(project).await?;
        let others = routes.iter().filter_map(|route| route.model.as_ref());
        Ok(offer(model, others.filter(|known| *known != model).count()))
    }
}

/// Returns a note that no route has a vector from this model, so only words were compared.
pub(in crate::registry) fn words_alone(model: &ModelId, others: usize) -> String {
    let none = format!("no route has a vector from the model {model}");
    let offer = offer(model, others).map_or_else(String::new, |offer| format!("; {offer}"));
    format!("{none}{offer}; only words were compared")
}

/// Returns a note that routes of other models cannot be compared, with the command to embed one again. `None` if there
/// are no such routes.
pub(in crate::registry) fn offer(model: &ModelId, others: usize) -> Option<String> {
    let count = match others {
        0 => return None,
        count => counted(count, "route has", "routes have"),
    };
    Some(format!(
        "{count} a vector of another model, which cannot be compared; run `staleness routes \
         learn --query Q --tool NAME [--vector FILE --model {model}]` to embed one again"
    ))
}
