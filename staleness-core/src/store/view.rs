//! Views: what a step or query saw.

use std::collections::BTreeMap;

use super::{Change, ChangeSet, Row};
use crate::ids::{ClientId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::journal::{Floor, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::time::Timestamp;
use crate::tool::{Tool, ToolKind, ToolSummary};

/// The number of outcomes in the store, and of those that a cut would remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Outcomes in the store.
    pub total: u64,
    /// Those that the selected [`super::OutcomeCut`] would remove.
    pub cut: u64,
}

macro_rules! view {
    ($($field:ident: $row:ty,)*) => {
        /// The union of everything that was selected, from one snapshot.
        ///
        /// Since selections unite, a reader filters again for what it asked: the last outcomes of a
        /// project may come beside older ones that another filter selected.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct View {
            /// The store's revision in this snapshot.
            pub revision: Revision,
            /// The journal's floor in this snapshot.
            pub floor: Floor,
            $(
                #[doc = concat!("Rows of ", stringify!($field), " by key.")]
                pub $field: BTreeMap<<$row as Row>::Key, $row>,
            )*
            /// Summaries of every tool of the scopes that were selected so, in no order that means anything.
            pub summaries: BTreeMap<Scope, Vec<ToolSummary>>,
            /// Outcomes by order of recording.
            pub outcomes: BTreeMap<u64, Outcome>,
            /// Journal entries by revision and index.
            pub journal: BTreeMap<(Revision, u32), JournalEntry>,
            /// The counts, where they were selected.
            pub counts: Option<OutcomeCounts>,
            /// The number of routes of the project whose routes were to be counted.
            pub route_count: Option<u64>,
            /// The store's generation, where it was selected: a number that each commit raises that changes what a
            /// search reads of tools and routes (see [`ChangeSet::moves_generation`]), and no other.
            pub generation: Option<u64>,
            /// The client as which a registry sees it; no store sets it.
            pub seen_by: Option<ClientId>,
            /// The number of looks that it unites; set by the `run` of a step or query.
            pub looks: usize,
        }

        impl View {
            /// Adds what another look at the same snapshot saw.
            pub fn merge(&mut self, other: Self) {
                self.revision = self.revision.max(other.revision);
                self.floor.raise(other.floor);
                $(self.$field.extend(other.$field);)*
                self.summaries.extend(other.summaries);
                self.outcomes.extend(other.outcomes);
                self.journal.extend(other.journal);
                self.counts = other.counts.or(self.counts);
                self.route_count = other.route_count.or(self.route_count);
                self.generation = other.generation.or(self.generation);
                self.looks += other.looks;
            }

            /// Returns true if nothing was seen.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                $(self.$field.is_empty() &&)*
                self.summaries.is_empty()
                    && self.outcomes.is_empty()
                    && self.journal.is_empty()
            }

            /// Writes changes. Outcomes and journal entries keep the numbers that
            /// the change set gives them.
            pub(crate) fn write(&mut self, changes: &ChangeSet) {
                $(write(&mut self.$field, &changes.$field);)*
                self.outcomes.extend(changes.outcomes.iter().map(|row| (row.seq, row.clone())));
                self.journal.extend(
                    changes.journal.iter().map(|row| ((row.revision, row.index), row.clone())),
                );
            }
        }
    };
}
crate::collections!(view);

impl View {
    /// The most looks that a step or query may take.
    pub const MAX_LOOKS: usize = 4;

    /// The entry that a name means in a project: the project's own, else the global one; the global
    /// one too where it alone is present.
    #[must_use]
    pub fn resolve(&self, project: &ProjectId, name: &ToolName) -> Option<&Tool> {
        meant(
            self.tools.get(&ToolKey::project(project.clone(), name.clone())),
            self.tools.get(&ToolKey::global(name.clone())),
        )
    }

    /// The entries of a server in a scope, among the tools that were seen.
    pub fn entries<'a>(
        &'a self,
        scope: &'a Scope,
        server: &'a ServerKey,
    ) -> impl Iterator<Item = &'a Tool> + 'a {
        self.tools.values().filter(move |tool| {
            tool.kind == ToolKind::McpServer
                && tool.key.scope == *scope
                && tool.server.as_ref() == Some(server)
        })
    }

    /// The last counted outcomes of a project, latest first, at most `limit`.
    pub fn last_of_project<'a>(
        &'a self,
        project: &'a ProjectId,
        limit: u32,
    ) -> impl Iterator<Item = &'a Outcome> + 'a {
        self.outcomes
            .values()
            .rev()
            .filter(move |outcome| outcome.mark.is_counted() && outcome.project == *project)
            .take(limit as usize)
    }

    /// For each server (by scope of the tool and server key) its last outcome at or after `since` that says whether it
    /// answered.
    #[must_use]
    pub fn last_per_server(&self, since: Timestamp) -> BTreeMap<(Scope, ServerKey), &Outcome> {
        last_per_server(self.outcomes.values(), since)
    }

    /// This view as it would be had `changes` been written; summaries stay. Outcomes and journal entries keep the
    /// numbers that the change set gives them.
    #[must_use]
    pub fn with(mut self, changes: &ChangeSet) -> Self {
        self.write(changes);
        self
    }
}

/// Writes changes to the rows of one collection.
fn write<R: Row>(rows: &mut BTreeMap<R::Key, R>, changes: &[Change<R, R::Key>]) {
    for change in changes {
        match change {
            Change::Put(row) => rows.insert(row.key().clone(), row.clone()),
            Change::Delete(key) => rows.remove(key),
        };
    }
}

/// Returns the tool that a name means in a project: as [`View::resolve`], for its two candidates.
pub(crate) fn meant<'a>(own: Option<&'a Tool>, global: Option<&'a Tool>) -> Option<&'a Tool> {
    let gone = own.is_none_or(|own| own.presence.is_absent());
    global.filter(|global| gone && global.presence.is_present()).or(own).or(global)
}

/// For each server its last conclusive outcome at or after `since`, of `outcomes`
/// in order of recording. Shared with the memory store.
pub(crate) fn last_per_server<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    since: Timestamp,
) -> BTreeMap<(Scope, ServerKey), &'a Outcome> {
    let mut last = BTreeMap::new();
    for outcome in outcomes {
        if outcome.at < since || !outcome.mark.is_conclusive() {
            continue;
        }
        if let Some(server) = &outcome.server {
            last.insert((outcome.tool.scope.clone(), server.clone()), outcome);
        }
    }
    last
}
