//! The step that appends imported journal entries.

use std::collections::{BTreeSet, HashMap};

use crate::journal::{Floor, JournalEntry, Revision, Subject};
use crate::store::{
    ChangeSet, Decision, Durability, JournalFilter, Refusal, Selection, Step, View,
};
use crate::time::Timestamp;

/// An entry without revision and index, and the number of times that the export has contained it so far.
///
/// Entries of scans carry no op id, and identical ones may have the same time. An entry is therefore considered present
/// if the journal contains it at least `times` times.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) entry: JournalEntry,
    pub(super) times: u32,
}

struct EntryIndex<'v>(HashMap<(&'v Subject, Timestamp), Vec<&'v JournalEntry>>);

impl<'v> EntryIndex<'v> {
    fn of(view: &'v View) -> Self {
        let mut known: HashMap<_, Vec<_>> = HashMap::new();
        for entry in view.journal.values() {
            known.entry((&entry.subject, entry.at)).or_default().push(entry);
        }
        Self(known)
    }

    /// Returns the revision of the `times`-th identical entry in the journal, or `None` if it has fewer.
    fn place(&self, row: &Numbered) -> Option<Revision> {
        let same = |known: &JournalEntry| {
            JournalEntry { revision: Revision(0), index: 0, ..known.clone() } == row.entry
        };
        let near = self.0.get(&(&row.entry.subject, row.entry.at))?;
        let mut places = near.iter().filter(|known| same(known)).map(|known| known.revision);
        places.nth(usize::try_from(row.times).ok()?.checked_sub(1)?)
    }
}

/// Appends the new entries of one revision, in order, as one revision.
#[derive(Debug)]
pub(super) struct AppendEntries {
    pub(super) rows: Vec<Numbered>,
    /// If the store is still at this revision, it cannot contain any of the entries, and they are not looked up.
    pub(super) verbatim: Option<Revision>,
    /// The floor of the exported journal, for a verbatim import.
    pub(super) floor: Floor,
    pub(super) durability: Durability,
}

impl AppendEntries {
    fn lookups(&self) -> Selection {
        let filters: BTreeSet<JournalFilter> = self
            .rows
            .iter()
            .map(|row| match &row.entry.op {
                Some(op) => JournalFilter::Op(op.clone()),
                None => {
                    JournalFilter::Subject { subject: row.entry.subject.clone(), limit: u32::MAX }
                }
            })
            .collect();
        filters.into_iter().fold(Selection::new(), Selection::journal)
    }

    /// Returns the highest revision at which the journal contains one of the entries. 0 if it contains none.
    pub(super) fn found_at(&self, view: &View) -> Revision {
        let known = EntryIndex::of(view);
        self.rows.iter().filter_map(|row| known.place(row)).max().unwrap_or_default()
    }
}

impl Step for AppendEntries {
    fn selection(&self) -> Selection {
        if self.verbatim.is_some() { Selection::new() } else { self.lookups() }
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let untouched = self.verbatim == Some(view.revision);
        if self.verbatim.is_some() && !untouched && view.looks <= 1 {
            return Ok(Decision::Need(self.lookups()));
        }
        let known = EntryIndex::of(view);
        let new = |row: &&Numbered| untouched || known.place(row).is_none();
        let journal = self.rows.iter().filter(new).map(|row| row.entry.clone()).collect();
        let floor = if untouched { self.floor } else { Floor::default() };
        Ok(Decision::Write(ChangeSet { journal, floor, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
