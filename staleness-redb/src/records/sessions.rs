//! Sessions and cursors.

use serde::{Deserialize, Serialize};
use staleness_core::ids::{AgentId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;

use super::{id, maybe_id, maybe_time, time};
use crate::codec::{Bad, Kind, decode, encode, open};

/// A session, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Session1<S> {
    agent: S,
    started_at: i64,
    ended_at: Option<i64>,
    from_revision: u64,
    first_contact: bool,
}

pub(crate) fn encode_session(row: &Session) -> Result<Vec<u8>, StoreError> {
    let body = Session1 {
        agent: row.agent.as_str(),
        started_at: row.started_at.as_millis(),
        ended_at: row.ended_at.map(Timestamp::as_millis),
        from_revision: row.from_revision.0,
        first_contact: row.first_contact,
    };
    encode(Kind::Session, 1, &body)
}

pub(crate) fn decode_session(key: SessionKey, bytes: &[u8]) -> Result<Session, Bad> {
    let (1, body) = open(Kind::Session, bytes)? else { return Err(Bad("version")) };
    let body: Session1<&str> = decode(body)?;
    Ok(Session {
        key,
        agent: id(body.agent, AgentId::new, "agent")?,
        started_at: time(body.started_at, "started_at")?,
        ended_at: maybe_time(body.ended_at, "ended_at")?,
        from_revision: Revision(body.from_revision),
        first_contact: body.first_contact,
    })
}

/// A cursor, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Cursor1<S> {
    revision: u64,
    session: Option<S>,
    moved_at: i64,
}

pub(crate) fn encode_cursor(row: &Cursor) -> Result<Vec<u8>, StoreError> {
    let body = Cursor1 {
        revision: row.revision.0,
        session: row.session.as_ref().map(SessionId::as_str),
        moved_at: row.moved_at.as_millis(),
    };
    encode(Kind::Cursor, 1, &body)
}

pub(crate) fn decode_cursor(key: CursorKey, bytes: &[u8]) -> Result<Cursor, Bad> {
    let (1, body) = open(Kind::Cursor, bytes)? else { return Err(Bad("version")) };
    let body: Cursor1<&str> = decode(body)?;
    Ok(Cursor {
        key,
        revision: Revision(body.revision),
        session: maybe_id(body.session, SessionId::new, "session")?,
        moved_at: time(body.moved_at, "moved_at")?,
    })
}
