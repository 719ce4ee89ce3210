//! Suggestions to somebody who asked and named a session.

use staleness::Wait;
use std::time::Duration;

use staleness::ids::SessionId;
use staleness::report::Suggestion;
use staleness::session::SessionKey;
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::search::Question;

use crate::error::ServiceError;
use crate::settings::{Access, Settings};

/// The longest time to wait for the store: somebody waits for the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Notes the tools that were suggested for a query, so that one which is then used in the session counts as
/// found: the route that led to it is kept from being pruned. The query is kept where prompts may be, since an
/// agent asks with words of its user.
///
/// Without a query nothing led to a tool but its rank, and nothing is noted.
pub fn note(
    settings: &Settings,
    session: &SessionId,
    query: Option<&str>,
    told: &[Suggestion],
) -> Result<(), ServiceError> {
    let Some(query) = query.filter(|query| Question::new(query).is_ok()) else { return Ok(()) };
    // Whether prompts may be kept may stand where it cannot be read: then they are not.
    let learns =
        settings.configured.policy.routes.learn_from_prompts && settings.policy_trouble.is_none();
    let query = if learns { Prompted::text(query) } else { None };
    let tools: Vec<SuggestedTool> = told.iter().map(SuggestedTool::from).collect();
    if tools.is_empty() && query.is_none() {
        return Ok(());
    }
    let prompted = Prompted { at: settings.now, query, tools, taught: Vec::new() };
    let key = SessionKey { project: settings.project.id.clone(), id: session.clone() };
    let registry = settings.open_within(Access::Write, PATIENCE)?;
    // What belongs to no known project would not be pruned.
    registry.admin().see_project(&settings.project, settings.now).wait()?;
    Ok(registry.sessions().note_suggested(key, prompted).wait()?)
}
