//! Finding routes by a query, by words and where there is a vector by meaning.

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

/// A search for routes.
#[derive(Clone, Debug, PartialEq)]
pub struct FindRoutes {
    /// The query.
    pub query: String,
    /// The query's vector: the model that made it, and the numbers, in whatever length.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// The most routes to return.
    pub limit: usize,
}

/// The result of a search for routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundRoutes {
    /// Nothing like the query was learned: the familiarity is below 0.3.
    pub cold: bool,
    /// Closeness of the nearest learned query, 0..=1, however many there are.
    pub familiarity: f64,
    /// The best route of each tool, best first.
    pub routes: Vec<FoundRoute>,
    /// Why nothing was found, where that is not plain, and what was not compared.
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
    /// Closeness of the learned query, 0..=1: by words and by meaning, blended.
    pub closeness: f64,
    /// Closeness by words, 0..=1.
    pub by_words: f64,
    /// The cosine of the vectors, where both have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_meaning: Option<f64>,
}

impl Routes<'_> {
    /// The routes that are close to a query: the best one of each tool that is active and not ignored,
    /// by closeness × confidence. With a vector the two kinds of closeness are blended; where no vector of
    /// its model is known words alone decide, and a note says so. It also tells of routes that another
    /// model embedded.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Invalid`] for a query that has no words, for a vector that has no
    /// direction, and for one that has not as many dimensions as the others of its model; else what
    /// the store reports.
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
        // Later than the catalog: what it finds is there, but for routes that went meanwhile.
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

    /// Says how many routes of a project have a vector of another model, and how to embed one anew.
    /// `None` where there are none.
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

/// Says that a model is not known here, and so not asked; and offers it what other models embedded.
pub(in crate::registry) fn words_alone(model: &ModelId, others: usize) -> String {
    let none = format!("no route has a vector of the model {model}");
    let offer = offer(model, others).map_or_else(String::new, |offer| format!("; {offer}"));
    format!("{none}{offer}; words alone decided")
}

/// Says of how many routes the vectors of other models may be made anew: those of two models are never compared.
pub(in crate::registry) fn offer(model: &ModelId, others: usize) -> Option<String> {
    let count = match others {
        0 => return None,
        count => counted(count, "route has", "routes have"),
    };
    Some(format!(
        "{count} a vector of another model, which is not compared: `staleness routes learn --query Q \
         --tool NAME [--vector FILE --model {model}]` embeds one anew"
    ))
}
