//! Writes rows directly, without a registry operation, to fill stores.

use std::sync::Arc;

use staleness::Registry;
use staleness_conformance::Put;
use staleness_conformance::support::transact;
use staleness_core::store::{Change, ChangeSet, Row};

/// Writes rows in one commit.
///
/// # Panics
/// If the store returns an error.
pub fn put<R: Row>(registry: &Registry, rows: impl IntoIterator<Item = R>) {
    let mut changes = ChangeSet::default();
    R::changes_mut(&mut changes).extend(rows.into_iter().map(Change::Put));
    write(registry, changes);
}

/// Writes changes in one commit.
///
/// # Panics
/// If the store returns an error.
pub fn write(registry: &Registry, changes: ChangeSet) {
    transact(registry.store().as_ref(), Arc::new(Put(changes))).expect("it is written");
}
