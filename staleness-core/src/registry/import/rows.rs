//! The steps that write imported rows. The newer of two rows wins.

use std::collections::{BTreeMap, HashSet};

use crate::definition::Definition;
use crate::journal::{Action, JournalEntry, Subject};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::registry::Act;
use crate::route::Route;
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{
    Change, ChangeSet, Decision, Durability, Edit, OutcomeFilter, ProjectFilter, Refusal, Row,
    Selection, Step, View,
};
use crate::time::Timestamp;
use crate::tool::Tool;
use crate::work::{Claim, Work};

/// A digest that no configuration has, so that the next scan evaluates everything. Not 0, because 0 means that the
/// project was never scanned and has nothing to report.
const NO_DIGEST: u128 = 1;

/// Merges an imported row with a known row of the same key. By default the known row stays.
pub(super) trait Merge: Row {
    /// Returns the row to write, or `None` if the known row stays.
    fn beside(&self, _: &Self) -> Option<Self> {
        None
    }

    /// Returns the journal entry for writing this row in place of the known one.
    fn entry(&self, _: Option<&Self>, _: &Act) -> Option<JournalEntry> {
        None
    }
}

// A definition that was accepted in another store does not count as accepted in this one. Sessions and cursors refer to
// this store's journal.
impl Merge for Definition {}
impl Merge for Session {}
impl Merge for Cursor {}

impl Merge for Tool {
    /// The row that changed last wins.
    fn beside(&self, known: &Self) -> Option<Self> {
        (known.updated_at < self.updated_at).then(|| self.clone())
    }
}

impl Merge for Source {
    /// The row that was scanned last wins. The count of readings continues, so that a scan that began before the import
    /// is refused.
    fn beside(&self, known: &Self) -> Option<Self> {
        (known.last_scan_at < self.last_scan_at).then(|| Self {
            readings: self.readings.max(known.readings.saturating_add(1)),
            ..self.clone()
        })
    }
}

impl Merge for Project {
    /// The row that was seen last wins. The reported revision stays, because it refers to this store's journal.
    fn beside(&self, known: &Self) -> Option<Self> {
        (known.last_seen_at < self.last_seen_at).then(|| Self {
            first_seen_at: self.first_seen_at.min(known.first_seen_at),
            told: known.told,
            ..self.clone()
        })
    }
}

impl Merge for Work {
    /// The row with the latest activity wins. A text typed by a person stays marked as such. A claim in this store
    /// stays until it ends.
    fn beside(&self, known: &Self) -> Option<Self> {
        let held = known.held(self.updated_at).filter(|_| self.status.is_open());
        let is_renewed = |held: &Claim| {
            self.claim.as_ref().is_some_and(|own| own.is_of_same(held) && own.until > held.until)
        };
        let held = held.filter(|held| self.kind.is_task() && !is_renewed(held));
        (known.updated_at < self.updated_at).then(|| Self {
            claim: held.or(self.claim.as_ref()).cloned(),
            by_person: self.by_person || known.by_person && known.text == self.text,
            ..self.clone()
        })
    }

    fn entry(&self, known: Option<&Self>, act: &Act) -> Option<JournalEntry> {
        let action = if known.is_some() { Action::Edited } else { Action::Added };
        let states = (known.map(|known| known.status.as_str()), Some(self.status.as_str()));
        Some(act.entry(Subject::work(&self.key), action, states, "imported"))
    }
}

impl Merge for Route {
    /// The row that was used last wins. It keeps the earlier creation time and a known vector.
    fn beside(&self, known: &Self) -> Option<Self> {
        (known.last_used_at < self.last_used_at).then(|| Self {
            query: known.query.clone(),
            created_at: known.created_at.min(self.created_at),
            model: known.model.clone().or_else(|| self.model.clone()),
            ..self.clone()
        })
    }
}

/// Writes rows of an export: new ones, and those that win over known ones. Each key is written once.
#[derive(Debug)]
pub(super) struct PutRows<R> {
    pub(super) rows: Vec<R>,
    /// The act that imports the rows. `None` if the export contains their journal.
    pub(super) act: Option<Act>,
    pub(super) durability: Durability,
}

impl<R: Merge> Step for PutRows<R> {
    fn selection(&self) -> Selection {
        Selection::new().lock_keys::<R>(self.rows.iter().map(|row| row.key().clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut kept: BTreeMap<&R::Key, R> = BTreeMap::new();
        for row in &self.rows {
            let key = row.key();
            let put = match kept.get(key).or_else(|| R::rows(view).get(key)) {
                None => Some(row.clone()),
                Some(known) => row.beside(known),
            };
            kept.extend(put.map(|row| (key, row)));
        }
        let mut changes = ChangeSet::default();
        if let Some(act) = &self.act {
            let entries =
                kept.iter().filter_map(|(key, row)| row.entry(R::rows(view).get(key), act));
            changes.journal.extend(entries);
        }
        R::changes_mut(&mut changes).extend(kept.into_values().map(Change::Put));
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Invalidates the digests of all scanned projects after tools or sources were merged.
pub(super) fn outdate() -> impl Step {
    let all = Selection::new().lock(ProjectFilter::All);
    let outdate = Edit::new(Timestamp::default(), all, |draft| {
        for row in draft.view().projects.values().filter(|row| row.config_digest > NO_DIGEST) {
            draft.put(Project { config_digest: NO_DIGEST, ..row.clone() });
        }
        Ok(())
    });
    outdate.durable()
}

/// Appends the outcomes that do not exist yet, in order.
pub(super) fn append_outcomes(rows: Vec<Outcome>, durability: Durability) -> impl Step {
    let all = rows.iter().fold(Selection::new(), |all, row| {
        all.outcomes(OutcomeFilter::Op(row.tool.clone(), row.op.clone()))
    });
    let append = Edit::new(Timestamp::default(), all, move |draft| {
        let known = draft.view().outcomes.values().map(Outcome::identity);
        let known: HashSet<u64> = known.collect();
        let new = rows.iter().filter(|row| !known.contains(&row.identity()));
        new.for_each(|row| draft.append_outcome(row.clone()));
        Ok(())
    });
    append.lasting(durability)
}
