//! Sources.

use staleness_core::ids::{Scope, SourceId, stable_hash};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::{SourceFilter, level_from_number, level_to_number};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

impl Table for Source {
    const TABLE: &'static str = "sources";
    const COLUMNS: &'static str = "scope, key, client, level, part, path, state, found, digest, \
        readings, last_read_at, last_scan_at";
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, client, level, part";

    fn condition(filter: &SourceFilter) -> Where {
        match filter {
            SourceFilter::Scope(scope) => Where::new("scope = $2", vec![Arg::text(scope.as_key())]),
            SourceFilter::Id(_) | SourceFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
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
        Ok(Self {
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

    fn put(&self, batch: &mut Batch) {
        batch.text(&self.id.client);
        batch.int(level_to_number(self.id.level));
        batch.text(&self.id.part);
        batch.text(&self.path);
        batch.text(self.state.as_str());
        batch.int(self.found);
        batch.blob(self.digest.to_be_bytes());
        batch.bits(self.readings);
        batch.maybe_time(self.last_read_at);
        batch.time(self.last_scan_at);
    }
}

/// What stands for an identity within its scope: its texts hold no control characters.
fn hashed(id: &SourceId) -> u128 {
    let level = level_to_number(id.level);
    stable_hash(&[id.client.as_bytes(), &[0, level, 0], id.part.as_bytes()].concat())
}
