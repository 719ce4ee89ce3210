//! A store that fails on demand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{Commit, RegistryStore, Step, StoreError};

use super::{Around, Manner};

/// A way in which a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// [`StoreError::Busy`]: nothing was written.
    Before,
    /// [`StoreError::Unknown`], and nothing was written.
    Lost,
    /// [`StoreError::Unknown`], and everything was written.
    After,
}

/// The planned faults of the next steps, in order.
#[derive(Debug, Default)]
pub struct Faults(Mutex<VecDeque<Option<Fault>>>);

/// A store that fails the planned steps, none at first. Everything else is forwarded.
pub type Faulty = Around<Faults>;

impl Faulty {
    /// Plans the faults of the next steps in order. `None` lets a step pass, as do all steps after the plan.
    pub fn plan(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.manner().0.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
    }
}

impl Faults {
    fn next(&self) -> Option<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front().flatten()
    }
}

#[async_trait]
impl Manner for Faults {
    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, StoreError> {
        match self.next() {
            None => inner.transact(step).await,
            Some(Fault::Before) => Err(StoreError::Busy),
            Some(Fault::Lost) => Err(StoreError::Unknown("a planned fault".into())),
            Some(Fault::After) => {
                inner.transact(step).await?;
                Err(StoreError::Unknown("a planned fault".into()))
            }
        }
    }
}
