//! Definitions in a scan. Each is pinned when it is first seen, and compared later.

use std::collections::{BTreeMap, HashMap};

use super::{Found, Scan, SourceReading};
use crate::definition::{ChangeClass, Definition, DefinitionPolicy, DefinitionVersion, Finding};
use crate::ids::{Level, SourceId, ToolKey};
use crate::journal::{Action, JournalEntry, Subject};
use crate::store::{DefinitionFilter, Draft, Selection};
use crate::tool::{Listing, ListingState, Tool};

/// The live lists in a scan that define one tool, with their definitions. Clients may start different servers
/// under one name.
type Lists<'s> = Vec<(&'s SourceId, &'s DefinitionVersion)>;

/// The result of comparing the definitions in a scan with the known ones.
#[derive(Default)]
pub(super) struct Defined {
    /// The state of each tool in each of its live lists.
    pub(super) states: HashMap<ToolKey, Vec<Listing>>,
    /// The classes of changes for the journal.
    pub(super) changes: Vec<(ToolKey, ChangeClass)>,
}

impl Scan {
    /// Returns the lists that contain definitions, by tool.
    fn defined(&self) -> BTreeMap<ToolKey, Lists<'_>> {
        let mut defined: BTreeMap<ToolKey, Lists<'_>> = BTreeMap::new();
        for reading in &self.sources {
            let scope = reading.id.scope();
            for Found { name, definition, .. } in &reading.found {
                if let Some(version) = definition.as_deref() {
                    let key = ToolKey { scope: scope.clone(), name: name.clone() };
                    defined.entry(key).or_default().push((&reading.id, version));
                }
            }
        }
        defined
    }

    /// Names the instructions in live lists after the entry of their server in a configuration. If all configurations
    /// were read, drops the instructions of a server without an entry, so that they are new once it has one.
    pub(crate) fn name_instructions(mut self) -> Self {
        let (mut lists, configs): (Vec<_>, Vec<_>) =
            self.sources.into_iter().partition(|reading| reading.id.level == Level::Live);
        for reading in &mut lists {
            let own = || configs.iter().filter(|config| config.id.scope() == reading.id.scope());
            let entries = || own().flat_map(|config| &config.found);
            let may_have_entry = !own().all(SourceReading::covers);
            reading.found.retain_mut(|found| {
                if !found.is_instructed() {
                    return true;
                }
                let is_entry =
                    |other: &&Found| other.kind == found.kind && other.server == found.server;
                let names = entries().filter(is_entry).map(|entry| &entry.name);
                let name = names.min_by_key(|name| (**name != found.name, *name)).cloned();
                found.name = name.clone().unwrap_or_else(|| found.name.clone());
                name.is_some() || may_have_entry
            });
        }
        self.sources = configs.into_iter().chain(lists).collect();
        self
    }

    /// Adds the known definitions of the tools in the scan, and those that await a person's decision.
    pub(super) fn select_definitions(&self, more: Selection) -> Selection {
        let pending = self.scopes().into_iter().map(DefinitionFilter::Pending);
        let known = self.defined().into_keys().map(DefinitionFilter::Key);
        pending.chain(known).fold(more, Selection::lock)
    }

    /// Pins new definitions and compares the others.
    pub(super) fn define(&self, draft: &mut Draft<'_>, policy: &DefinitionPolicy) -> Defined {
        let mut defined = Defined::default();
        let readings: HashMap<&SourceId, &SourceReading> =
            self.sources.iter().map(|each| (&each.id, each)).collect();
        let mut all = self.defined();
        // Pending definitions follow the policy even if the scan did not ask their servers.
        for key in draft.view().definitions.keys() {
            all.entry(key.clone()).or_default();
        }
        for (key, lists) in all {
            let known = draft.get::<Definition>(&key);
            let listings = draft.get::<Tool>(&key).map_or(&[][..], |tool| &tool.listings);
            let is_unread = |each: &&Listing| {
                let is_listed = lists.iter().any(|(source, _)| **source == each.source);
                let is_read =
                    readings.get(&each.source).is_some_and(|reading| reading.lacks(&key.name));
                each.is_live() && !is_listed && !is_read
            };
            let unread: Vec<&Listing> = listings.iter().filter(is_unread).collect();
            let (mut row, class) = self.see(&key, known, &lists, !unread.is_empty(), policy);
            let was_withheld =
                known.is_some_and(|known| known.state(policy) == ListingState::Withheld);
            let mut states = states(&row, &lists, listings, was_withheld, policy);
            let state = row.state(policy);
            let is_any_withheld = unread.iter().any(|each| each.state == ListingState::Withheld);
            states.extend(unread.into_iter().map(|each| {
                let state = match each.state {
                    ListingState::Changed if is_any_withheld => state.min(each.state),
                    // A worse version that was replaced did not come from this list, because it would have withheld the
                    // tool there.
                    ListingState::Changed => {
                        state.min(policy.state(row.class_of(&row.current, &[])))
                    }
                    ListingState::Withheld => state,
                    other => other,
                };
                Listing { source: each.source.clone(), state }
            }));
            // The lists with the pending definition are gone, or no remaining list has a pending change.
            let waits = |each: &Listing| each.state != ListingState::Configured;
            if !lists.is_empty() && !states.iter().any(waits) {
                row.accept();
            }
            if known != Some(&row) {
                draft.put(row);
            }
            defined.changes.extend(class.map(|class| (key.clone(), class)));
            defined.states.insert(key, states);
        }
        defined
    }

    /// Returns the definition updated from the lists, and the class of a change for the journal. `is_part` says that a
    /// list which contains the tool was not read, so that its last definition may still apply.
    fn see(
        &self,
        key: &ToolKey,
        known: Option<&Definition>,
        lists: &Lists<'_>,
        is_part: bool,
        policy: &DefinitionPolicy,
    ) -> (Definition, Option<ChangeClass>) {
        let versions = || lists.iter().map(|(_, version)| *version);
        let Some(known) = known else {
            // A suspicious definition in only some of the lists is a change of the definition in the others.
            let is_clean = |each: &&DefinitionVersion| {
                Definition::class_at_first_sight(each).is_none_or(|class| !policy.waits(class))
            };
            let (clean, odd): (Vec<_>, Vec<_>) = versions().partition(is_clean);
            let first = if clean.is_empty() { &odd } else { &clean };
            let first = DefinitionVersion::union(first.iter().copied());
            let mut row = Definition::pin(key.clone(), first.into_owned(), policy, self.at);
            let mut class = row.pending;
            if !clean.is_empty() && !odd.is_empty() {
                class = row.see(&DefinitionVersion::union(versions()), policy, self.at);
                row.changes = 0;
            }
            return (row, class);
        };
        let mut row = known.clone();
        if lists.is_empty() || is_part && versions().all(|each| known.current.contains(each)) {
            row.follow(policy);
            return (row, None);
        }
        let class = row.see(&DefinitionVersion::union(versions()), policy, self.at);
        (row, class)
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
            let row = draft.get::<Definition>(&key);
            let note = row.and_then(|row| in_words(row, class));
            draft.append_journal(JournalEntry {
                from: status.clone(),
                to: status,
                note,
                session: self.session.clone(),
                ..JournalEntry::new(self.at, subject, Action::Redefined, cause)
            });
        }
    }
}

