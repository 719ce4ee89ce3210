//! Subscriptions to changes of the overview.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::{Peer, RoleServer};
use staleness::ids::AgentId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;

use crate::call::Ended;
use crate::follow::{ASK_EVERY, Follower};
use crate::resources;
use crate::server::Server;

/// Time to wait after a commit before the overview is rebuilt.
const SETTLE: Duration = Duration::from_millis(250);

/// The overview as last reported, and a follower of later commits.
#[derive(Debug)]
pub(crate) struct OverviewWatch {
    server: Server,
    agent: Option<AgentId>,
    follower: Follower,
    told: Option<String>,
}

impl OverviewWatch {
    pub(crate) async fn new(server: Server, agent: Option<AgentId>) -> Self {
        // In this order, a commit in between may be seen twice but is never missed.
        let follower = Follower::from_now(server.store().clone()).await;
        let told = overview(&server, agent.clone()).await;
        Self { server, agent, follower, told }
    }

    /// Waits until the overview's text changes. Commits that do not affect it, such as those of other
    /// projects, are ignored.
    pub(crate) async fn changed(&mut self) {
        loop {
            self.follower.next().await;
            // Several commits in quick succession are reported once.
            tokio::time::sleep(SETTLE).await;
            let now = loop {
                match overview(&self.server, self.agent.clone()).await {
                    Some(now) => break now,
                    // Retry if the store is busy, so that the commit is not missed.
                    None => tokio::time::sleep(ASK_EVERY).await,
                }
            };
            if self.told.as_ref() != Some(&now) {
                self.told = Some(now);
                return;
            }
        }
    }
}

/// Returns the overview, or `None` if it cannot be built.
async fn overview(server: &Server, agent: Option<AgentId>) -> Option<String> {
    let (server, turn) = (server.clone(), server.turns().quick().await);
    let made = tokio::task::spawn_blocking(move || {
        let made = resources::overview(&server, agent);
        drop(turn);
        made
    });
    made.await.ok()?.ok()
}

/// A client's subscription to the overview, in the protocol's older form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscription(Arc<Mutex<Option<AbortHandle>>>);

impl Subscription {
    /// Starts notifying the client of changes until it disconnects, and holds its permit. Replaces an earlier one.
    pub(crate) fn begin(
        &self,
        mut watch: OverviewWatch,
        peer: Peer<RoleServer>,
        gone: Ended,
        place: OwnedSemaphorePermit,
    ) {
        let telling = tokio::spawn(async move {
            let _place = place;
            let all = async {
                loop {
                    watch.changed().await;
                    let what = ResourceUpdatedNotificationParam::new(resources::OVERVIEW);
                    if peer.notify_resource_updated(what).await.is_err() {
                        break;
                    }
                }
            };
            tokio::select! {
                () = gone.ended() => {}
                () = all => {}
            }
        });
        self.replace(Some(telling.abort_handle()));
    }

    pub(crate) fn is_on(&self) -> bool {
        let telling = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        telling.as_ref().is_some_and(|telling| !telling.is_finished())
    }

    pub(crate) fn end(&self) {
        self.replace(None);
    }

    fn replace(&self, by: Option<AbortHandle>) {
        let mut telling = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *telling, by) {
            before.abort();
        }
    }
}
