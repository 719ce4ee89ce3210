//! The end of a session.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use staleness::Wait;
use staleness::session::SessionKey;
use staleness_service::settings::Access;

use crate::call::Caller;
use crate::server::Server;

/// Time limit for each of three phases after the client disconnected: finishing calls, answering cancelled ones,
/// and pruning. Together less than a second.
pub(crate) const PARTING: Duration = Duration::from_millis(300);
/// Ends the claims of a connection and prunes according to the policy, at the end of a session.
pub(crate) fn part(server: &Server, caller: &Caller) {
    let begun = Instant::now();
    if let Ok(settings) = server.settings(None, None)
        && let Ok(registry) = settings.open(Access::Look)
    {
        // Pruning removes old records of other projects too, whoever the caller is.
        let registry = registry.confined_to(None);
        let claimed_in = caller.claimed_in.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for project in claimed_in.into_iter().chain([settings.project.id.clone()]) {
            let connection = SessionKey { project, id: caller.session.clone() };
            let _ = registry.sessions().forget_suggestions(connection, settings.now).wait();
        }
        // If a layer of the policy cannot be read, it may ask to keep outcomes longer, so nothing is pruned.
        if settings.policy_trouble.is_none() {
            let mut more = || begun.elapsed() < PARTING;
            let _ =
                registry.admin().prune_while(&settings.project.id, settings.now, &mut more).wait();
        }
    }
}
