//! The registry: what callers hold, one method per verb.

mod blocking;
mod documents;
mod finding;
mod hold;
mod import;
mod indexes;
mod knowledge;
mod lesson;
mod old;
mod prune;
mod prune_journal;
mod queries;
mod record;
mod routes;
mod seen;
mod sessions;
mod told;
mod used;
mod work;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

pub use blocking::BlockingRegistry;
pub use documents::{DocumentsReport, MAX_FINDINGS_BYTES, REFRESH_AFTER_DAYS};
pub use finding::{FindTools, FoundTools};
pub use hold::{ByHand, Forget, ForgetProject, ScopeChoice, SetHold};
pub use import::{
    BlockingImporter, ImportReport, Importer, StatedItem, ToldRoute, ToldWork, TransferCounts,
};
pub use indexes::Indexes;
pub use knowledge::{Act, FileItem, ItemPatch, Verification, recalls_since_edit};
pub use old::SessionPruneReport;
pub use prune::PruneReport;
pub use queries::{ScoredTool, ToolListing, list};
pub use record::RecordUses;
pub use routes::{FindRoutes, FoundRoute, FoundRoutes, Learn, PrunedRoute, RoutePruneReport};
pub use sessions::{Resume, ResumeFrom};
pub use used::Use;
pub use work::{Resolution, WorkListing, WorkPatch};

use crate::ids::{OpId, ProjectId, ToolName};
use crate::journal::{JournalEntry, Revision};
use crate::outcome::{Mark, Outcome};
use crate::policy::Policy;
use crate::report::{Context, ScanReport, StatusChange, ToolReport};
use crate::scan::{ApplyScan, Scan, readings_of};
use crate::store::{
    Commit, DryStore, JournalFilter, OutcomeCounts, Preview, Query, RegistryStore, Selection, Step,
    StoreError, View,
};
use crate::time::Timestamp;
use crate::tool::Hold;

/// What recording a use did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordReport {
    /// The tool afterwards.
    pub tool: ToolReport,
    /// How its status changed, and that of tools credited with the use.
    pub changed: Vec<StatusChange>,
    /// The use was recorded before: nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// The failure was put down to the machine being offline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

/// A registry in a store, under a policy. Cheap to clone.
///
/// Every verb that depends on time takes it as an argument. Verbs that may be repeated after
/// [`StoreError::is_retryable`] errors say so by carrying an [`OpId`].
#[derive(Clone, Debug)]
pub struct Registry {
    store: Arc<dyn RegistryStore>,
    policy: Arc<Policy>,
    indexes: Indexes,
}

impl Registry {
    /// A registry in `store` under `policy`.
    #[must_use]
    pub fn new(store: Arc<dyn RegistryStore>, policy: Policy) -> Self {
        Self { store, policy: Arc::new(policy), indexes: Indexes::new() }
    }

