//! The steps that write imported rows. The newer of two rows wins.

use std::collections::{BTreeMap, HashSet};

use crate::definition::Definition;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::Route;
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{
    Change, ChangeSet, Decision, Durability, OutcomeFilter, ProjectFilter, Refusal, Row, Selection,
    Step, View,
};
use crate::tool::Tool;
use crate::work::Work;

/// A digest that no configuration has, so that the next scan evaluates everything. It is not 0, because 0
/// means that a project was never scanned and has no news.
const NO_DIGEST: u128 = 1;

/// Merging of an imported row with a known row of the same key.
pub(super) trait Merge: Row {
    /// Returns the row to write; `None` if the known row stays.
    fn beside(&self, known: &Self) -> Option<Self>;
}

impl Merge for Tool {
    /// The row that changed last wins.
    fn beside(&self, known: &Self) -> Option<Self> {
        (known.updated_at < self.updated_at).then(|| self.clone())
    }
}

impl Merge for Definition {
    /// The known row stays, because acceptance in another store does not count here.
    fn beside(&self, _: &Self) -> Option<Self> {
        None
    }
}

impl Merge for Source {
    /// The row that was scanned last wins. The count of readings continues, so that a scan that began earlier
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
    /// The row with the latest activity wins. A text that is known to be typed by a person keeps that mark, and an open
    /// item the claim that ends last, so that nobody loses an item that he holds.
    fn beside(&self, known: &Self) -> Option<Self> {
        let end = |work: &Self| work.claim.as_ref().map(|claim| claim.until);
        let is_kept = self.status.is_open() && self.kind.is_task() && end(known) > end(self);
        (known.updated_at < self.updated_at).then(|| Self {
            claim: if is_kept { known.claim.clone() } else { self.claim.clone() },
            by_person: self.by_person || known.by_person && known.text == self.text,
            ..self.clone()
        })
    }
}

impl Merge for Session {
    /// A known session stays, because its start refers to this store's journal.
    fn beside(&self, _: &Self) -> Option<Self> {
        None
    }
}

impl Merge for Cursor {
    /// The known cursor stays, because it refers to this store's journal.
    fn beside(&self, _: &Self) -> Option<Self> {
        None
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

/// Writes rows of an export, each once: new ones, and those that win over known ones.
#[derive(Debug)]
pub(super) struct PutRows<R> {
    pub(super) rows: Vec<R>,
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
            let known = kept.get(key).or_else(|| R::rows(view).get(key));
            if let Some(row) = known.map_or_else(|| Some(row.clone()), |known| row.beside(known)) {
                kept.insert(key, row);
            }
        }
        let mut changes = ChangeSet::default();
        R::changes_mut(&mut changes).extend(kept.into_values().map(Change::Put));
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Invalidates the digests of all scanned projects after tools or sources were merged.
#[derive(Debug)]
pub(super) struct Outdate;

impl Step for Outdate {
    fn selection(&self) -> Selection {
        Selection::new().lock(ProjectFilter::All)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let scanned = view.projects.values().filter(|row| row.config_digest > NO_DIGEST);
        let outdated = scanned.map(|row| Project { config_digest: NO_DIGEST, ..row.clone() });
        let projects = outdated.map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { projects, ..ChangeSet::default() }))
    }
}

/// Appends the outcomes that do not exist yet, in order.
#[derive(Debug)]
pub(super) struct AppendOutcomes {
    pub(super) rows: Vec<Outcome>,
    pub(super) durability: Durability,
}

impl Step for AppendOutcomes {
    fn selection(&self) -> Selection {
        self.rows.iter().fold(Selection::new(), |all, row| {
            all.outcomes(OutcomeFilter::Op(row.tool.clone(), row.op.clone()))
        })
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let known: HashSet<u64> = view.outcomes.values().map(Outcome::identity).collect();
        let new = self.rows.iter().filter(|row| !known.contains(&row.identity()));
        let outcomes = new.cloned().collect();
        Ok(Decision::Write(ChangeSet { outcomes, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
