//! Finding tools: suggest and discover, by what worked, by words, and where there is a vector by meaning.

use super::Registry;
use super::queries::{refused, visible};
use super::routes::{offer, words_alone};
use crate::ids::{ModelId, SessionId};
use crate::report::{Asked, Context, QueryVector, Suggestion, discover, suggest};
use crate::scan::ProjectRef;
use crate::search::{Question, QuestionError};
use crate::store::{Refusal, RouteFilter, StoreError, VectorFilter, View};
use crate::time::Timestamp;

/// What tools to look for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindTools {
    /// What for, in words. Suggestions without one come in the order of the ranking.
    pub query: Option<String>,
    /// What a model made of the query: the model, and the numbers, in whatever length. Compared with the
    /// vectors of what was learned in the project.
    pub vector: Option<(ModelId, Vec<f64>)>,
    /// Suggestions leave out what this session used last.
    pub session: Option<SessionId>,
    /// How many tools at most.
    pub limit: usize,
}

impl FindTools {
    /// At most so many tools that fit a query, by words.
    #[must_use]
    pub fn by_words(query: impl Into<String>, limit: usize) -> Self {
        Self { query: Some(query.into()), limit, ..Self::default() }
    }

    /// The question in it, where there is a query.
    fn question(&self) -> Result<Option<Question>, Refusal> {
        let asked = self.query.as_deref().map(Question::new).transpose().map_err(refused)?;
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
    /// What could not be taken into account, and how it could be.
    pub note: Option<String>,
}

impl Registry {
    /// Tools to use: see [`suggest`]. No query asks for the ranking.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a query that has no words or is too long; else what the store reports.
    pub async fn suggest(
        &self,
        project: &ProjectRef,
        query: Option<&str>,
        session: Option<&SessionId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Suggestion>, StoreError> {
        let (query, session) = (query.map(Into::into), session.cloned());
        let find = FindTools { query, vector: None, session, limit };
        Ok(self.suggest_tools(project, find, now).await?.tools)
    }

    /// Searches everything that the project sees: see [`discover`].
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a query that has no words or is too long; else what the store reports.
    pub async fn discover(
        &self,
        project: &ProjectRef,
        query: &str,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Suggestion>, StoreError> {
        Ok(self.discover_tools(project, FindTools::by_words(query, limit), now).await?.tools)
    }

    /// Tools to use: see [`suggest`]. No query asks for the ranking. A vector is compared with
    /// those of the project's routes; where its model made none of them, words alone decide, and a note says
    /// so.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a query that has no words or is too long, for a vector without a query or a
    /// direction, and for one that has not as many dimensions as the others of its model; else what the store
    /// reports.
    pub async fn suggest_tools(
        &self,
        project: &ProjectRef,
        find: FindTools,
        now: Timestamp,
    ) -> Result<FoundTools, StoreError> {
        let question = find.question()?;
        let view = self.to_search(project, &find, question.is_some()).await?;
        let context = Context::new(&view, &self.policy, project, now);
        let Some(question) = &question else {
            let tools = suggest(&context, None, find.session.as_ref(), find.limit);
            return Ok(FoundTools { tools, note: None });
        };
        let (vector, note) = find.comparable(&view, project)?;
        let tools = self.search(&context, question, |index| {
            let asked = Asked { question, index, vector };
            suggest(&context, Some(asked), find.session.as_ref(), find.limit)
        });
        Ok(FoundTools { tools, note })
    }

    /// Searches everything that the project sees: see [`discover`]. Of vectors the same holds as for
    /// [`Registry::suggest_tools`].
    ///
    /// # Errors
    /// As [`Registry::suggest_tools`].
    pub async fn discover_tools(
        &self,
        project: &ProjectRef,
        find: FindTools,
        now: Timestamp,
    ) -> Result<FoundTools, StoreError> {
        let Some(question) = find.question()? else {
            return Err(refused(QuestionError::Empty).into());
        };
        let view = self.to_search(project, &find, true).await?;
        let context = Context::new(&view, &self.policy, project, now);
        let (vector, note) = find.comparable(&view, project)?;
        let tools = self.search(&context, &question, |index| {
            discover(&context, Asked { question: &question, index, vector }, find.limit)
        });
        Ok(FoundTools { tools, note })
    }

    /// What the project sees; where there is a question with its routes, and the vectors of the model that
    /// was asked.
    async fn to_search(
        &self,
        project: &ProjectRef,
        find: &FindTools,
        asked: bool,
    ) -> Result<View, StoreError> {
        let mut selection = visible(&project.id, &self.policy);
        if asked {
            selection = selection.peek(RouteFilter::Project(project.id.clone()));
        }
        if let Some(vector) = find.vector.as_ref().map(QueryVector::of) {
            vector.check()?;
            let of_model = VectorFilter::Model(project.id.clone(), vector.model.clone());
            selection = selection.peek(of_model);
        }
        self.ask(selection).await
    }
}

impl FindTools {
    /// The vector, where the view has any to compare it with; else what to say of it.
    fn comparable(
        &self,
        view: &View,
        project: &ProjectRef,
    ) -> Result<(Option<QueryVector<'_>>, Option<String>), Refusal> {
        let Some(vector) = self.vector.as_ref().map(QueryVector::of) else {
            return Ok((None, None));
        };
        if vector.fits(&view.vectors, &project.id)? {
            return Ok((Some(vector), offer(vector.model, view.routes.values())));
        }
        Ok((None, Some(words_alone(vector.model, view.routes.values()))))
    }
}
