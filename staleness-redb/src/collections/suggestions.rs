//! What was suggested in sessions.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::route::Suggestions;
use staleness_core::session::SessionKey;
use staleness_core::store::{Change, StoreError, SuggestionFilter, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_suggestions, encode_suggestions, id};
use crate::session::Tx;
use crate::tables::{SUGGESTIONS, SessionRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct SuggestionRows;

impl Collection for SuggestionRows {
    type Key = SessionRef;
    type Row = Suggestions;
    const TABLE: TableDefinition<'static, SessionRef, &'static [u8]> = SUGGESTIONS;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Suggestions, StoreError> {
        session_key(key)
            .and_then(|key| decode_suggestions(key, value))
            .map_err(|bad| corrupt("suggestions", format_args!("{key:?}"), bad))
    }

    fn keep(row: Suggestions, view: &mut View) {
        view.suggestions.insert(row.key.clone(), row);
    }
}

fn session_key((project, session): (&str, &str)) -> Result<SessionKey, Bad> {
    let project = id(project, ProjectId::new, "project")?;
    Ok(SessionKey { project, id: id(session, SessionId::new, "id")? })
}

fn words(key: &SessionKey) -> (&str, &str) {
    (key.project.as_str(), key.id.as_str())
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &SuggestionFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        SuggestionFilter::Key(key) => {
            if let Some(row) = get::<SuggestionRows>(&table(tx, SUGGESTIONS)?, words(key))? {
                SuggestionRows::keep(row, view);
            }
            Ok(())
        }
        SuggestionFilter::Project(project) => {
            let project = project.as_str();
            for entry in table(tx, SUGGESTIONS)?.range((project, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != project {
                    break;
                }
                SuggestionRows::keep(SuggestionRows::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        SuggestionFilter::All => keep_all::<SuggestionRows>(tx, view),
    }
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Tx,
    changes: &[Change<Suggestions, SessionKey>],
) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, SUGGESTIONS)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_suggestions(row)?;
                rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                rows.remove(words(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
