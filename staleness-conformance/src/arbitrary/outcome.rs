//! Strategies for outcomes.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::outcome::{Mark, Outcome};

use super::ids::{agent_id, client_id, op_id, project_id, server_key, session_id, tool_key};
use super::{Reach, maybe, number, timestamp};

/// Generates a mark.
pub fn mark() -> BoxedStrategy<Mark> {
    select(&Mark::ALL[..]).boxed()
}

/// Generates an outcome that is not stored yet.
pub fn outcome(reach: Reach) -> BoxedStrategy<Outcome> {
    let credits = prop::collection::btree_set(tool_key(reach), 0..3);
    let credits = (credits, any::<bool>()).prop_map(|(credits, backwards)| {
        let all = credits.into_iter();
        if backwards { all.rev().collect() } else { all.collect::<Vec<_>>() }
    });
    record!(Outcome {
        seq: Just(0),
        op: op_id(reach),
        tool: tool_key(reach),
        server: maybe(server_key(reach)),
        credits: credits,
        mark: mark(),
        at: timestamp(reach),
        project: project_id(reach),
        session: maybe(session_id(reach)),
        agent: maybe(agent_id(reach)),
        client: maybe(client_id(reach)),
        duration_ms: maybe(number()),
    })
}
