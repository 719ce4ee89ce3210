//! The records as they are stored: one struct per kind and version, and the ways there and back.
//!
//! The structs carry no serde attributes, and texts are a type parameter: `&str` both for writing
//! and for reading without copies.

mod knowledge;
mod routes;
mod sessions;
mod work;

use serde::{Deserialize, Serialize};
use staleness_core::ids::{
    AgentId, ClientId, IdError, OpId, ProjectId, Scope, ServerKey, SessionId, SourceId, ToolKey,
    ToolName,
};
use staleness_core::journal::{JournalEntry, Revision, Subject};
use staleness_core::outcome::Outcome;
use staleness_core::project::{Project, Told};
use staleness_core::source::Source;
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;
use staleness_core::tool::{
    Failing, Health, Holding, Presence, RING_CAPACITY, Ring, RingEntry, Tool,
};

use crate::codec::{Bad, Kind, decode, decode_start, encode, open};
pub(crate) use crate::words::*;
pub(crate) use knowledge::{
    decode_document, decode_item, decode_item_brief, encode_document, encode_item,
};
pub(crate) use routes::{
    decode_route, decode_suggestions, decode_vector, encode_route, encode_suggestions,
    encode_vector,
};
pub(crate) use sessions::{decode_cursor, decode_session, encode_cursor, encode_session};
pub(crate) use work::{decode_work, encode_work};

fn time(millis: i64, field: &'static str) -> Result<Timestamp, Bad> {
    let at = Timestamp::from_millis(millis);
    if at.as_millis() == millis { Ok(at) } else { Err(Bad(field)) }
}

fn maybe_time(millis: Option<i64>, field: &'static str) -> Result<Option<Timestamp>, Bad> {
    millis.map(|millis| time(millis, field)).transpose()
}

/// Reads an identifier.
pub(crate) fn id<'a, T>(
    text: &'a str,
    new: impl FnOnce(&'a str) -> Result<T, IdError>,
    field: &'static str,
) -> Result<T, Bad> {
    new(text).map_err(|_| Bad(field))
}

fn maybe_id<'a, T>(
    text: Option<&'a str>,
    new: impl FnOnce(&'a str) -> Result<T, IdError>,
    field: &'static str,
) -> Result<Option<T>, Bad> {
    text.map(|text| id(text, new, field)).transpose()
}

/// A project, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Project1<S> {
    root: S,
    first_seen_at: i64,
    last_seen_at: i64,
    config_digest: u128,
    told: u64,
    told_session: Option<S>,
    told_from: u64,
}

pub(crate) fn encode_project(row: &Project) -> Result<Vec<u8>, StoreError> {
    let body = Project1 {
        root: row.root.as_str(),
        first_seen_at: row.first_seen_at.as_millis(),
        last_seen_at: row.last_seen_at.as_millis(),
        config_digest: row.config_digest,
        told: row.told.revision.0,
        told_session: row.told.session.as_ref().map(SessionId::as_str),
        told_from: row.told.from.0,
    };
    encode(Kind::Project, 1, &body)
}

pub(crate) fn decode_project(id: ProjectId, bytes: &[u8]) -> Result<Project, Bad> {
    let (1, body) = open(Kind::Project, bytes)? else { return Err(Bad("version")) };
    let body: Project1<&str> = decode(body)?;
    Ok(Project {
        id,
        root: body.root.to_owned(),
        first_seen_at: time(body.first_seen_at, "first_seen_at")?,
        last_seen_at: time(body.last_seen_at, "last_seen_at")?,
        config_digest: body.config_digest,
        told: Told {
            revision: Revision(body.told),
            session: maybe_id(body.told_session, SessionId::new, "told_session")?,
            from: Revision(body.told_from),
        },
    })
}

/// A source, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Source1<S> {
    path: S,
    state: u8,
    found: u32,
    digest: u128,
    readings: u64,
    last_read_at: Option<i64>,
    last_scan_at: i64,
}

pub(crate) fn encode_source(row: &Source) -> Result<Vec<u8>, StoreError> {
    let body = Source1 {
        path: row.path.as_str(),
        state: number(&STATES, &row.state)?,
        found: row.found,
        digest: row.digest,
        readings: row.readings,
        last_read_at: row.last_read_at.map(Timestamp::as_millis),
        last_scan_at: row.last_scan_at.as_millis(),
    };
    encode(Kind::Source, 1, &body)
}

pub(crate) fn decode_source(id: SourceId, bytes: &[u8]) -> Result<Source, Bad> {
    let (1, body) = open(Kind::Source, bytes)? else { return Err(Bad("version")) };
    let body: Source1<&str> = decode(body)?;
    Ok(Source {
        id,
        path: body.path.to_owned(),
        state: word(&STATES, body.state, "state")?,
        found: body.found,
        digest: body.digest,
        readings: body.readings,
        last_read_at: maybe_time(body.last_read_at, "last_read_at")?,
        last_scan_at: time(body.last_scan_at, "last_scan_at")?,
    })
}