/// Returns a description of the changes of a class. `None` if there are too many or none. Includes only plain names of
/// parameters.
fn in_words(row: &Definition, class: ChangeClass) -> Option<String> {
    const MOST: usize = 3;
    let is_plain = |name: &String| {
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:".contains(c));
        is_word && name.len() <= 64 && !Finding::is_in_name(name)
    };
    let all = row.differences().into_iter().filter(|each| each.class == class);
    let told: Vec<String> = all
        .map(|each| match each.name.as_ref().filter(|name| is_plain(name)) {
            Some(name) => format!("{} {name}", each.what),
            None => each.alone().to_owned(),
        })
        .collect();
    ((1..=MOST).contains(&told.len())).then(|| told.join(", "))
}

/// Returns the state of a tool in each of these lists, according to its definition there. `listings` are those of the
/// last scan.
fn states(
    row: &Definition,
    lists: &Lists<'_>,
    listings: &[Listing],
    was_withheld: bool,
    policy: &DefinitionPolicy,
) -> Vec<Listing> {
    let worst = row.state(policy);
    let accepted: Vec<&DefinitionVersion> =
        lists.iter().map(|(_, each)| *each).filter(|each| row.accepts(each)).collect();
    let state = |(source, version): &(&SourceId, &DefinitionVersion)| {
        let own = listings.iter().find(|each| each.source == **source);
        let best = || listings.iter().filter(|each| each.is_live()).map(|each| each.state).min();
        let before = own.map(|each| each.state).or_else(best);
        let is_kept = matches!(before, Some(ListingState::Withheld | ListingState::Gone));
        let state = match worst {
            ListingState::Configured => worst,
            _ if was_withheld && is_kept => worst,
            _ => policy.state(row.class_of(version, &accepted)),
        };
        Listing { source: (*source).clone(), state }
    };
    lists.iter().map(state).collect()
}
