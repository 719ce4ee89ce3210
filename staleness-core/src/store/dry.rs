//! A store that only reports what it would write.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Commit, Decision, Query, RegistryStore, Selection, Step, StoreError, View};

/// Runs steps on the data of another store without writing. A commit contains the changes that would have been written.
#[derive(Clone, Debug)]
pub(crate) struct DryStore {
    inner: Arc<dyn RegistryStore>,
}

impl DryStore {
    pub(crate) const fn new(inner: Arc<dyn RegistryStore>) -> Self {
        Self { inner }
    }
}

/// A query that reads the same rows as a step.
#[derive(Debug)]
struct Preview(Arc<dyn Step>);

impl Query for Preview {
    fn selection(&self) -> Selection {
        self.0.selection()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        match self.0.decide(view) {
            Ok(Decision::Need(more)) => Some(more),
            _ => None,
        }
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for DryStore {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.inner.view(query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let view = self.inner.view(Arc::new(Preview(Arc::clone(&step)))).await?;
        match step.decide(&view)? {
            Decision::Write(changes) => Ok(Commit { revision: view.revision, view, changes }),
            Decision::Need(_) => Err(StoreError::Misstep("the step has not seen enough".into())),
        }
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.inner.pages(selection, visit).await
    }

    async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.inner.backup(to).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.inner.check().await
    }
}
