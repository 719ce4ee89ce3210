//! A store that refuses to write what was not locked.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{
    Commit, Decision, Durability, Query, Refusal, RegistryStore, Selection, Step, StoreError, View,
    check_changes,
};

use super::Finding;

/// Reports [`StoreError::Misstep`] for a step that writes a row it did not lock, or a row twice,
/// where most backends would not notice.
#[derive(Clone, Debug)]
pub struct Strict {
    inner: Arc<dyn RegistryStore>,
}

impl Strict {
    /// Steps are carried out by `inner`.
    #[must_use]
    pub const fn new(inner: Arc<dyn RegistryStore>) -> Self {
        Self { inner }
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for Strict {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.inner.view(query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let held =
            Arc::new(Held { inner: step, selected: Mutex::default(), finding: Finding::default() });
        let result = self.inner.transact(Arc::<Held>::clone(&held)).await;
        held.finding.or(result)
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

/// A step that is held to what it locked.
#[derive(Debug)]
struct Held {
    inner: Arc<dyn Step>,
    /// Everything that was selected since the store last began.
    selected: Mutex<Selection>,
    finding: Finding,
}

#[deny(clippy::missing_trait_methods)]
impl Step for Held {
    fn selection(&self) -> Selection {
        let selection = self.inner.selection();
        self.selected.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&selection);
        selection
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let decision = self.inner.decide(view)?;
        let mut selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
        match &decision {
            Decision::Need(more) => selected.merge(more.clone()),
            Decision::Write(changes) => check_changes(&selected, view, changes)
                .map_err(|what| self.finding.note(format!("{what} by {:?}", self.inner)))?,
        }
        Ok(decision)
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}
