//! Rows as they are, without a verb: for stores that are filled.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use staleness::store::{Decision, Draft, Durability, Refusal, Selection, Step, View};
use staleness::{BlockingRegistry, Timestamp};

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

/// Writes in one commit what `write` puts into a draft that sees what is selected.
///
/// # Panics
/// When the store reports an error.
pub fn put(
    registry: &BlockingRegistry,
    selection: Selection,
    write: impl Fn(&View, &mut Draft<'_>) + Send + Sync + 'static,
) {
    let store = Arc::clone(registry.inner().store());
    pollster::block_on(store.transact(Arc::new(Put { selection, write }))).expect("it is written");
}

/// Rows that one commit writes.
const BATCH: usize = 10_000;

/// Writes the rows of these numbers as `make` makes them, in batches, each by what `write` does to a draft.
///
/// # Panics
/// When the store reports an error.
pub fn put_all<R: Send + Sync + 'static>(
    registry: &BlockingRegistry,
    range: Range<usize>,
    make: impl FnMut(usize) -> R,
    write: fn(&mut Draft<'_>, &R),
) {
    let mut left = range.len();
    let mut rows = range.map(make);
    while left > 0 {
        let batch: Vec<R> = rows.by_ref().take(BATCH).collect();
        left -= batch.len();
        put(registry, Selection::new(), move |_, draft| {
            batch.iter().for_each(|row| write(draft, row));
        });
    }
}
