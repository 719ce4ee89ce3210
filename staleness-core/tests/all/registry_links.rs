//! Links between items: what removing one leaves, and what a dry registry shows of it all.

use std::collections::BTreeSet;

use crate::common::items::{act, add, at, get, global, id, item, key, project, registry};
use staleness_core::journal::Subject;
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::store::Refusal;
use staleness_core::{Registry, RegistryError, Wait};

/// Why the journal says that an item was changed last.
fn cause(registry: &Registry, text: &str) -> String {
    let told = registry.admin().journal_of(Subject::item(&key(text)), 9).wait().unwrap();
    told.iter().max_by_key(|entry| (entry.revision, entry.index)).unwrap().cause.clone()
}

#[test]
fn removing_an_item_takes_every_link_to_it_back_and_says_so() {
    let registry = registry();
    for text in ["a", "b"] {
        add(&registry, item(text));
    }
    add(&registry, Item { related: [id("a"), id("b")].into(), ..item("c") });
    add(&registry, Item { key: global("a"), ..item("a") });
    add(&registry, Item { key: global("d"), related: [id("a")].into(), ..item("d") });
    registry.knowledge().supersede(key("a"), key("b"), act("s", 1)).wait().unwrap();
    registry.knowledge().remove(key("a"), act("r", 2)).wait().unwrap();
    assert_eq!(get(&registry, "b").supersedes, BTreeSet::new());
    assert_eq!(get(&registry, "c").related, [id("b")].into());
    assert_eq!(get(&registry, "c").updated_at, at(0), "nobody edited it");
    assert_eq!(cause(&registry, "b"), "no longer supersedes a");
    assert_eq!(cause(&registry, "c"), "no longer related to a");
    // What is global means the global item.
    assert_eq!(get(&registry, "d").related, [id("a")].into());
    registry.knowledge().remove(global("a"), act("r2", 3)).wait().unwrap();
    assert_eq!(get(&registry, "d").related, BTreeSet::new());
}

#[test]
fn a_dry_registry_shows_what_would_be_and_writes_nothing() {
    let registry = registry();
    add(&registry, Item { kind: ItemKind::Todo, ..item("a") });
    add(&registry, item("b"));
    let (before, revision) = (
        registry.knowledge().rows(&project()).wait().unwrap(),
        registry.admin().revision().wait().unwrap(),
    );
    let dry = registry.dry();
    assert!(dry.knowledge().done(vec![key("a")], act("d", 1)).wait().unwrap()[0].is_done());
    let (old, new) = dry.knowledge().supersede(key("a"), key("b"), act("s", 1)).wait().unwrap();
    assert_eq!((old.superseded_by, new.supersedes), ([id("b")].into(), [id("a")].into()));
    assert!(dry.knowledge().remove(key("a"), act("r", 1)).wait().unwrap().is_some());
    let unknown = dry.knowledge().remove(key("x"), act("r", 1)).wait();
    assert!(
        matches!(unknown, Err(RegistryError::Rejected(Refusal::Unknown { .. }))),
        "{unknown:?}"
    );
    assert_eq!(registry.knowledge().rows(&project()).wait().unwrap(), before);
    assert_eq!(registry.admin().revision().wait().unwrap(), revision);
}
