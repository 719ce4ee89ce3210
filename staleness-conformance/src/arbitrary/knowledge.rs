//! Strategies for knowledge items and documents.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use staleness_core::knowledge::{
    Block, Citation, Cited, Contradiction, Distance, Document, Evidence, Fact, Gap, Item, ItemKind,
    Lines, WordKind,
};

use super::ids::{document_key, item_id, item_key, op_id};
use super::{Reach, digest, longest, maybe, number, text, timestamp};

/// Generates a citation.
pub fn citation(reach: Reach) -> BoxedStrategy<Citation> {
    let line = || prop_oneof![1..4u32, any::<u32>()];
    let longest = longest(reach);
    record!(Citation {
        path: text(longest),
        lines: maybe(record!(Lines { first: line(), last: line() })),
        symbol: maybe(text(longest)),
        digest: maybe(text(32)),
    })
}

fn set<T: Ord + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = BTreeSet<T>> {
    prop::collection::btree_set(one, 0..4)
}

/// Generates an item. The items that it links to need not exist.
pub fn item(reach: Reach) -> BoxedStrategy<Item> {
    let links = || set(item_id(reach));
    let moment = || maybe(timestamp(reach));
    let longest = longest(reach);
    let doubt =
        record!(Contradiction { by: text(20), reason: text(longest), at: timestamp(reach) });
    record!(Item {
        key: item_key(reach),
        kind: select(&ItemKind::ALL[..]),
        body: text(10 * longest),
        keywords: set(text(20)),
        path: maybe(text(longest)),
        added_at: timestamp(reach),
        updated_at: timestamp(reach),
        version_context: maybe(text(20)),
        evergreen: any::<bool>(),
        due: moment(),
        expires_at: moment(),
        verified_at: moment(),
        verified_commit: maybe(text(40)),
        verifications: prop_oneof![0..3u32, Just(u32::MAX)],
        citations: set(citation(reach)),
        supersedes: links(),
        superseded_by: links(),
        related: links(),
        contradicted: maybe(doubt),
        done_at: moment(),
        recalls: number(),
        recalls_since_edit: number(),
        recalled_at: moment(),
        recall_op: maybe(op_id(reach)),
    })
}

/// Generates any fact.
pub fn fact(reach: Reach) -> BoxedStrategy<Fact> {
    let short = || text(longest(reach));
    let commit = || maybe(text(40));
    let gone = select(vec![Cited::Path, Cited::Lines, Cited::Symbol, Cited::Heading]);
    let sort =
        select(vec![WordKind::Path, WordKind::Flag, WordKind::Identifier, WordKind::Command]);
    let distance = select(vec![Distance::Patch, Distance::Minor, Distance::Major]);
    prop_oneof![
        timestamp(reach).prop_map(|at| Fact::Expired { at }),
        timestamp(reach).prop_map(|at| Fact::FutureDate { at }),
        short().prop_map(|by| Fact::Superseded { by }),
        short().prop_map(|id| Fact::RelatedFresher { id }),
        short().prop_map(|id| Fact::RelatedStale { id }),
        short().prop_map(|word| Fact::TemporalMarker { word }),
        number().prop_map(|recalls| Fact::RecalledWithoutProgress { recalls }),
        record!(Fact::Contradicted { by: short(), reason: short() }),
        record!(Fact::VersionDrift {
            written_for: short(),
            project_at: short(),
            distance: distance
        }),
        record!(Fact::BrokenLink {
            citation: citation(reach),
            gone: gone.clone(),
            commit: commit()
        }),
        record!(Fact::SourceMissing {
            citation: citation(reach),
            gone: gone,
            renamed_to: maybe(short()),
            commit: commit(),
        }),
        record!(Fact::ReferenceDrift {
            word: short(),
            sort: sort,
            renamed_to: maybe(short()),
            commit: commit(),
            at: maybe(timestamp(reach)),
            alone: any::<bool>(),
        }),
        record!(Fact::SourceChanged {
            citation: citation(reach),
            commit: commit(),
            days_after: maybe(any::<i64>()),
        }),
    ]
    .boxed()
}

/// Generates a document's block with evidence.
pub fn block(reach: Reach) -> BoxedStrategy<Block> {
    let place = || maybe(prop_oneof![1..9u32, any::<u32>()]);
    let near = || maybe(text(longest(reach)));
    let evidence =
        record!(Evidence { fact: fact(reach), line: place(), column: place(), near: near() });
    record!(Block {
        line: any::<u32>(),
        last_line: any::<u32>(),
        title: text(80),
        digest: number(),
        anchored_at: maybe(timestamp(reach)),
        anchor: maybe(text(40)),
        evidence: prop::collection::vec(evidence, 0..3),
    })
}

/// Generates a document, often without findings.
pub fn document(reach: Reach) -> BoxedStrategy<Document> {
    let some = prop::collection::vec(block(reach), 1..3);
    record!(Document {
        key: document_key(reach),
        loaded: any::<bool>(),
        checked_at: timestamp(reach),
        head: maybe(text(40)),
        digest: digest(),
        gaps: subsequence(Gap::ALL.to_vec(), ..=7),
        blocks: prop_oneof![0..3u32, Just(u32::MAX)],
        found: prop_oneof![Just(Vec::new()), some],
    })
}
