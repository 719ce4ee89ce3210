//! Items of knowledge and documents.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::ids::ItemId;
use staleness_core::knowledge::{
    Block, Citation, Cited, Contradiction, Distance, Document, Evidence, Fact, Item, ItemKind,
    Lines, WordKind,
};

use super::ids::{document_key, item_id, item_key, op_id};
use super::{Reach, digest, maybe, number, text, timestamp};

/// A citation.
pub fn citation(reach: Reach) -> BoxedStrategy<Citation> {
    let line = || prop_oneof![1..4u32, any::<u32>()];
    let lines = (line(), line()).prop_map(|(first, last)| Lines { first, last });
    let longest = longest(reach);
    (text(longest), maybe(lines), maybe(text(longest)), maybe(text(32)))
        .prop_map(|(path, lines, symbol, digest)| Citation { path, lines, symbol, digest })
        .boxed()
}

/// How long texts are that have no limit of their own.
const fn longest(reach: Reach) -> usize {
    match reach {
        Reach::Pool => 12,
        Reach::Wide => 300,
    }
}

fn set<T: Ord + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = BTreeSet<T>> {
    prop::collection::btree_set(one, 0..4)
}

/// An item; its links need not be those of any other.
pub fn item(reach: Reach) -> BoxedStrategy<Item> {
    let links = || set(item_id(reach)).prop_map(|ids: BTreeSet<ItemId>| ids);
    let moment = || maybe(timestamp(reach));
    let said = (text(20), text(longest(reach)), timestamp(reach))
        .prop_map(|(by, reason, at)| Contradiction { by, reason, at });
    let what = (
        item_key(reach),
        select(&ItemKind::ALL[..]),
        text(10 * longest(reach)),
        set(text(20)),
        maybe(text(longest(reach))),
        maybe(text(20)),
        any::<bool>(),
    );
    let when = (
        (timestamp(reach), timestamp(reach)),
        (moment(), moment(), moment(), moment(), moment()),
        maybe(text(40)),
        prop_oneof![0..3u32, Just(u32::MAX)],
    );
    let whence = (set(citation(reach)), links(), links(), links(), maybe(said));
    let recalls = (number(), number(), maybe(op_id(reach)));
    (what, when, whence, recalls)
        .prop_map(|(what, when, whence, counted)| {
            let (key, kind, body, keywords, path, version_context, evergreen) = what;
            let ((added_at, updated_at), moments, verified_commit, verifications) = when;
            let (due, expires_at, verified_at, done_at, recalled_at) = moments;
            let (citations, supersedes, superseded_by, related, contradicted) = whence;
            let (recalls, recalls_since_edit, recall_op) = counted;
            Item {
                key,
                kind,
                body,
                keywords,
                path,
                added_at,
                updated_at,
                version_context,
                evergreen,
                due,
                expires_at,
                verified_at,
                verified_commit,
                verifications,
                citations,
                supersedes,
                superseded_by,
                related,
                contradicted,
                done_at,
                recalls,
                recalls_since_edit,
                recalled_at,
                recall_op,
            }
        })
        .boxed()
}

/// Any fact.
pub fn fact(reach: Reach) -> BoxedStrategy<Fact> {
    let short = || text(longest(reach));
    let commit = || maybe(text(40));
    let gone = select(vec![Cited::Path, Cited::Lines, Cited::Symbol]);
    let sort = select(vec![WordKind::Path, WordKind::Flag, WordKind::Identifier]);
    let distance = select(vec![Distance::Patch, Distance::Minor, Distance::Major]);
    prop_oneof![
        timestamp(reach).prop_map(|at| Fact::Expired { at }),
        timestamp(reach).prop_map(|at| Fact::FutureDate { at }),
        short().prop_map(|by| Fact::Superseded { by }),
        short().prop_map(|id| Fact::RelatedFresher { id }),
        short().prop_map(|id| Fact::RelatedStale { id }),
        short().prop_map(|word| Fact::TemporalMarker { word }),
        number().prop_map(|recalls| Fact::RecalledWithoutProgress { recalls }),
        (short(), short()).prop_map(|(by, reason)| Fact::Contradicted { by, reason }),
        (short(), short(), distance).prop_map(|(written_for, project_at, distance)| {
            Fact::VersionDrift { written_for, project_at, distance }
        }),
        (citation(reach), gone, maybe(short()), commit()).prop_map(
            |(citation, gone, renamed_to, commit)| Fact::SourceMissing {
                citation,
                gone,
                renamed_to,
                commit
            }
        ),
        (short(), sort, maybe(short()), commit(), maybe(timestamp(reach))).prop_map(
            |(word, sort, renamed_to, commit, at)| Fact::ReferenceDrift {
                word,
                sort,
                renamed_to,
                commit,
                at
            }
        ),
        (citation(reach), commit(), maybe(any::<i64>())).prop_map(
            |(citation, commit, days_after)| Fact::SourceChanged { citation, commit, days_after }
        ),
    ]
    .boxed()
}

/// A block of a document against which something was found.
pub fn block(reach: Reach) -> BoxedStrategy<Block> {
    let place = || maybe(prop_oneof![1..9u32, any::<u32>()]);
    let evidence = (fact(reach), place(), place()).prop_map(|(fact, line, column)| Evidence {
        fact,
        line,
        column,
    });
    (
        any::<u32>(),
        any::<u32>(),
        text(80),
        number(),
        maybe(timestamp(reach)),
        maybe(text(40)),
        prop::collection::vec(evidence, 0..3),
    )
        .prop_map(|(line, last_line, title, digest, anchored_at, anchor, evidence)| Block {
            line,
            last_line,
            title,
            digest,
            anchored_at,
            anchor,
            evidence,
        })
        .boxed()
}

/// A document; often one without findings.
pub fn document(reach: Reach) -> BoxedStrategy<Document> {
    let found = prop_oneof![
        1 => Just(Vec::new()),
        1 => prop::collection::vec(block(reach), 1..3),
    ];
    (
        document_key(reach),
        any::<bool>(),
        timestamp(reach),
        maybe(text(40)),
        digest(),
        prop_oneof![0..3u32, Just(u32::MAX)],
        found,
    )
        .prop_map(|(key, loaded, checked_at, head, digest, blocks, found)| Document {
            key,
            loaded,
            checked_at,
            head,
            digest,
            blocks,
            found,
        })
        .boxed()
}
