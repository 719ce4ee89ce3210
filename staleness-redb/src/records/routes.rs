//! Routes, their vectors, and what was suggested.

use serde::{Deserialize, Serialize};
use staleness_core::ids::ModelId;
use staleness_core::route::{
    Confidence, MAX_OPS, Route, RouteKey, RouteVector, Suggestions, Vector,
};
use staleness_core::session::SessionKey;
use staleness_core::store::{StoreError, pack, unpack};

use super::{FORMS, id, maybe_id, number, time, word};
use crate::codec::{Bad, Kind, decode, encode, open};

/// A route, version 1. Its confidence is in billionths.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Route1<S> {
    query: S,
    confidence: u32,
    uses: u64,
    created_at: i64,
    last_used_at: i64,
    model: Option<S>,
    /// Oldest first.
    ops: Vec<u64>,
}

pub(crate) fn encode_route(row: &Route) -> Result<Vec<u8>, StoreError> {
    let body = Route1 {
        query: row.query.as_str(),
        confidence: row.confidence.billionths(),
        uses: row.uses,
        created_at: row.created_at.as_millis(),
        last_used_at: row.last_used_at.as_millis(),
        model: row.model.as_ref().map(ModelId::as_str),
        ops: row.ops.clone(),
    };
    encode(Kind::Route, 1, &body)
}

pub(crate) fn decode_route(key: RouteKey, bytes: &[u8]) -> Result<Route, Bad> {
    let (1, body) = open(Kind::Route, bytes)? else { return Err(Bad("version")) };
    let body: Route1<&str> = decode(body)?;
    if body.ops.len() > MAX_OPS {
        return Err(Bad("ops"));
    }
    Ok(Route {
        key,
        query: body.query.to_owned(),
        confidence: Confidence::of_billionths(body.confidence).ok_or(Bad("confidence"))?,
        uses: body.uses,
        created_at: time(body.created_at, "created_at")?,
        last_used_at: time(body.last_used_at, "last_used_at")?,
        model: maybe_id(body.model, ModelId::new, "model")?,
        ops: body.ops,
    })
}

/// The vector of a route, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Vector1<S, B> {
    model: S,
    /// The precision of the numbers, and that their length is 1.
    form: u8,
    /// One behind the other, least byte first.
    numbers: B,
}

pub(crate) fn encode_vector(row: &RouteVector) -> Result<Vec<u8>, StoreError> {
    let body = Vector1 {
        model: row.model.as_str(),
        form: number(&FORMS, &row.vector.precision())?,
        numbers: row.vector.to_bytes(),
    };
    encode(Kind::Vector, 1, &body)
}

pub(crate) fn decode_vector(key: RouteKey, bytes: &[u8]) -> Result<RouteVector, Bad> {
    let (1, body) = open(Kind::Vector, bytes)? else { return Err(Bad("version")) };
    let body: Vector1<&str, &[u8]> = decode(body)?;
    let precision = word(&FORMS, body.form, "form")?;
    let vector = Vector::from_bytes(body.numbers, precision).map_err(|_| Bad("numbers"))?;
    Ok(RouteVector { key, model: id(body.model, ModelId::new, "model")?, vector })
}

/// What was suggested in a session, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Suggestions1<S> {
    made: u32,
    /// The prompts, as `staleness_core::store::pack` made them.
    prompts: S,
}

pub(crate) fn encode_suggestions(row: &Suggestions) -> Result<Vec<u8>, StoreError> {
    let body = Suggestions1 { made: row.made, prompts: pack(&row.prompts) };
    encode(Kind::Suggestions, 1, &body)
}

pub(crate) fn decode_suggestions(key: SessionKey, bytes: &[u8]) -> Result<Suggestions, Bad> {
    let (1, body) = open(Kind::Suggestions, bytes)? else { return Err(Bad("version")) };
    let body: Suggestions1<&str> = decode(body)?;
    let prompts = unpack(body.prompts).ok_or(Bad("prompts"))?;
    Ok(Suggestions { key, made: body.made, prompts })
}
