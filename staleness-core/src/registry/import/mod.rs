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

use super::{Admin, Registry, RegistryError};
use crate::definition::Definition;
use crate::ids::stable_hash;
use crate::journal::{Floor, JournalEntry, Revision};
use crate::knowledge::Item;
use crate::project::Project;
use crate::route::Route;
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{Change, ChangeSet, Durability, Preview, Selection, Step, StoreError, View};
use crate::tool::Tool;
use crate::transfer::{Exported, Record};
use crate::work::Work;

use copying::{Placed, PutVerbatim};
use journal::{AppendEntries, Numbered};
use knowledge::{Incoming, PutItems};
pub use routes::ToldRoute;
use routes::{Foreseen, PutVectors};
use rows::{AppendOutcomes, Merge, Outdate, PutRows};
pub use work::ToldWork;

/// Rows that one commit writes at most, so that others wait briefly. A revision of the journal is
/// one commit, however long it is.
const BATCH: usize = 500;
/// Outcomes that one commit appends at most. They are short, and ten times as many in one commit are
/// written twice as fast.
const OUTCOMES: usize = 5_000;
/// Items that one commit writes at most: each may be a megabyte.
const ITEMS: usize = 50;
/// Attempts at a commit whose acknowledgement gets lost, the first included.
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
    /// Records of one collection that are written together; of the journal those of one revision.
    batch: Vec<Placed>,
    report: ImportReport,
    /// The revisions of the export, and where each went, in order.
    revisions: Vec<(Revision, Revision)>,
    /// The number of times that the export has said the same so far, by a hash of the entry.
    said: HashMap<u64, u32>,
    /// Sessions and cursors, which wait for the whole journal.
    waiting: Vec<Placed>,
    /// The projects of a copy, which wait too: those who import put projects last themselves.
    projects: Vec<Placed>,
    /// True for a copy, of which the store may hold a part already: see [`Admin::copier`].
    copying: bool,
    /// The routes that a dry run would have written, which vectors may be of.
    foreseen: Foreseen,
}

