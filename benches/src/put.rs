//! Writes rows directly, without a registry operation, to fill stores.

use staleness::Registry;
use staleness_conformance::support;
use staleness_core::store::{Change, ChangeSet, Row};

/// Writes rows in one commit.
pub fn put<R: Row>(registry: &Registry, rows: impl IntoIterator<Item = R>) {
    let mut changes = ChangeSet::default();
    R::changes_mut(&mut changes).extend(rows.into_iter().map(Change::Put));
    write(registry, changes);
}

/// Writes changes in one commit.
pub fn write(registry: &Registry, changes: ChangeSet) {
    support::put(registry.store().as_ref(), changes).expect("it is written");
}
