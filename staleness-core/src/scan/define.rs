//! Definitions in a scan: pinned at first sight, compared ever after.

use std::collections::HashMap;

use super::{Found, Scan};
use crate::definition::{Definition, DefinitionPolicy};
use crate::ids::ToolKey;
use crate::journal::{Action, JournalEntry, Subject};
use crate::store::{DefinitionFilter, Draft, Selection};
use crate::tool::{ListingState, Tool};

impl Scan {
    /// The tools whose definitions the scan brings.
    fn defined(&self) -> impl Iterator<Item = (ToolKey, &Found)> {
        self.sources.iter().flat_map(|reading| {
            let scope = reading.id.scope();
            let defined = reading.found.iter().filter(|found| found.definition.is_some());
            defined.map(move |found| {
                (ToolKey { scope: scope.clone(), name: found.name.clone() }, found)
            })
        })
    }

    /// Adds the definitions that are known of these tools.
    pub(super) fn select_definitions(&self, more: Selection) -> Selection {
        self.defined().fold(more, |more, (key, _)| more.lock(DefinitionFilter::Key(key)))
    }

    /// Pins and compares definitions. Returns the state of each of these tools in its live list.
    pub(super) fn define(
        &self,
        draft: &mut Draft<'_>,
        policy: &DefinitionPolicy,
    ) -> HashMap<ToolKey, ListingState> {
        let mut states = HashMap::new();
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
            if let Some(class) = class {
                let status = draft.get::<Tool>(&key).map(|tool| tool.status().as_str().into());
                draft.append_journal(JournalEntry {
                    from: status.clone(),
                    to: status,
                    session: self.session.clone(),
                    ..JournalEntry::new(
                        self.at,
                        Subject::tool(&key),
                        Action::Redefined,
                        class.as_str(),
                    )
                });
            }
            states.insert(key, state.unwrap_or(found.state));
        }
        states
    }
}
