//! Items of knowledge: what is put comes back, each filter finds exactly its rows, and saving one
//! leaves the others alone.

use std::collections::BTreeSet;

use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Citation, Contradiction, Item, ItemKind, Lines};
use staleness_core::store::{ItemFilter, Selection};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::rows::{AWKWARD, at, item, item_key, op, scope};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("knowledge::extremes_round_trip", extremes_round_trip),
    Case::new("knowledge::kinds_round_trip", kinds),
    Case::new("knowledge::hostile_texts_round_trip", hostile_texts),
    Case::new("knowledge::a_text_of_a_megabyte_round_trips", big_body),
    Case::new("knowledge::put_replaces_every_field", replace),
    Case::new("knowledge::delete_removes_one", delete),
    Case::new("knowledge::key_finds_one_of_many_like_it", by_key),
    Case::new("knowledge::scope_finds_only_its_own", by_scope),
    Case::new("knowledge::all_finds_each", all),
    Case::new("knowledge::saving_one_leaves_the_others_alone", saving_one),
];

fn found(context: &Context, filter: ItemFilter) -> Vec<ItemKey> {
    let seen = see(context.store(), Selection::new().peek(filter));
    seen.knowledge.into_keys().collect()
}

#[track_caller]
fn assert_stored(context: &Context, row: &Item) {
    let seen = see(context.store(), Selection::new().peek(ItemFilter::Key(row.key.clone())));
    assert_eq!(seen.knowledge.get(&row.key), Some(row));
}

/// An item of which every field is used, to its limits.
fn full(key: ItemKey) -> Item {
    let ids = |texts: &[&str]| -> BTreeSet<ItemId> {
        texts.iter().map(|text| ItemId::new(text).expect("a valid id")).collect()
    };
    Item {
        kind: ItemKind::Todo,
        keywords: AWKWARD.iter().map(ToString::to_string).collect(),
        path: Some("docs/a b%20'\".md".into()),
        added_at: Timestamp::MIN,
        updated_at: Timestamp::MAX,
        version_context: Some(String::new()),
        evergreen: true,
        due: Some(Timestamp::MAX),
        expires_at: Some(Timestamp::MIN),
        verified_at: Some(at(-1)),
        verified_commit: Some("c".repeat(64)),
        verifications: u32::MAX,
        citations: BTreeSet::from([
            Citation::of_path(""),
            Citation {
                lines: Some(Lines { first: 1, last: u32::MAX }),
                symbol: Some("a::b<'_>".into()),
                digest: Some("0f".into()),
                ..Citation::of_path("src/\u{1f680}.rs")
            },
        ]),
        supersedes: ids(&AWKWARD),
        superseded_by: ids(&["x"]),
        related: ids(&["x", "y"]),
        contradicted: Some(Contradiction {
            by: "somebody".into(),
            reason: "a\nb\t\"c\"".into(),
            at: Timestamp::MIN,
        }),
        done_at: Some(at(0)),
        recalls: u64::MAX,
        recalls_since_edit: 1 << 63,
        recalled_at: Some(Timestamp::MAX),
        recall_op: Some(op("o'")),
        ..item(key)
    }
}

fn extremes_round_trip(context: &mut Context) {
    let rows = [
        full(item_key(None, "full")),
        full(item_key(Some("p"), "full")),
        Item { body: String::new(), ..item(item_key(None, "blank")) },
    ];
    let write = rows.iter().cloned().fold(Write::new(), Write::item);
    let commit = act(context.store(), write);
    assert_eq!(commit.revision.0, 0, "an item is no journal entry");
    for row in &rows {
        assert_stored(context, row);
    }
    assert_eq!(everything(context.store()).knowledge.len(), 3);
}

fn kinds(context: &mut Context) {
    for kind in ItemKind::ALL {
        let row = Item { kind, ..item(item_key(None, kind.as_str())) };
        act(context.store(), Write::new().item(row.clone()));
        assert_stored(context, &row);
    }
}

fn hostile_texts(context: &mut Context) {
    let texts = [
        "'; DROP TABLE knowledge; --",
        "{\"kind\":\"tool\"}\n{\"kind\":\"tool\"}\n",
        "\u{1b}[31m \u{202e} \u{feff} \u{7f}",
        "line\r\nline\u{2028}line",
        "---\nid: x\n---\n",
        "%_*?[a-z]\\",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let row = Item {
            body: text.into(),
            keywords: BTreeSet::from([text.into()]),
            path: Some(text.into()),
            version_context: Some(text.into()),
            citations: BTreeSet::from([Citation::of_path(text)]),
            ..item(item_key(None, format!("{number}")))
        };
        act(context.store(), Write::new().item(row.clone()));
        assert_stored(context, &row);
    }
}

