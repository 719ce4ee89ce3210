//! Unsolicited suggestions for a user's prompt: few, rare, and only for good matches.

use crate::ids::SessionId;
use crate::registry::finding::is_usable;
use crate::registry::{Registry, RegistryError, Tools};
use crate::report::{Catalog, Context, Ignored, Listed, RankedTool, best, last_used};
use crate::route::{SuggestedTool, Suggestions};
use crate::scan::ProjectRef;
use crate::search::{Meaning, Question};
use crate::session::SessionKey;
use crate::store::{OutcomeFilter, Selection, SuggestionFilter, View};
use crate::time::Timestamp;
use crate::tool::{Status, Tool};

/// The maximum number of tools suggested for one prompt.
const MAX_TOOLS: usize = 3;
/// The minimum score of the other tools, relative to the first.
const NEAR: f64 = 0.4;
/// The maximum number of bytes of a prompt to read, rounded up to a whole character.
const MAX_READ: usize = 4 * 1024;
/// The maximum number of outcomes to search for those of the session. If they do not reach back to the last suggestion,
/// it was long ago.
const FAR: u32 = 10_000;

impl Tools<'_> {
    /// Returns the tools to suggest for a user's prompt, best first: at most three active ones, one of which is as
    /// certain as `routes.suggest_from`; the others score at least 0.4 of the first. Empty during the cool-down of the
    /// session, or if the session had enough suggestions:
    /// [`Sessions::note_prompt`](crate::registry::Sessions::note_prompt) counts them.
    ///
    /// Writes nothing, and stores nothing of the prompt.
    pub async fn suggest_for_prompt(
        self,
        project: &ProjectRef,
        session: &SessionId,
        prompt: &str,
        now: Timestamp,
    ) -> Result<Vec<SuggestedTool>, RegistryError> {
        let end = prompt.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_READ);
        let Ok(asked) = Question::undivided(&prompt[..end.unwrap_or(prompt.len())]) else {
            return Ok(Vec::new());
        };
        // The row of the session alone may rule out a suggestion, so it is read first.
        let key = SessionKey { project: project.id.clone(), id: session.clone() };
        let known = SuggestionFilter::Key(key.clone());
        let known = self.0.ask(Selection::new().peek(known)).await?;
        let known = known.suggestions.get(&key);
        let limit = self.0.policy().routes.suggestions_per_session;
        if known.map_or(0, |known| known.made) >= limit {
            return Ok(Vec::new());
        }
        if asked.is_talk() {
            return Ok(Vec::new());
        }
        let window = self.0.policy().ranking.window;
        let last = OutcomeFilter::LastOfProject { project: project.id.clone(), limit: window };
        let mut last = Selection::new().outcomes(last);
        // A process handles only one prompt, so caching the index would not pay off.
        last.merge(Catalog::routes(&project.id));
        let mut view = self.0.ask(last).await?;
        if let Some(known) = known
            && self.0.cools_down(&view, known).await?
        {
            return Ok(Vec::new());
        }
        // Read in sequence, so that routes and tools are never in memory together.
        let catalog = Catalog::for_question(&mut view, &project.id, &asked);
        let catalog = catalog.listing(&mut self.0.ask(Catalog::tools(&project.id)).await?);
        let ignored = Ignored::of(self.0.policy());
        let last = last_used(&view, &project.id, window, Some(session));
        let wanted = catalog.suggestible(&ignored, &last);
        let is_active = |place, tool: &Listed| tool.status == Status::Active && wanted(place, tool);
        let scores = catalog.scores(&asked, &Meaning::default(), is_active);
        let sure = scores.sure(self.0.policy().routes.suggest_from, MAX_TOOLS);
        if sure.is_empty() {
            return Ok(Vec::new());
        }
        let fits = self.0.worth_ranking(&catalog, &view, scores.fitting(), MAX_TOOLS);
        let places = fits.iter().map(|fit| fit.2);
        let rows = self.0.rows(project, &catalog, places, view.outcomes).await?;
        let context = Context::new(&rows, self.0.policy(), project, now);
        // Suggestions for a prompt are bare names, so tools that need a marker are omitted.
        let is_marked = |tool: &Tool| tool.is_unaccepted() || context.trouble(tool).is_some();
        let keep = |each: &RankedTool<'_>| is_usable(each) && !is_marked(each.tool);
        let tools = best(&context, &catalog, &scores, &fits, MAX_TOOLS, keep);
        let first = tools.first().map_or(0.0, |first| first.score);
        let near = tools.iter().filter(|each| each.score >= NEAR * first);
        let tools: Vec<SuggestedTool> = near.map(SuggestedTool::from).collect();
        let is_sure = tools.iter().any(|each| sure.contains(&each.tool));
        Ok(if is_sure { tools } else { Vec::new() })
    }
}

impl Registry {
    /// Returns true if the session used fewer tools since its last suggestion than the policy requires. `view` contains
    /// the last outcomes of the project. Reads more outcomes if these do not reach back to that suggestion.
    async fn cools_down(&self, view: &View, known: &Suggestions) -> Result<bool, RegistryError> {
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
