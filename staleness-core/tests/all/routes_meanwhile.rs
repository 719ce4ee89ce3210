//! Routes that change between a plan and what is written by it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::common::Spy;
use crate::common::teaching::{lesson, routes, sure, world};
use async_trait::async_trait;
use staleness_core::journal::Revision;
use staleness_core::registry::Learn;
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Commit, Query, Selection, Step, View};
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, RegistryStore, StoreError, Wait};

/// A store in which somebody else learns just before the next commit.
#[derive(Debug)]
struct Meanwhile {
    inner: Spy,
    learns: Mutex<Option<(ProjectRef, Learn)>>,
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for Meanwhile {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.inner.view(query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let learns = self.learns.lock().unwrap().take();
        if let Some((project, learn)) = learns {
            let other = Registry::new(Arc::new(self.inner.clone()), Policy::default());
            other.routes().learn(&project, learn).await.unwrap();
        }
        self.inner.transact(step).await
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

    async fn changed(&self, seen: Revision) -> Option<Revision> {
        self.inner.changed(seen).await
    }
}

#[test]
fn a_cached_copy_is_not_written_over_a_newer_value() {
    let world = world();
    for query in ["first", "second"] {
        let lesson = lesson(&world, query, 0.5, query);
        world.registry.routes().learn(&world.project, lesson).wait().unwrap();
    }
    world.pass(30 * Timestamp::DAY);
    // Both are to go; one is learned again after the plan was made, and before it is carried out.
    let learns = (world.project.clone(), lesson(&world, "first", 1.0, "again"));
    let store = Meanwhile { inner: world.spy.clone(), learns: Mutex::new(Some(learns)) };
    let pruning = Registry::new(Arc::new(store), Policy::default());
    let report = pruning.routes().prune(&world.project.id, world.now(), false).wait().unwrap();
    assert_eq!((report.removed.len(), report.kept), (1, 1));
    let left = routes(&world);
    assert_eq!(left.iter().map(|route| route.query.as_str()).collect::<Vec<_>>(), ["first"]);
    assert_eq!((sure(&left[0]), left[0].uses, left[0].last_used_at), (0.6, 2, world.now()));
}
