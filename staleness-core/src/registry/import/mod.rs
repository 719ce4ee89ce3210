//! Importing records that another store exported.

mod copying;
mod foreign;
mod journal;
mod knowledge;
mod merge;
mod report;
mod routes;
mod rows;
mod stated;
mod work;

use std::collections::HashMap;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use report::{ImportReport, TransferCounts};
pub use stated::StatedItem;

use super::Registry;
use crate::ids::stable_hash;
use crate::journal::{Floor, JournalEntry, Revision};
use crate::knowledge::Item;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::registry::Admin;
use crate::registry::RegistryError;
use crate::route::{Route, RouteVector};
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{Change, ChangeSet, Durability, Preview, Selection, Step, StoreError, View};
use crate::tool::Tool;
use crate::transfer::Record;
use crate::work::Work;

use copying::Placed;
use journal::{AppendEntries, Numbered};
use knowledge::{Incoming, PutItems};
use report::count;
pub use routes::ToldRoute;
use routes::{Foreseen, PutRoutes, PutVectors};
use rows::{AppendOutcomes, Outdate, PutProjects, PutSources, PutTools};
pub use work::ToldWork;
use work::{PutCursors, PutSessions, PutWork};

/// Rows that one commit writes at most, so that others wait briefly. A revision of the journal is
/// one commit, however long it is.
const BATCH: usize = 500;
/// Outcomes that one commit appends at most. They are short, and ten times as many in one commit are
/// written twice as fast.
const OUTCOMES: usize = 5_000;
/// Items that one commit writes at most: each may be a megabyte.
const ITEMS: usize = 50;
/// How often a commit is repeated whose acknowledgement was lost.
const ATTEMPTS: usize = 3;

/// Carries the records of an export into a store.
///
/// Into an empty store everything goes verbatim, the journal with its revisions and what was pruned of it. Into
/// another one
///
/// - of a tool the record that changed last stays; of a source the one that was looked at last; of a
///   project the one that was seen last, while what it was told stays its own,
/// - of an item of knowledge the text stays that was edited last, with the verification of that text
///   and what was said against it; it gets the larger of each counter, and what it supersedes knows of
///   it,
/// - of a work item the record stays that was active last; sessions are added that are not there; how
///   far an agent was told is this store's own affair: cursors are left out,
/// - of a route the record stays that was used last, and a vector is added where there is none,
/// - outcomes are appended that are not there, by op and tool,
/// - journal entries are appended that are not there, by everything they say but their revision,
/// - the next scan of each project evaluates everything anew.
///
/// Records come in the order of an export, but projects last: their revisions follow where the
/// journal went. Those of sessions and cursors do too; they wait in memory for the end. Importing again changes nothing, so an import that was cut off is simply repeated.
#[derive(Debug)]
pub struct Importer {
    registry: Registry,
    dry_run: bool,
    batch: Batch,
    report: ImportReport,
    /// The revisions of the export, and where each went, in order.
    revisions: Vec<(Revision, Revision)>,
    /// How often the export said the same before, by a hash of it.
    said: HashMap<u64, u32>,
    /// What waits for the whole journal.
    sessions: Vec<Session>,
    cursors: Vec<Cursor>,
    /// The same of a copy: those who import put projects last themselves.
    waiting: Vec<Placed>,
    projects: Vec<Placed>,
    /// What is there is a part of what comes: see [`Admin::copier`].
    copying: bool,
    /// The routes that a dry run would have written, which vectors may be of.
    foreseen: Foreseen,
}

/// Records that are written together.
#[derive(Debug)]
enum Batch {
    Nothing,
    Projects(Vec<Project>),
    Sources(Vec<Source>),
    Tools(Vec<Tool>),
    Items(Vec<Item>),
    Work(Vec<Work>),
    Sessions(Vec<Session>),
    Cursors(Vec<Cursor>),
    Routes(Vec<Route>),
    Vectors(Vec<RouteVector>),
    Outcomes(Vec<Outcome>),
    Journal(Revision, Vec<Numbered>),
    /// Records of one collection of a copy.
    Verbatim(Vec<Placed>),
}

