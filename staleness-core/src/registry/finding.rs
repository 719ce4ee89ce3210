//! Suggestion and discovery of tools: by past success, by words and, with a vector, by meaning.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::Registry;
use super::queries::{Lookup, visible};
use super::routes::{offer, words_alone};
use crate::ids::{ModelId, ProjectId, SessionId};
use crate::outcome::Outcome;
use crate::registry::{RegistryError, Tools};
use crate::report::{
    Catalog, Context, Fit, Ignored, Listed, QueryVector, RankedTool, Suggestion, best, last_used,
    may_be_tried, on_probation, suggest, worth_ranking,
};
use crate::scan::ProjectRef;
use crate::search::{Meaning, Question};
use crate::store::{Invalid, OutcomeFilter, Refusal, Selection, VectorFilter, View};
use crate::time::Timestamp;
use crate::tool::{Hold, Status};

/// A request to find tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindTools {
    /// The query, in words. `None` to get suggestions in ranking order.
    pub query: Option<String>,
    /// The query's vector and the model that made it. The vector need not be normalised. It is compared with the
    /// vectors of the project's routes.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// The current session. Suggestions omit the tool that it used last.
    pub session: Option<SessionId>,
    /// The maximum number of tools.
    pub limit: usize,
}

impl FindTools {
    /// Creates a search for up to `limit` tools in ranking order.
    pub fn ranked(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Creates a search by words for up to `limit` tools.
    pub fn by_words(query: impl Into<String>, limit: usize) -> Self {
        Self { query: Some(query.into()), ..Self::ranked(limit) }
    }

    /// Parses the query. Errors if there is a vector but no query.
    fn question(&self) -> Result<Option<Question>, Refusal> {
        let asked = self.query.as_deref().map(Question::new).transpose()?;
        if asked.is_none() && self.vector.is_some() {
            return Err(Invalid::NoQuery.into());
        }
        Ok(asked)
    }
}

/// The result of a search for tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundTools {
    /// The tools, best first.
    pub tools: Vec<Suggestion>,
    /// A note about vectors that could not be compared, and how to change that.
    pub note: Option<String>,
}

impl Tools<'_> {
    /// Suggests tools to use: active ones, or if none matches, failing ones after their cool-down, which are marked.
    /// Without a query, the tools come in ranking order. Never suggests built-ins, this program's own tools, names that
    /// cannot be called, ignored tools, or what the session used last: a tool, and the skill, command or agent that it
    /// ran. A vector is compared with those of the project's routes. If none of these comes from its model, only words
    /// decide and a note says so.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if the query has no words, if there is a vector without a query, or if the vector has
    /// no direction or a number of dimensions that differs from its model's; [`Refusal::TooLarge`] if the query is
    /// too long; or an error of the store.
    pub async fn suggest(
        self,
        project: &ProjectRef,
        find: FindTools,
        now: Timestamp,
    ) -> Result<FoundTools, RegistryError> {
        let session = find.session.as_ref();
        let Some(question) = find.question()? else {
            let view = self.0.ask(visible(&project.id, &self.0.policy)).await?;
            let context = Context::new(&view, &self.0.policy, project, now);
            return Ok(FoundTools { tools: suggest(&context, session, find.limit), note: None });
        };
        let (catalog, view) = self.0.to_search(project, &find).await?;
        let (meaning, note) = find.meaning(&catalog, &view)?;
        let ignored = Ignored::of(&self.0.policy);
        let last = last_used(&view, &project.id, self.0.policy.ranking.window, session);
        let wanted = catalog.suggestible(&ignored, &last);
        let is_active = |place, tool: &Listed| tool.status == Status::Active && wanted(place, tool);
        let scores = catalog.scores(&question, &meaning, is_active);
        let fits = self.0.worth_ranking(&catalog, &view, scores.fitting(), find.limit);
        if !fits.is_empty() {
            let places = fits.iter().map(|fit| fit.2);
            let rows = self.0.rows(project, &catalog, places, view.outcomes).await?;
            let context = Context::new(&rows, &self.0.policy, project, now);
            let tools = best(&context, &catalog, &scores, &fits, find.limit, is_usable);
            return Ok(FoundTools { tools, note });
        }
        // Fall back to failing tools whose cool-down has passed.
        let failing = catalog.places(|place, tool| tool.may_recover && wanted(place, tool));
        let rows = self.0.rows(project, &catalog, failing.iter().copied(), view.outcomes).await?;
        let context = Context::new(&rows, &self.0.policy, project, now);
        let tried = |place| {
            let tool = catalog.key(place).and_then(|key| rows.tools.get(&key));
            tool.is_some_and(|tool| may_be_tried(&context, tool))
        };
        let tried: HashSet<u32> = failing.into_iter().filter(|place| tried(*place)).collect();
        let scores = catalog.scores(&question, &meaning, |place, _| tried.contains(&place));
        let fits = self.0.worth_ranking(&catalog, &rows, scores.fitting(), find.limit);
        let tools = best(&context, &catalog, &scores, &fits, find.limit, |_| true);
        Ok(FoundTools { tools: tools.into_iter().map(on_probation).collect(), note })
    }

    /// Searches all tools that the project sees, and marks unreliable ones. Vectors are used as in [`Tools::suggest`].
    ///
    /// # Errors
    /// As [`Tools::suggest`].
    pub async fn discover(
        self,
        project: &ProjectRef,
        find: FindTools,
        now: Timestamp,
    ) -> Result<FoundTools, RegistryError> {
        let Some(question) = find.question()? else {
            return Err(Question::empty().into());
        };
        let (catalog, view) = self.0.to_search(project, &find).await?;
        let (meaning, note) = find.meaning(&catalog, &view)?;
        let ignored = Ignored::of(&self.0.policy);
        let wanted = |place, tool: &Listed| catalog.may_tell(&ignored, place, tool);
        let scores = catalog.scores(&question, &meaning, wanted);
        let fits = self.0.worth_ranking(&catalog, &view, scores.fitting(), find.limit);
        let places = fits.iter().map(|fit| fit.2);
        let rows = self.0.rows(project, &catalog, places, view.outcomes).await?;
        let context = Context::new(&rows, &self.0.policy, project, now);
        let may_tell = |each: &RankedTool<'_>| !context.is_ignored(each.tool);
        let tools = best(&context, &catalog, &scores, &fits, find.limit, may_tell);
        Ok(FoundTools { tools, note })
    }
}

