//! Import of records exported by another store.

mod journal;
mod knowledge;
mod merge;
mod report;
mod routes;
mod rows;
mod work;

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use report::{ImportReport, TransferCounts};

use super::{Act, Admin, RecordUses, Registry, RegistryError, Tools, Use};
use crate::definition::{Definition, DefinitionVersion};
use crate::ids::{Scope, stable_hash};
use crate::journal::{Floor, JournalEntry, Revision};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::Route;
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{Change, ChangeSet, Durability, Selection, Step, StoreError, View};
use crate::tool::Tool;
use crate::transfer::{Exported, Record};
use crate::work::Work;

use journal::{AppendEntries, Numbered};
use knowledge::PutItems;
use routes::{Foreseen, put_vectors};
use rows::{Merge, PutRows, append_outcomes, outdate};
use work::untie;

/// The maximum number of rows per commit, so that other writers wait only briefly. A revision of the journal
/// is always one commit.
const BATCH: usize = 500;
/// The maximum number of outcomes per commit. Outcomes are small, and large commits are faster.
const OUTCOMES: usize = 5_000;
/// The size at which a batch is full, in bytes of its texts and vectors. A single item may have a megabyte.
const BYTES: usize = 4 << 20;
/// The maximum number of attempts at a commit whose acknowledgement is lost.
const ATTEMPTS: usize = 3;

/// Writes the records of an export into a store.
///
/// An empty store gets a verbatim copy of everything, including the journal with its revisions and its floor. In
/// another store the records are merged:
///
/// - tools: the record that changed last wins; sources: the one scanned last; projects: the one seen last, but the
///   revision reported in this store stays,
/// - items of knowledge: the text that was edited last wins, with its verification and contradiction; the larger value
///   of each counter wins, and links are made consistent,
/// - work items: the record with the latest activity wins, without dependencies that would form a cycle; sessions: new
///   ones are added; cursors: not imported, because they refer to the journal of the other store,
/// - routes: the record that was used last wins, and missing vectors are added,
/// - outcomes: new ones are appended, identified by op and tool,
/// - journal entries: new ones are appended, identified by everything except their revision,
/// - afterwards, the next scan of each project evaluates everything again.
///
/// Records must be put in the order of an export. The revisions in projects, sessions and cursors are translated to
/// those of the new journal, so the importer keeps these records in memory until the end. Importing again changes
/// nothing, so an interrupted import can be repeated.
#[derive(Debug)]
pub struct Importer {
    registry: Registry,
    dry_run: bool,
    /// The act that imports records without a journal of their own.
    act: Option<Act>,
    /// Records of one collection to write together. Journal entries all have the same revision.
    batch: Vec<Record>,
    /// The size of the batch: see [`BYTES`].
    bytes: usize,
    report: ImportReport,
    /// The revisions of the export, each with its revision in this store, in order.
    revisions: Vec<(Revision, Revision)>,
    /// The number of times that the export has contained each journal entry so far, by a hash of the entry.
    said: HashMap<u64, u32>,
    /// Projects, sessions and cursors, held back until the journal is complete.
    waiting: Vec<Record>,
    scopes: BTreeSet<Scope>,
    /// The routes that a dry run would have written. Their vectors are accepted although the routes do not exist.
    foreseen: Foreseen,
}

impl Admin<'_> {
    /// Returns true if the store contains nothing that an export would contain.
    pub async fn is_empty(self) -> Result<bool, RegistryError> {
        let mut empty = true;
        let mut visit = |page: View| {
            empty &= page.is_empty();
            if empty { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        self.pages(&Selection::records(), &mut visit).await?;
        Ok(empty)
    }

    /// Creates an import into this registry; with `dry_run` it only counts.
    pub async fn importer(self, dry_run: bool) -> Result<Importer, RegistryError> {
        let merged = !self.is_empty().await?;
        Ok(Importer {
            registry: if dry_run { self.0.dry() } else { self.0.clone() },
            dry_run,
            act: None,
            batch: Vec::new(),
            bytes: 0,
            report: ImportReport { merged, ..ImportReport::default() },
            revisions: Vec::new(),
            said: HashMap::new(),
            waiting: Vec::new(),
            scopes: BTreeSet::new(),
            foreseen: Foreseen::default(),
        })
    }
}

impl Registry {
    /// Runs a step. Retries if the acknowledgement is lost.
    async fn carry_out(&self, step: Arc<dyn Step>) -> Result<(ChangeSet, View), RegistryError> {
        let mut attempt = 1;
        loop {
            match self.transact(Arc::clone(&step)).await {
                Err(StoreError::Unknown(_)) if attempt < ATTEMPTS => attempt += 1,
                other => return Ok(other.map(|commit| (commit.changes, commit.view))?),
            }
        }
    }
}

impl Tools<'_> {
    /// Records uses in order, in one commit, like [`Tools::record_all`]. Returns only the new outcomes. May be repeated
    /// with the same op ids.
    ///
    /// # Errors
    /// An error of the store, in which case nothing is recorded.
    pub async fn record_batch(self, uses: Vec<Use>) -> Result<Vec<Outcome>, RegistryError> {
        let step = Arc::new(RecordUses { uses, policy: Arc::clone(&self.0.policy) });
        Ok(self.0.carry_out(step).await?.0.outcomes)
    }
}

