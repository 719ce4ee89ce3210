//! Following what others commit.

use std::sync::Arc;
use std::time::Duration;

use staleness::journal::Revision;
use staleness::store::RegistryStore;
use staleness::{Policy, Wait};
use staleness_service::settings::Access;
use staleness_service::{SharedStore, Waits};

/// The time between two looks at a registry whose store does not report commits.
pub(crate) const ASK_EVERY: Duration = Duration::from_secs(2);

/// Follows the revision of a registry, which moves with every commit that the journal tells of.
#[derive(Debug)]
pub(crate) struct Follower {
    store: SharedStore,
    seen: Option<Revision>,
}

impl Follower {
    /// Follows from a revision on; without one from whatever is found first.
    pub(crate) const fn new(store: SharedStore, seen: Option<Revision>) -> Self {
        Self { store, seen }
    }

    /// Follows from now on.
    pub(crate) async fn from_now(store: SharedStore) -> Self {
        let mut follower = Self::new(store, None);
        // What cannot be asked now counts as news once it can.
        follower.seen = follower.ask().await.map(|(revision, _)| revision);
        follower
    }

    /// Waits until the revision is another than the last one, whoever committed, and answers it. May be
    /// dropped while it waits.
    pub(crate) async fn next(&mut self) -> Revision {
        loop {
            if let Some((mut revision, store)) = self.ask().await {
                if self.seen == Some(revision) {
                    revision = store.changed(revision).await.unwrap_or(revision);
                }
                if self.seen.replace(revision) != Some(revision) {
                    return revision;
                }
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// The revision now, and the store that has it.
    async fn ask(&self) -> Option<(Revision, Arc<dyn RegistryStore>)> {
        let store = self.store.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let registry =
                store.registry(&Policy::default(), Access::Look, Waits::default()).ok()?;
            let revision = registry.admin().revision().wait().ok()?;
            Some((revision, Arc::clone(registry.store())))
        });
        asked.await.ok().flatten()
    }
}