impl Admin<'_> {
    /// Returns true if nothing is stored that an export would hold.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn is_empty(self) -> Result<bool, RegistryError> {
        let mut empty = true;
        let mut visit = |page: View| {
            empty &= page.is_empty();
            if empty { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        self.pages(&Selection::records(), &mut visit).await?;
        Ok(empty)
    }

    /// An import into this registry; with `dry_run` one that only counts.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn importer(self, dry_run: bool) -> Result<Importer, RegistryError> {
        let merged = !self.is_empty().await?;
        Ok(Importer::begin(self.0, ImportReport { merged, ..ImportReport::default() }, dry_run))
    }
}

impl Registry {
    /// Carries a step out, again where the acknowledgement was lost, or looks what it would write.
    async fn carry_out(
        &self,
        step: Arc<dyn Step>,
        dry_run: bool,
    ) -> Result<(ChangeSet, View), RegistryError> {
        if dry_run {
            let preview = Preview(step);
            let view = self.store.view(Arc::new(preview.clone())).await?;
            return Ok((preview.changes(&view)?, view));
        }
        let mut attempt = 1;
        loop {
            match self.store.transact(Arc::clone(&step)).await {
                Err(StoreError::Unknown(_)) if attempt < ATTEMPTS => attempt += 1,
                other => return Ok(other.map(|commit| (commit.changes, commit.view))?),
            }
        }
    }
}

impl Importer {
    /// An import of which nothing has come yet.
    fn begin(registry: &Registry, report: ImportReport, dry_run: bool) -> Self {
        Self {
            registry: registry.clone(),
            dry_run,
            batch: Batch::Nothing,
            report,
            revisions: Vec::new(),
            said: HashMap::new(),
            sessions: Vec::new(),
            cursors: Vec::new(),
            waiting: Vec::new(),
            projects: Vec::new(),
            copying: false,
            foreseen: Foreseen::default(),
        }
    }