/// One holding of a tool: project, client, level, part, held, disabled.
type Holding1<S> = (Option<S>, S, u8, S, bool, bool);

/// A tool, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tool1<S> {
    kind: u8,
    server: Option<S>,
    plugin: Option<S>,
    description: Option<S>,
    holdings: Vec<Holding1<S>>,
    cause: u8,
    cause_since: i64,
    revived: bool,
    /// Since when, and why.
    failing: Option<(i64, S)>,
    demotions: u32,
    last_demoted_at: Option<i64>,
    window: u8,
    hold: u8,
    /// Mark, time and identity, oldest first.
    ring: Vec<(u8, i64, u64)>,
    uses: u64,
    discovered_at: i64,
    last_used_at: Option<i64>,
    updated_at: i64,
}

pub(crate) fn encode_tool(row: &Tool) -> Result<Vec<u8>, StoreError> {
    let holdings = row.holdings.iter().map(|Holding { source, held, disabled }| {
        let project = source.project.as_ref().map(ProjectId::as_str);
        let level = number(&LEVELS, &source.level)?;
        Ok((project, source.client.as_str(), level, source.part.as_str(), *held, *disabled))
    });
    let ring = row
        .ring
        .entries()
        .map(|entry| Ok((number(&MARKS, &entry.mark)?, entry.at.as_millis(), entry.op)));
    let failing = row.health.failing.as_ref();
    let body = Tool1 {
        kind: number(&TOOL_KINDS, &row.kind)?,
        server: row.server.as_ref().map(ServerKey::as_str),
        plugin: row.plugin.as_ref().map(ToolName::as_str),
        description: row.description.as_deref(),
        holdings: holdings.collect::<Result<_, StoreError>>()?,
        cause: number(&CAUSES, &row.presence.cause)?,
        cause_since: row.presence.since.as_millis(),
        revived: row.presence.revived,
        failing: failing.map(|failing| (failing.since.as_millis(), failing.cause.as_str())),
        demotions: row.health.demotions,
        last_demoted_at: row.health.last_demoted_at.map(Timestamp::as_millis),
        window: row.health.window,
        hold: number(&HOLDS, &row.hold)?,
        ring: ring.collect::<Result<_, StoreError>>()?,
        uses: row.uses,
        discovered_at: row.discovered_at.as_millis(),
        last_used_at: row.last_used_at.map(Timestamp::as_millis),
        updated_at: row.updated_at.as_millis(),
    };
    encode(Kind::Tool, 1, &body)
}

pub(crate) fn decode_tool(key: ToolKey, bytes: &[u8]) -> Result<Tool, Bad> {
    let (1, body) = open(Kind::Tool, bytes)? else { return Err(Bad("version")) };
    let body: Tool1<&str> = decode(body)?;
    if body.ring.len() > RING_CAPACITY {
        return Err(Bad("ring"));
    }
    let holdings =
        body.holdings.into_iter().map(|(project, client, level, part, held, disabled)| {
            let source = SourceId {
                project: maybe_id(project, ProjectId::new, "holdings")?,
                client: client.to_owned(),
                level: word(&LEVELS, level, "holdings")?,
                part: part.to_owned(),
            };
            Ok(Holding { source, held, disabled })
        });
    let ring = body.ring.into_iter().map(|(mark, at, op)| {
        Ok(RingEntry { mark: word(&MARKS, mark, "ring")?, at: time(at, "ring")?, op })
    });
    let failing = body.failing.map(|(since, cause)| {
        Ok(Failing { since: time(since, "failing")?, cause: cause.to_owned() })
    });
    Ok(Tool {
        key,
        kind: word(&TOOL_KINDS, body.kind, "kind")?,
        server: maybe_id(body.server, ServerKey::new, "server")?,
        plugin: maybe_id(body.plugin, ToolName::new, "plugin")?,
        description: body.description.map(str::to_owned),
        holdings: holdings.collect::<Result<_, Bad>>()?,
        presence: Presence {
            cause: word(&CAUSES, body.cause, "cause")?,
            since: time(body.cause_since, "cause_since")?,
            revived: body.revived,
        },
        health: Health {
            failing: failing.transpose()?,
            demotions: body.demotions,
            last_demoted_at: maybe_time(body.last_demoted_at, "last_demoted_at")?,
            window: body.window,
        },
        hold: word(&HOLDS, body.hold, "hold")?,
        ring: Ring::from_entries(ring.collect::<Result<Vec<_>, Bad>>()?),
        uses: body.uses,
        discovered_at: time(body.discovered_at, "discovered_at")?,
        last_used_at: maybe_time(body.last_used_at, "last_used_at")?,
        updated_at: time(body.updated_at, "updated_at")?,
    })
}