impl Importer {
    /// Imports records of another system that has no journal: this store's journal records new and changed items and
    /// work items as done by `act`. For items that `act` lists as being in files, only counters are imported, because
    /// the file holds the rest.
    #[must_use]
    pub fn by(self, act: Act) -> Self {
        Self { act: Some(act), ..self }
    }

    /// Returns true if the store may contain records that this import did not write.
    const fn merges(&self) -> bool {
        self.report.merged || self.act.is_some()
    }

    /// Adds a record to the import. Records are written in batches, the last ones by [`Importer::finish`].
    pub async fn put(&mut self, row: Record) -> Result<(), RegistryError> {
        match row {
            Record::Project(_) | Record::Session(_) | Record::Cursor(_) => self.waiting.push(row),
            _ => self.push(row).await?,
        }
        Ok(())
    }

    /// Adds a record to the batch. Writes the batch first if it is full or contains records of another kind.
    async fn push(&mut self, row: Record) -> Result<(), RegistryError> {
        let most = match row {
            Record::Outcome(_) => OUTCOMES,
            Record::Journal(_) => usize::MAX,
            _ => BATCH,
        };
        let fits = |last: &Record| match (last, &row) {
            (Record::Journal(last), Record::Journal(entry)) => last.revision == entry.revision,
            (last, row) => mem::discriminant(last) == mem::discriminant(row),
        };
        let is_full = self.batch.len() >= most || self.bytes >= BYTES;
        if is_full || !self.batch.last().is_some_and(fits) {
            self.write_batch(Some(&row)).await?;
        }
        if let Record::Work(work) = &row {
            self.scopes.insert(work.key.scope.clone());
        }
        let row = self.moved(row);
        self.bytes += size(&row);
        self.batch.push(row);
        Ok(())
    }

    /// Writes all remaining records and returns the report.
    pub async fn finish(mut self) -> Result<ImportReport, RegistryError> {
        self.write_batch(None).await?;
        for row in mem::take(&mut self.waiting) {
            // Cursors are not merged, because they do not cover this store's own entries. An agent without a cursor
            // gets a digest.
            if !(self.report.merged && matches!(row, Record::Cursor(_))) {
                self.push(row).await?;
            }
        }
        self.write_batch(None).await?;
        let counts = self.report.imported;
        if self.report.merged && !self.dry_run && counts.tools + counts.sources > 0 {
            self.registry.carry_out(Arc::new(outdate())).await?;
        }
        if self.merges() && !self.dry_run && counts.work > 0 {
            let untied = untie(mem::take(&mut self.scopes));
            let (changes, view) = self.write(untied).await?;
            self.report.untied = work::dropped(&changes, &view);
        }
        Ok(self.report)
    }

