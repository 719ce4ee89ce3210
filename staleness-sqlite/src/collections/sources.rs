//! Sources.

use staleness_core::ids::{Scope, SourceId};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::{SourceFilter, StoreError, View, level_from_number, level_to_number};

use super::execute;
use super::table::{Statements, Table, Visit, of_first, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! {
    sources: scope client level part; path state found digest readings last_read_at last_scan_at;
}

impl Table for Source {
    type Columns<'k> = (&'k str, &'k str, u8, &'k str);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &SourceId) -> Self::Columns<'_> {
        let scope = key.project.as_ref().map_or("", |project| project.as_str());
        (scope, &key.client, level_to_number(key.level), &key.part)
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let scope = cells.scope("scope")?;
        Ok(Self {
            id: SourceId {
                project: match scope {
                    Scope::Global => None,
                    Scope::Project(id) => Some(id),
                },
                client: cells.string("client")?,
                level: level_from_number(cells.small("level")?).ok_or(Bad("level"))?,
                part: cells.string("part")?,
            },
            path: cells.string("path")?,
            state: cells.parsed("state", SourceState::from_word)?,
            found: cells.small("found")?,
            digest: cells.digest("digest")?,
            readings: cells.int("readings")?.cast_unsigned(),
            last_read_at: cells.maybe_time("last_read_at")?,
            last_scan_at: cells.time("last_scan_at")?,
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (scope, client, level, part) = Self::columns(&self.id);
        let params = (
            scope,
            client,
            level,
            part,
            &self.path,
            self.state.as_str(),
            self.found,
            self.digest.to_be_bytes(),
            self.readings.cast_signed(),
            self.last_read_at.map(|at| at.as_millis()),
            self.last_scan_at.as_millis(),
        );
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &SourceFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            SourceFilter::Scope(scope) => of_first(tx, scope.as_key(), visit),
            SourceFilter::Id(_) | SourceFilter::All => Ok(()),
        }
    }
}
