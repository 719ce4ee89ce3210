//! Items of knowledge of one project, and what a test does with them.

use std::sync::Arc;

use staleness_core::ids::{ItemId, ItemKey, OpId, ProjectId, Scope};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::registry::{Act, ScopeChoice};
use staleness_core::{Policy, Registry, Timestamp, Wait};

use super::Spy;

pub(crate) fn registry() -> Registry {
    Registry::new(Arc::new(Spy::default()), Policy::default())
}

pub(crate) fn at(day: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(day * 86_400_000)
}

pub(crate) fn act(op: &str, day: i64) -> Act {
    Act::new(OpId::new(op).unwrap(), at(day))
}

pub(crate) fn id(text: &str) -> ItemId {
    ItemId::new(text).unwrap()
}

pub(crate) fn project() -> ProjectId {
    ProjectId::of_root("/work/shop")
}

pub(crate) fn key(text: &str) -> ItemKey {
    ItemKey { scope: Scope::Project(project()), id: id(text) }
}

pub(crate) fn global(text: &str) -> ItemKey {
    ItemKey { scope: Scope::Global, id: id(text) }
}

pub(crate) fn item(text: &str) -> Item {
    Item::new(key(text), ItemKind::Knowledge, format!("About {text}."), at(0))
}

pub(crate) fn add(registry: &Registry, item: Item) -> Item {
    let op = format!("add {} {}", item.key.scope.as_key(), item.key.id);
    registry.knowledge().add(item, act(&op, 0)).wait().unwrap()
}

pub(crate) fn get(registry: &Registry, text: &str) -> Item {
    registry.knowledge().get(&project(), &id(text), ScopeChoice::Either).wait().unwrap()
}
