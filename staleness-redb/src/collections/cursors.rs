//! Cursors.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{AgentId, ProjectId};
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::{Change, CursorFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_cursor, encode_cursor, id};
use crate::session::Tx;
use crate::tables::{CURSORS, CursorRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct Cursors;

impl Collection for Cursors {
    type Key = CursorRef;
    type Row = Cursor;
    const TABLE: TableDefinition<'static, CursorRef, &'static [u8]> = CURSORS;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Cursor, StoreError> {
        cursor_key(key)
            .and_then(|key| decode_cursor(key, value))
            .map_err(|bad| corrupt("cursors", format_args!("{key:?}"), bad))
    }

    fn keep(row: Cursor, view: &mut View) {
        view.cursors.insert(row.key.clone(), row);
    }
}

fn cursor_key((project, agent): (&str, &str)) -> Result<CursorKey, Bad> {
    let project = id(project, ProjectId::new, "project")?;
    Ok(CursorKey { project, agent: id(agent, AgentId::new, "agent")? })
}

fn words(key: &CursorKey) -> (&str, &str) {
    (key.project.as_str(), key.agent.as_str())
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &CursorFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        CursorFilter::Key(key) => {
            if let Some(row) = get::<Cursors>(&table(tx, CURSORS)?, words(key))? {
                Cursors::keep(row, view);
            }
            Ok(())
        }
        CursorFilter::Project(project) => {
            let project = project.as_str();
            for entry in table(tx, CURSORS)?.range((project, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != project {
                    break;
                }
                Cursors::keep(Cursors::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        CursorFilter::All => keep_all::<Cursors>(tx, view),
    }
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Cursor, CursorKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, CURSORS)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_cursor(row)?;
                rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                rows.remove(words(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
