//! Queries for work items.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ids::{AgentId, ProjectId, Scope, WorkId, WorkKey};
use crate::policy::Policy;
use crate::registry::{Registry, RegistryError, ScopeChoice, WorkItems};
use crate::report::WorkReport;
use crate::scan::ProjectRef;
use crate::store::{Query, Selection, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::{Warning, Work, WorkKind, WorkPolicy, WorkStatus};

use super::act::meant;
use super::overdue::{Overdue, Referring, visible, visible_open};
use super::unknown;

/// A filter for a list of work items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkListing {
    /// The kind to list. `None` for any.
    pub kind: Option<WorkKind>,
    /// The state to list. `None` for any.
    pub status: Option<WorkStatus>,
    /// True to list only open items. The store then reads no others.
    pub open: bool,
}

impl ScopeChoice {
    /// Returns the keys of the work items that an id may mean in a project, most likely first. An id with the prefix
    /// that marks global items in output means only a global item.
    pub fn work_keys(self, project: &ProjectId, id: &WorkId) -> Vec<WorkKey> {
        let printed = id.as_str().strip_prefix(WorkKey::GLOBAL).and_then(|id| WorkId::new(id).ok());
        let printed = printed.filter(|_| self != Self::Project);
        let keys = self.scopes(project).map(|scope| WorkKey { scope, id: id.clone() });
        let printed = printed.map(|id| WorkKey { scope: Scope::Global, id });
        printed.into_iter().chain(keys).collect()
    }
}

impl WorkItems<'_> {
    /// Returns the work item that an id means in a project.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the id is unknown.
    pub async fn get(
        self,
        project: &ProjectId,
        id: &WorkId,
        scope: ScopeChoice,
    ) -> Result<Work, RegistryError> {
        let found = self.0.first(scope.work_keys(project, id)).await?;
        found.ok_or_else(|| unknown(id).into())
    }

    /// Returns the work items that a project sees, by id: its own, and global ones. An open item of the project hides
    /// the global one with the same id, unless a person typed the global one.
    pub async fn list(
        self,
        project: &ProjectId,
        listing: WorkListing,
    ) -> Result<Vec<Work>, RegistryError> {
        let ended = listing.status.is_some_and(|status| !status.is_open());
        let selection = if listing.open && !ended {
            open(project)
        } else {
            Selection::new().peek_both(project, WorkFilter::Scope)
        };
        let view = self.0.ask(selection).await?;
        let mut work = visible(project, &view);
        work.sort_by(|a, b| (&a.key.id, &a.key).cmp(&(&b.key.id, &b.key)));
        Ok(work
            .into_iter()
            .filter(|work| listing.kind.is_none_or(|kind| work.kind == kind))
            .filter(|work| listing.status.is_none_or(|status| work.status == status))
            .filter(|work| !listing.open || work.status.is_open())
            .cloned()
            .collect())
    }

    /// Returns work items with their verdicts. Items to which fresh work of the project refers are judged less
    /// severely.
    pub async fn reports(
        self,
        project: &ProjectRef,
        work: Vec<Work>,
        now: Timestamp,
    ) -> Result<Vec<WorkReport>, RegistryError> {
        let judge = |work: &Work, softened_by: Option<&WorkId>| {
            work.judge(now, &rules(&self.0.policy, project, work), softened_by)
        };
        let flagged = |work: &Work| work.flag(now, &rules(&self.0.policy, project, work)).is_some();
        let mut fresh = BTreeMap::new();
        let to: BTreeSet<String> =
            work.iter().filter(|work| flagged(work)).map(|work| work.key.id.to_string()).collect();
        if !to.is_empty() {
            let referring = Referring { overdue: self.0.overdue(project, now), to: Arc::new(to) };
            fresh.extend(referring.referred(&self.0.ask(referring.clone()).await?));
        }
        let judged = |each: Work| {
            let verdict = judge(&each, fresh.get(each.key.id.as_str()));
            WorkReport::new(each, verdict)
        };
        Ok(work.into_iter().map(judged).collect())
    }

    /// Returns warnings about the overdue work that a project sees, oldest first.
    pub async fn stale(
        self,
        project: &ProjectRef,
        now: Timestamp,
    ) -> Result<Vec<Warning>, RegistryError> {
        let overdue = self.0.overdue(project, now);
        let view = self.0.ask(overdue.clone()).await?;
        Ok(overdue.warnings(&view))
    }

    /// Returns the plans and handoffs that an agent can begin at `now`, oldest first. They are open, not blocked, not
    /// claimed, not expired, not addressed to another agent, and do not wait for an open item.
    pub async fn ready(
        self,
        project: &ProjectId,
        agent: Option<&AgentId>,
        now: Timestamp,
    ) -> Result<Vec<Work>, RegistryError> {
        let view = self.0.ask(Ready(project.clone())).await?;
        let work = visible_open(project, &view);
        let is_for = |to: &String| agent.is_none_or(|agent| agent.as_str() == to);
        let is_ready = |each: &Work| {
            each.kind.is_task()
                && each.status != WorkStatus::Blocked
                && each.held(now).is_none()
                && !each.is_expired_handoff(now)
                && each.to.as_ref().is_none_or(is_for)
                && waits_for(&view, each).next().is_none()
        };
        let mut ready: Vec<Work> =
            work.into_iter().filter(|each| is_ready(each)).cloned().collect();
        ready.sort_by(|a, b| (a.created_at, &a.key).cmp(&(b.created_at, &b.key)));
        Ok(ready)
    }

    /// Returns the ids of the open items for which a work item waits.
    pub async fn waits_for(
        self,
        project: &ProjectId,
        work: &Work,
    ) -> Result<Vec<WorkId>, RegistryError> {
        let view = self.0.ask(Ready(project.clone())).await?;
        Ok(waits_for(&view, work).map(|other| other.key.id.clone()).collect())
    }

    /// Returns the key of each open item that blocks another open item of the project, with the blocked item.
    pub async fn awaited(self, project: &ProjectId) -> Result<Vec<(WorkKey, Work)>, RegistryError> {
        let view = self.0.ask(Ready(project.clone())).await?;
        let open = visible_open(project, &view).into_iter();
        let pairs = |by| waits_for(&view, by).map(move |of| (of.key.clone(), Work::clone(by)));
        Ok(open.flat_map(pairs).collect())
    }
}

