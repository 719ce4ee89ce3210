//! Writing rows directly, without a verb of the registry: for filling stores.

use std::fmt;
use std::sync::Arc;

use staleness::store::{Decision, Draft, Durability, Refusal, Selection, Step, View};
use staleness::{Registry, Timestamp};

struct Put<F> {
    selection: Selection,
    write: F,
}

impl<F> fmt::Debug for Put<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Put")
    }
}

impl<F: Fn(&View, &mut Draft<'_>) + Send + Sync + 'static> Step for Put<F> {
    fn selection(&self) -> Selection {
        self.selection.clone()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, Timestamp::MIN);
        (self.write)(view, &mut draft);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Writes in one commit what `write` puts into a draft. The draft sees what is selected.
///
/// # Panics
/// When the store reports an error.
pub fn put(
    registry: &Registry,
    selection: Selection,
    write: impl Fn(&View, &mut Draft<'_>) + Send + Sync + 'static,
) {
    let store = Arc::clone(registry.store());
    pollster::block_on(store.transact(Arc::new(Put { selection, write }))).expect("it is written");
}
