//! Records suggestions for a caller with a named session.

use staleness::Wait;
use std::time::Duration;

use staleness::ids::SessionId;
use staleness::report::Suggestion;
use staleness::session::SessionKey;
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_core::search::Question;

use crate::error::ServiceError;
use crate::settings::{Access, Settings};

/// Maximum time to wait for the store, because the caller waits for the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Records the tools suggested for a query. If one of them is used later in the session, the route that led
/// to it counts as used and is not pruned. The query itself is stored only if the policy allows learning from
/// prompts, because agents often quote their user.
///
/// Without a query nothing is recorded.
pub fn note(
    settings: &Settings,
    session: &SessionId,
    query: Option<&str>,
    told: &[Suggestion],
) -> Result<(), ServiceError> {
    let Some(query) = query.filter(|query| Question::new(query).is_ok()) else { return Ok(()) };
    // If a policy layer could not be read, it might forbid storing prompts.
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
    // Rows of an unknown project are not pruned.
    registry.admin().see_project(&settings.project, settings.now).wait()?;
    Ok(registry.sessions().note_suggested(key, prompted).wait()?)
}
