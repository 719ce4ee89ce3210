//! Verbs that only look at work items.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ids::{ProjectId, Scope, WorkId, WorkKey};
use crate::policy::Policy;
use crate::registry::{Registry, RegistryError, ScopeChoice, WorkItems, nearest};
use crate::report::WorkReport;
use crate::scan::ProjectRef;
use crate::store::{Selection, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::{StaleReport, Work, WorkKind, WorkPolicy, WorkStatus};

use super::overdue::{Overdue, Referring};
use super::unknown;

/// The filters of a list of work items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkListing {
    /// Of this kind alone.
    pub kind: Option<WorkKind>,
    /// In this state alone.
    pub status: Option<WorkStatus>,
    /// Only what has not ended. A store reads no other then.
    pub open: bool,
}

impl ScopeChoice {
    /// The keys of work items that an id may mean in a project, most likely first.
    #[must_use]
    pub fn work_keys(self, project: &ProjectId, id: &WorkId) -> Vec<WorkKey> {
        self.scopes(project).map(|scope| WorkKey { scope, id: id.clone() }).collect()
    }
}

impl WorkItems<'_> {
    /// The work item that an id means to a project.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown id, for which [`WorkItems::nearest`] knows the one that
    /// is most like it; else what the store reports.
    pub async fn get(
        self,
        project: &ProjectId,
        id: &WorkId,
        scope: ScopeChoice,
    ) -> Result<Work, RegistryError> {
        let found = self.0.first(scope.work_keys(project, id)).await?;
        found.ok_or_else(|| unknown(id).into())
    }

    /// The work items that a project sees, in the order of ids: its own, and the global ones but
    /// those that it has one of the same id for.
    pub async fn list(
        self,
        project: &ProjectId,
        listing: WorkListing,
    ) -> Result<Vec<Work>, RegistryError> {
        let ended = listing.status.is_some_and(|status| !status.is_open());
        let selection = if listing.open && !ended {
            open(project)
        } else {
            Selection::new()
                .peek(WorkFilter::Scope(Scope::Global))
                .peek(WorkFilter::Scope(Scope::Project(project.clone())))
        };
        let view = self.0.ask(selection).await?;
        Ok(visible(&view)
            .into_values()
            .filter(|work| listing.kind.is_none_or(|kind| work.kind == kind))
            .filter(|work| listing.status.is_none_or(|status| work.status == status))
            .filter(|work| !listing.open || work.status.is_open())
            .cloned()
            .collect())
    }

    /// Work items with their verdicts. Those that fresh work of the project still refers to are
    /// judged one level softer.
    pub async fn reports(
        self,
        project: &ProjectRef,
        work: Vec<Work>,
        now: Timestamp,
    ) -> Result<Vec<WorkReport>, RegistryError> {
        let judge = |work: &Work, softened_by: Option<&str>| {
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
            let verdict = judge(&each, fresh.get(each.key.id.as_str()).map(String::as_str));
            WorkReport::new(each, verdict)
        };
        Ok(work.into_iter().map(judged).collect())
    }

    /// Reports what is overdue among the work that a project sees, oldest first.
    pub async fn stale(
        self,
        project: &ProjectRef,
        now: Timestamp,
    ) -> Result<StaleReport, RegistryError> {
        let overdue = self.0.overdue(project, now);
        let view = self.0.ask(overdue.clone()).await?;
        Ok(overdue.report(&view))
    }

    /// The id of a work item that the project sees that is most like `text`, for a helpful error.
    pub async fn nearest(
        self,
        project: &ProjectId,
        text: &str,
    ) -> Result<Option<WorkId>, RegistryError> {
        let work = self.list(project, WorkListing::default()).await?;
        Ok(nearest(text, work.into_iter().map(|work| work.key.id)))
    }
}

impl Registry {
    /// Returns the query for what is overdue in a project.
    pub(in crate::registry) fn overdue(&self, project: &ProjectRef, now: Timestamp) -> Overdue {
        Overdue { policy: Arc::clone(&self.policy), project: project.clone(), now }
    }
}

/// The open work that a project sees.
pub(in crate::registry) fn open(project: &ProjectId) -> Selection {
    Selection::new()
        .peek(WorkFilter::Open(Scope::Global))
        .peek(WorkFilter::Open(Scope::Project(project.clone())))
}

/// The work items of a view by id: a project's own stand for global ones.
fn visible(view: &View) -> BTreeMap<&WorkId, &Work> {
    // Global ones come first in the order of keys.
    view.work.iter().map(|(key, work)| (&key.id, work)).collect()
}

/// The thresholds that hold for an item in a project.
pub(super) fn rules<'p>(
    policy: &'p Policy,
    project: &ProjectRef,
    work: &Work,
) -> Cow<'p, WorkPolicy> {
    let project = (&project.id, project.root.as_str());
    policy.work.rules(work.kind, Some(project), work.author.as_deref())
}

/// The command that settles an overdue item, ready to be pasted into a shell.
pub(super) fn command(work: &Work) -> String {
    let id = work.key.id.as_str();
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@');
    let word = if id.chars().all(plain) {
        id.to_owned()
    } else {
        format!("'{}'", id.replace('\'', r"'\''"))
    };
    let dashes = if id.starts_with('-') { "-- " } else { "" };
    format!("staleness stale resolve {dashes}{word}")
}
