//! Work items.

use serde::{Deserialize, Serialize};
use staleness_core::ids::WorkKey;
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;
use staleness_core::work::{Work, WorkStep};

use super::{NOTES, WORK_KINDS, WORK_STATES, maybe_time, number, time, word};
use crate::codec::{Bad, Kind, decode, encode, open};

/// A work item, version 1. References are in the order of the set that they stand for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work1<S> {
    status: u8,
    kind: u8,
    before: Option<u8>,
    text: S,
    author: Option<S>,
    from: Option<S>,
    to: Option<S>,
    note: u8,
    generated: bool,
    created_at: i64,
    updated_at: i64,
    expires_at: Option<i64>,
    refs: Vec<S>,
    /// What was done, and when.
    steps: Vec<(S, i64)>,
}

pub(crate) fn encode_work(row: &Work) -> Result<Vec<u8>, StoreError> {
    let body = Work1 {
        status: number(&WORK_STATES, &row.status)?,
        kind: number(&WORK_KINDS, &row.kind)?,
        before: row.before.map(|before| number(&WORK_STATES, &before)).transpose()?,
        text: row.text.as_str(),
        author: row.author.as_deref(),
        from: row.from.as_deref(),
        to: row.to.as_deref(),
        note: number(&NOTES, &row.note)?,
        generated: row.generated,
        created_at: row.created_at.as_millis(),
        updated_at: row.updated_at.as_millis(),
        expires_at: row.expires_at.map(Timestamp::as_millis),
        refs: row.refs.iter().map(String::as_str).collect(),
        steps: row.steps.iter().map(|step| (step.text.as_str(), step.at.as_millis())).collect(),
    };
    encode(Kind::Work, 1, &body)
}

pub(crate) fn decode_work(key: WorkKey, bytes: &[u8]) -> Result<Work, Bad> {
    let (1, body) = open(Kind::Work, bytes)? else { return Err(Bad("version")) };
    let body: Work1<&str> = decode(body)?;
    let before = body.before.map(|before| word(&WORK_STATES, before, "before"));
    let steps = body
        .steps
        .into_iter()
        .map(|(text, at)| Ok(WorkStep { text: text.to_owned(), at: time(at, "steps")? }));
    Ok(Work {
        key,
        kind: word(&WORK_KINDS, body.kind, "kind")?,
        status: word(&WORK_STATES, body.status, "status")?,
        before: before.transpose()?,
        text: body.text.to_owned(),
        author: body.author.map(str::to_owned),
        from: body.from.map(str::to_owned),
        to: body.to.map(str::to_owned),
        note: word(&NOTES, body.note, "note")?,
        generated: body.generated,
        created_at: time(body.created_at, "created_at")?,
        updated_at: time(body.updated_at, "updated_at")?,
        expires_at: maybe_time(body.expires_at, "expires_at")?,
        refs: body.refs.into_iter().map(str::to_owned).collect(),
        steps: steps.collect::<Result<_, Bad>>()?,
    })
}
