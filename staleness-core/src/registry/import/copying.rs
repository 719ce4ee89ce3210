//! Carrying on with a copy that is not finished.

use std::mem;

use super::{BATCH, Batch, ITEMS, ImportReport, Importer, count};
use crate::ids::stable_hash;
use crate::registry::Admin;
use crate::registry::RegistryError;
use crate::session::{Cursor, Session};
use crate::store::{
    Change, ChangeSet, CursorFilter, Decision, Durability, ItemFilter, ProjectFilter, Refusal,
    RouteFilter, Selection, SessionFilter, SourceFilter, Step, ToolFilter, VectorFilter, View,
    WorkFilter,
};
use crate::transfer::Record;

/// A record of a copy, and what it takes the place of. Not an outcome or a journal entry, which are never
/// changed.
#[derive(Debug)]
pub(super) struct Placed {
    row: Record,
    /// A hash of what was seen in its place; nothing was where there is none.
    seen: Option<u128>,
}

fn hash_of(row: &Record) -> u128 {
    stable_hash(format!("{row:?}").as_bytes())
}

/// Records of one collection, verbatim, where their places are still as they were seen.
#[derive(Debug)]
pub(super) struct PutVerbatim {
    rows: Vec<Placed>,
    durability: Durability,
}

/// The record in the place of this one, as it was seen.
fn known(view: &View, row: &Record) -> Option<Record> {
    Some(match row {
        Record::Project(row) => Record::Project(view.projects.get(&row.id)?.clone()),
        Record::Source(row) => Record::Source(view.sources.get(&row.id)?.clone()),
        Record::Tool(row) => Record::Tool(Box::new(view.tools.get(&row.key)?.clone())),
        Record::Item(row) => Record::Item(Box::new(view.knowledge.get(&row.key)?.clone())),
        Record::Work(row) => Record::Work(Box::new(view.work.get(&row.key)?.clone())),
        Record::Session(row) => Record::Session(view.sessions.get(&row.key)?.clone()),
        Record::Cursor(row) => Record::Cursor(view.cursors.get(&row.key)?.clone()),
        Record::Route(row) => Record::Route(Box::new(view.routes.get(&row.key)?.clone())),
        Record::Vector(row) => Record::Vector(Box::new(view.vectors.get(&row.key)?.clone())),
        Record::Outcome(_) | Record::Journal(_) => return None,
    })
}

fn lock(all: Selection, row: &Record) -> Selection {
    match row {
        Record::Project(row) => all.lock(ProjectFilter::Id(row.id.clone())),
        Record::Source(row) => all.lock(SourceFilter::Id(row.id.clone())),
        Record::Tool(row) => all.lock(ToolFilter::Key(row.key.clone())),
        Record::Item(row) => all.lock(ItemFilter::Key(row.key.clone())),
        Record::Work(row) => all.lock(WorkFilter::Key(row.key.clone())),
        Record::Session(row) => all.lock(SessionFilter::Key(row.key.clone())),
        Record::Cursor(row) => all.lock(CursorFilter::Key(row.key.clone())),
        Record::Route(row) => all.lock(RouteFilter::Key(row.key.clone())),
        Record::Vector(row) => all.lock(VectorFilter::Key(row.key.clone())),
        Record::Outcome(_) | Record::Journal(_) => all,
    }
}

