//! A store that wraps another store.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use staleness_core::store::{Commit, Query, RegistryStore, Selection, Step, StoreError, View};

/// The behaviour of a wrapping store. The default methods forward to the inner store.
#[async_trait]
pub trait Manner: fmt::Debug + Send + Sync + 'static {
    /// Runs a query.
    ///
    /// # Errors
    /// Those of the inner store, and the wrapper's own.
    async fn view(
        &self,
        inner: &dyn RegistryStore,
        query: Arc<dyn Query>,
    ) -> Result<View, StoreError> {
        inner.view(query).await
    }

    /// Runs a step.
    ///
    /// # Errors
    /// Those of the inner store, and the wrapper's own.
    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, StoreError> {
        inner.transact(step).await
    }
}

/// A store that handles queries and steps by a [`Manner`], and forwards everything else to the inner store.
#[derive(Clone, Debug)]
pub struct Around<M> {
    inner: Arc<dyn RegistryStore>,
    manner: M,
}

impl<M: Manner> Around<M> {
    /// Wraps `inner`.
    pub fn new(inner: Arc<dyn RegistryStore>) -> Self
    where
        M: Default,
    {
        Self::of(inner, M::default())
    }

    /// Wraps `inner` with a behaviour that has a state.
    pub const fn of(inner: Arc<dyn RegistryStore>, manner: M) -> Self {
        Self { inner, manner }
    }

    /// Returns the wrapper's behaviour.
    pub const fn manner(&self) -> &M {
        &self.manner
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl<M: Manner> RegistryStore for Around<M> {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.manner.view(self.inner.as_ref(), query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        self.manner.transact(self.inner.as_ref(), step).await
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
