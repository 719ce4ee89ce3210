//! Tools: scans, recorded uses, and manual decisions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::hold::SetHold;
use super::queries::visible;
use super::{ByHand, Forget, RecordUses, Tools, Use};
use crate::ids::{OpId, ProjectId, SourceId, ToolName};
use crate::journal::JournalEntry;
use crate::outcome::{Mark, Outcome};
use crate::registry::RegistryError;
use crate::report::{Context, ScanReport, StatusChange, ToolReport};
use crate::scan::{ApplyScan, Scan, may_be_invented, readings_of, see_as};
use crate::store::{JournalFilter, Selection, StoreError, View};
use crate::tool::Hold;
use crate::work::LostClaim;

/// The result of recording a use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordReport {
    /// The tool after recording.
    pub tool: ToolReport,
    /// The status changes of the tool and of tools that get credit for the use.
    pub changed: Vec<StatusChange>,
    /// True if the use had already been recorded; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// True if the failure was attributed to the machine being offline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

impl Tools<'_> {
    /// Returns the reading count of each source, for [`Scan::read_under`]. Must be called before reading the files.
    pub async fn readings(
        self,
        project: &ProjectId,
    ) -> Result<BTreeMap<SourceId, u64>, RegistryError> {
        let view = self.0.ask(readings_of(project)).await?;
        Ok(view.sources.into_iter().map(|(id, source)| (id, source.readings)).collect())
    }

    /// Applies a scan: listed tools are added or become present; tools that are proven to be gone become absent.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Superseded`] if a newer reading was applied since [`Tools::readings`]. The files must
    /// then be read again.
    pub async fn apply_scan(self, scan: Scan) -> Result<ScanReport, RegistryError> {
        let step = Arc::new(ApplyScan::new(scan, &self.0.policy));
        let commit = self.0.transact(Arc::<ApplyScan>::clone(&step)).await?;
        Ok(ScanReport::new(
            &step.scan,
            &self.0.policy,
            commit.view,
            &commit.changes,
            commit.revision,
        ))
    }

    /// Returns the result of [`Tools::apply_scan`] without writing, and a view of the tools that the project would see
    /// afterwards.
    ///
    /// # Errors
    /// As [`Tools::apply_scan`].
    pub async fn preview_scan(self, scan: Scan) -> Result<(ScanReport, View), RegistryError> {
        let project = scan.project.clone();
        let step = Arc::new(ApplyScan::new(scan, &self.0.policy));
        let commit = self.0.dry().transact(Arc::<ApplyScan>::clone(&step)).await?;
        let (changes, policy) = (commit.changes, &self.0.policy);
        let mut view = self.0.store.view(Arc::new(visible(&project.id, policy))).await?;
        view.merge(commit.view);
        let report = ScanReport::new(&step.scan, policy, view.clone(), &changes, view.revision);
        // The scan works on stored rows, so the client's view is applied afterwards.
        let mut view = view.with(&changes);
        self.0.add_decisions(&mut view).await?;
        see_as(&mut view, self.0.client.as_ref(), &policy.account_servers);
        Ok((report, view))
    }

    /// Records one use of a tool. May be repeated with the same op id.
    pub async fn record(self, used: Use) -> Result<RecordReport, RegistryError> {
        let mut reports = self.record_all(vec![used]).await?;
        reports.pop().ok_or_else(|| StoreError::Misstep("nothing was recorded".into()).into())
    }

    /// Records uses in order, in one commit. Each report shows the tool after all uses, at the time of the latest one.
    /// May be repeated with the same op ids. Prunes the routes of a project if the uses created too many.
    ///
    /// # Errors
    /// An error of the store. The uses are recorded if it occurred after their commit, while pruning routes, renewing
    /// claims or reading the reports, and may be recorded after [`StoreError::Unknown`].
    pub async fn record_all(self, uses: Vec<Use>) -> Result<Vec<RecordReport>, RegistryError> {
        if uses.is_empty() {
            return Ok(Vec::new());
        }
        let step = Arc::new(RecordUses { uses, policy: Arc::clone(&self.0.policy) });
        let commit = self.0.transact(Arc::<RecordUses>::clone(&step)).await?;
        let now = step.uses.iter().map(|used| used.at).max().unwrap_or_default();
        self.0.trim_routes(&commit, now).await?;
        self.0.renew_claims(commit.view.suggestions.values(), now).await?;
        let names: Vec<Vec<ToolName>> =
            step.uses.iter().map(|used| used.recorded_as(&commit.view)).collect();
        let mut fresh: HashMap<(&OpId, &ToolName), &Outcome> =
            commit.changes.outcomes.iter().map(|row| ((&row.op, &row.tool.name), row)).collect();
        // Each new use takes its outcome out of the map, so a duplicate finds none.
        let named = step.uses.iter().zip(&names);
        let recorded: Vec<Option<&Outcome>> = named
            .map(|(used, names)| names.iter().find_map(|name| fresh.remove(&(&used.op, name))))
            .collect();
        let repeated = step.uses.iter().zip(&recorded).filter(|(_, row)| row.is_none());
        let before = self.entries_of(repeated.map(|(used, _)| &used.op)).await?;
        let mut changed: HashMap<&OpId, Vec<StatusChange>> = HashMap::new();
        for entry in before.iter().chain(&commit.changes.journal) {
            if let (Some(op), Some(change)) = (&entry.op, StatusChange::of(entry)) {
                changed.entry(op).or_default().push(change);
            }
        }
        let mut view = commit.view.with(&commit.changes);
        self.0.add_decisions(&mut view).await?;
        see_as(&mut view, None, &self.0.policy.account_servers);
        let mut contexts: HashMap<&ProjectId, Context<'_>> = HashMap::new();
        let mut reports = Vec::with_capacity(step.uses.len());
        for ((used, row), names) in step.uses.iter().zip(&recorded).zip(&names) {
            let context = contexts
                .entry(&used.project.id)
                .or_insert_with(|| Context::new(&view, &self.0.policy, &used.project, now));
            let tool = match row {
                Some(row) => view.tools.get(&row.tool),
                None => names.iter().find_map(|name| view.resolve(&used.project.id, name)),
            };
            let tool = tool.ok_or_else(|| StoreError::Misstep("nothing was recorded".into()))?;
            // The report needs the other tools of the server, which show whether a model invented this one.
            let tool = if may_be_invented(tool) {
                self.0.show_key(std::slice::from_ref(&tool.key), &used.project, now).await?
            } else {
                ToolReport::new(context, tool)
            };
            reports.push(RecordReport {
                tool,
                changed: changed.get(&used.op).cloned().unwrap_or_default(),
                duplicate: row.is_none(),
                offline: row.is_some_and(|row| row.mark == Mark::Offline),
            });
        }
        Ok(reports)
    }

    /// Records one use without building a report, for hooks, and renews the claims of its session. Returns true if the
    /// use was new, and the claims that the session has lost: see
    /// [`Sessions::renew_claims`](super::Sessions::renew_claims).
    ///
    /// # Errors
    /// As [`Tools::record_all`].
    pub async fn record_quietly(self, used: Use) -> Result<(bool, Vec<LostClaim>), RegistryError> {
        let (policy, at) = (Arc::clone(&self.0.policy), used.at);
        let commit = self.0.run(RecordUses { uses: vec![used], policy }).await?;
        self.0.trim_routes(&commit, at).await?;
        let lost = self.0.renew_claims(commit.view.suggestions.values(), at).await?;
        Ok((!commit.changes.outcomes.is_empty(), lost))
    }

    /// Demotes, pins, ignores or restores ([`Hold::None`]) a tool. May be repeated with the same op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the name is unknown, or [`StoreError::Unknown`] if the change was
    /// made but the tool could not be read afterwards.
    pub async fn set_hold(self, by_hand: ByHand, hold: Hold) -> Result<ToolReport, RegistryError> {
        let (project, at) = (by_hand.project.clone(), by_hand.act.at);
        let keys = by_hand.keys();
        let policy = Arc::clone(&self.0.policy);
        self.0.run(SetHold { by_hand, hold, policy }).await?;
        // The change was made. An error in reading the tool must not suggest otherwise.
        let shown = self.0.show_key(&keys, &project, at).await;
        shown.map_err(|error| StoreError::Unknown(Box::new(error)).into())
    }

    /// Forgets a tool with its outcomes and routes, and for a server all of its tools too. May be repeated with the
    /// same op id.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the name is unknown.
    pub async fn forget(self, by_hand: ByHand) -> Result<(), RegistryError> {
        self.0.run(Forget { by_hand }).await.map(drop)
    }

    /// Returns the journal entries that these ops wrote earlier, so that a retry reports the original result.
    async fn entries_of(
        self,
        ops: impl Iterator<Item = &OpId> + Send,
    ) -> Result<Vec<JournalEntry>, RegistryError> {
        let selection =
            ops.fold(Selection::new(), |all, op| all.journal(JournalFilter::Op(op.clone())));
        if selection.journal.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.0.ask(selection).await?.journal.into_values().collect())
    }
}
