//! What is suggested for a user's prompt, unasked: little, seldom, and only what fits well.

use crate::ids::{Scope, SessionId};
use crate::registry::Registry;
use crate::report::{Context, best_of, fitting_briefs, last_used};
use crate::route::{SuggestedTool, Suggestions};
use crate::scan::ProjectRef;
use crate::search::Question;
use crate::session::SessionKey;
use crate::store::{
    OutcomeFilter, Selection, SourceFilter, StoreError, SuggestionFilter, ToolFilter, View,
};
use crate::time::Timestamp;

/// Tools that one prompt is answered with, at most.
const MAX_TOOLS: usize = 3;
/// Tools that are read one by one, at most; more are read with all others.
const MANY: usize = 200;
/// How much of a prompt is looked at, in bytes.
const MAX_READ: usize = 4 * 1024;
/// Outcomes that are looked at for a session's own, at most: where so many lie behind a suggestion, it was
/// long ago.
const FAR: u32 = 10_000;

impl Registry {
    /// The tools to suggest for a user's prompt, best first: at most three active ones that fit at least
    /// as well as `routes.suggest_from` says. None while the session is cooling down, or when it was
    /// made enough suggestions: see [`Registry::note_prompt`], which counts them.
    ///
    /// It writes nothing, and keeps nothing of the prompt.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn suggest_for_prompt(
        &self,
        project: &ProjectRef,
        session: &SessionId,
        prompt: &str,
        now: Timestamp,
    ) -> Result<Vec<SuggestedTool>, StoreError> {
        let end = prompt.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_READ);
        let Ok(asked) = Question::new(&prompt[..end.unwrap_or(prompt.len())]) else {
            return Ok(Vec::new());
        };
        // What says that nothing is to be said is read first: it is one row.
        let key = SessionKey { project: project.id.clone(), id: session.clone() };
        let known = SuggestionFilter::Key(key.clone());
        let known = self.ask(Selection::new().peek(known)).await?;
        let known = known.suggestions.get(&key);
        let limit = self.policy().routes.suggestions_per_session;
        if known.map_or(0, |known| known.made) >= limit {
            return Ok(Vec::new());
        }
        let window = self.policy().ranking.window;
        let all = Selection::new()
            .briefs(Scope::Global)
            .briefs(Scope::Project(project.id.clone()))
            .outcomes(OutcomeFilter::LastOfProject { project: project.id.clone(), limit: window })
            .route_briefs(project.id.clone());
        let mut view = self.ask(all).await?;
        if let Some(known) = known
            && self.cools_down(&view, known).await?
        {
            return Ok(Vec::new());
        }
        let from = self.policy().routes.suggest_from;
        let last = last_used(&view, &project.id, window, Some(session)).into_iter().collect();
        let fits =
            fitting_briefs(&view, self.policy(), &project.id, &asked, &last, from, MAX_TOOLS);
        if fits.is_empty() {
            return Ok(Vec::new());
        }
        // Only those that fit are read whole: few, but for tools that are all alike. Sources tell when
        // they were seen last.
        let scopes = [Scope::Global, Scope::Project(project.id.clone())];
        let mut whole = Selection::new();
        for scope in &scopes {
            whole = whole.peek(SourceFilter::Scope(scope.clone()));
        }
        let filters: Vec<ToolFilter> = if fits.len() > MANY {
            scopes.into_iter().map(ToolFilter::Scope).collect()
        } else {
            fits.iter().map(|fit| ToolFilter::Key(fit.key.clone())).collect()
        };
        let whole = self.ask(filters.into_iter().fold(whole, Selection::peek)).await?;
        (view.tools, view.sources) = (whole.tools, whole.sources);
        let context = Context::new(&view, self.policy(), project, now);
        Ok(best_of(&context, &fits, MAX_TOOLS))
    }

    /// Whether fewer uses of tools than the policy asks for lie behind the session's last suggestion. The
    /// view holds the last outcomes of the project; where they are those of other sessions, it looks back
    /// further.
    async fn cools_down(&self, view: &View, known: &Suggestions) -> Result<bool, StoreError> {
        let Some(last) = known.last_suggested_at() else { return Ok(false) };
        let calls = self.policy().routes.cool_down_calls as usize;
        let SessionKey { project, id } = &known.key;
        let behind = |view: &View, limit: u32| {
            let all = || view.last_of_project(project, limit);
            let own = all().filter(|it| it.session.as_ref() == Some(id) && it.at > last).count();
            let is_all = all().count() < limit as usize || all().any(|it| it.at <= last);
            (own >= calls, is_all)
        };
        let mut limit = self.policy().ranking.window;
        let (mut enough, mut is_all) = behind(view, limit);
        while !enough && !is_all && limit < FAR {
            limit = limit.saturating_mul(8).clamp(200, FAR);
            let further = OutcomeFilter::LastOfProject { project: project.clone(), limit };
            let view = self.ask(Selection::new().outcomes(further)).await?;
            (enough, is_all) = behind(&view, limit);
        }
        Ok(!enough && is_all)
    }
}
