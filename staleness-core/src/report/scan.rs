//! The report of a scan: the sources it read and the tools it changed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Context, ToolReport};
use crate::definition::Definition;
use crate::ids::{ClientId, ProjectId, SourceId, ToolKey};
use crate::journal::{Action, JournalEntry, Revision, SubjectKind};
use crate::policy::Policy;
use crate::scan::{Scan, SourceReading, is_read_by, withhold};
use crate::source::SourceState;
use crate::store::{Change, ChangeSet, View};
use crate::tool::{ListingState, Status, Tool};

/// The result of reading one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceReport {
    /// The identity of the source.
    pub id: SourceId,
    /// The path that was read.
    pub path: String,
    /// The result of the reading.
    pub state: SourceState,
    /// The number of tools found in the source.
    pub found: usize,
    /// The error, if there was one.
    pub error: Option<String>,
}

impl Serialize for SourceReport {
    /// Writes the identity as the fields `source`, `client` and `scope`.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("source", &self.id.to_string())?;
        map.serialize_entry("client", &self.id.client)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("scope", self.id.scope().word())?;
        map.serialize_entry("state", &self.state)?;
        map.serialize_entry("found", &self.found)?;
        if let Some(error) = &self.error {
            map.serialize_entry("error", error)?;
        }
        map.end()
    }
}

/// The result of a scan: the sources it read and the tools it changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScanReport {
    /// The project's id.
    pub project: ProjectId,
    /// The project's root.
    pub root: String,
    /// The sources that were read.
    pub sources: Vec<SourceReport>,
    /// Tools that are new to the registry.
    pub added: Vec<ToolReport>,
    /// Tools that this scan made absent, including demoted ones.
    pub stale: Vec<ToolReport>,
    /// Tools that this scan made present again.
    pub restored: Vec<ToolReport>,
    /// Definitions that their servers changed, or that were suspicious when first seen.
    #[serde(skip)]
    pub changed: Vec<Definition>,
    /// The number of tools found that were already present.
    pub unchanged: usize,
    /// The store's revision after the scan.
    pub revision: Revision,
}

impl ScanReport {
    /// Derives the report from the rows that the scan read and wrote, or would write in a dry run. If the scan was
    /// requested by a client, omits changes that concern only other clients.
    pub fn new(
        scan: &Scan,
        policy: &Policy,
        seen: View,
        changes: &ChangeSet,
        revision: Revision,
    ) -> Self {
        let is_news = |row: &&Definition| match seen.definitions.get(&row.key) {
            Some(before) => before.current != row.current,
            None => row.pending.is_some(),
        };
        let put = changes.definitions.iter().filter_map(Change::put);
        let changed = put.filter(is_news).cloned().collect();
        let mut view = seen.with(changes);
        withhold(&mut view, scan.client.as_ref());
        let context = Context::new(&view, policy, &scan.project, scan.at);
        let is_asked = |reading: &&SourceReading| {
            scan.client.as_ref().is_none_or(|client| is_read_by(&reading.id, client))
        };
        let of = |action: Action| -> Vec<ToolReport> {
            let mut clients: BTreeMap<ToolKey, BTreeSet<&ClientId>> = BTreeMap::new();
            let of_action = changes.journal.iter().filter(|entry| of_entry(entry) == action);
            for entry in of_action.filter(|entry| entry.subject.kind == SubjectKind::Tool) {
                if let Some(key) = entry.subject.tool_key() {
                    clients.entry(key).or_default().extend(&entry.clients);
                }
            }
            // A project's tool that is present again through the user's entry is reported as the global one.
            let entry = |key: &ToolKey| {
                let own = view.tools.get(key);
                let users = || view.tools.get(&ToolKey::global(key.name.clone()));
                let is_it = |tool: &&Tool| action != Action::Present || tool.presence.is_present();
                own.filter(is_it).or_else(users).or(own)
            };
            let changed = clients.iter().filter_map(|(key, by)| Some((entry(key)?, by)));
            let concerns = |by: &BTreeSet<&ClientId>| {
                scan.client.as_ref().is_none_or(|client| by.is_empty() || by.contains(client))
            };
            let told = changed.filter(|(tool, by)| !context.is_silent(tool) && concerns(by));
            let told = told.map(|(tool, by)| {
                let changed_for = by.iter().copied().cloned().collect();
                ToolReport { changed_for, ..ToolReport::new(&context, tool) }
            });
            told.collect()
        };
        let found: BTreeSet<ToolKey> =
            scan.sources
                .iter()
                .filter(is_asked)
                .flat_map(|reading| {
                    let scope = reading.id.scope();
                    reading.listed().filter(|found| found.state == ListingState::Configured).map(
                        move |found| ToolKey { scope: scope.clone(), name: found.name.clone() },
                    )
                })
                .collect();
        let moved = changes
            .journal
            .iter()
            .filter_map(|entry| entry.subject.tool_key())
            .filter(|key| found.contains(key))
            .collect::<BTreeSet<_>>();
        Self {
            project: scan.project.id.clone(),
            root: scan.project.root.clone(),
            sources: scan
                .sources
                .iter()
                .filter(is_asked)
                .map(|reading| SourceReport {
                    id: reading.id.clone(),
                    path: reading.path.clone(),
                    state: reading.state,
                    found: reading.listed().count(),
                    error: reading.error.clone(),
                })
                .collect(),
            added: of(Action::Added),
            stale: of(Action::Absent),
            restored: of(Action::Present),
            changed,
            unchanged: found.len() - moved.len(),
            revision,
        }
    }
}

/// Returns the action for this entry alone. The clients in it may still have the tool through another entry.
fn of_entry(entry: &JournalEntry) -> Action {
    match (entry.action, &entry.from, entry.to.as_deref().and_then(Status::from_word)) {
        (Action::Moved, _, Some(Status::Stale)) => Action::Absent,
        (Action::Moved, None, _) => Action::Added,
        (Action::Moved, ..) => Action::Present,
        (action, ..) => action,
    }
}
