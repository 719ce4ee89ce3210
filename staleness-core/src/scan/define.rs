//! Definitions in a scan: pinned when first seen, then compared.

use std::collections::HashMap;

use super::{Found, Scan};
use crate::definition::{ChangeClass, Definition, DefinitionPolicy};
use crate::ids::ToolKey;
use crate::journal::{Action, JournalEntry, Subject};
use crate::store::{DefinitionFilter, Draft, Selection};
use crate::tool::{ListingState, Tool};

/// The result of comparing the definitions in a scan with the known ones.
#[derive(Default)]
pub(super) struct Defined {
    /// The state of each tool in its live list.
    pub(super) states: HashMap<ToolKey, ListingState>,
    /// The classes of changes for the journal.
    pub(super) changes: Vec<(ToolKey, ChangeClass)>,
}

impl Scan {
    /// Returns the tools with a definition in the scan.
    fn defined(&self) -> impl Iterator<Item = (ToolKey, &Found)> {
        self.sources.iter().flat_map(|reading| {
            let scope = reading.id.scope();
            let defined = reading.found.iter().filter(|found| found.definition.is_some());
            defined.map(move |found| {
                (ToolKey { scope: scope.clone(), name: found.name.clone() }, found)
            })
        })
    }

    /// Adds the definitions that are known of these tools, and those that wait for a person.
    pub(super) fn select_definitions(&self, more: Selection) -> Selection {
        let pending = self.scopes().into_iter().map(DefinitionFilter::Pending);
        let known = self.defined().map(|(key, _)| DefinitionFilter::Key(key));
        pending.chain(known).fold(more, Selection::lock)
    }

    /// Pins new definitions and compares the others.
    pub(super) fn define(&self, draft: &mut Draft<'_>, policy: &DefinitionPolicy) -> Defined {
        let mut defined = Defined::default();
        for (key, found) in self.defined() {
            let Some(version) = found.definition.as_deref() else { continue };
            let known = draft.get::<Definition>(&key);
            let (row, class) = match known {
                None => {
                    let row = Definition::pin(key.clone(), version.clone(), policy, self.at);
                    let class = row.pending;
                    (Some(row), class)
                }
                Some(known) => {
                    let mut row = known.clone();
                    let class = row.see(version, policy, self.at);
                    (Some(row).filter(|row| row != known), class)
                }
            };
            let state = row.as_ref().or(known).map(|row| row.state(policy));
            if let Some(row) = row {
                draft.put(row);
            }
            defined.changes.extend(class.map(|class| (key.clone(), class)));
            defined.states.insert(key, state.unwrap_or(found.state));
        }
        // Those that wait follow the policy, whether or not their servers were asked now.
        for known in draft.view().definitions.values() {
            if defined.states.contains_key(&known.key) {
                continue;
            }
            let mut row = known.clone();
            row.follow(policy);
            defined.states.insert(row.key.clone(), row.state(policy));
            if row != *known {
                draft.put(row);
            }
        }
        defined
    }

    /// Adds journal entries about changed definitions, after those about the tools' presence.
    pub(super) fn journal_changes(
        &self,
        draft: &mut Draft<'_>,
        changes: Vec<(ToolKey, ChangeClass)>,
    ) {
        for (key, class) in changes {
            let status = draft.get::<Tool>(&key).map(|tool| tool.status().as_str().to_owned());
            let (subject, cause) = (Subject::tool(&key), class.as_str());
            draft.append_journal(JournalEntry {
                from: status.clone(),
                to: status,
                session: self.session.clone(),
                ..JournalEntry::new(self.at, subject, Action::Redefined, cause)
            });
        }
    }
}
