//! Clients that want to be told when the overview changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::{Peer, RoleServer};
use staleness::ids::AgentId;
use tokio::task::AbortHandle;

use crate::call::Ended;
use crate::follow::{ASK_EVERY, Follower};
use crate::resources;
use crate::server::Server;

/// The time from a commit until the overview is made.
const SETTLE: Duration = Duration::from_millis(250);

/// The overview as it was last told, followed from there on.
#[derive(Debug)]
pub(crate) struct OverviewWatch {
    server: Server,
    agent: Option<AgentId>,
    follower: Follower,
    told: Option<String>,
}

impl OverviewWatch {
    /// Watches for an agent from now on.
    pub(crate) async fn new(server: Server, agent: Option<AgentId>) -> Self {
        // In this order: what is committed in between is seen twice, not never.
        let follower = Follower::from_now(server.store().clone()).await;
        let told = overview(&server, agent.clone()).await;
        Self { server, agent, follower, told }
    }

    /// Waits until the overview says something else, whoever committed what. Commits that it does not show,
    /// as those of other projects, are nothing to be told of.
    pub(crate) async fn changed(&mut self) {
        loop {
            self.follower.next().await;
            // Commits that follow each other at once are told of once.
            tokio::time::sleep(SETTLE).await;
            let now = loop {
                match overview(&self.server, self.agent.clone()).await {
                    Some(now) => break now,
                    // The commit is not forgotten over a store that is busy.
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

/// The overview, where it can be made.
async fn overview(server: &Server, agent: Option<AgentId>) -> Option<String> {
    let (server, turn) = (server.clone(), server.turns().quick().await);
    let made = tokio::task::spawn_blocking(move || {
        let made = resources::overview(&server, agent);
        drop(turn);
        made
    });
    made.await.ok()?.ok()
}

/// The subscription of one client to the overview, in the protocol's older way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscription(Arc<Mutex<Option<AbortHandle>>>);

impl Subscription {
    /// Tells the client of every change from now on, until it goes away; once, however often it asks.
    pub(crate) fn begin(&self, mut watch: OverviewWatch, peer: Peer<RoleServer>, gone: Ended) {
        let telling = tokio::spawn(async move {
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

    /// Returns true if the client is told already.
    pub(crate) fn is_on(&self) -> bool {
        let telling = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        telling.as_ref().is_some_and(|telling| !telling.is_finished())
    }

    /// Tells it no more.
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
