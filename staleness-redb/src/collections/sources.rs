//! Sources.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ProjectId, SourceId};
use staleness_core::source::Source;
use staleness_core::store::{Change, SourceFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{LEVELS, decode_source, encode_source, id, number, word};
use crate::session::Tx;
use crate::tables::{SOURCES, SourceKey};

/// The collection.
#[derive(Debug)]
pub(crate) struct Sources;

type Key<'a> = (&'a str, &'a str, u8, &'a str);

impl Collection for Sources {
    type Key = SourceKey;
    type Row = Source;
    const TABLE: TableDefinition<'static, SourceKey, &'static [u8]> = SOURCES;

    fn read(key: Key<'_>, value: &[u8]) -> Result<Source, StoreError> {
        source_id(key)
            .and_then(|id| decode_source(id, value))
            .map_err(|bad| corrupt("sources", format_args!("{key:?}"), bad))
    }

    fn keep(row: Source, view: &mut View) {
        view.sources.insert(row.id.clone(), row);
    }
}

fn source_id((scope, client, level, part): Key<'_>) -> Result<SourceId, Bad> {
    let project = Some(scope).filter(|scope| !scope.is_empty());
    Ok(SourceId {
        project: project.map(|scope| id(scope, ProjectId::new, "scope")).transpose()?,
        client: client.to_owned(),
        level: word(&LEVELS, level, "level")?,
        part: part.to_owned(),
    })
}

fn key(id: &SourceId) -> Result<Key<'_>, StoreError> {
    let scope = id.project.as_ref().map_or("", |project| project.as_str());
    Ok((scope, &id.client, number(&LEVELS, &id.level)?, &id.part))
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &SourceFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        SourceFilter::Id(id) => {
            if let Some(row) = get::<Sources>(&table(tx, SOURCES)?, key(id)?)? {
                Sources::keep(row, view);
            }
            Ok(())
        }
        SourceFilter::Scope(scope) => {
            let scope = scope.as_key();
            let sources = table(tx, SOURCES)?;
            for entry in sources.range((scope, "", 0, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != scope {
                    break;
                }
                Sources::keep(Sources::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        SourceFilter::All => keep_all::<Sources>(tx, view),
    }
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Source, SourceId>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut sources = table(tx, SOURCES)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_source(row)?;
                sources.insert(key(&row.id)?, value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(id) => {
                sources.remove(key(id)?).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
