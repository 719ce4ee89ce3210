//! Sources.

use staleness_core::ids::{Scope, SourceId, stable_hash};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::{SourceFilter, StoreError, View, level_from_number, level_to_number};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Sources;

impl Table for Sources {
    type Row = Source;
    type Key = SourceId;
    type Filter = SourceFilter;

    const NAME: &'static str = "sources";
    const COLUMNS: &'static str = "scope, key, client, level, part, path, state, found, digest, \
        readings, last_read_at, last_scan_at";
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, client, level, part";

    fn key(filter: &SourceFilter) -> Option<&SourceId> {
        match filter {
            SourceFilter::Id(id) => Some(id),
            _ => None,
        }
    }

    fn condition(filter: &SourceFilter) -> Result<Where, StoreError> {
        match filter {
            SourceFilter::Scope(scope) => {
                Ok(Where::new("scope = $2", vec![Arg::text(scope.as_key())]))
            }
            SourceFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of sources")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Source, Bad> {
        let scope = cells.scope("scope")?;
        let key = cells.digest("key")?;
        let id = SourceId {
            project: match scope {
                Scope::Global => None,
                Scope::Project(id) => Some(id),
            },
            client: cells.string("client")?,
            level: level_from_number(cells.small("level")?).ok_or(Bad("level"))?,
            part: cells.string("part")?,
        };
        if hashed(&id) != key {
            return Err(Bad("key"));
        }
        Ok(Source {
            id,
            path: cells.string("path")?,
            state: cells.parsed("state", SourceState::from_word)?,
            found: cells.small("found")?,
            digest: cells.digest("digest")?,
            readings: cells.bits("readings")?,
            last_read_at: cells.maybe_time("last_read_at")?,
            last_scan_at: cells.time("last_scan_at")?,
        })
    }

    fn put_key(key: &SourceId, batch: &mut Batch) {
        batch.text(key.project.as_ref().map_or("", |project| project.as_str()));
        batch.blob(hashed(key).to_be_bytes());
    }

    fn key_of(row: &Source) -> &SourceId {
        &row.id
    }

    fn put(row: &Source, batch: &mut Batch) {
        batch.text(&row.id.client);
        batch.int(level_to_number(row.id.level));
        batch.text(&row.id.part);
        batch.text(&row.path);
        batch.text(row.state.as_str());
        batch.int(row.found);
        batch.blob(row.digest.to_be_bytes());
        batch.bits(row.readings);
        batch.maybe_time(row.last_read_at);
        batch.time(row.last_scan_at);
    }

    fn keep(row: Source, view: &mut View) {
        view.sources.insert(row.id.clone(), row);
    }
}

/// What stands for an identity within its scope: its texts hold no control characters.
fn hashed(id: &SourceId) -> u128 {
    let level = level_to_number(id.level);
    stable_hash(&[id.client.as_bytes(), &[0, level, 0], id.part.as_bytes()].concat())
}
