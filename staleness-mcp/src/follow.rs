//! Follows the commits of other processes.

use std::time::Duration;

use staleness::journal::Revision;
use staleness::{Policy, Wait};
use staleness_service::settings::Access;
use staleness_service::{SharedStore, Waits};

/// Polling interval.
pub(crate) const ASK_EVERY: Duration = Duration::from_secs(2);

/// Follows the revision of a registry, which increases with every commit that has journal entries.
#[derive(Debug)]
pub(crate) struct Follower {
    store: SharedStore,
    seen: Option<Revision>,
}

impl Follower {
    /// Starts at a revision. If it is `None`, the first revision found counts as new.
    pub(crate) const fn new(store: SharedStore, seen: Option<Revision>) -> Self {
        Self { store, seen }
    }

    pub(crate) async fn from_now(store: SharedStore) -> Self {
        let mut follower = Self::new(store, None);
        // If the revision cannot be read now, it counts as new later.
        follower.seen = follower.ask().await;
        follower
    }

    /// Waits for a new revision from any process and returns it. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Revision {
        loop {
            if let Some(revision) = self.ask().await
                && self.seen.replace(revision) != Some(revision)
            {
                return revision;
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// Returns the current revision.
    async fn ask(&self) -> Option<Revision> {
        let store = self.store.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let registry =
                store.registry(&Policy::default(), Access::Look, Waits::default()).ok()?;
            registry.admin().revision().wait().ok()
        });
        asked.await.ok().flatten()
    }
}
