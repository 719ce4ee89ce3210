//! Sessions.

use redb::{ReadableTable, TableDefinition};
use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::{Change, SessionFilter, StoreError, View};

use super::{Collection, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{decode_session, encode_session, id};
use crate::session::Tx;
use crate::tables::{SESSIONS, SessionRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct Sessions;

impl Collection for Sessions {
    type Key = SessionRef;
    type Row = Session;
    const TABLE: TableDefinition<'static, SessionRef, &'static [u8]> = SESSIONS;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Session, StoreError> {
        session_key(key)
            .and_then(|key| decode_session(key, value))
            .map_err(|bad| corrupt("sessions", format_args!("{key:?}"), bad))
    }

    fn keep(row: Session, view: &mut View) {
        view.sessions.insert(row.key.clone(), row);
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
pub(crate) fn load(tx: &Tx, filter: &SessionFilter, view: &mut View) -> Result<(), StoreError> {
    match filter {
        SessionFilter::Key(key) => {
            if let Some(row) = get::<Sessions>(&table(tx, SESSIONS)?, words(key))? {
                Sessions::keep(row, view);
            }
            Ok(())
        }
        SessionFilter::Project(project) => {
            let project = project.as_str();
            for entry in table(tx, SESSIONS)?.range((project, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != project {
                    break;
                }
                Sessions::keep(Sessions::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        SessionFilter::All => keep_all::<Sessions>(tx, view),
    }
}

/// Writes the changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Session, SessionKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, SESSIONS)?;
    for change in changes {
        match change {
            Change::Put(row) => {
                let value = encode_session(row)?;
                rows.insert(words(&row.key), value.as_slice()).map_err(from_storage)?;
            }
            Change::Delete(key) => {
                rows.remove(words(key)).map_err(from_storage)?;
            }
        }
    }
    Ok(())
}