impl Step for PutVerbatim {
    fn selection(&self) -> Selection {
        self.rows.iter().map(|placed| &placed.row).fold(Selection::new(), lock)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut set = ChangeSet::default();
        for Placed { row, seen } in &self.rows {
            let known = known(view, row);
            if known.as_ref() == Some(row) || known.as_ref().map(hash_of) != *seen {
                continue;
            }
            match row.clone() {
                Record::Project(row) => set.projects.push(Change::Put(row)),
                Record::Source(row) => set.sources.push(Change::Put(row)),
                Record::Tool(row) => set.tools.push(Change::Put(*row)),
                Record::Item(row) => set.knowledge.push(Change::Put(*row)),
                Record::Work(row) => set.work.push(Change::Put(*row)),
                Record::Session(row) => set.sessions.push(Change::Put(row)),
                Record::Cursor(row) => set.cursors.push(Change::Put(row)),
                Record::Route(row) => set.routes.push(Change::Put(*row)),
                Record::Vector(row) => set.vectors.push(Change::Put(*row)),
                Record::Outcome(_) | Record::Journal(_) => {}
            }
        }
        Ok(Decision::Write(set))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

impl Admin<'_> {
    /// An import into a registry that is empty, or holds a part of what comes, perhaps as it was before: what
    /// a [`Comparison`](crate::transfer::Comparison) calls missing is [put](Importer::put), in the order of an
    /// export, in the place of what it calls older a record is [replaced](Importer::replace), and what it calls
    /// the same is [skipped](Importer::skip). Afterwards everything is there verbatim.
    ///
    /// A record is written only while its place is as it was compared, so whoever uses the registry meanwhile
    /// loses nothing; the two sides are not the same then.
    #[must_use]
    pub fn copier(self) -> Importer {
        let mut importer = Importer::begin(self.0, ImportReport::default(), false);
        importer.copying = true;
        importer
    }
}

impl Importer {
    /// Takes note of a record that is there already, as it is.
    pub fn skip(&mut self, record: Record) {
        *self.report.skipped.of(&record) += 1;
        if let Record::Journal(entry) = record {
            let revision = entry.revision;
            // How often it was said counts for what follows.
            self.numbered(entry);
            if self.revisions.last() != Some(&(revision, revision)) {
                self.revisions.push((revision, revision));
            }
        }
    }

    /// Takes the next record of a copy, like [`Importer::put`], in the place of what was `seen` there.
    ///
    /// # Errors
    /// What the store reports; what was written before stays.
    pub async fn replace(&mut self, row: Record, seen: &Record) -> Result<(), RegistryError> {
        match (self.copying, &row) {
            (false, _) | (true, Record::Outcome(_) | Record::Journal(_)) => self.put(row).await,
            _ => self.placed(Placed { row, seen: Some(hash_of(seen)) }).await,
        }
    }

    /// Takes the next record of a copy that nothing is in the place of, unless it goes its own way: then it
    /// is given back.
    pub(super) async fn copied(&mut self, row: Record) -> Result<Option<Record>, RegistryError> {
        if matches!(row, Record::Outcome(_) | Record::Journal(_)) {
            return Ok(Some(row));
        }
        self.placed(Placed { row, seen: None }).await?;
        Ok(None)
    }

    /// What carries a revision has to wait for the journal.
    async fn placed(&mut self, placed: Placed) -> Result<(), RegistryError> {
        match placed.row {
            Record::Session(_) | Record::Cursor(_) => self.waiting.push(placed),
            Record::Project(_) => self.projects.push(placed),
            _ => self.verbatim(placed).await?,
        }
        Ok(())
    }

    /// Writes what waited for the journal of a copy.
    pub(super) async fn finish_copy(&mut self) -> Result<(), RegistryError> {
        let projects = mem::take(&mut self.projects);
        for Placed { row, seen } in mem::take(&mut self.waiting).into_iter().chain(projects) {
            let row = match row {
                Record::Session(row) => {
                    let from_revision = self.place_of(row.from_revision);
                    Record::Session(Session { from_revision, ..row })
                }
                Record::Cursor(row) => {
                    let revision = self.place_of(row.revision);
                    Record::Cursor(Cursor { revision, ..row })
                }
                Record::Project(row) => Record::Project(self.moved(row)),
                other => other,
            };
            self.verbatim(Placed { row, seen }).await?;
        }
        self.next(Batch::Nothing).await
    }

    async fn verbatim(&mut self, placed: Placed) -> Result<(), RegistryError> {
        let most = match placed.row {
            Record::Item(_) | Record::Work(_) | Record::Vector(_) => ITEMS,
            _ => BATCH,
        };
        let kind = |placed: &Placed| mem::discriminant(&placed.row);
        match &mut self.batch {
            Batch::Verbatim(rows)
                if rows.len() < most && rows.first().map(kind) == Some(kind(&placed)) =>
            {
                rows.push(placed);
                Ok(())
            }
            _ => self.next(Batch::Verbatim(vec![placed])).await,
        }
    }

    pub(super) async fn write_verbatim(
        &mut self,
        rows: Vec<Placed>,
        durability: Durability,
    ) -> Result<(), RegistryError> {
        let Some(first) = rows.first().map(|placed| placed.row.clone()) else { return Ok(()) };
        let all = rows.len();
        let put = self.write(PutVerbatim { rows, durability }).await?.0.rows();
        count(&mut self.report, all, put, |counts| counts.of(&first));
        Ok(())
    }
}
