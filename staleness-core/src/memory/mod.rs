//! A store in memory, which is the reference for the meaning of every filter, change and error.

mod rows;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};
use rows::Rows;

const PAGE: usize = 1_000;

/// A store that lives as long as the process.
///
/// The store is deliberately strict: a step that writes a row without having locked it fails with
/// [`StoreError::Misstep`]. Other backends might not notice.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    rows: Arc<Mutex<Rows>>,
}

impl MemoryStore {
    /// Creates an empty store. Clones share its rows.
    pub fn new() -> Self {
        Self::default()
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // `decide` may panic only before anything is written, so the rows are consistent.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for MemoryStore {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        let rows = self.rows();
        query.run(|selection| Ok(rows.load(selection)))
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let mut rows = self.rows();
        let (view, selection, mut changes) = step.run(|selection| Ok(rows.load(selection)))?;
        changes.check(&selection, &view).map_err(StoreError::Misstep)?;
        let revision = rows.apply(&view, &mut changes);
        Ok(Commit { revision, view, changes })
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        selection.check_whole()?;
        let whole = self.rows().load(selection);
        for page in rows::split(whole, PAGE) {
            if visit(page).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn backup(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("backups: it is in memory"))
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.rows().check().map_err(StoreError::Corrupt)
    }
}
