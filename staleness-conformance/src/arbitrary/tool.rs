//! Strategies for tools.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::tool::{
    Failing, Health, Hold, Listing, ListingState, Presence, PresenceCause, Ring, RingEntry, Tool,
    ToolKind,
};

use super::ids::{client_id, server_key, source_id, tool_key, tool_name};
use super::{Reach, mark, maybe, number, text, timestamp};

/// Generates a ring of any length.
pub fn ring(reach: Reach) -> BoxedStrategy<Ring> {
    let entry = record!(RingEntry { mark: mark(), at: timestamp(reach), op: number() });
    let longest = match reach {
        Reach::Pool => 3,
        Reach::Wide => Ring::CAPACITY,
    };
    prop::collection::vec(entry, 0..=longest).prop_map(Ring::from_entries).boxed()
}

/// Generates a source's listing of a tool.
pub fn listing(reach: Reach) -> BoxedStrategy<Listing> {
    record!(Listing { source: source_id(reach), state: select(&ListingState::ALL) })
}

/// Generates listings in any order, at most one per source.
fn listings(reach: Reach) -> BoxedStrategy<Vec<Listing>> {
    prop::collection::vec(listing(reach), 0..4)
        .prop_map(|all| {
            let mut kept: Vec<Listing> = Vec::new();
            for listing in all {
                if kept.iter().all(|known| known.source != listing.source) {
                    kept.push(listing);
                }
            }
            kept
        })
        .boxed()
}

/// Generates a presence with any cause.
pub fn presence(reach: Reach) -> BoxedStrategy<Presence> {
    let cause = select(&PresenceCause::ALL[..]);
    record!(Presence { cause: cause, since: timestamp(reach), revived: any::<bool>() })
}

/// Generates the time since which a tool has been failing, and the cause.
pub fn failing(reach: Reach) -> BoxedStrategy<Failing> {
    record!(Failing { since: timestamp(reach), cause: text(200) })
}

/// Generates any combination of health values.
pub fn health(reach: Reach) -> BoxedStrategy<Health> {
    record!(Health {
        failing: maybe(failing(reach)),
        demotions: prop_oneof![0..3u32, any::<u32>(), Just(u32::MAX)],
        last_demoted_at: maybe(timestamp(reach)),
        window: 0..=Ring::CAPACITY as u8,
    })
}

/// Generates a tool.
pub fn tool(reach: Reach) -> BoxedStrategy<Tool> {
    record!(Tool {
        key: tool_key(reach),
        kind: select(&ToolKind::ALL[..]),
        server: maybe(server_key(reach)),
        plugin: maybe(tool_name(reach)),
        description: maybe(text(Tool::MAX_DESCRIPTION_CHARS)),
        listings: listings(reach),
        used_by: prop::collection::btree_set(client_id(reach), 0..3)
            .prop_map(|clients| clients.into_iter().collect()),
        presence: presence(reach),
        health: prop_oneof![Just(Health::default()), health(reach)],
        hold: select(&Hold::ALL[..]),
        ring: ring(reach),
        uses: number(),
        discovered_at: timestamp(reach),
        last_used_at: maybe(timestamp(reach)),
        updated_at: timestamp(reach),
        defined_chars: maybe(any::<u32>()),
    })
}
