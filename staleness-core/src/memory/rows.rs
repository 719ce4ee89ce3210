//! The rows of the memory store. Answers selections and applies changes.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Bound;

use crate::journal::{JournalCheck, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::store::{
    ChangeSet, Filter, JournalFilter, OutcomeCut, OutcomeFilter, OutcomeRange, Pick, Row,
    Selection, View, last_per_server,
};
use crate::tool::ToolSummary;

#[derive(Debug, Default)]
pub(super) struct Rows {
    last_seq: u64,
    generation: u64,
    all: View,
}

impl Rows {
    pub(super) fn load(&self, selection: &Selection) -> View {
        let mut view =
            View { revision: self.all.revision, floor: self.all.floor, ..View::default() };
        macro_rules! load {
            ($($field:ident: $row:ty,)*) => {
                $(copy::<$row>(&self.all.$field, &selection.$field, &mut view.$field);)*
            };
        }
        crate::collections!(load);
        for scope in &selection.summaries {
            let named = self.all.tools.values().filter(|tool| tool.key.scope == *scope);
            view.summaries.insert(scope.clone(), named.map(ToolSummary::from).collect());
        }
        for filter in &selection.outcomes {
            self.load_outcomes(filter, &mut view);
        }
        for filter in &selection.journal {
            self.load_journal(filter, &mut view);
        }
        view.generation = selection.generation.then_some(self.generation);
        view.route_count = selection.count_routes.as_ref().map(|project| {
            self.all.routes.keys().filter(|key| key.project == *project).count() as u64
        });
        view
    }

    fn load_outcomes(&self, filter: &OutcomeFilter, view: &mut View) {
        let rows = self.all.outcomes.values();
        let found: Vec<&Outcome> = match filter {
            OutcomeFilter::Op(tool, op) => {
                rows.filter(|row| row.tool == *tool && row.op == *op).collect()
            }
            OutcomeFilter::LastOfProject { project, limit } => rows
                .rev()
                .filter(|row| row.mark.is_counted() && row.project == *project)
                .take(*limit as usize)
                .collect(),
            OutcomeFilter::LastPerServer { since } => {
                last_per_server(rows, *since).into_values().collect()
            }
            OutcomeFilter::FirstAndLast { limit } => {
                let limit = *limit as usize;
                rows.clone().take(limit).chain(rows.rev().take(limit)).collect()
            }
            OutcomeFilter::Spread { limit } => self.spread(u64::from(*limit)),
            OutcomeFilter::All => rows.collect(),
        };
        view.outcomes.extend(found.into_iter().map(|row| (row.seq, row.clone())));
    }

    fn spread(&self, limit: u64) -> Vec<&Outcome> {
        let all = &self.all.outcomes;
        let (Some((first, _)), Some((last, row))) = (all.first_key_value(), all.last_key_value())
        else {
            return Vec::new();
        };
        let Some(step) = (last - first).checked_div(limit) else { return Vec::new() };
        let before = |row: &&Outcome| {
            let until = row.seq.checked_sub(step + 1)?;
            all.range(..=until).next_back().map(|(_, row)| row)
        };
        iter::successors(Some(row), before).collect()
    }

    fn load_journal(&self, filter: &JournalFilter, view: &mut View) {
        let rows = self.all.journal.values();
        let found: Vec<&JournalEntry> = match filter {
            JournalFilter::Op(op) => rows.filter(|row| row.op.as_ref() == Some(op)).collect(),
            JournalFilter::Subject { subject, limit } => {
                rows.rev().filter(|row| row.subject == *subject).take(*limit as usize).collect()
            }
            JournalFilter::Since { after, scope } => {
                // Reads only the end of a long journal.
                let newer =
                    self.all.journal.range((Bound::Excluded((*after, u32::MAX)), Bound::Unbounded));
                newer.map(|(_, row)| row).filter(|row| row.subject.scope == *scope).collect()
            }
            JournalFilter::All => rows.collect(),
        };
        view.journal.extend(found.into_iter().map(|row| ((row.revision, row.index), row.clone())));
    }

    /// Returns the sequence numbers within a cut, oldest first.
    fn cut(&self, cut: &OutcomeCut) -> impl Iterator<Item = u64> + '_ {
        let newest = usize::try_from(cut.keep_newest).unwrap_or(usize::MAX);
        let older = self.all.outcomes.len().saturating_sub(newest);
        let until = cut.until;
        self.all.outcomes.values().take(older).filter(move |row| row.at <= until).map(|row| row.seq)
    }

    pub(super) fn apply(&mut self, seen: &View, changes: &mut ChangeSet) -> Revision {
        self.generation += u64::from(changes.moves_generation(seen));
        for range in &changes.outcome_ranges {
            let gone: Vec<u64> = match range {
                OutcomeRange::Cut { cut, limit } => {
                    self.cut(cut).take(usize::try_from(*limit).unwrap_or(usize::MAX)).collect()
                }
                OutcomeRange::OfTool(key) => self.seqs(|row| row.tool == *key),
                OutcomeRange::OfProject(id) => self.seqs(|row| row.project == *id),
            };
            for seq in gone {
                self.all.outcomes.remove(&seq);
            }
        }
        for revision in &changes.pruned {
            let commit = (*revision, 0)..=(*revision, u32::MAX);
            let gone: Vec<_> = self.all.journal.range(commit).map(|(key, _)| *key).collect();
            gone.iter().for_each(|key| drop(self.all.journal.remove(key)));
        }
        self.all.floor.raise(changes.floor);
        self.all.revision = changes.number(self.last_seq, self.all.revision);
        self.last_seq += changes.outcomes.len() as u64;
        self.all.write(changes);
        self.all.revision
    }

    fn seqs(&self, wanted: impl Fn(&Outcome) -> bool) -> Vec<u64> {
        self.all.outcomes.values().filter(|row| wanted(row)).map(|row| row.seq).collect()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let mut check = JournalCheck::default();
        let mut entries = self.all.journal.keys();
        entries.try_for_each(|(revision, index)| check.next(*revision, *index))?;
        check.finish(self.all.revision, self.all.floor.revision)
    }
}

fn copy<R: Row>(
    rows: &BTreeMap<R::Key, R>,
    picks: &[Pick<R::Filter>],
    into: &mut BTreeMap<R::Key, R>,
) {
    for Pick { filter, .. } in picks {
        // Batches select rows by key. Such rows are looked up directly.
        if let Some(key) = filter.key() {
            into.extend(rows.get(key).map(|row| (key.clone(), row.clone())));
            continue;
        }
        let named = rows.iter().filter(|(key, row)| filter.matches(key, Some(row)));
        into.extend(named.take(filter.most()).map(|(key, row)| (key.clone(), row.clone())));
    }
}

/// Splits a view into views of at most `page` rows, one collection after another.
pub(super) fn split(whole: View, page: usize) -> Vec<View> {
    let mut pages = Vec::new();
    let blank = View { revision: whole.revision, floor: whole.floor, ..View::default() };
    macro_rules! split {
        ($($field:ident: $row:ty,)*) => {$(
            let mut rows = whole.$field.into_iter();
            loop {
                let part: BTreeMap<_, _> = rows.by_ref().take(page).collect();
                if part.is_empty() {
                    break;
                }
                pages.push(View { $field: part, ..blank.clone() });
            }
        )*};
    }
    crate::collections!(split);
    split! { outcomes: Outcome, journal: JournalEntry, }
    pages
}
