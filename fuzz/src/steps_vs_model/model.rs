//! The model: rows in the order they came, and the words of the contract read literally.

use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey};
use staleness_core::journal::{JournalEntry, Revision};
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::Project;
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::{
    Access, Change, ChangeSet, Commit, Decision, JournalFilter, MAX_LOOKS, OutcomeCounts,
    OutcomeCut, OutcomeFilter, OutcomeRange, Refusal, Selection, Step, StoreError, View,
};
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use super::filters::{
    names_tool, of_cursor, of_document, of_item, of_project, of_session, of_source, of_tool,
    of_work,
};
use super::plan::{Looks, Plan};
use super::routes::{self, Routes};

/// A registry as lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    revision: u64,
    given: u64,
    projects: Vec<Project>,
    sources: Vec<Source>,
    tools: Vec<Tool>,
    items: Vec<Item>,
    documents: Vec<Document>,
    work: Vec<Work>,
    sessions: Vec<Session>,
    cursors: Vec<Cursor>,
    routes: Routes,
    outcomes: Vec<Outcome>,
    journal: Vec<JournalEntry>,
}

/// Why something must not be done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wrong {
    Refused(Refusal),
    Misstep,
}

impl Wrong {
    /// Whether a store says the same.
    pub(super) fn is(&self, error: &StoreError) -> bool {
        match (self, error) {
            (Self::Refused(expected), StoreError::Refused(found)) => expected == found,
            (Self::Misstep, StoreError::Misstep(_)) => true,
            _ => false,
        }
    }
}

impl Model {
    /// Carries out a step.
    pub(super) fn transact(&mut self, plan: &Plan) -> Result<Commit, Wrong> {
        let looks = plan.looks();
        let view = self.look(&looks)?;
        let changes = match plan.decide(&view) {
            Ok(Decision::Write(changes)) => changes,
            Ok(Decision::Need(_)) => return Err(Wrong::Misstep),
            Err(refusal) => return Err(Wrong::Refused(refusal)),
        };
        if !locked(&looks, &view, &changes) {
            return Err(Wrong::Misstep);
        }
        let changes = self.write(changes);
        Ok(Commit { revision: Revision(self.revision), view, changes })
    }

    /// Answers a query.
    pub(super) fn look(&self, looks: &Looks) -> Result<View, Wrong> {
        if looks.all.len() > MAX_LOOKS {
            return Err(Wrong::Misstep);
        }
        let mut view = self.seen(&looks.all);
        view.looks = looks.all.len();
        Ok(view)
    }

    /// The union of selections.
    pub(super) fn seen(&self, selections: &[Selection]) -> View {
        let mut all = View::default();
        all.revision = Revision(self.revision);
        for selection in selections {
            let view = self.load(selection);
            all.projects.extend(view.projects);
            all.sources.extend(view.sources);
            all.tools.extend(view.tools);
            all.knowledge.extend(view.knowledge);
            all.documents.extend(view.documents);
            all.work.extend(view.work);
            all.sessions.extend(view.sessions);
            all.cursors.extend(view.cursors);
            all.routes.extend(view.routes);
            all.vectors.extend(view.vectors);
            all.suggestions.extend(view.suggestions);
            if view.route_count.is_some() {
                all.route_count = view.route_count;
            }
            all.outcomes.extend(view.outcomes);
            all.journal.extend(view.journal);
            if view.counts.is_some() {
                all.counts = view.counts;
            }
        }
        all
    }

