//! A store that fails on demand.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};

/// How a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// [`StoreError::Busy`]: nothing was written.
    Before,
    /// [`StoreError::Unknown`], and nothing was written.
    Lost,
    /// [`StoreError::Unknown`], and everything was written.
    After,
}

/// Fails the steps that it is told to fail; everything else goes to the store inside.
#[derive(Debug)]
pub struct Faulty {
    inner: Arc<dyn RegistryStore>,
    planned: Mutex<VecDeque<Option<Fault>>>,
}

impl Faulty {
    /// Steps are carried out by `inner`, and fail when planned.
    #[must_use]
    pub const fn new(inner: Arc<dyn RegistryStore>) -> Self {
        Self { inner, planned: Mutex::new(VecDeque::new()) }
    }

    /// What happens to the next steps, one after the other; `None` lets one through. Further steps
    /// are let through.
    pub fn plan(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
    }

    fn next(&self) -> Option<Fault> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).pop_front().flatten()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for Faulty {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.inner.view(query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        match self.next() {
            None => self.inner.transact(step).await,
            Some(Fault::Before) => Err(StoreError::Busy),
            Some(Fault::Lost) => Err(StoreError::Unknown("a planned fault".into())),
            Some(Fault::After) => {
                self.inner.transact(step).await?;
                Err(StoreError::Unknown("a planned fault".into()))
            }
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
