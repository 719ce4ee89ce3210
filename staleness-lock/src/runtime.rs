//! Runs work on a thread that may block.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::store::{Selection, StoreError, View};

/// A visitor of pages.
type Page<'v> = &'v mut dyn FnMut(View) -> ControlFlow<()>;

/// Runs `work` on a blocking thread of the tokio runtime, or on the current thread if there is no runtime.
///
/// # Errors
/// The error of `work`.
pub async fn blocking<S: Send + Sync + 'static, T: Send + 'static>(
    inner: &Arc<S>,
    work: impl FnOnce(&S) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    #[cfg(feature = "tokio")]
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let inner = Arc::clone(inner);
        return join(runtime.spawn_blocking(move || work(&inner))).await;
    }
    work(inner)
}

/// Visits the pages that `read` produces. The visitor always runs on the caller's thread. In a tokio runtime,
/// the pages come from a blocking thread through a channel of capacity one, so at most three are in memory.
///
/// # Errors
/// The error of `read`.
pub async fn pages<S: Send + Sync + 'static>(
    inner: &Arc<S>,
    selection: &Selection,
    read: fn(&S, &Selection, Page<'_>) -> Result<(), StoreError>,
    visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
) -> Result<(), StoreError> {
    #[cfg(feature = "tokio")]
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let inner = Arc::clone(inner);
        let selection = selection.clone();
        let (send, mut pages) = tokio::sync::mpsc::channel(1);
        let reading = runtime.spawn_blocking(move || {
            read(&inner, &selection, &mut |page| match send.blocking_send(page) {
                Ok(()) => ControlFlow::Continue(()),
                // The visitor broke, or the caller was dropped.
                Err(_) => ControlFlow::Break(()),
            })
        });
        while let Some(page) = pages.recv().await {
            if visit(page).is_break() {
                break;
            }
        }
        drop(pages);
        return join(reading).await;
    }
    read(inner, selection, visit)
}

/// Implements `RegistryStore` for a store whose field `inner` does the work and blocks.
#[macro_export]
macro_rules! blocking_store {
    ($store:ty) => {
        const _: () = {
            use std::ops::ControlFlow;
            use std::path::Path;
            use std::sync::Arc;

            use staleness_core::store::{
                Commit, Query, RegistryStore, Selection, Step, StoreError, View,
            };
            use $crate::{blocking, pages};

            #[async_trait::async_trait]
            #[deny(clippy::missing_trait_methods)]
            impl RegistryStore for $store {
                async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
                    blocking(&self.inner, move |inner| inner.view(query.as_ref())).await
                }

                async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
                    blocking(&self.inner, move |inner| inner.transact(step.as_ref())).await
                }

                async fn pages(
                    &self,
                    selection: &Selection,
                    visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
                ) -> Result<(), StoreError> {
                    pages(&self.inner, selection, |it, all, visit| it.pages(all, visit), visit)
                        .await
                }

                async fn backup(&self, to: &Path) -> Result<(), StoreError> {
                    let to = to.to_path_buf();
                    blocking(&self.inner, move |inner| inner.backup(&to)).await
                }

                async fn check(&self) -> Result<(), StoreError> {
                    blocking(&self.inner, |inner| inner.check()).await
                }
            }
        };
    };
}

/// Waits for blocking work, and resumes its panic if it panicked.
#[cfg(feature = "tokio")]
async fn join<T>(work: tokio::task::JoinHandle<Result<T, StoreError>>) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Blocking work is only cancelled before it starts, so nothing was done.
            Err(cancelled) => Err(StoreError::Backend(Box::new(cancelled))),
        },
    }
}