impl Registry {
    /// Returns the project's catalog, and a view with the project's latest outcomes and the vectors of the query's
    /// model.
    async fn to_search(
        &self,
        project: &ProjectRef,
        find: &FindTools,
    ) -> Result<(Arc<Catalog>, View), RegistryError> {
        let limit = self.policy.ranking.window;
        let last = OutcomeFilter::LastOfProject { project: project.id.clone(), limit };
        let mut selection = Selection::new().outcomes(last);
        if let Some(vector) = find.vector.as_ref().map(QueryVector::of) {
            vector.check()?;
            let of_model = VectorFilter::Model(project.id.clone(), vector.model.clone());
            selection = selection.peek(of_model);
        }
        self.catalog(&project.id, selection).await
    }

    /// Returns the catalog of a project, and a view of `more` from the same generation of the store. Uses the cached
    /// catalog if the generation is unchanged; otherwise rebuilds it from that view.
    pub(super) async fn catalog(
        &self,
        project: &ProjectId,
        more: Selection,
    ) -> Result<(Arc<Catalog>, View), RegistryError> {
        let kept = self.indexes.of(project, self.client.as_ref());
        let more = more.generation();
        if let Some(kept) = kept {
            let view = self.ask(more.clone()).await?;
            if kept.is_of(view.generation) {
                return Ok((kept, view));
            }
        }
        let mut selection = more;
        selection.merge(Catalog::selection(project));
        let mut view = self.ask(selection).await?;
        let catalog = Arc::new(Catalog::new(&mut view, project));
        self.indexes.keep(self.client.as_ref(), Arc::clone(&catalog));
        Ok((catalog, view))
    }

    /// Calls [`worth_ranking`] with the policy's window. `view` must contain the latest outcomes of the project.
    pub(super) fn worth_ranking<'a>(
        &self,
        catalog: &Catalog,
        view: &View,
        fitting: impl Iterator<Item = Fit<'a>>,
        limit: usize,
    ) -> Vec<Fit<'a>> {
        worth_ranking(catalog, view, self.policy.ranking.window, fitting.collect(), limit)
    }

    /// Loads the full rows of tools in a catalog, with everything that a report needs. Sets the view's outcomes to
    /// `outcomes`.
    pub(super) async fn rows(
        &self,
        project: &ProjectRef,
        catalog: &Catalog,
        places: impl Iterator<Item = u32>,
        outcomes: BTreeMap<u64, Outcome>,
    ) -> Result<View, RegistryError> {
        let keys = places.filter_map(|place| catalog.key(place)).collect();
        let mut rows = self.ask(Lookup { keys, project: project.id.clone() }).await?;
        rows.outcomes = outcomes;
        Ok(rows)
    }
}

/// Returns true if a tool may still be suggested after its full row was read.
pub(super) fn is_usable(each: &RankedTool<'_>) -> bool {
    each.status == Status::Active && each.tool.hold != Hold::Ignored && !each.tool.is_withheld()
}

impl FindTools {
    /// Compares the vector, if any, with those of its model. Also returns a note for the caller.
    fn meaning(
        &self,
        catalog: &Catalog,
        view: &View,
    ) -> Result<(Meaning, Option<String>), Refusal> {
        let Some(vector) = self.vector.as_ref().map(QueryVector::of) else {
            return Ok((Meaning::default(), None));
        };
        meant(vector, catalog, view)
    }
}

/// Compares a vector with those of its model in the view. Also returns a note for the caller if other models embedded
/// routes, or if only words can decide.
pub(super) fn meant(
    vector: QueryVector<'_>,
    catalog: &Catalog,
    view: &View,
) -> Result<(Meaning, Option<String>), Refusal> {
    let project = catalog.project();
    let others = catalog.embedded_by_others(vector.model);
    if vector.fits(&view.vectors, project)? {
        let routes = vector.near(&view.vectors, project);
        return Ok((Meaning { routes, ..Meaning::default() }, offer(vector.model, others)));
    }
    Ok((Meaning::default(), Some(words_alone(vector.model, others))))
}
