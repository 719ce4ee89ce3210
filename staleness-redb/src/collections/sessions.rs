//! Sessions.

use redb::TableDefinition;
use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::session::{Session, SessionKey};
use staleness_core::store::{SessionFilter, StoreError, View};

use super::rows::{Rows, Stored, Words, range};
use crate::codec::Bad;
use crate::records::{decode_session, encode_session, id};
use crate::tables::{SESSIONS, SessionRef, Tx};

impl Stored for Session {
    type Words = SessionRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, SessionRef, &'static [u8]> = SESSIONS;

    fn words(key: &SessionKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.project.as_str(), key.id.as_str()))
    }

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        decode_session(session_key(key)?, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_session(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &SessionFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            SessionFilter::Project(project) => {
                let first = project.as_str();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            SessionFilter::Key(_) | SessionFilter::All => Ok(()),
        }
    }
}

pub(super) fn session_key(&(project, session): &(&str, &str)) -> Result<SessionKey, Bad> {
    let project = id(project, ProjectId::new, "project")?;
    Ok(SessionKey { project, id: id(session, SessionId::new, "id")? })
}
