//! Finding tools: suggest and discover, by what worked, by words, and where there is a vector by meaning.

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
use crate::store::{OutcomeFilter, Refusal, Selection, VectorFilter, View};
use crate::time::Timestamp;
use crate::tool::{Hold, Status};

/// A search for tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindTools {
    /// The query, in words. Suggestions without one come in the order of the ranking.
    pub query: Option<String>,
    /// A model, and the vector that it made of the query, not necessarily normalised. Compared with
    /// the vectors of what was learned in the project.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// Suggestions leave out what this session used last.
    pub session: Option<SessionId>,
    /// The largest number of tools to return.
    pub limit: usize,
}

impl FindTools {
    /// At most so many tools, in the order of the ranking.
    #[must_use]
    pub fn ranked(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// At most so many tools that fit a query, by words.
    #[must_use]
    pub fn by_words(query: impl Into<String>, limit: usize) -> Self {
        Self { query: Some(query.into()), ..Self::ranked(limit) }
    }

    /// The question in it, where there is a query.
    fn question(&self) -> Result<Option<Question>, Refusal> {
        let asked = self.query.as_deref().map(Question::new).transpose()?;
        if asked.is_none() && self.vector.is_some() {
            let message = "a vector goes with the words of the query that it was made of";
            return Err(Refusal::Invalid(message.into()));
        }
        Ok(asked)
    }
}

/// The tools that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundTools {
    /// Best first.
    pub tools: Vec<Suggestion>,
    /// A note on vectors that could not be compared, and on how they could be.
    pub note: Option<String>,
}

impl Tools<'_> {
    /// Tools to use: active ones, and where none fits, failing ones whose
    /// cool-down has passed, last and marked; without a query in the order of the ranking. Never built-ins, this
    /// program's own, names that cannot be called, ignored ones, or what was used last in the same session: the tool,
    /// and the skill, command or agent that it ran. A vector is compared with
    /// those of the project's routes; where its model made none of them, words alone decide, and a note says
    /// so.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a query that has no words, for a vector without a query or a direction,
    /// and for one that has not as many dimensions as the others of its model; [`Refusal::TooLarge`]
    /// for a long query; else what the store reports.
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
        // Failing tools whose cool-down has passed stand in.
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

    /// Searches everything that the project sees, and marks what cannot be relied on. Of vectors the same holds as for
    /// [`Tools::suggest`].
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
    /// The project's catalog, and its latest outcomes with the vectors of the model that was asked.
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

    /// The catalog of a project, and a view of `more` in which it holds. One that is kept serves as long as the
    /// store's generation has not moved; else it is made anew from the same snapshot as the view.
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

    /// Of tools that fit those that are worth reading whole: see [`worth_ranking`]. The view holds the latest
    /// outcomes of the project.
    pub(super) fn worth_ranking<'a>(
        &self,
        catalog: &Catalog,
        view: &View,
        fitting: impl Iterator<Item = Fit<'a>>,
        limit: usize,
    ) -> Vec<Fit<'a>> {
        worth_ranking(catalog, view, self.policy.ranking.window, fitting.collect(), limit)
    }

    /// Tools of a catalog whole, as they are now, and what else a report of them takes; with these outcomes.
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

/// Returns true if a tool may still be suggested once it was read whole.
pub(super) fn is_usable(each: &RankedTool<'_>) -> bool {
    each.status == Status::Active && each.tool.hold != Hold::Ignored
}

impl FindTools {
    /// Compares the vector with those of its model, if there are any, and returns a note for the caller.
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

/// Compares a vector with those of its model in the view, if there are any, and returns a note for the caller.
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
