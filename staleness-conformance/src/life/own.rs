//! The rows that belong to one life.

use std::collections::BTreeMap;

use staleness_core::ids::Scope;
use staleness_core::journal::Revision;
use staleness_core::store::{Filter as _, View};

use super::Life;
use crate::rows::Sample as _;

impl Life {
    /// Returns the rows of this life's project as if nobody else had used the store. Store-wide numbers are renumbered,
    /// and fields containing such numbers are cleared.
    pub fn own(self, mut view: View) -> View {
        let id = self.project().id;
        macro_rules! keep {
            ($($rows:ident: $row:ty,)*) => {$(
                if let Some(own) = <$row>::owned(Some(id.as_str())) {
                    view.$rows.retain(|key, row| own.matches(key, Some(row)));
                }
            )*};
        }
        staleness_core::collections!(keep);
        view.projects.retain(|key, _| *key == id);
        view.outcomes.retain(|_, row| row.project == id);
        view.journal.retain(|_, row| row.subject.scope == Scope::Project(id.clone()));
        renumber(&mut view);
        view
    }
}

fn renumber(view: &mut View) {
    view.revision = Revision(0);
    view.looks = 0;
    view.projects.values_mut().for_each(|row| row.told = Revision(0));
    view.sessions.values_mut().for_each(|row| row.from_revision = Revision(0));
    view.cursors.values_mut().for_each(|row| row.revision = Revision(0));
    let outcomes = std::mem::take(&mut view.outcomes).into_values();
    view.outcomes = (1..)
        .zip(outcomes)
        .map(|(seq, mut row)| {
            row.seq = seq;
            (seq, row)
        })
        .collect();
    let mut ranks: BTreeMap<Revision, (u64, u32)> = BTreeMap::new();
    let journal = std::mem::take(&mut view.journal).into_values();
    view.journal = journal
        .map(|mut row| {
            let rank = ranks.len() as u64 + 1;
            let (rank, index) = ranks.entry(row.revision).or_insert((rank, 0));
            (row.revision, row.index) = (Revision(*rank), *index);
            *index += 1;
            ((row.revision, row.index), row)
        })
        .collect();
}
