//! A store that runs every step and query twice.

use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::store::{
    Commit, Decision, Durability, Query, Refusal, RegistryStore, Selection, Step, StoreError, View,
};

use super::{Around, Finding, Manner};

/// The behaviour of [`Twice`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AskTwice;

/// Runs each step and query twice, and returns [`StoreError::Misstep`] if the answers differ, because it is then not
/// pure: it read a clock, drew a random number, or kept state.
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

/// A step or query that is run twice.
#[derive(Debug)]
struct Asked<T: ?Sized> {
    finding: Finding,
    inner: Arc<T>,
}

impl<T: ?Sized + std::fmt::Debug> Asked<T> {
    /// Returns the first answer. Records it if the second one differs.
    fn twice<A: PartialEq + std::fmt::Debug>(&self, ask: impl Fn(&T) -> A) -> A {
        let (first, again) = (ask(&self.inner), ask(&self.inner));
        if first != again {
            self.finding.note(format!(
                "{:?} is not pure: asked twice it answered {first:?}, then {again:?}",
                self.inner
            ));
        }
        first
    }
}

#[deny(clippy::missing_trait_methods)]
impl Step for Asked<dyn Step> {
    fn selection(&self) -> Selection {
        self.twice(Step::selection)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let decision = self.twice(|step| step.decide(view));
        self.finding.refused().and(decision)
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}

#[deny(clippy::missing_trait_methods)]
impl Query for Asked<dyn Query> {
    fn selection(&self) -> Selection {
        self.twice(Query::selection)
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.twice(|query| query.more(view))
    }
}
