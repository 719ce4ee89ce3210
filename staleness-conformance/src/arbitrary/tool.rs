//! Tools.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::tool::{
    Failing, Health, Hold, Holding, Presence, PresenceCause, RING_CAPACITY, Ring, RingEntry, Tool,
    ToolKind,
};

use super::ids::{server_key, source_id, tool_key, tool_name};
use super::{Reach, mark, maybe, number, text, timestamp};

/// A ring of any length.
pub fn ring(reach: Reach) -> BoxedStrategy<Ring> {
    let entry =
        (mark(), timestamp(reach), number()).prop_map(|(mark, at, op)| RingEntry { mark, at, op });
    let longest = match reach {
        Reach::Pool => 3,
        Reach::Wide => RING_CAPACITY,
    };
    prop::collection::vec(entry, 0..=longest).prop_map(Ring::from_entries).boxed()
}

/// What one source says of a tool.
pub fn holding(reach: Reach) -> BoxedStrategy<Holding> {
    (source_id(reach), any::<bool>(), any::<bool>())
        .prop_map(|(source, held, disabled)| Holding { source, held, disabled })
        .boxed()
}

/// Holdings in any order, each source at most once.
fn holdings(reach: Reach) -> BoxedStrategy<Vec<Holding>> {
    prop::collection::vec(holding(reach), 0..4)
        .prop_map(|all| {
            let mut kept: Vec<Holding> = Vec::new();
            for holding in all {
                if kept.iter().all(|known| known.source != holding.source) {
                    kept.push(holding);
                }
            }
            kept
        })
        .boxed()
}

/// Present or absent, for any cause.
pub fn presence(reach: Reach) -> BoxedStrategy<Presence> {
    (select(&PresenceCause::ALL[..]), timestamp(reach), any::<bool>())
        .prop_map(|(cause, since, revived)| Presence { cause, since, revived })
        .boxed()
}

/// Since when and why a tool is failing.
pub fn failing(reach: Reach) -> BoxedStrategy<Failing> {
    (timestamp(reach), text(200)).prop_map(|(since, cause)| Failing { since, cause }).boxed()
}

/// Health in any combination.
pub fn health(reach: Reach) -> BoxedStrategy<Health> {
    (
        maybe(failing(reach)),
        prop_oneof![0..3u32, any::<u32>(), Just(u32::MAX)],
        maybe(timestamp(reach)),
        0..=RING_CAPACITY as u8,
    )
        .prop_map(|(failing, demotions, last_demoted_at, window)| Health {
            failing,
            demotions,
            last_demoted_at,
            window,
        })
        .boxed()
}

/// A tool.
pub fn tool(reach: Reach) -> BoxedStrategy<Tool> {
    let identity = (
        tool_key(reach),
        select(&ToolKind::ALL[..]),
        maybe(server_key(reach)),
        maybe(tool_name(reach)),
        maybe(text(Tool::MAX_DESCRIPTION_CHARS)),
        holdings(reach),
    );
    let state = (
        presence(reach),
        prop_oneof![Just(Health::default()), health(reach)],
        select(&Hold::ALL[..]),
        ring(reach),
        number(),
    );
    let times = (timestamp(reach), maybe(timestamp(reach)), timestamp(reach));
    (identity, state, times)
        .prop_map(|(identity, state, times)| {
            let (key, kind, server, plugin, description, holdings) = identity;
            let (presence, health, hold, ring, uses) = state;
            let (discovered_at, last_used_at, updated_at) = times;
            Tool {
                key,
                kind,
                server,
                plugin,
                description,
                holdings,
                presence,
                health,
                hold,
                ring,
                uses,
                discovered_at,
                last_used_at,
                updated_at,
            }
        })
        .boxed()
}
