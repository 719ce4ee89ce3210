//! Open work that waits for what is overdue.

use staleness::ids::AgentId;
use staleness::work::{Warning, Work};

/// Notes for each overdue item an open item that waits for it: one that the agent claimed or wrote, if there is one.
pub(crate) fn note_awaited(open: &[Work], agent: &AgentId, overdue: &mut [Warning]) {
    let is_own = |work: &Work| {
        work.claim.as_ref().is_some_and(|claim| claim.agent == *agent)
            || work.author.as_deref() == Some(agent.as_str())
    };
    for each in overdue {
        let waiting = open.iter().filter(|work| work.after.contains(each.id.as_str()));
        let first = waiting.min_by_key(|work| !is_own(work));
        each.awaited_by = first.map(|work| work.key.id.clone());
    }
}
