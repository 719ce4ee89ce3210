//! A store that asks everything twice.

use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::store::{
    Commit, Decision, Durability, Query, Refusal, RegistryStore, Selection, Step, StoreError, View,
};

use super::{Around, Finding, Manner};

/// The behaviour of [`Twice`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AskTwice;

/// Asks each step and query twice, and returns [`StoreError::Misstep`] if the answers differ, because it is
/// then not pure: it read a clock, drew a random number, or kept state.
pub type Twice = Around<AskTwice>;

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Manner for AskTwice {
    async fn view(
        &self,
        inner: &dyn RegistryStore,
        query: Arc<dyn Query>,
    ) -> Result<View, StoreError> {
        let asked = Arc::new(Asked { inner: query, finding: Finding::default() });
        let result = inner.view(Arc::<Asked<dyn Query>>::clone(&asked)).await;
        asked.finding.or(result)
    }

    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, StoreError> {
        let asked = Arc::new(Asked { inner: step, finding: Finding::default() });
        let result = inner.transact(Arc::<Asked<dyn Step>>::clone(&asked)).await;
        asked.finding.or(result)
    }
}

/// A step or query that is asked twice.
#[derive(Debug)]
struct Asked<T: ?Sized> {
    finding: Finding,
    inner: Arc<T>,
}

impl<T: ?Sized + std::fmt::Debug> Asked<T> {
    /// Returns the answer if both are equal, else a refusal.
    fn agreed<A: PartialEq + std::fmt::Debug>(&self, first: A, again: &A) -> Result<A, Refusal> {
        if first == *again {
            return Ok(first);
        }
        Err(self.finding.note(format!(
            "{:?} is not pure: asked twice it answered {first:?}, then {again:?}",
            self.inner
        )))
    }
}

#[deny(clippy::missing_trait_methods)]
impl Step for Asked<dyn Step> {
    fn selection(&self) -> Selection {
        let selection = self.inner.selection();
        // A difference is recorded here, and the refusal is returned from `decide`.
        let _ = self.agreed(selection.clone(), &self.inner.selection());
        selection
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.agreed(self.inner.decide(view), &self.inner.decide(view))?
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}

#[deny(clippy::missing_trait_methods)]
impl Query for Asked<dyn Query> {
    fn selection(&self) -> Selection {
        let selection = self.inner.selection();
        let _ = self.agreed(selection.clone(), &self.inner.selection());
        selection
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.agreed(self.inner.more(view), &self.inner.more(view)).ok().flatten()
    }
}
