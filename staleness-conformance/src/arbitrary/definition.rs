//! Strategies for tool definitions.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::definition::{ChangeClass, Definition, DefinitionVersion, Finding, Part};

use super::ids::tool_key;
use super::{Reach, longest, maybe, text, timestamp};

/// Generates one version of a definition.
fn version(reach: Reach) -> BoxedStrategy<DefinitionVersion> {
    let worst = maybe(alone(reach).prop_map(Box::new));
    let both = (alone(reach), worst);
    both.prop_map(|(version, worst)| DefinitionVersion { worst, ..version }).boxed()
}

/// Generates a version that has not replaced another.
fn alone(reach: Reach) -> BoxedStrategy<DefinitionVersion> {
    let part = move || {
        maybe(record!(Part {
            digest: text(64),
            text: text(longest(reach)),
            chars: maybe(any::<u32>()),
        }))
    };
    let finding = prop_oneof![
        text(20).prop_map(Finding::Order),
        Just(Finding::Hidden),
        text(64).prop_map(Finding::Text),
        text(20).prop_map(Finding::Mixed),
        (text(20), text(20)).prop_map(|(host, whole)| Finding::Address(host, whole)),
    ];
    record!(DefinitionVersion {
        title: part(),
        description: part(),
        input: part(),
        output: part(),
        annotations: part(),
        others: part(),
        metadata: part(),
        found: prop::collection::btree_set(finding, 0..3),
        listed_again: maybe(timestamp(reach)),
        lost: prop::collection::btree_set(text(20), 0..3),
        worst: Just(None),
    })
}

/// Generates the definition of a tool.
pub fn definition(reach: Reach) -> BoxedStrategy<Definition> {
    let class = || select(&ChangeClass::ALL[..]);
    record!(Definition {
        key: tool_key(reach),
        pinned_at: timestamp(reach),
        current: version(reach),
        since: timestamp(reach),
        previous: maybe(version(reach)),
        pending: maybe(class()),
        changes: any::<u32>(),
        journalled: maybe((class(), timestamp(reach))),
    })
}
