//! Drafts: a step edits a view, and the draft produces the change set.

use std::collections::BTreeMap;

use super::{Change, ChangeSet, OutcomeRange, Row, View};
use crate::journal::{Floor, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::route::{Route, RouteKey};
use crate::source::Source;
use crate::time::Timestamp;
use crate::tool::Tool;

macro_rules! draft {
    ($($field:ident: $row:ty,)*) => {
        /// Edited rows on top of a view. Only rows that really change end up in the change set.
        #[derive(Clone, Debug)]
        pub struct Draft<'v> {
            view: &'v View,
            at: Timestamp,
            $(pub(super) $field: BTreeMap<<$row as Row>::Key, Option<$row>>,)*
            /// Vectors to remove together with their routes, without being loaded.
            unseen: Vec<RouteKey>,
            outcomes: Vec<Outcome>,
            ranges: Vec<OutcomeRange>,
            journal: Vec<JournalEntry>,
        }

        impl<'v> Draft<'v> {
            /// Creates a draft without changes. Sets `updated_at` of changed tools to `at`. For items, the step itself
            /// decides whether a change counts as an edit.
            pub const fn new(view: &'v View, at: Timestamp) -> Self {
                Self {
                    view,
                    at,
                    $($field: BTreeMap::new(),)*
                    unseen: Vec::new(),
                    outcomes: Vec::new(),
                    ranges: Vec::new(),
                    journal: Vec::new(),
                }
            }

            /// Returns the changes. Omits rows that equal the view's rows.
            pub fn finish(mut self) -> ChangeSet {
                for (key, drafted) in &mut self.tools {
                    if let Some(tool) = drafted
                        && self.view.tools.get(key) != Some(tool)
                    {
                        tool.updated_at = self.at;
                    }
                }
                self.unseen.retain(|key| !self.vectors.contains_key(key));
                let mut changes = ChangeSet {
                    $($field: changed(self.$field, &self.view.$field),)*
                    outcomes: self.outcomes,
                    outcome_ranges: self.ranges,
                    journal: self.journal,
                    pruned: Vec::new(),
                    floor: Floor::default(),
                };
                changes.vectors.extend(self.unseen.into_iter().map(Change::Delete));
                changes
            }
        }
    };
}
crate::collections!(draft);

impl<'v> Draft<'v> {
    /// Returns the view that the draft edits.
    pub const fn view(&self) -> &'v View {
        self.view
    }

    /// Returns a row as edited so far. `None` if it does not exist or was deleted.
    pub fn get<R: Row>(&self, key: &R::Key) -> Option<&R> {
        match R::drafted(self).get(key) {
            Some(drafted) => drafted.as_ref(),
            None => R::rows(self.view).get(key),
        }
    }

    /// Creates or replaces a row.
    pub fn put<R: Row>(&mut self, row: R) {
        R::drafted_mut(self).insert(row.key().clone(), Some(row));
    }

    /// Removes a row.
    pub fn delete<R: Row>(&mut self, key: &R::Key) {
        R::drafted_mut(self).insert(key.clone(), None);
    }

    /// Edits an existing row, and returns the result of `edit`. `None` if there is no such row.
    pub fn edit<R: Row, T>(&mut self, key: &R::Key, edit: impl FnOnce(&mut R) -> T) -> Option<T> {
        if !R::drafted(self).contains_key(key) {
            let seen = R::rows(self.view).get(key)?.clone();
            R::drafted_mut(self).insert(key.clone(), Some(seen));
        }
        R::drafted_mut(self).get_mut(key)?.as_mut().map(edit)
    }

    /// Returns all sources in the draft, in no particular order.
    pub fn sources(&self) -> impl Iterator<Item = &Source> + '_ {
        let seen = self.view.sources.values().filter(|row| !self.sources.contains_key(&row.id));
        seen.chain(self.sources.values().flatten())
    }

    /// Returns all tools in the draft, in no particular order.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> + '_ {
        let seen = self.view.tools.values().filter(|row| !self.tools.contains_key(&row.key));
        seen.chain(self.tools.values().flatten())
    }

    /// Returns the tools that are in the draft but not in the view, in key order.
    pub fn new_tools(&self) -> impl Iterator<Item = &Tool> + '_ {
        let drafted = self.tools.values().flatten();
        drafted.filter(|tool| !self.view.tools.contains_key(&tool.key))
    }

    /// Removes a route, and its vector if it has one.
    pub fn delete_route(&mut self, key: &RouteKey) {
        if self.get::<Route>(key).is_some_and(|route| route.model.is_some()) {
            self.unseen.push(key.clone());
        }
        self.routes.insert(key.clone(), None);
    }

    /// Appends an outcome.
    pub fn append_outcome(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// Removes a range of outcomes.
    pub fn delete_outcomes(&mut self, range: OutcomeRange) {
        self.ranges.push(range);
    }

    /// Appends a journal entry.
    pub fn append_journal(&mut self, entry: JournalEntry) {
        self.journal.push(entry);
    }

    /// Returns the revision that the store will have if the draft is written as it is now.
    pub const fn revision_after(&self) -> Revision {
        Revision(self.view.revision.0 + !self.journal.is_empty() as u64)
    }
}

fn changed<R: Row>(
    drafted: BTreeMap<R::Key, Option<R>>,
    seen: &BTreeMap<R::Key, R>,
) -> Vec<Change<R, R::Key>> {
    drafted
        .into_iter()
        .filter_map(|(key, row)| match (row, seen.get(&key)) {
            (Some(row), before) if before != Some(&row) => Some(Change::Put(row)),
            (None, Some(_)) => Some(Change::Delete(key)),
            _ => None,
        })
        .collect()
}
