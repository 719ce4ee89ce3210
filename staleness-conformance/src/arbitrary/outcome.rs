//! Outcomes.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::outcome::{Mark, Outcome};

use super::ids::{agent_id, client_id, op_id, project_id, server_key, session_id, tool_key};
use super::{Reach, maybe, number, timestamp};

/// A mark.
pub fn mark() -> BoxedStrategy<Mark> {
    select(&Mark::ALL[..]).boxed()
}

/// An outcome that is not stored yet.
pub fn outcome(reach: Reach) -> BoxedStrategy<Outcome> {
    let what = (
        op_id(reach),
        tool_key(reach),
        maybe(server_key(reach)),
        prop::collection::btree_set(tool_key(reach), 0..3),
        any::<bool>(),
        mark(),
        timestamp(reach),
    );
    let whence = (
        project_id(reach),
        maybe(session_id(reach)),
        maybe(agent_id(reach)),
        maybe(client_id(reach)),
        maybe(number()),
    );
    (what, whence)
        .prop_map(|(what, whence)| {
            let (op, tool, server, credits, backwards, mark, at) = what;
            let (project, session, agent, client, duration_ms) = whence;
            let mut credits: Vec<_> = credits.into_iter().collect();
            if backwards {
                credits.reverse();
            }
            Outcome {
                seq: 0,
                op,
                tool,
                server,
                credits,
                mark,
                at,
                project,
                session,
                agent,
                client,
                duration_ms,
            }
        })
        .boxed()
}
