//! Items and contexts for tests of knowledge.

use staleness_core::ids::{Caller, ItemId, ItemKey, ProjectId, Scope};
use staleness_core::knowledge::{Context, Distance, Evidence, Fact, Item, ItemKind};
use staleness_core::policy::KnowledgePolicy;
use staleness_core::time::Timestamp;

/// The moment of every test: 2026-01-01T00:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

pub(crate) fn ago(days: i64) -> Timestamp {
    NOW.minus_days(days)
}

pub(crate) fn key(id: &str) -> ItemKey {
    let project = ProjectId::of_root("/work/shop");
    ItemKey { scope: Scope::Project(project), id: ItemId::new(id).unwrap() }
}

pub(crate) fn item(kind: ItemKind, id: &str, days: i64) -> Item {
    Item::new(key(id), kind, format!("the text of {id}"), ago(days))
}

pub(crate) fn id(id: &str) -> ItemId {
    ItemId::new(id).unwrap()
}

pub(crate) fn context() -> Context {
    Context::new(NOW, &KnowledgePolicy::default(), Caller::default())
}

pub(crate) fn under(policy: &str) -> Context {
    Context::new(NOW, &toml::from_str(policy).unwrap(), Caller::default())
}

pub(crate) fn drift(distance: Distance) -> Evidence {
    let (written_for, project_at) = ("2.4.0".into(), "2.6.1".into());
    Fact::VersionDrift { written_for, project_at, distance }.into()
}

pub(crate) fn marker(word: &str) -> Evidence {
    Fact::TemporalMarker { word: word.into() }.into()
}

pub(crate) fn superseded() -> Evidence {
    Fact::Superseded { by: "new".into() }.into()
}

pub(crate) fn contradicted() -> Evidence {
    Fact::Contradicted { by: "ops".into(), reason: "the port is 9090".into() }.into()
}

pub(crate) fn expired(days: i64) -> Evidence {
    Fact::Expired { at: NOW.plus_millis(-days * Timestamp::DAY) }.into()
}

pub(crate) fn related_fresher() -> Evidence {
    Fact::RelatedFresher { id: "other".into() }.into()
}

pub(crate) fn related_stale() -> Evidence {
    Fact::RelatedStale { id: "other".into() }.into()
}