impl Admin<'_> {
    /// Returns true if nothing is stored that an export would hold.
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
            batch: Vec::new(),
            report,
            revisions: Vec::new(),
            said: HashMap::new(),
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
    /// Errors of the store; what was written before stays.
    pub async fn put(&mut self, row: Record) -> Result<(), RegistryError> {
        self.take(Placed { row, seen: None }).await
    }

    /// Takes a record. Sessions, cursors and the projects of a copy wait for the journal.
    async fn take(&mut self, placed: Placed) -> Result<(), RegistryError> {
        match placed.row {
            Record::Session(_) | Record::Cursor(_) => self.waiting.push(placed),
            Record::Project(_) if self.copying => self.projects.push(placed),
            _ => self.push(placed).await?,
        }
        Ok(())
    }

    /// Adds a record to the batch; what is in it is written first where this belongs to another one.
    async fn push(&mut self, placed: Placed) -> Result<(), RegistryError> {
        let most = match placed.row {
            Record::Definition(_) | Record::Item(_) | Record::Work(_) | Record::Vector(_) => ITEMS,
            Record::Outcome(_) => OUTCOMES,
            Record::Journal(_) => usize::MAX,
            _ => BATCH,
        };
        let fits = |last: &Placed| match (&last.row, &placed.row) {
            (Record::Journal(last), Record::Journal(entry)) => last.revision == entry.revision,
            (last, row) => mem::discriminant(last) == mem::discriminant(row),
        };
        if self.batch.len() >= most || !self.batch.last().is_some_and(fits) {
            self.write_batch(Some(&placed.row)).await?;
        }
        let row = self.moved(placed.row);
        self.batch.push(Placed { row, ..placed });
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Errors of the store; what was written before stays.
    pub async fn finish(mut self) -> Result<ImportReport, RegistryError> {
        self.write_batch(None).await?;
        let waiting = mem::take(&mut self.waiting).into_iter();
        for placed in waiting.chain(mem::take(&mut self.projects)) {
            // What another store's journal told says nothing of this one's own entries: an agent that was
            // never told anything here gets a digest.
            if !(self.report.merged && matches!(placed.row, Record::Cursor(_))) {
                self.push(placed).await?;
            }
        }
        self.write_batch(None).await?;
        let counts = self.report.imported;
        if self.report.merged && !self.dry_run && counts.tools + counts.sources > 0 {
            self.registry.carry_out(Arc::new(Outdate), false).await?;
        }
        Ok(self.report)
    }

    /// Writes the batch; `next` is the first record behind it.
    async fn write_batch(&mut self, next: Option<&Record>) -> Result<(), RegistryError> {
        let batch = mem::take(&mut self.batch);
        let Some(first) = batch.first().map(|placed| placed.row.clone()) else { return Ok(()) };
        // The last commit of each collection is safe before the next begins; those before it are
        // then safe too.
        let last = next.map(mem::discriminant) != Some(mem::discriminant(&first));
        // Were outcomes of a copy lost between two that were not, nobody could put them there again.
        let appended = self.copying && matches!(first, Record::Outcome(_));
        let durability = if last || appended { Durability::Full } else { Durability::Normal };
        let all = batch.len();
        let rows = batch.into_iter();
        let put = match &first {
            Record::Outcome(_) => {
                let taken = |placed: Placed| match placed.row {
                    Record::Outcome(row) => Some(row),
                    _ => None,
                };
                let rows = rows.filter_map(taken).collect();
                self.write(AppendOutcomes { rows, durability }).await?.0.outcomes.len()
            }
            Record::Journal(entry) => self.journal(entry.revision, rows, durability).await?,
            _ if self.copying => {
                self.write(PutVerbatim { rows: rows.collect(), durability }).await?.0.rows()
            }
            Record::Project(_) => self.put_rows::<Project>(rows, durability).await?.len(),
            Record::Source(_) => self.put_rows::<Source>(rows, durability).await?.len(),
            Record::Tool(_) => self.put_rows::<Tool>(rows, durability).await?.len(),
            Record::Definition(_) => self.put_rows::<Definition>(rows, durability).await?.len(),
            Record::Work(_) => self.put_rows::<Work>(rows, durability).await?.len(),
            Record::Session(_) => self.put_rows::<Session>(rows, durability).await?.len(),
            Record::Cursor(_) => self.put_rows::<Cursor>(rows, durability).await?.len(),
            Record::Item(_) => {
                let rows = taken::<Item>(rows).map(Incoming::Whole).collect();
                let merging = self.report.merged;
                let step = Arc::new(PutItems { rows, merging, act: None, durability });
                let same = Arc::<PutItems>::clone(&step);
                step.written(&self.registry.carry_out(same, self.dry_run).await?.0)
            }
            Record::Route(_) => {
                let put = self.put_rows::<Route>(rows, durability).await?;
                let written = put.len();
                if self.dry_run {
                    let routes = put.into_iter().filter_map(|change| match change {
                        Change::Put(route) => Some((route.key, route.model)),
                        Change::Delete(_) => None,
                    });
                    Arc::make_mut(&mut self.foreseen).extend(routes);
                }
                written
            }
            Record::Vector(_) => {
                let (rows, foreseen) = (taken(rows).collect(), Arc::clone(&self.foreseen));
                self.write(PutVectors { rows, foreseen, durability }).await?.0.vectors.len()
            }
        };
        *self.report.imported.of(&first) += put as u64;
        *self.report.skipped.of(&first) += all.saturating_sub(put) as u64;
        Ok(())
    }

    async fn put_rows<R: Merge + Exported>(
        &self,
        rows: impl Iterator<Item = Placed>,
        durability: Durability,
    ) -> Result<Vec<Change<R, R::Key>>, RegistryError> {
        let rows = taken(rows).collect();
        let mut changes = self.write(PutRows::<R> { rows, durability }).await?.0;
        Ok(mem::take(R::changes_mut(&mut changes)))
    }

    /// An entry as it will be stored, with how often the export said the same until now.
    fn numbered(&mut self, entry: JournalEntry) -> Numbered {
        let entry = JournalEntry { revision: Revision(0), index: 0, ..entry };
        let hash = stable_hash(format!("{entry:?}").as_bytes()) as u64;
        let times = self.said.entry(hash).or_default();
        *times += 1;
        Numbered { entry, times: *times }
    }

    async fn journal(
        &mut self,
        revision: Revision,
        rows: impl Iterator<Item = Placed>,
        durability: Durability,
    ) -> Result<usize, RegistryError> {
        let mut numbered = Vec::new();
        for placed in rows {
            if let Record::Journal(entry) = placed.row {
                numbered.push(self.numbered(entry));
            }
        }
        let rows = numbered;
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
        Ok(changes.journal.len())
    }

    /// A record that follows its journal to where it went.
    fn moved(&self, mut row: Record) -> Record {
        match &mut row {
            Record::Session(row) => row.from_revision = self.place_of(row.from_revision),
            Record::Cursor(row) => row.revision = self.place_of(row.revision),
            Record::Project(row) => {
                row.told.revision = self.place_of(row.told.revision);
                row.told.from = self.place_of(row.told.from);
            }
            _ => {}
        }
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

/// The rows of a batch.
fn taken<R: Exported>(rows: impl Iterator<Item = Placed>) -> impl Iterator<Item = R> {
    rows.filter_map(|placed| R::taken(placed.row))
}
