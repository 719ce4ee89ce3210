//! Writing rows directly, without a verb of the registry: for filling stores.

use staleness::Registry;
use staleness::store::{Draft, Selection};
use staleness_conformance::support::{step_on, transact};

/// Writes in one commit what `write` puts into a draft. The draft sees what is selected.
///
/// # Panics
/// When the store reports an error.
pub fn put(
    registry: &Registry,
    selection: Selection,
    write: impl Fn(&mut Draft<'_>) + Send + Sync + 'static,
) {
    transact(registry.store().as_ref(), step_on(selection, write)).expect("it is written");
}
