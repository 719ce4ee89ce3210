//! A store of rows in plain lists, which scans all rows for every filter. This is a literal implementation of
//! the contract, using the filters' own `matches`. The memory store, which is the reference for all backends,
//! is compared with it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use staleness_core::journal::{Floor, JournalEntry, Revision};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::route::{Route, RouteKey, RouteVector};
use staleness_core::store::{
    Access, Change, ChangeSet, Commit, Decision, Filter as _, JournalFilter, OutcomeCut,
    OutcomeFilter, OutcomeRange, Query, RegistryStore, Row, Selection, Step, StoreError, View,
};

macro_rules! define {
    ($($rows:ident: $row:ty,)*) => {
        /// The stored rows.
        #[derive(Clone, Debug, Default)]
        struct Rows {
            revision: Revision,
            floor: Floor,
            given: u64,
            outcomes: Vec<Outcome>,
            journal: Vec<JournalEntry>,
            $($rows: Vec<$row>,)*
        }

        impl Rows {
            fn write_keyed(&mut self, changes: &ChangeSet) {
                $(for change in &changes.$rows {
                    let key = change.key();
                    self.$rows.retain(|row| row.key() != key);
                    if let Change::Put(row) = change {
                        self.$rows.push(row.clone());
                    }
                })*
            }
        }
    };
}
staleness_core::collections!(define);

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
        if !are_locked(&looks, &view, &changes) || !rows.may_prune(&changes) {
            return Err(StoreError::Misstep("no lock, written twice, or pruned too far".into()));
        }
        let changes = rows.write(changes);
        Ok(Commit { revision: rows.revision, view, changes })
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
}

impl Rows {
    fn look_again(&self, view: &mut View, more: &Selection) -> Result<(), StoreError> {
        if view.looks == View::MAX_LOOKS {
            return Err(StoreError::Misstep("too many looks".into()));
        }
        view.merge(self.look(more));
        Ok(())
    }

    /// Performs one look.
    fn look(&self, selection: &Selection) -> View {
        let mut view = View::default();
        (view.revision, view.floor) = (self.revision, self.floor);
        view.looks = 1;
        macro_rules! load {
            ($($rows:ident: $row:ty,)*) => {$(
                for pick in &selection.$rows {
                    let mut named: Vec<&$row> = self.$rows.iter().collect();
                    named.retain(|row| pick.filter.matches(row.key(), Some(row)));
                    named.sort_by_key(|row| row.key());
                    named.truncate(pick.filter.most());
                    view.$rows.extend(named.into_iter().map(|row| (row.key().clone(), row.clone())));
                }
            )*};
        }
        staleness_core::collections!(load);
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
                    row.at >= *since && row.mark.is_conclusive() && row.server.is_some()
                };
                let is_same = |other: &Outcome| {
                    other.server == row.server && other.tool.scope == row.tool.scope
                };
                is_one(row) && !later.iter().any(|other| is_one(other) && is_same(other))
            }
            OutcomeFilter::FirstAndLast { limit } => at.min(later.len()) < *limit as usize,
            OutcomeFilter::Spread { limit } => {
                let (first, last) =
                    (self.outcomes[0].seq, row.seq.max(later.last().map_or(0, |row| row.seq)));
                let width = (last - first).checked_div(u64::from(*limit));
                width.is_some_and(|width| {
                    let mut next = last;
                    for other in later.iter().rev() {
                        if other.seq <= next {
                            next = other.seq.saturating_sub(width + 1);
                        }
                    }
                    row.seq <= next
                })
            }
            OutcomeFilter::All => true,
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
        }
    }

    fn is_cut(&self, cut: &OutcomeCut, at: usize) -> bool {
        let newer = (self.outcomes.len() - at - 1) as u64;
        newer >= cut.keep_newest && self.outcomes[at].at <= cut.until
    }

    /// Returns true if all pruned entries are at or below the floor, and the newest commit stays or the floor is below
    /// a new one.
    fn may_prune(&self, changes: &ChangeSet) -> bool {
        let floor = changes.floor.revision;
        let goes = |revision: &Revision| *revision <= floor && *revision < self.revision;
        let stays = floor == Revision(0) || floor < self.revision || !changes.journal.is_empty();
        changes.pruned.iter().all(goes) && stays
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
        self.journal.retain(|row| !changes.pruned.contains(&row.revision));
        self.floor.raise(changes.floor);
        self.revision = self.revision.max(changes.floor.revision);
        self.revision.0 += u64::from(!changes.journal.is_empty());
        for (index, row) in (0..).zip(&mut changes.journal) {
            (row.revision, row.index) = (self.revision, index);
            self.journal.push(row.clone());
        }
        changes
    }
}

/// Returns true if the step locked everything that it writes, and writes no row twice.
fn are_locked(looks: &[Selection], view: &View, changes: &ChangeSet) -> bool {
    // A step that locks a route may delete its vector.
    let goes_with_route = |change: &Change<RouteVector, RouteKey>| {
        new(change).is_none() && is_locked::<Route>(looks, change.key(), None)
    };
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {
            true $(&& are_distinct::<$row>(&changes.$rows)
                && changes.$rows.iter().all(|change| {
                    let key = change.key();
                    // An existing row is matched in the state in which it was read, a new one in the state in which it
                    // is written.
                    let row = view.$rows.get(key).or(new(change));
                    is_locked::<$row>(looks, key, row) || each!(@ $rows change)
                }))*
        };
        (@ vectors $change:ident) => { goes_with_route($change) };
        (@ $other:ident $change:ident) => { false };
    }
    staleness_core::collections!(each)
}

fn is_locked<R: Row>(looks: &[Selection], key: &R::Key, row: Option<&R>) -> bool {
    let picks = looks.iter().flat_map(R::picks);
    let mut locked = picks.filter(|pick| pick.access == Access::Lock);
    locked.any(|pick| pick.filter.matches(key, row))
}

const fn new<R, K>(change: &Change<R, K>) -> Option<&R> {
    if let Change::Put(row) = change { Some(row) } else { None }
}

fn are_distinct<R: Row>(changes: &[Change<R, R::Key>]) -> bool {
    let keys: Vec<&R::Key> = changes.iter().map(Change::key).collect();
    keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key))
}