/// An outcome, version 1. Its time comes first: [`outcome_time`] reads nothing else.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome1<S> {
    at: i64,
    mark: u8,
    op: S,
    scope: S,
    tool: S,
    server: Option<S>,
    /// Scope and name of each.
    credits: Vec<(S, S)>,
    project: S,
    session: Option<S>,
    agent: Option<S>,
    client: Option<S>,
    duration_ms: Option<u64>,
}

pub(crate) fn encode_outcome(row: &Outcome) -> Result<Vec<u8>, StoreError> {
    let body = Outcome1 {
        at: row.at.as_millis(),
        mark: number(&MARKS, &row.mark)?,
        op: row.op.as_str(),
        scope: row.tool.scope.as_key(),
        tool: row.tool.name.as_str(),
        server: row.server.as_ref().map(ServerKey::as_str),
        credits: row.credits.iter().map(|key| (key.scope.as_key(), key.name.as_str())).collect(),
        project: row.project.as_str(),
        session: row.session.as_ref().map(SessionId::as_str),
        agent: row.agent.as_ref().map(AgentId::as_str),
        client: row.client.as_ref().map(ClientId::as_str),
        duration_ms: row.duration_ms,
    };
    encode(Kind::Outcome, 1, &body)
}

fn tool_key(scope: &str, name: &str, field: &'static str) -> Result<ToolKey, Bad> {
    Ok(ToolKey { scope: id(scope, Scope::from_key, field)?, name: id(name, ToolName::new, field)? })
}

pub(crate) fn decode_outcome(seq: u64, bytes: &[u8]) -> Result<Outcome, Bad> {
    let (1, body) = open(Kind::Outcome, bytes)? else { return Err(Bad("version")) };
    let body: Outcome1<&str> = decode(body)?;
    let credits = body.credits.into_iter().map(|(scope, name)| tool_key(scope, name, "credits"));
    Ok(Outcome {
        seq,
        op: id(body.op, OpId::new, "op")?,
        tool: tool_key(body.scope, body.tool, "tool")?,
        server: maybe_id(body.server, ServerKey::new, "server")?,
        credits: credits.collect::<Result<_, Bad>>()?,
        mark: word(&MARKS, body.mark, "mark")?,
        at: time(body.at, "at")?,
        project: id(body.project, ProjectId::new, "project")?,
        session: maybe_id(body.session, SessionId::new, "session")?,
        agent: maybe_id(body.agent, AgentId::new, "agent")?,
        client: maybe_id(body.client, ClientId::new, "client")?,
        duration_ms: body.duration_ms,
    })
}

/// When an outcome ended, without reading the rest.
pub(crate) fn outcome_time(bytes: &[u8]) -> Result<Timestamp, Bad> {
    let (1, body) = open(Kind::Outcome, bytes)? else { return Err(Bad("version")) };
    let (at, _): (i64, usize) = decode_start(body)?;
    time(at, "at")
}

/// A journal entry, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry1<S> {
    at: i64,
    kind: u8,
    scope: S,
    subject: S,
    action: u8,
    before: Option<S>,
    after: Option<S>,
    cause: S,
    note: Option<S>,
    session: Option<S>,
    actor: Option<S>,
    op: Option<S>,
}

pub(crate) fn encode_entry(row: &JournalEntry) -> Result<Vec<u8>, StoreError> {
    let body = Entry1 {
        at: row.at.as_millis(),
        kind: number(&SUBJECTS, &row.subject.kind)?,
        scope: row.subject.scope.as_key(),
        subject: row.subject.id.as_str(),
        action: number(&ACTIONS, &row.action)?,
        before: row.from.as_deref(),
        after: row.to.as_deref(),
        cause: row.cause.as_str(),
        note: row.note.as_deref(),
        session: row.session.as_ref().map(SessionId::as_str),
        actor: row.actor.as_ref().map(AgentId::as_str),
        op: row.op.as_ref().map(OpId::as_str),
    };
    encode(Kind::Entry, 1, &body)
}

pub(crate) fn decode_entry(
    revision: Revision,
    index: u32,
    bytes: &[u8],
) -> Result<JournalEntry, Bad> {
    let (1, body) = open(Kind::Entry, bytes)? else { return Err(Bad("version")) };
    let body: Entry1<&str> = decode(body)?;
    Ok(JournalEntry {
        revision,
        index,
        at: time(body.at, "at")?,
        subject: Subject {
            kind: word(&SUBJECTS, body.kind, "kind")?,
            scope: id(body.scope, Scope::from_key, "scope")?,
            id: body.subject.to_owned(),
        },
        action: word(&ACTIONS, body.action, "action")?,
        from: body.before.map(str::to_owned),
        to: body.after.map(str::to_owned),
        cause: body.cause.to_owned(),
        note: body.note.map(str::to_owned),
        session: maybe_id(body.session, SessionId::new, "session")?,
        actor: maybe_id(body.actor, AgentId::new, "actor")?,
        op: maybe_id(body.op, OpId::new, "op")?,
    })
}
