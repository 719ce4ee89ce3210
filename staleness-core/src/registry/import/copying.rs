//! Carrying on with a copy that is not finished.

use std::mem;

use super::{BATCH, Batch, ITEMS, ImportReport, Importer, count};
use crate::registry::Registry;
use crate::session::{Cursor, Session};
use crate::store::{
    Change, ChangeSet, CursorFilter, Decision, Durability, ItemFilter, ProjectFilter, Refusal,
    RouteFilter, Selection, SessionFilter, SourceFilter, Step, StoreError, ToolFilter,
    VectorFilter, View, WorkFilter,
};
use crate::transfer::Record;

/// Records of one collection, verbatim, in place of what is not newer than they are. Not outcomes and
/// journal entries, which are never changed.
#[derive(Debug)]
pub(super) struct PutVerbatim {
    pub(super) rows: Vec<Record>,
    pub(super) durability: Durability,
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
        Record::Vector(row) => Record::Vector(Box::new(view.vectors.get(&row.key)?)),
        Record::Outcome(_) | Record::Journal(_) => return None,
    })
}

fn lock(all: Selection, row: &Record) -> Selection {
    match row {
        Record::Project(row) => all.lock_projects(ProjectFilter::Id(row.id.clone())),
        Record::Source(row) => all.lock_sources(SourceFilter::Id(row.id.clone())),
        Record::Tool(row) => all.lock_tools(ToolFilter::Key(row.key.clone())),
        Record::Item(row) => all.lock_knowledge(ItemFilter::Key(row.key.clone())),
        Record::Work(row) => all.lock_work(WorkFilter::Key(row.key.clone())),
        Record::Session(row) => all.lock_sessions(SessionFilter::Key(row.key.clone())),
        Record::Cursor(row) => all.lock_cursors(CursorFilter::Key(row.key.clone())),
        Record::Route(row) => all.lock_routes(RouteFilter::Key(row.key.clone())),
        Record::Vector(row) => all.lock_vectors(VectorFilter::Key(row.key.clone())),
        Record::Outcome(_) | Record::Journal(_) => all,
    }
}

impl Step for PutVerbatim {
    fn selection(&self) -> Selection {
        self.rows.iter().fold(Selection::new(), lock)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut set = ChangeSet::default();
        for row in &self.rows {
            if known(view, row).is_some_and(|known| known == *row || !row.follows(&known)) {
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

impl Registry {
    /// An import into a registry that is empty, or holds a part of what comes, perhaps as it was before: what
    /// a [`Comparison`](crate::transfer::Comparison) calls missing or older is [put](Importer::put), in the order
    /// of an export, and what it calls the same is [skipped](Importer::skip). Afterwards everything is there
    /// verbatim.
    ///
    /// Nothing that is newer here is written over, so whoever uses the registry meanwhile loses nothing; the
    /// two sides are not the same then.
    #[must_use]
    pub fn copier(&self) -> Importer {
        let mut importer = Importer::begin(self, ImportReport::default(), false);
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
            if self.revisions.last() != Some(&revision) {
                self.revisions.push(revision);
            }
        }
    }

    /// Takes the next record of a copy, unless it has to wait for the journal or goes its own way: those
    /// are given back.
    pub(super) async fn copied(&mut self, record: Record) -> Result<Option<Record>, StoreError> {
        match record {
            Record::Project(row) => self.projects.push(row),
            Record::Session(_) | Record::Cursor(_) | Record::Outcome(_) | Record::Journal(_) => {
                return Ok(Some(record));
            }
            row => self.verbatim(row).await?,
        }
        Ok(None)
    }

    /// Writes what waited for the journal of a copy.
    pub(super) async fn finish_copy(&mut self) -> Result<(), StoreError> {
        for row in mem::take(&mut self.sessions) {
            let from_revision = self.place_of(row.from_revision);
            self.verbatim(Record::Session(Session { from_revision, ..row })).await?;
        }
        for row in mem::take(&mut self.cursors) {
            let revision = self.place_of(row.revision);
            self.verbatim(Record::Cursor(Cursor { revision, ..row })).await?;
        }
        for row in mem::take(&mut self.projects) {
            let row = self.moved(row);
            self.verbatim(Record::Project(row)).await?;
        }
        self.next(Batch::Nothing).await
    }

    async fn verbatim(&mut self, row: Record) -> Result<(), StoreError> {
        let most = match row {
            Record::Item(_) | Record::Work(_) | Record::Vector(_) => ITEMS,
            _ => BATCH,
        };
        match &mut self.batch {
            Batch::Verbatim(rows)
                if rows.len() < most
                    && rows.first().map(mem::discriminant) == Some(mem::discriminant(&row)) =>
            {
                rows.push(row);
                Ok(())
            }
            _ => self.next(Batch::Verbatim(vec![row])).await,
        }
    }

    pub(super) async fn write_verbatim(
        &mut self,
        rows: Vec<Record>,
        durability: Durability,
    ) -> Result<(), StoreError> {
        let Some(first) = rows.first().cloned() else { return Ok(()) };
        let all = rows.len();
        let put = self.write(PutVerbatim { rows, durability }).await?.0.rows();
        count(&mut self.report, all, put, |counts| counts.of(&first));
        Ok(())
    }
}