    /// Shares the indexes of searches with every registry of the same store that was given the same [`Indexes`].
    /// They are kept from question to question; answers are those of an index made anew, whoever writes to the
    /// store meanwhile.
    #[must_use]
    pub fn keeping(self, indexes: Indexes) -> Self {
        Self { indexes, ..self }
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The store underneath.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn RegistryStore> {
        &self.store
    }

    /// The same registry with verbs that write nothing, and return what they would have written.
    #[must_use]
    pub fn dry(&self) -> Self {
        let store = Arc::new(DryStore::new(Arc::clone(&self.store)));
        Self { store, policy: Arc::clone(&self.policy), indexes: self.indexes.clone() }
    }

    /// The same verbs for callers without an asynchronous runtime.
    #[must_use]
    pub fn blocking(&self) -> BlockingRegistry {
        BlockingRegistry::new(self.clone())
    }

    async fn ask(&self, query: impl Query) -> Result<View, StoreError> {
        self.store.view(Arc::new(query)).await
    }

    async fn run(&self, step: impl Step) -> Result<Commit, StoreError> {
        self.store.transact(Arc::new(step)).await
    }

    /// What a scan must know before it reads files: put it into [`Scan::read_under`].
    ///
    /// # Errors
    /// What the store reports.
    pub async fn readings(
        &self,
        project: &ProjectId,
    ) -> Result<std::collections::BTreeMap<crate::ids::SourceId, u64>, StoreError> {
        let view = self.ask(readings_of(project)).await?;
        Ok(view.sources.into_iter().map(|(id, source)| (id, source.readings)).collect())
    }

    /// Applies a scan: what is found becomes known or present, what is proven gone becomes absent.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Superseded`] when a newer reading was applied since
    /// [`Registry::readings`]: read again; else what the store reports.
    pub async fn apply_scan(&self, scan: Scan) -> Result<ScanReport, StoreError> {
        let step = Arc::new(ApplyScan { scan });
        let commit = self.store.transact(Arc::<ApplyScan>::clone(&step)).await?;
        Ok(ScanReport::new(&step.scan, &self.policy, commit.view, &commit.changes, commit.revision))
    }

    /// What [`Registry::apply_scan`] would do, and the tools as the project would see them then;
    /// writes nothing.
    ///
    /// # Errors
    /// As [`Registry::apply_scan`].
    pub async fn preview_scan(&self, scan: Scan) -> Result<(ScanReport, View), StoreError> {
        let project = scan.project.clone();
        let step = Arc::new(ApplyScan { scan });
        let preview = Preview(Arc::<ApplyScan>::clone(&step));
        let seen = self.ask(preview.clone()).await?;
        let changes = preview.changes(&seen)?;
        let mut view = self.ask(queries::visible(&project.id, &self.policy)).await?;
        view.merge(seen);
        let revision = view.revision;
        let report = ScanReport::new(&step.scan, &self.policy, view.clone(), &changes, revision);
        Ok((report, view.with(&changes)))
    }

    /// Records one use of a tool. May be repeated with the same op id.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn record(&self, used: Use) -> Result<RecordReport, StoreError> {
        let mut reports = self.record_all(vec![used]).await?;
        reports.pop().ok_or_else(|| StoreError::Misstep("nothing was recorded".into()))
    }

    /// Records uses in order, in one commit, and reports each tool as it stands after all of them, as
    /// of the latest. May be repeated with the same op ids. Where what they teach makes too many routes
    /// in a project, those are pruned.
    ///
    /// # Errors
    /// What the store reports; nothing is recorded then, unless pruning routes failed.
    pub async fn record_all(&self, uses: Vec<Use>) -> Result<Vec<RecordReport>, StoreError> {
        if uses.is_empty() {
            return Ok(Vec::new());
        }
        let step = Arc::new(RecordUses { uses, policy: Arc::clone(&self.policy) });
        let commit = self.store.transact(Arc::<RecordUses>::clone(&step)).await?;
        let now = step.uses.iter().map(|used| used.at).max().unwrap_or_default();
        self.trim_routes(&commit, now).await?;
        let mut fresh: HashMap<(&OpId, &ToolName), &Outcome> =
            commit.changes.outcomes.iter().map(|row| ((&row.op, &row.tool.name), row)).collect();
        // Each use that was written takes its outcome; a repetition of it finds none.
        let recorded: Vec<Option<&Outcome>> =
            step.uses.iter().map(|used| fresh.remove(&(&used.op, &used.tool))).collect();
        let repeated = step.uses.iter().zip(&recorded).filter(|(_, row)| row.is_none());
        let before = self.entries_of(repeated.map(|(used, _)| &used.op)).await?;
        let mut changed: HashMap<&OpId, Vec<StatusChange>> = HashMap::new();
        for entry in before.iter().chain(&commit.changes.journal) {
            if let (Some(op), Some(change)) = (&entry.op, StatusChange::of(entry)) {
                changed.entry(op).or_default().push(change);
            }
        }
        let view = commit.view.with(&commit.changes);
        let mut contexts: HashMap<&ProjectId, Context<'_>> = HashMap::new();
        let mut reports = Vec::with_capacity(step.uses.len());
        for (used, row) in step.uses.iter().zip(&recorded) {
            let context = contexts
                .entry(&used.project.id)
                .or_insert_with(|| Context::new(&view, &self.policy, &used.project, now));
            let tool = match row {
                Some(row) => view.tools.get(&row.tool),
                None => view.resolve(&used.project.id, &used.tool),
            };
            let tool = tool.ok_or_else(|| StoreError::Misstep("nothing was recorded".into()))?;
            reports.push(RecordReport {
                tool: ToolReport::new(context, tool),
                changed: changed.get(&used.op).cloned().unwrap_or_default(),
                duplicate: row.is_none(),
                offline: row.is_some_and(|row| row.mark == Mark::Offline),
            });
        }
        Ok(reports)
    }

