//! Pruning of routes. It is planned on one snapshot and applied in pages, which skip rows that have changed since then.

use serde::Serialize;

use crate::ids::{ProjectId, ToolName};
use crate::registry::old::{Also, removal};
use crate::registry::{RegistryError, Routes};
use crate::route::{PruneReason, Route, RouteId, Suggestions, plan_prune};
use crate::store::{Change, ProjectFilter, RouteFilter, Selection, SuggestionFilter};
use crate::time::Timestamp;

/// The maximum number of routes removed per commit, so that other writers wait only briefly.
const PAGE: usize = 1_000;

/// A route that was or would be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrunedRoute {
    /// The id of the route.
    pub id: RouteId,
    /// The tool to which the route led.
    pub tool: ToolName,
    /// The reason for the removal.
    pub reason: PruneReason,
}

/// The result of pruning routes, or of its dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoutePruneReport {
    /// The removed routes, by project, tool and id.
    pub removed: Vec<PrunedRoute>,
    /// The number of routes that remain.
    pub kept: u64,
}

impl Routes<'_> {
    /// Removes the routes of a project that are weak, unused or too many (see `plan_prune`), and the suggestions of
    /// sessions that were inactive for `routes.unused_days`. With `dry_run` only reports the routes.
    pub async fn prune(
        self,
        project: &ProjectId,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<RoutePruneReport, RegistryError> {
        self.prune_while(project, now, dry_run, &mut || true).await
    }

    /// Like [`Routes::prune`], but calls `more` before each commit and stops when it returns false.
    pub(in crate::registry) async fn prune_while(
        self,
        project: &ProjectId,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<RoutePruneReport, RegistryError> {
        let policy = &self.0.policy.routes;
        let all = Selection::new()
            .peek(RouteFilter::Project(project.clone()))
            .peek(SuggestionFilter::Project(project.clone()));
        let view = self.0.ask(all).await?;
        let plan = plan_prune(view.routes.values(), policy, now);
        let mut report = RoutePruneReport { removed: Vec::new(), kept: plan.kept };
        for page in plan.removed.chunks(PAGE) {
            let rows: Vec<Route> = page.iter().map(|(route, _)| (*route).clone()).collect();
            let gone = if dry_run {
                vec![true; rows.len()]
            } else if !more() {
                vec![false; rows.len()]
            } else {
                let vectors: Also<Route> =
                    (|all, _| all, |route, _, draft| draft.delete_route(&route.key));
                let step = removal(rows.clone(), now, Some(vectors));
                let changes = self.0.run(step).await?.changes.routes;
                rows.iter().map(|row| changes.contains(&Change::Delete(row.key.clone()))).collect()
            };
            for ((route, reason), gone) in page.iter().zip(gone) {
                if gone {
                    let (id, tool) = (route.key.id, route.key.tool.clone());
                    report.removed.push(PrunedRoute { id, tool, reason: *reason });
                } else {
                    report.kept += 1;
                }
            }
        }
        let old =
            |row: &&Suggestions| now.days_since(row.updated_at()) >= i64::from(policy.unused_days);
        let rows: Vec<Suggestions> = view.suggestions.values().filter(old).cloned().collect();
        if !dry_run {
            self.0.remove(&rows, now, None, more).await?;
        }
        Ok(report)
    }

    /// Prunes the routes of every project; with `dry_run` only reports them.
    ///
    /// # Errors
    /// As [`Routes::prune`].
    pub async fn prune_all(
        self,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<RoutePruneReport, RegistryError> {
        let projects = Selection::new().peek(ProjectFilter::All);
        let projects = self.0.ask(projects).await?.projects;
        let mut report = RoutePruneReport::default();
        for id in projects.keys() {
            let of_project = self.prune(id, now, dry_run).await?;
            report.removed.extend(of_project.removed);
            report.kept += of_project.kept;
        }
        Ok(report)
    }
}