    /// Takes the next record. It is written together with others, at the latest by
    /// [`Importer::finish`].
    ///
    /// # Errors
    /// What the store reports; what was written before stays.
    pub async fn put(&mut self, mut record: Record) -> Result<(), RegistryError> {
        if self.copying {
            match self.copied(record).await? {
                Some(other) => record = other,
                None => return Ok(()),
            }
        }
        match record {
            Record::Project(row) => match &mut self.batch {
                Batch::Projects(rows) if rows.len() < BATCH => rows.push(row),
                _ => self.next(Batch::Projects(vec![row])).await?,
            },
            Record::Source(row) => match &mut self.batch {
                Batch::Sources(rows) if rows.len() < BATCH => rows.push(row),
                _ => self.next(Batch::Sources(vec![row])).await?,
            },
            Record::Tool(row) => match &mut self.batch {
                Batch::Tools(rows) if rows.len() < BATCH => rows.push(*row),
                _ => self.next(Batch::Tools(vec![*row])).await?,
            },
            Record::Item(row) => match &mut self.batch {
                Batch::Items(rows) if rows.len() < ITEMS => rows.push(*row),
                _ => self.next(Batch::Items(vec![*row])).await?,
            },
            Record::Work(row) => match &mut self.batch {
                Batch::Work(rows) if rows.len() < ITEMS => rows.push(*row),
                _ => self.next(Batch::Work(vec![*row])).await?,
            },
            Record::Session(row) => self.sessions.push(row),
            Record::Cursor(row) => self.cursors.push(row),
            Record::Route(row) => match &mut self.batch {
                Batch::Routes(rows) if rows.len() < BATCH => rows.push(*row),
                _ => self.next(Batch::Routes(vec![*row])).await?,
            },
            Record::Vector(row) => match &mut self.batch {
                Batch::Vectors(rows) if rows.len() < ITEMS => rows.push(*row),
                _ => self.next(Batch::Vectors(vec![*row])).await?,
            },
            Record::Outcome(row) => match &mut self.batch {
                Batch::Outcomes(rows) if rows.len() < OUTCOMES => rows.push(row),
                _ => self.next(Batch::Outcomes(vec![row])).await?,
            },
            Record::Journal(entry) => {
                let revision = entry.revision;
                let entry = self.numbered(entry);
                match &mut self.batch {
                    Batch::Journal(of, rows) if *of == revision => rows.push(entry),
                    _ => self.next(Batch::Journal(revision, vec![entry])).await?,
                }
            }
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the store reports; what was written before stays.
    pub async fn finish(mut self) -> Result<ImportReport, RegistryError> {
        self.next(Batch::Nothing).await?;
        if self.copying {
            self.finish_copy().await?;
            return Ok(self.report);
        }
        let (sessions, cursors) = (mem::take(&mut self.sessions), mem::take(&mut self.cursors));
        for rows in sessions.chunks(BATCH) {
            let moved = |row: &Session| Session {
                from_revision: self.place_of(row.from_revision),
                ..row.clone()
            };
            let rows = rows.iter().map(moved).collect();
            self.next(Batch::Sessions(rows)).await?;
        }
        // What another store's journal told says nothing of this one's own entries: an agent that was
        // never told anything here gets a digest.
        let cursors = if self.report.merged { Vec::new() } else { cursors };
        for rows in cursors.chunks(BATCH) {
            let moved =
                |row: &Cursor| Cursor { revision: self.place_of(row.revision), ..row.clone() };
            let rows = rows.iter().map(moved).collect();
            self.next(Batch::Cursors(rows)).await?;
        }
        self.next(Batch::Nothing).await?;
        let counts = self.report.imported;
        if self.report.merged && !self.dry_run && counts.tools + counts.sources > 0 {
            self.registry.carry_out(Arc::new(Outdate), false).await?;
        }
        Ok(self.report)
    }

    /// An entry as it will be stored, with how often the export said the same until now.
    fn numbered(&mut self, entry: JournalEntry) -> Numbered {
        let entry = JournalEntry { revision: Revision(0), index: 0, ..entry };
        let hash = stable_hash(format!("{entry:?}").as_bytes()) as u64;
        let times = self.said.entry(hash).or_default();
        *times += 1;
        Numbered { entry, times: *times }
    }

    /// Writes the batch and begins another one.
    async fn next(&mut self, next: Batch) -> Result<(), RegistryError> {
        // The last commit of each collection is safe before the next begins; those before it are
        // then safe too.
        let last = mem::discriminant(&self.batch) != mem::discriminant(&next);
        // Were outcomes of a copy lost between two that were not, nobody could put them there again.
        let appended = self.copying && matches!(self.batch, Batch::Outcomes(_));
        let durability = if last || appended { Durability::Full } else { Durability::Normal };
        match mem::replace(&mut self.batch, next) {
            Batch::Nothing => {}
            Batch::Projects(rows) => {
                let all = rows.len();
                let rows = rows.into_iter().map(|row| self.moved(row)).collect();
                let put = self.write(PutProjects { rows, durability }).await?.0.projects.len();
                count(&mut self.report, all, put, |counts| &mut counts.projects);
            }
            Batch::Sources(rows) => {
                let all = rows.len();
                let put = self.write(PutSources { rows, durability }).await?.0.sources.len();
                count(&mut self.report, all, put, |counts| &mut counts.sources);
            }
            Batch::Tools(rows) => {
                let all = rows.len();
                let put = self.write(PutTools { rows, durability }).await?.0.tools.len();
                count(&mut self.report, all, put, |counts| &mut counts.tools);
            }
            Batch::Items(rows) => {
                let (all, merging) = (rows.len(), self.report.merged);
                let rows = rows.into_iter().map(Incoming::Whole).collect();
                let step = Arc::new(PutItems { rows, merging, act: None, durability });
                let same = Arc::<PutItems>::clone(&step);
                let changes = self.registry.carry_out(same, self.dry_run).await?.0;
                let put = step.written(&changes);
                count(&mut self.report, all, put, |counts| &mut counts.knowledge);
            }
            Batch::Work(rows) => {
                let all = rows.len();
                let put = self.write(PutWork { rows, durability }).await?.0.work.len();
                count(&mut self.report, all, put, |counts| &mut counts.work);
            }
            Batch::Sessions(rows) => {
                let all = rows.len();
                let put = self.write(PutSessions { rows, durability }).await?.0.sessions.len();
                count(&mut self.report, all, put, |counts| &mut counts.sessions);
            }
            Batch::Cursors(rows) => {
                let all = rows.len();
                let put = self.write(PutCursors { rows, durability }).await?.0.cursors.len();
                count(&mut self.report, all, put, |counts| &mut counts.cursors);
            }
            Batch::Routes(rows) => {
                let all = rows.len();
                let routes = self.write(PutRoutes { rows, durability }).await?.0.routes;
                count(&mut self.report, all, routes.len(), |counts| &mut counts.routes);
                if self.dry_run {
                    Arc::make_mut(&mut self.foreseen).extend(routes.into_iter().filter_map(
                        |put| {
                            if let Change::Put(route) = put {
                                Some((route.key, route.model))
                            } else {
                                None
                            }
                        },
                    ));
                }
            }
            Batch::Vectors(rows) => {
                let all = rows.len();
                let foreseen = Arc::clone(&self.foreseen);
                let step = PutVectors { rows, foreseen, durability };
                let put = self.write(step).await?.0.vectors.len();
                count(&mut self.report, all, put, |counts| &mut counts.vectors);
            }
            Batch::Outcomes(rows) => {
                let all = rows.len();
                let put = self.write(AppendOutcomes { rows, durability }).await?.0.outcomes.len();
                count(&mut self.report, all, put, |counts| &mut counts.outcomes);
            }
            Batch::Journal(revision, rows) => self.journal(revision, rows, durability).await?,
            Batch::Verbatim(rows) => self.write_verbatim(rows, durability).await?,
        }
        Ok(())
    }

    async fn journal(
        &mut self,
        revision: Revision,
        rows: Vec<Numbered>,
        durability: Durability,
    ) -> Result<(), RegistryError> {
        let all = rows.len();
        let (last, before) = self.revisions.last().copied().unwrap_or_default();
        // In a store that was empty, and holds what came before this and nothing else, nothing of
        // it can be there.
        let verbatim = (!self.report.merged).then_some(last);
        let floor = match revision.0.saturating_sub(1) {
            pruned if pruned > last.0 => {
                // What was removed is at most as late as what follows it, as far as clocks can tell.
                let at = rows.first().map(|row| row.entry.at).unwrap_or_default();
                Floor { revision: Revision(pruned), at }
            }
            _ => Floor::default(),
        };
        let step = Arc::new(AppendEntries { rows, verbatim, floor, durability });
        let same = Arc::<AppendEntries>::clone(&step);
        let (changes, view) = self.registry.carry_out(same, self.dry_run).await?;
        let went_to = match changes.journal.first() {
            Some(entry) => entry.revision,
            None => step.found_at(&view),
        };
        self.revisions.push((revision, went_to.max(before)));
        count(&mut self.report, all, changes.journal.len(), |counts| &mut counts.journal);
        Ok(())
    }

    /// A project whose telling follows its journal to where it went.
    fn moved(&self, mut row: Project) -> Project {
        row.told.revision = self.place_of(row.told.revision);
        row.told.from = self.place_of(row.told.from);
        row
    }

    /// The revision here of each revision of the export. A pruned one keeps its distance to the next.
    fn place_of(&self, revision: Revision) -> Revision {
        let next = self.revisions.partition_point(|(of, _)| *of <= revision);
        let last = next.checked_sub(1).map(|at| self.revisions[at]);
        match (last, self.revisions.get(next)) {
            (Some((of, place)), _) if of == revision => place,
            (last, Some((of, place))) => {
                let near = Revision(place.0.saturating_sub(of.0 - revision.0));
                near.max(last.map_or(Revision(0), |(_, place)| place))
            }
            (last, None) => last.map_or(Revision(0), |(_, place)| place),
        }
    }

    async fn write(&self, step: impl Step) -> Result<(ChangeSet, View), RegistryError> {
        self.registry.carry_out(Arc::new(step), self.dry_run).await
    }
}