    /// Records one use and returns nothing but whether it was new: the way of a hook, which reads
    /// and writes one row and tells nobody.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn record_quietly(&self, used: Use) -> Result<bool, StoreError> {
        let (policy, at) = (Arc::clone(&self.policy), used.at);
        let commit = self.run(RecordUses { uses: vec![used], policy }).await?;
        self.trim_routes(&commit, at).await?;
        Ok(!commit.changes.outcomes.is_empty())
    }

    /// What ops wrote to the journal before, for a report that repeats the first result.
    async fn entries_of(
        &self,
        ops: impl Iterator<Item = &OpId> + Send,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        let selection =
            ops.fold(Selection::new(), |all, op| all.journal(JournalFilter::Op(op.clone())));
        if selection.journal.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.ask(selection).await?.journal.into_values().collect())
    }

    /// Demotes, pins, ignores or restores ([`Hold::None`]) a tool. May be repeated with the same
    /// op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown name; [`StoreError::Unknown`] when it was done
    /// and the tool could not be read afterwards; else what the store reports.
    pub async fn set_hold(&self, by_hand: ByHand, hold: Hold) -> Result<ToolReport, StoreError> {
        let (project, at) = (by_hand.project.clone(), by_hand.at);
        let keys = by_hand.keys();
        self.run(SetHold { by_hand, hold, policy: Arc::clone(&self.policy) }).await?;
        // Whatever keeps it from being read, it is not true that nothing was done.
        let shown = self.show_key(&keys, &project, at).await;
        shown.map_err(|error| StoreError::Unknown(Box::new(error)))
    }

    /// Forgets a tool and its outcomes. May be repeated with the same op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown name; else what the store reports.
    pub async fn forget(&self, by_hand: ByHand) -> Result<(), StoreError> {
        self.run(Forget { by_hand }).await.map(drop)
    }

    /// Forgets a project, its own tools and sources, its outcomes and what was found in its
    /// documents. May be repeated with the same op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown id, [`crate::store::Refusal::Invalid`] while
    /// somebody's items of knowledge or work items belong to it; else what the store reports.
    pub async fn forget_project(
        &self,
        id: ProjectId,
        op: OpId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(ForgetProject { id, op, at, with_knowledge: false }).await.map(drop)
    }

    /// Forgets a project as [`Registry::forget_project`] does, and its items of knowledge and work
    /// items with it.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown id; else what the store reports.
    pub async fn forget_project_and_knowledge(
        &self,
        id: ProjectId,
        op: OpId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(ForgetProject { id, op, at, with_knowledge: true }).await.map(drop)
    }

    /// Removes raw outcomes that the policy no longer keeps, or counts them with `dry_run`. The report
    /// counts what there was when it began.
    ///
    /// # Errors
    /// Errors of the store; commits that were made stay.
    pub async fn prune_outcomes(
        &self,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<PruneReport, StoreError> {
        if dry_run {
            let counts = self.count_prunable(now).await?;
            return Ok(PruneReport { removed: counts.cut, kept: counts.total - counts.cut });
        }
        self.prune_outcomes_while(now, &mut || true).await
    }

    /// Removes outcomes as [`Registry::prune_outcomes`] does, in commits of at most 2,000, for as long as
    /// `more` returns true; it is asked before each commit. What is left is for the next time.
    ///
    /// # Errors
    /// Errors of the store; commits that were made stay.
    pub async fn prune_outcomes_while(
        &self,
        now: Timestamp,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<PruneReport, StoreError> {
        let counts = self.count_prunable(now).await?;
        let cut = prune::cut(&self.policy.outcomes, now);
        let mut removed = 0;
        while removed < counts.cut && more() {
            self.run(prune::PruneOutcomes { cut, at: now }).await?;
            removed = counts.cut.min(removed + prune::PAGE);
        }
        Ok(PruneReport { removed, kept: counts.total - removed })
    }

    async fn count_prunable(&self, now: Timestamp) -> Result<OutcomeCounts, StoreError> {
        let cut = prune::cut(&self.policy.outcomes, now);
        let view = self.ask(Selection::new().count_outcomes(cut)).await?;
        Ok(view.counts.unwrap_or_default())
    }

    /// Visits everything that a selection names, in bounded memory.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.store.pages(selection, visit).await
    }

    /// Writes a consistent copy of the store to a new file.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.store.backup(to).await
    }

    /// Verifies the stored data.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with what is wrong.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.store.check().await
    }

    /// The store's revision.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn revision(&self) -> Result<Revision, StoreError> {
        Ok(self.ask(Selection::new()).await?.revision)
    }
}
