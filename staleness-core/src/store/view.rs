//! Views: the rows that a step or query read.

use std::collections::BTreeMap;

use super::{Change, ChangeSet, Row};
use crate::ids::{AgentId, ClientId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::journal::{Action, Floor, JournalEntry, Revision, Subject};
use crate::outcome::Outcome;
use crate::time::Timestamp;
use crate::tool::{Tool, ToolSummary};

macro_rules! view {
    ($($field:ident: $row:ty,)*) => {
        /// The union of everything that was selected, from one snapshot.
        ///
        /// Readers must filter again, because the view is a union: besides the last outcomes of a project it may
        /// contain older ones that another filter selected.
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
            /// The tool summaries of each selected scope, in no particular order. A scope without tools has an empty
            /// list.
            pub summaries: BTreeMap<Scope, Vec<ToolSummary>>,
            /// Outcomes by sequence number.
            pub outcomes: BTreeMap<u64, Outcome>,
            /// Journal entries by revision and index.
            pub journal: BTreeMap<(Revision, u32), JournalEntry>,
            /// The number of routes of the project whose count was selected.
            pub route_count: Option<u64>,
            /// The store's generation, if selected. A commit raises it if it changes data that searches read:
            /// see [`ChangeSet::moves_generation`].
            pub generation: Option<u64>,
            /// The journal entries that demoted, pinned or ignored the tools in the view. Never set by a store.
            pub decisions: BTreeMap<ToolKey, JournalEntry>,
            /// The client for which the registry adapted this view. Never set by a store.
            pub seen_by: Option<ClientId>,
            /// The number of reads combined in this view. Set by the `run` of a step or query.
            pub looks: usize,
        }

        impl View {
            /// Adds the result of another read of the same snapshot.
            pub fn merge(&mut self, other: Self) {
                self.revision = self.revision.max(other.revision);
                self.floor.raise(other.floor);
                $(self.$field.extend(other.$field);)*
                self.summaries.extend(other.summaries);
                self.outcomes.extend(other.outcomes);
                self.journal.extend(other.journal);
                self.route_count = other.route_count.or(self.route_count);
                self.generation = other.generation.or(self.generation);
                self.looks += other.looks;
            }

            /// Returns true if nothing was read.
            pub fn is_empty(&self) -> bool {
                $(self.$field.is_empty() &&)*
                self.summaries.is_empty()
                    && self.outcomes.is_empty()
                    && self.journal.is_empty()
            }

            /// Applies changes. Outcomes and journal entries keep the numbers of the change set.
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
    /// The maximum number of reads of a step or query.
    pub const MAX_LOOKS: usize = 4;

    /// Returns the tool that a project uses for a name: its own, or the global one if the project has none or only the
    /// global one is present.
    pub fn resolve(&self, project: &ProjectId, name: &ToolName) -> Option<&Tool> {
        meant(
            self.tools.get(&ToolKey::project(project.clone(), name.clone())),
            self.tools.get(&ToolKey::global(name.clone())),
        )
    }

    /// Returns the agent that changed a record at a time. `None` if it may have been a person.
    pub(crate) fn agent_of(
        &self,
        subject: &Subject,
        action: Action,
        at: Timestamp,
    ) -> Option<&AgentId> {
        let entries = self.journal.values();
        let mut then = entries
            .filter(|entry| entry.subject == *subject && entry.action == action && entry.at == at);
        then.try_fold(None, |_, entry| entry.actor.as_ref().map(Some)).flatten()
    }

    /// Returns the journal entry that pinned, demoted or ignored a tool. Its actor is set if an agent did that.
    pub(crate) fn decision(&self, tool: &Tool) -> Option<&JournalEntry> {
        let subject = Subject::tool(&tool.key);
        self.journal
            .values()
            .rev()
            .find(|entry| entry.action.as_str() == tool.hold.as_str() && entry.subject == subject)
    }

    /// Returns the last counted outcomes of a project, latest first, at most `limit`.
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

    /// Returns the last conclusive outcome of each server at or after `since`, by the scope of the tool and the server
    /// key.
    pub fn last_per_server(&self, since: Timestamp) -> BTreeMap<(Scope, ServerKey), &Outcome> {
        last_per_server(self.outcomes.values(), since)
    }

    /// Returns this view with `changes` applied. Outcomes and journal entries keep the numbers of the change set. Does
    /// not change summaries, remove outcome ranges or pruned revisions, or raise the floor.
    #[must_use]
    pub fn with(mut self, changes: &ChangeSet) -> Self {
        self.write(changes);
        self
    }
}

fn write<R: Row>(rows: &mut BTreeMap<R::Key, R>, changes: &[Change<R, R::Key>]) {
    for change in changes {
        match change {
            Change::Put(row) => rows.insert(row.key().clone(), row.clone()),
            Change::Delete(key) => rows.remove(key),
        };
    }
}

/// Implements [`View::resolve`] for the two candidates.
pub(crate) fn meant<'a>(own: Option<&'a Tool>, global: Option<&'a Tool>) -> Option<&'a Tool> {
    let gone = own.is_none_or(|own| own.presence.is_absent());
    global.filter(|global| gone && global.presence.is_present()).or(own).or(global)
}

/// Returns the last conclusive outcome of each server at or after `since`. `outcomes` must be in order of recording.
/// Shared with the memory store.
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
