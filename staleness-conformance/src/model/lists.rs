//! A store of rows in the order they came, which goes through all of them for every filter: the words of the
//! contract read literally, and nothing else. The memory store, which every backend is held to, is held to it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use staleness_core::journal::{JournalEntry, Revision};
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::{
    Access, Change, ChangeSet, Commit, Decision, JournalFilter, MAX_LOOKS, OutcomeCounts,
    OutcomeCut, OutcomeFilter, OutcomeRange, Query, RegistryStore, Selection, Step, StoreError,
    VectorFilter, View,
};
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use super::filters::Names;
use crate::collections::{collections, maps};
use crate::steps::key_of;

macro_rules! define {
    ($({ $rows:ident $row:ident $key:ident $id:ident $($more:ident)* })*) => {
        /// The rows.
        #[derive(Clone, Debug, Default)]
        struct Rows {
            revision: u64,
            given: u64,
            outcomes: Vec<Outcome>,
            journal: Vec<JournalEntry>,
            $($rows: Vec<$row>,)*
        }

        impl Rows {
            fn write_keyed(&mut self, changes: &ChangeSet) {
                $(for change in &changes.$rows {
                    let key = key_of(change, |row| &row.$id);
                    self.$rows.retain(|row| row.$id != *key);
                    if let Change::Put(row) = change {
                        self.$rows.push(row.clone());
                    }
                })*
            }
        }
    };
}
collections!(define);

/// A store in plain lists.
#[derive(Debug, Default)]
pub struct Lists(Mutex<Rows>);

impl Lists {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl RegistryStore for Lists {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        let rows = self.rows();
        let mut view = rows.look(&query.selection());
        while let Some(more) = query.more(&view) {
            rows.look_again(&mut view, &more)?;
        }
        Ok(view)
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let mut rows = self.rows();
        let mut looks = vec![step.selection()];
        let mut view = rows.look(&looks[0]);
        let changes = loop {
            match step.decide(&view)? {
                Decision::Write(changes) => break changes,
                Decision::Need(more) => {
                    rows.look_again(&mut view, &more)?;
                    looks.push(more);
                }
            }
        };
        if !are_locked(&looks, &view, &changes) {
            return Err(StoreError::Misstep("a row was not locked, or written twice".into()));
        }
        let changes = rows.write(changes);
        Ok(Commit { revision: Revision(rows.revision), view, changes })
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        let mut all = self.rows().look(selection);
        all.looks = 0;
        if !all.is_empty() {
            let _ = visit(all);
        }
        Ok(())
    }

    async fn backup(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported("a backup of plain lists"))
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn changed(&self, _: Revision) -> Option<Revision> {
        None
    }
}

impl Rows {
    fn look_again(&self, view: &mut View, more: &Selection) -> Result<(), StoreError> {
        if view.looks == MAX_LOOKS {
            return Err(StoreError::Misstep("too many looks".into()));
        }
        view.merge(self.look(more));
        Ok(())
    }

    /// One look.
    fn look(&self, selection: &Selection) -> View {
        let mut view = View::default();
        view.revision = Revision(self.revision);
        view.looks = 1;
        macro_rules! load {
            ($({ $rows:ident $row:ident $key:ident $id:ident $($more:ident)* })*) => {$(
                for row in &self.$rows {
                    let named = |pick: &_| picked(pick, &row.$id, Some(row));
                    if selection.$rows.iter().any(named) {
                        view.$rows.insert(row.$id.clone(), row.clone());
                    }
                }
            )*};
        }
        maps!(load);
        for row in &self.vectors {
            let named = |filter: &VectorFilter| {
                let precedes = |other: &RouteVector| {
                    filter.names(&other.key, Some(other)) && other.key < row.key
                };
                let first = matches!(filter, VectorFilter::First(..));
                filter.names(&row.key, Some(row)) && !(first && self.vectors.iter().any(precedes))
            };
            if selection.vectors.iter().any(|pick| named(&pick.filter)) {
                view.vectors.insert(row);
            }
        }
        for (at, row) in self.outcomes.iter().enumerate() {
            if selection.outcomes.iter().any(|filter| self.names_outcome(filter, at)) {
                view.outcomes.insert(row.seq, row.clone());
            }
        }
        for (at, row) in self.journal.iter().enumerate() {
            if selection.journal.iter().any(|filter| self.names_entry(filter, at)) {
                view.journal.insert((row.revision, row.index), row.clone());
            }
        }
        view.counts = selection.count_outcomes.map(|cut| OutcomeCounts {
            total: self.outcomes.len() as u64,
            cut: (0..self.outcomes.len()).filter(|at| self.is_cut(&cut, *at)).count() as u64,
        });
        view.route_count = selection.count_routes.as_ref().map(|project| {
            self.routes.iter().filter(|row| row.key.project == *project).count() as u64
        });
        view
    }