impl Registry {
    pub(in crate::registry) fn overdue(&self, project: &ProjectRef, now: Timestamp) -> Overdue {
        Overdue { policy: Arc::clone(&self.policy), project: project.clone(), now }
    }
}

fn waits_for<'v>(view: &'v View, by: &Work) -> impl Iterator<Item = &'v Work> {
    let others = by.after.iter().filter_map(|id| meant(|key| view.work.get(key), &by.key, id));
    others.filter(|other| other.status.is_open() && other.kind.resolved().is_some())
}

/// The query for open work and the items for which it waits.
#[derive(Debug)]
struct Ready(ProjectId);

impl Query for Ready {
    fn selection(&self) -> Selection {
        open(&self.0)
    }

    fn more(&self, view: &View) -> Option<Selection> {
        let own = |id: WorkId| WorkKey { scope: Scope::Project(self.0.clone()), id };
        let waiting = view.work.values().filter(|work| work.key.scope != Scope::Global);
        let ids: BTreeSet<&String> = waiting.flat_map(|work| &work.after).collect();
        // A project's own item hides the global one with the same id even after it has ended.
        let keys = ids.into_iter().filter_map(|id| WorkId::new(id).ok()).map(own);
        let unread: Vec<WorkKey> = keys.filter(|key| !view.work.contains_key(key)).collect();
        let is_done = view.looks > 1 || unread.is_empty();
        let all = unread.into_iter().map(WorkFilter::Key);
        (!is_done).then(|| all.fold(Selection::new(), Selection::peek))
    }
}

/// Selects the open work that a project sees.
pub(in crate::registry) fn open(project: &ProjectId) -> Selection {
    Selection::new().peek_both(project, WorkFilter::Open)
}

/// Returns the thresholds for an item, which may depend on the project and the item's author.
pub(super) fn rules<'p>(
    policy: &'p Policy,
    project: &ProjectRef,
    work: &Work,
) -> Cow<'p, WorkPolicy> {
    policy.work.rules(work.kind, project.caller(work.author.as_deref()))
}