    /// Writes the batch; `next` is the first record after it.
    async fn write_batch(&mut self, next: Option<&Record>) -> Result<(), RegistryError> {
        let batch = mem::take(&mut self.batch);
        self.bytes = 0;
        let Some(first) = batch.first().cloned() else { return Ok(()) };
        // The last commit of a collection is fully durable, and so are the earlier ones with it, before the next
        // collection begins.
        let last = next.map(mem::discriminant) != Some(mem::discriminant(&first));
        let durability = if last { Durability::Full } else { Durability::Normal };
        let all = batch.len();
        let rows = batch.into_iter();
        let put = match &first {
            Record::Outcome(_) => {
                let rows = taken(rows).collect();
                self.write(append_outcomes(rows, durability)).await?.0.outcomes.len()
            }
            Record::Journal(entry) => self.journal(entry.revision, rows, durability).await?,
            Record::Item(_) => {
                let (rows, merging, act) = (taken(rows).collect(), self.merges(), self.act.clone());
                let step = Arc::new(PutItems { rows, merging, act, durability });
                let same = Arc::<PutItems>::clone(&step);
                step.written(&self.registry.carry_out(same).await?.0)
            }
            Record::Vector(_) => {
                let rows = taken(rows).collect();
                let step = put_vectors(rows, Arc::clone(&self.foreseen), durability);
                self.write(step).await?.0.vectors.len()
            }
            Record::Project(_) => self.put_rows::<Project>(rows, durability).await?,
            Record::Source(_) => self.put_rows::<Source>(rows, durability).await?,
            Record::Tool(_) => self.put_rows::<Tool>(rows, durability).await?,
            Record::Definition(_) => self.put_rows::<Definition>(rows, durability).await?,
            Record::Work(_) => self.put_rows::<Work>(rows, durability).await?,
            Record::Session(_) => self.put_rows::<Session>(rows, durability).await?,
            Record::Cursor(_) => self.put_rows::<Cursor>(rows, durability).await?,
            Record::Route(_) => self.put_rows::<Route>(rows, durability).await?,
        };
        *self.report.imported.of(&first) += put as u64;
        *self.report.skipped.of(&first) += all.saturating_sub(put) as u64;
        Ok(())
    }

    async fn put_rows<R: Merge + Exported>(
        &mut self,
        rows: impl Iterator<Item = Record>,
        durability: Durability,
    ) -> Result<usize, RegistryError> {
        let rows: Vec<R> = taken(rows).collect();
        let act = self.act.clone();
        let mut changes = self.write(PutRows { rows, act, durability }).await?.0;
        if self.dry_run {
            let routes = changes.routes.iter().filter_map(Change::put);
            let foreseen = routes.map(|route| (route.key.clone(), route.model.clone()));
            Arc::make_mut(&mut self.foreseen).extend(foreseen);
        }
        Ok(R::changes_mut(&mut changes).len())
    }

    /// Returns an entry as it will be stored, with the number of times that the export has contained it.
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
        rows: impl Iterator<Item = Record>,
        durability: Durability,
    ) -> Result<usize, RegistryError> {
        let rows: Vec<Numbered> = taken(rows).map(|entry| self.numbered(entry)).collect();
        let (last, before) = self.revisions.last().copied().unwrap_or_default();
        // If the store was empty and contains only earlier parts of this import, it cannot contain the entries.
        let verbatim = (!self.report.merged).then_some(last);
        let floor = match revision.0.saturating_sub(1) {
            pruned if pruned > last.0 => {
                // If the clocks are right, the pruned entries are not later than the entries that follow them.
                let at = rows.first().map(|row| row.entry.at).unwrap_or_default();
                Floor { revision: Revision(pruned), at }
            }
            _ => Floor::default(),
        };
        let step = Arc::new(AppendEntries { rows, verbatim, floor, durability });
        let same = Arc::<AppendEntries>::clone(&step);
        let (changes, view) = self.registry.carry_out(same).await?;
        let went_to = match changes.journal.first() {
            Some(entry) => entry.revision,
            None => step.found_at(&view),
        };
        self.revisions.push((revision, went_to.max(before)));
        Ok(changes.journal.len())
    }

    /// Translates the revisions in a record to those of this store.
    fn moved(&self, mut row: Record) -> Record {
        match &mut row {
            Record::Session(row) => row.from_revision = self.place_of(row.from_revision),
            Record::Cursor(row) => row.revision = self.place_of(row.revision),
            Record::Project(row) => row.told = self.place_of(row.told),
            _ => {}
        }
        row
    }

    /// Returns this store's revision for a revision of the export. A pruned revision keeps its distance to the next
    /// one.
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
        self.registry.carry_out(Arc::new(step)).await
    }
}

/// Returns the size of a record's largest parts, in bytes.
fn size(row: &Record) -> usize {
    match row {
        Record::Item(item) => item.body.len(),
        Record::Work(work) => work.text.len(),
        Record::Definition(_) => DefinitionVersion::MAX_PART_BYTES,
        Record::Vector(row) => 4 * row.vector.dimensions(),
        _ => 0,
    }
}

/// Converts the records of a batch to rows of type `R`; drops records of other types.
fn taken<R: Exported>(rows: impl Iterator<Item = Record>) -> impl Iterator<Item = R> {
    rows.filter_map(R::taken)
}