    /// One selection.
    pub(super) fn load(&self, selection: &Selection) -> View {
        let mut view = View::default();
        view.revision = Revision(self.revision);
        for row in &self.projects {
            if selection.projects.iter().any(|pick| of_project(&pick.filter, &row.id)) {
                view.projects.insert(row.id.clone(), row.clone());
            }
        }
        for row in &self.sources {
            if selection.sources.iter().any(|pick| of_source(&pick.filter, &row.id)) {
                view.sources.insert(row.id.clone(), row.clone());
            }
        }
        for row in &self.tools {
            if selection.tools.iter().any(|pick| of_tool(&pick.filter, &row.key, row)) {
                view.tools.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.items {
            if selection.knowledge.iter().any(|pick| of_item(&pick.filter, &row.key)) {
                view.knowledge.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.documents {
            if selection.documents.iter().any(|pick| of_document(&pick.filter, &row.key, Some(row)))
            {
                view.documents.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.work {
            if selection.work.iter().any(|pick| of_work(&pick.filter, &row.key, Some(row))) {
                view.work.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.sessions {
            if selection.sessions.iter().any(|pick| of_session(&pick.filter, &row.key)) {
                view.sessions.insert(row.key.clone(), row.clone());
            }
        }
        for row in &self.cursors {
            if selection.cursors.iter().any(|pick| of_cursor(&pick.filter, &row.key)) {
                view.cursors.insert(row.key.clone(), row.clone());
            }
        }
        self.routes.load(selection, &mut view);
        for (at, row) in self.outcomes.iter().enumerate() {
            if selection.outcomes.iter().any(|filter| self.of_outcome(filter, at)) {
                view.outcomes.insert(row.seq, row.clone());
            }
        }
        for (at, row) in self.journal.iter().enumerate() {
            if selection.journal.iter().any(|filter| self.of_journal(filter, at)) {
                view.journal.insert((row.revision, row.index), row.clone());
            }
        }
        view.counts = selection.count_outcomes.map(|cut| OutcomeCounts {
            total: self.outcomes.len() as u64,
            cut: (0..self.outcomes.len()).filter(|at| self.within(&cut, *at)).count() as u64,
        });
        view
    }

    fn of_outcome(&self, filter: &OutcomeFilter, at: usize) -> bool {
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

    fn of_journal(&self, filter: &JournalFilter, at: usize) -> bool {
        let row = &self.journal[at];
        match filter {
            JournalFilter::Op(op) => row.op == Some(op.clone()),
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

    /// Whether an outcome may be pruned.
    fn within(&self, cut: &OutcomeCut, at: usize) -> bool {
        let newer = (self.outcomes.len() - at - 1) as u64;
        newer >= cut.keep_newest && self.outcomes[at].at <= cut.until
    }

    fn write(&mut self, mut changes: ChangeSet) -> ChangeSet {
        for range in &changes.outcome_ranges {
            let gone: Vec<u64> = (0..self.outcomes.len())
                .filter(|at| match range {
                    OutcomeRange::Cut { cut, .. } => self.within(cut, *at),
                    OutcomeRange::OfTool(key) => self.outcomes[*at].tool == *key,
                    OutcomeRange::OfProject(id) => self.outcomes[*at].project == *id,
                    other => unreachable!("no range of the suite: {other:?}"),
                })
                .map(|at| self.outcomes[at].seq)
                .collect();
            let most = match range {
                OutcomeRange::Cut { limit, .. } => *limit,
                _ => u64::MAX,
            };
            let gone: Vec<u64> = (0..most).zip(gone).map(|(_, seq)| seq).collect();
            self.outcomes.retain(|row| !gone.contains(&row.seq));
        }
        for change in &changes.projects {
            put(&mut self.projects, change, |row| &row.id);
        }
        for change in &changes.sources {
            put(&mut self.sources, change, |row| &row.id);
        }
        for change in &changes.tools {
            put(&mut self.tools, change, |row| &row.key);
        }
        for change in &changes.knowledge {
            put(&mut self.items, change, |row| &row.key);
        }
        for change in &changes.documents {
            put(&mut self.documents, change, |row| &row.key);
        }
        for change in &changes.work {
            put(&mut self.work, change, |row| &row.key);
        }
        for change in &changes.sessions {
            put(&mut self.sessions, change, |row| &row.key);
        }
        for change in &changes.cursors {
            put(&mut self.cursors, change, |row| &row.key);
        }
        self.routes.write(&changes);
        for row in &mut changes.outcomes {
            self.given += 1;
            row.seq = self.given;
            self.outcomes.push(row.clone());
        }
        if !changes.journal.is_empty() {
            self.revision += 1;
        }
        for (index, row) in changes.journal.iter_mut().enumerate() {
            row.revision = Revision(self.revision);
            row.index = index as u32;
            self.journal.push(row.clone());
        }
        changes
    }
}

pub(super) fn put<R: Clone, K: PartialEq>(
    rows: &mut Vec<R>,
    change: &Change<R, K>,
    key: impl Fn(&R) -> &K,
) {
    match change {
        Change::Put(row) => {
            rows.retain(|old| key(old) != key(row));
            rows.push(row.clone());
        }
        Change::Delete(gone) => rows.retain(|old| key(old) != gone),
        _ => unreachable!("no change of the suite"),
    }
}

/// Whether a step locked all that it writes, and writes no row twice.
fn locked(looks: &Looks, view: &View, changes: &ChangeSet) -> bool {
    let projects: Vec<&ProjectId> = changes.projects.iter().map(|c| key_of(c, |r| &r.id)).collect();
    let sources: Vec<&SourceId> = changes.sources.iter().map(|c| key_of(c, |r| &r.id)).collect();
    let tools: Vec<&ToolKey> = changes.tools.iter().map(|c| key_of(c, |r| &r.key)).collect();
    let items: Vec<&ItemKey> = changes.knowledge.iter().map(|c| key_of(c, |r| &r.key)).collect();
    let documents: Vec<&DocumentKey> =
        changes.documents.iter().map(|c| key_of(c, |r| &r.key)).collect();
    let all = || looks.all.iter();
    work_was_locked(looks, view, changes)
        && routes::locked(looks, changes)
        && once(&projects)
        && once(&sources)
        && once(&tools)
        && once(&items)
        && once(&documents)
        && projects.iter().all(|id| {
            let mut picks = all().flat_map(|look| &look.projects);
            picks.any(|pick| pick.access == Access::Lock && of_project(&pick.filter, id))
        })
        && sources.iter().all(|id| {
            let mut picks = all().flat_map(|look| &look.sources);
            picks.any(|pick| pick.access == Access::Lock && of_source(&pick.filter, id))
        })
        && changes.tools.iter().zip(&tools).all(|(change, key)| {
            // A row that is there is judged as it was seen, a new one as it is written.
            let new = if let Change::Put(row) = change { Some(row) } else { None };
            let row = view.tools.get(key).or(new);
            let mut picks = all().flat_map(|look| &look.tools);
            picks.any(|pick| {
                pick.access == Access::Lock
                    && match row {
                        Some(row) => of_tool(&pick.filter, key, row),
                        None => names_tool(&pick.filter, key),
                    }
            })
        })
        && items.iter().all(|key| {
            let mut picks = all().flat_map(|look| &look.knowledge);
            picks.any(|pick| pick.access == Access::Lock && of_item(&pick.filter, key))
        })
        && changes.documents.iter().zip(&documents).all(|(change, key)| {
            let new = if let Change::Put(row) = change { Some(row) } else { None };
            let row = view.documents.get(key).or(new);
            let mut picks = all().flat_map(|look| &look.documents);
            picks.any(|pick| pick.access == Access::Lock && of_document(&pick.filter, key, row))
        })
}

/// The same of work items, sessions and cursors.
fn work_was_locked(looks: &Looks, view: &View, changes: &ChangeSet) -> bool {
    let work: Vec<_> = changes.work.iter().map(|change| key_of(change, |row| &row.key)).collect();
    let sessions: Vec<_> =
        changes.sessions.iter().map(|change| key_of(change, |row| &row.key)).collect();
    let cursors: Vec<_> =
        changes.cursors.iter().map(|change| key_of(change, |row| &row.key)).collect();
    let all = || looks.all.iter();
    once(&work)
        && once(&sessions)
        && once(&cursors)
        && changes.work.iter().zip(&work).all(|(change, key)| {
            let new = if let Change::Put(row) = change { Some(row) } else { None };
            let row = view.work.get(key).or(new);
            let mut picks = all().flat_map(|look| &look.work);
            picks.any(|pick| pick.access == Access::Lock && of_work(&pick.filter, key, row))
        })
        && sessions.iter().all(|key| {
            let mut picks = all().flat_map(|look| &look.sessions);
            picks.any(|pick| pick.access == Access::Lock && of_session(&pick.filter, key))
        })
        && cursors.iter().all(|key| {
            let mut picks = all().flat_map(|look| &look.cursors);
            picks.any(|pick| pick.access == Access::Lock && of_cursor(&pick.filter, key))
        })
}

pub(super) fn key_of<'a, R, K>(change: &'a Change<R, K>, key: impl Fn(&'a R) -> &'a K) -> &'a K {
    match change {
        Change::Put(row) => key(row),
        Change::Delete(gone) => gone,
        _ => unreachable!("no change of the suite"),
    }
}

pub(super) fn once<K: PartialEq>(keys: &[K]) -> bool {
    keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key))
}