fn big_body(context: &mut Context) {
    let whole = "\u{1f680} of a megabyte\n".repeat(1 << 16);
    let row = Item {
        body: whole[..1 << 20].into(),
        keywords: (0..400).map(|number| format!("{number:0512}")).collect(),
        ..full(item_key(None, "big"))
    };
    let write = Write::new().item(item(item_key(None, "before"))).item(row.clone());
    act(context.store(), write);
    assert_stored(context, &row);
    let smaller = Item { body: "small".into(), ..row };
    act(context.store(), Write::new().item(smaller.clone()));
    assert_stored(context, &smaller);
    assert_stored(context, &item(item_key(None, "before")));
}

fn replace(context: &mut Context) {
    let key = item_key(Some("p"), "x");
    for row in [item(key.clone()), full(key.clone()), item(key.clone())] {
        act(context.store(), Write::new().item(row.clone()));
        assert_stored(context, &row);
        assert_eq!(everything(context.store()).knowledge.len(), 1);
    }
}

fn delete(context: &mut Context) {
    let keys = [item_key(None, "x"), item_key(Some("p"), "x"), item_key(None, "X")];
    let write = keys.iter().cloned().map(item).fold(Write::new(), Write::item);
    act(context.store(), write);
    act(context.store(), Write::new().no_item(keys[0].clone()).no_item(item_key(None, "none")));
    assert_eq!(found(context, ItemFilter::All), [keys[2].clone(), keys[1].clone()]);
    act(context.store(), Write::new().item(item(keys[0].clone())));
    assert_eq!(found(context, ItemFilter::All).len(), 3);
}

fn by_key(context: &mut Context) {
    let keys: Vec<ItemKey> = AWKWARD
        .iter()
        .flat_map(|text| [None, Some("p"), Some("P")].map(|project| item_key(project, text)))
        .collect();
    let write = keys.iter().cloned().map(item).fold(Write::new(), Write::item);
    act(context.store(), write);
    for key in keys {
        assert_eq!(found(context, ItemFilter::Key(key.clone())), [key]);
    }
    assert_eq!(found(context, ItemFilter::Key(item_key(None, "a_B"))), []);
}

fn by_scope(context: &mut Context) {
    let of_global = [item_key(None, "a"), item_key(None, "b")];
    let of_p = [item_key(Some("a_b"), "a"), item_key(Some("a_b"), "c")];
    let of_q = [item_key(Some("aXb"), "a")];
    let keys = [&of_global[..], &of_p, &of_q].concat();
    act(context.store(), keys.into_iter().map(item).fold(Write::new(), Write::item));
    assert_eq!(found(context, ItemFilter::Scope(Scope::Global)), of_global);
    assert_eq!(found(context, ItemFilter::Scope(scope("a_b"))), of_p);
    assert_eq!(found(context, ItemFilter::Scope(scope("aXb"))), of_q);
    assert_eq!(found(context, ItemFilter::Scope(scope("a%"))), []);
}

fn all(context: &mut Context) {
    let mut keys: Vec<ItemKey> =
        [None, Some("p"), Some("q")].map(|project| item_key(project, "x")).into();
    act(context.store(), keys.iter().cloned().map(item).fold(Write::new(), Write::item));
    keys.sort();
    assert_eq!(found(context, ItemFilter::All), keys);
}

fn saving_one(context: &mut Context) {
    let keys: Vec<ItemKey> = (0..50)
        .map(|number| item_key([None, Some("p")][number % 2], format!("{number}")))
        .collect();
    act(context.store(), keys.iter().cloned().map(full).fold(Write::new(), Write::item));
    let mut expected = everything(context.store()).knowledge;
    for key in keys {
        let row = Item { recalls: 1, ..item(key.clone()) };
        let commit = act(context.store(), Write::new().item(row.clone()));
        assert_eq!(commit.changes.knowledge.len(), 1);
        expected.insert(key, row);
        assert_eq!(everything(context.store()).knowledge, expected);
    }
}
