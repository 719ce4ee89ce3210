//! The outage guard: if most servers fail at the same time, the machine is offline and the tools are not to blame.

use super::OutagePolicy;
use crate::ids::{Scope, ServerKey};

/// The last outcome of one MCP server within the guard's time window.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServerOutcome {
    /// The scope of the used tool.
    pub scope: Scope,
    pub server: ServerKey,
    /// True if the last outcome was a failure, also if it was marked as offline.
    pub failed: bool,
}

/// Returns true if the machine counts as offline: at least `min_servers` servers were used, including the current one,
/// and the last outcome of more than `percent` of them was a failure.
pub(crate) fn is_offline<'a>(
    last: impl IntoIterator<Item = &'a ServerOutcome>,
    policy: &OutagePolicy,
) -> bool {
    let (mut servers, mut failed) = (0usize, 0usize);
    for outcome in last {
        servers += 1;
        failed += usize::from(outcome.failed);
    }
    servers >= usize::from(policy.min_servers)
        && failed * 100 > usize::from(policy.percent) * servers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ServerKey;

    #[test]
    fn more_than_half_of_at_least_three_servers_must_fail() {
        for (failed, working, expected) in
            [(2, 0, false), (3, 0, true), (2, 1, true), (1, 2, false), (2, 2, false), (3, 2, true)]
        {
            let last: Vec<ServerOutcome> = (0..failed + working)
                .map(|at| ServerOutcome {
                    scope: Scope::Global,
                    server: ServerKey::of(&format!("s{at}")).unwrap(),
                    failed: at < failed,
                })
                .collect();
            assert_eq!(is_offline(&last, &OutagePolicy::default()), expected);
        }
    }
}
