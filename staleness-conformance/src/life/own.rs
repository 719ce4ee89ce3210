//! The rows of one life.

use std::collections::BTreeMap;

use staleness_core::ids::Scope;
use staleness_core::journal::Revision;
use staleness_core::project::Told;
use staleness_core::store::View;

use super::Life;

impl Life {
    /// Returns the rows of this life's project as if nobody else had used the store. Store-wide numbers are
    /// renumbered, and fields with such numbers are cleared.
    #[must_use]
    pub fn own(self, mut view: View) -> View {
        let id = self.project().id;
        let here = |scope: &Scope| *scope == Scope::Project(id.clone());
        view.projects.retain(|key, _| *key == id);
        view.sources.retain(|key, _| key.project.as_ref() == Some(&id));
        view.tools.retain(|key, _| here(&key.scope));
        view.definitions.retain(|key, _| here(&key.scope));
        view.knowledge.retain(|key, _| here(&key.scope));
        view.documents.retain(|key, _| key.project == id);
        view.work.retain(|key, _| here(&key.scope));
        view.sessions.retain(|key, _| key.project == id);
        view.cursors.retain(|key, _| key.project == id);
        view.routes.retain(|key, _| key.project == id);
        view.vectors.retain(|key, _| key.project == id);
        view.suggestions.retain(|key, _| key.project == id);
        view.outcomes.retain(|_, row| row.project == id);
        view.journal.retain(|_, row| here(&row.subject.scope));
        renumber(&mut view);
        view
    }
}

fn renumber(view: &mut View) {
    view.revision = Revision(0);
    view.looks = 0;
    view.projects.values_mut().for_each(|row| row.told = Told::default());
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
