//! A store that rejects writes of rows that were not locked.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{
    Commit, Decision, Durability, Refusal, RegistryStore, Selection, Step, StoreError, View,
};

use super::{Around, Finding, Manner};

/// The behaviour of [`Strict`].
#[derive(Clone, Copy, Debug, Default)]
pub struct HoldToLocks;

/// Returns [`StoreError::Misstep`] for a step that writes a row it did not lock, or writes a row twice. Most
/// backends would not notice.
pub type Strict = Around<HoldToLocks>;

#[async_trait]
impl Manner for HoldToLocks {
    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, StoreError> {
        let held = Arc::new(CheckedStep {
            inner: step,
            selected: Mutex::default(),
            finding: Finding::default(),
        });
        let result = inner.transact(Arc::<CheckedStep>::clone(&held)).await;
        held.finding.or(result)
    }
}

/// A step that is checked against its locks.
#[derive(Debug)]
struct CheckedStep {
    inner: Arc<dyn Step>,
    /// Everything selected since the store last started the step.
    selected: Mutex<Selection>,
    finding: Finding,
}

#[deny(clippy::missing_trait_methods)]
impl Step for CheckedStep {
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
            Decision::Write(changes) => {
                if let Err(what) = changes.check(&selected, view) {
                    self.finding.note(format!("{what} by {:?}", self.inner));
                }
            }
        }
        self.finding.refused().map(|()| decision)
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}