    fn names_outcome(&self, filter: &OutcomeFilter, at: usize) -> bool {
        let row = &self.outcomes[at];
        let later = &self.outcomes[at + 1..];
        match filter {
            OutcomeFilter::Op(tool, op) => row.tool == *tool && row.op == *op,
            OutcomeFilter::LastOfProject { project, limit } => {
                let is_one = |row: &Outcome| {
                    matches!(row.mark, Mark::Success | Mark::Failure) && row.project == *project
                };
                is_one(row) && later.iter().filter(|row| is_one(row)).count() < *limit as usize
            }
            OutcomeFilter::LastPerServer { since } => {
                let is_one = |row: &Outcome| {
                    row.at >= *since && row.mark != Mark::Interrupted && row.server.is_some()
                };
                let is_same = |other: &Outcome| {
                    other.server == row.server && other.tool.scope == row.tool.scope
                };
                is_one(row) && !later.iter().any(|other| is_one(other) && is_same(other))
            }
            OutcomeFilter::All => true,
            other => unreachable!("no filter of the suite: {other:?}"),
        }
    }

    fn names_entry(&self, filter: &JournalFilter, at: usize) -> bool {
        let row = &self.journal[at];
        match filter {
            JournalFilter::Op(op) => row.op.as_ref() == Some(op),
            JournalFilter::Subject { subject, limit } => {
                let later = self.journal[at + 1..].iter();
                row.subject == *subject
                    && later.filter(|row| row.subject == *subject).count() < *limit as usize
            }
            JournalFilter::Since { after, scope } => {
                row.revision.0 > after.0 && row.subject.scope == *scope
            }
            JournalFilter::All => true,
            other => unreachable!("no filter of the suite: {other:?}"),
        }
    }

    fn is_cut(&self, cut: &OutcomeCut, at: usize) -> bool {
        let newer = (self.outcomes.len() - at - 1) as u64;
        newer >= cut.keep_newest && self.outcomes[at].at <= cut.until
    }

    fn write(&mut self, mut changes: ChangeSet) -> ChangeSet {
        for range in &changes.outcome_ranges {
            let (named, most): (Vec<bool>, u64) = match range {
                OutcomeRange::Cut { cut, limit } => {
                    ((0..self.outcomes.len()).map(|at| self.is_cut(cut, at)).collect(), *limit)
                }
                OutcomeRange::OfTool(key) => {
                    (self.outcomes.iter().map(|row| row.tool == *key).collect(), u64::MAX)
                }
                OutcomeRange::OfProject(id) => {
                    (self.outcomes.iter().map(|row| row.project == *id).collect(), u64::MAX)
                }
                other => unreachable!("no range of the suite: {other:?}"),
            };
            let (mut named, mut left) = (named.into_iter(), most);
            self.outcomes.retain(|_| {
                let goes = named.next() == Some(true) && left > 0;
                left -= u64::from(goes);
                !goes
            });
        }
        self.write_keyed(&changes);
        for row in &mut changes.outcomes {
            self.given += 1;
            row.seq = self.given;
            self.outcomes.push(row.clone());
        }
        self.revision += u64::from(!changes.journal.is_empty());
        for (index, row) in (0..).zip(&mut changes.journal) {
            (row.revision, row.index) = (Revision(self.revision), index);
            self.journal.push(row.clone());
        }
        changes
    }
}

fn picked<F: Names>(
    pick: &staleness_core::store::Pick<F>,
    key: &F::Key,
    row: Option<&F::Row>,
) -> bool {
    pick.filter.names(key, row)
}

/// Whether a step locked all that it writes, and writes no row twice.
fn are_locked(looks: &[Selection], view: &View, changes: &ChangeSet) -> bool {
    macro_rules! each {
        ($({ $rows:ident $row:ident $key:ident $id:ident $($more:ident)* })*) => {
            true $(&& are_distinct(&changes.$rows, |row| &row.$id)
                && changes.$rows.iter().all(|change| {
                    let key = key_of(change, |row| &row.$id);
                    // A row that is there is judged as it was seen, a new one as it is written.
                    let row = view.$rows.get(key).or(new(change));
                    looks.iter().flat_map(|look| &look.$rows).any(|pick| {
                        pick.access == Access::Lock && picked(pick, key, row)
                    })
                }))*
        };
    }
    let keyed = maps!(each);
    keyed
        && are_distinct(&changes.vectors, |row| &row.key)
        && changes.vectors.iter().all(|change| {
            let key = key_of(change, |row| &row.key);
            let locked = looks
                .iter()
                .flat_map(|look| &look.vectors)
                .any(|pick| pick.access == Access::Lock && picked(pick, key, new(change)));
            // A step that locks a route may remove its vector.
            let mut routes = looks.iter().flat_map(|look| &look.routes);
            locked
                || new(change).is_none()
                    && routes.any(|pick| pick.access == Access::Lock && picked(pick, key, None))
        })
}

const fn new<R, K>(change: &Change<R, K>) -> Option<&R> {
    if let Change::Put(row) = change { Some(row) } else { None }
}

fn are_distinct<R, K: PartialEq>(changes: &[Change<R, K>], key: impl Fn(&R) -> &K) -> bool {
    let keys: Vec<&K> = changes.iter().map(|change| key_of(change, &key)).collect();
    keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key))
}
