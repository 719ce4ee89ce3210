//! Items of knowledge and documents.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use staleness_core::ids::{DocumentKey, ItemId, ItemKey, OpId};
use staleness_core::knowledge::{Citation, Contradiction, Document, Item, ItemBrief, Lines};
use staleness_core::store::{StoreError, pack, unpack};
use staleness_core::time::Timestamp;

use super::{ITEM_KINDS, id, maybe_id, maybe_time, number, time, word};
use crate::codec::{Bad, Kind, decode, encode, open};

/// One citation: path, first and last line, symbol, digest.
type Citation1<S> = (S, Option<(u32, u32)>, Option<S>, Option<S>);

/// An item of knowledge, version 1. Lists are in the order of the sets that they stand for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Item1<S> {
    kind: u8,
    body: S,
    keywords: Vec<S>,
    path: Option<S>,
    added_at: i64,
    updated_at: i64,
    version_context: Option<S>,
    evergreen: bool,
    due: Option<i64>,
    expires_at: Option<i64>,
    verified_at: Option<i64>,
    verified_commit: Option<S>,
    verifications: u32,
    citations: Vec<Citation1<S>>,
    supersedes: Vec<S>,
    superseded_by: Vec<S>,
    related: Vec<S>,
    /// Who said that it is wrong, why and when.
    contradicted: Option<(S, S, i64)>,
    done_at: Option<i64>,
    recalls: u64,
    recalls_since_edit: u64,
    recalled_at: Option<i64>,
    recall_op: Option<S>,
}

fn citation(row: &Citation) -> Citation1<&str> {
    let lines = row.lines.map(|lines| (lines.first, lines.last));
    (&row.path, lines, row.symbol.as_deref(), row.digest.as_deref())
}

pub(crate) fn encode_item(row: &Item) -> Result<Vec<u8>, StoreError> {
    let body = Item1 {
        kind: number(&ITEM_KINDS, &row.kind)?,
        body: row.body.as_str(),
        keywords: row.keywords.iter().map(String::as_str).collect(),
        path: row.path.as_deref(),
        added_at: row.added_at.as_millis(),
        updated_at: row.updated_at.as_millis(),
        version_context: row.version_context.as_deref(),
        evergreen: row.evergreen,
        due: row.due.map(Timestamp::as_millis),
        expires_at: row.expires_at.map(Timestamp::as_millis),
        verified_at: row.verified_at.map(Timestamp::as_millis),
        verified_commit: row.verified_commit.as_deref(),
        verifications: row.verifications,
        citations: row.citations.iter().map(citation).collect(),
        supersedes: row.supersedes.iter().map(ItemId::as_str).collect(),
        superseded_by: row.superseded_by.iter().map(ItemId::as_str).collect(),
        related: row.related.iter().map(ItemId::as_str).collect(),
        contradicted: row
            .contradicted
            .as_ref()
            .map(|said| (said.by.as_str(), said.reason.as_str(), said.at.as_millis())),
        done_at: row.done_at.map(Timestamp::as_millis),
        recalls: row.recalls,
        recalls_since_edit: row.recalls_since_edit,
        recalled_at: row.recalled_at.map(Timestamp::as_millis),
        recall_op: row.recall_op.as_ref().map(OpId::as_str),
    };
    encode(Kind::Item, 1, &body)
}

fn item_ids(texts: &[&str], field: &'static str) -> Result<BTreeSet<ItemId>, Bad> {
    texts.iter().map(|text| id(text, ItemId::new, field)).collect()
}

fn item_body(bytes: &[u8]) -> Result<Item1<&str>, Bad> {
    let (1, body) = open(Kind::Item, bytes)? else { return Err(Bad("version")) };
    decode(body)
}

pub(crate) fn decode_item_brief(id: ItemId, bytes: &[u8]) -> Result<ItemBrief, Bad> {
    let body = item_body(bytes)?;
    Ok(ItemBrief {
        id,
        kind: word(&ITEM_KINDS, body.kind, "kind")?,
        body: body.body.to_owned(),
        keywords: body.keywords.into_iter().map(str::to_owned).collect(),
        path: body.path.map(str::to_owned),
        supersedes: item_ids(&body.supersedes, "supersedes")?,
        done_at: maybe_time(body.done_at, "done_at")?,
    })
}

pub(crate) fn decode_item(key: ItemKey, bytes: &[u8]) -> Result<Item, Bad> {
    let body = item_body(bytes)?;
    let citations = body.citations.into_iter().map(|(path, lines, symbol, digest)| Citation {
        path: path.to_owned(),
        lines: lines.map(|(first, last)| Lines { first, last }),
        symbol: symbol.map(str::to_owned),
        digest: digest.map(str::to_owned),
    });
    let contradicted = body.contradicted.map(|(by, reason, at)| {
        let at = time(at, "contradicted")?;
        Ok(Contradiction { by: by.to_owned(), reason: reason.to_owned(), at })
    });
    Ok(Item {
        key,
        kind: word(&ITEM_KINDS, body.kind, "kind")?,
        body: body.body.to_owned(),
        keywords: body.keywords.into_iter().map(str::to_owned).collect(),
        path: body.path.map(str::to_owned),
        added_at: time(body.added_at, "added_at")?,
        updated_at: time(body.updated_at, "updated_at")?,
        version_context: body.version_context.map(str::to_owned),
        evergreen: body.evergreen,
        due: maybe_time(body.due, "due")?,
        expires_at: maybe_time(body.expires_at, "expires_at")?,
        verified_at: maybe_time(body.verified_at, "verified_at")?,
        verified_commit: body.verified_commit.map(str::to_owned),
        verifications: body.verifications,
        citations: citations.collect(),
        supersedes: item_ids(&body.supersedes, "supersedes")?,
        superseded_by: item_ids(&body.superseded_by, "superseded_by")?,
        related: item_ids(&body.related, "related")?,
        contradicted: contradicted.transpose()?,
        done_at: maybe_time(body.done_at, "done_at")?,
        recalls: body.recalls,
        recalls_since_edit: body.recalls_since_edit,
        recalled_at: maybe_time(body.recalled_at, "recalled_at")?,
        recall_op: maybe_id(body.recall_op, OpId::new, "recall_op")?,
    })
}

/// A document, version 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Document1<S> {
    loaded: bool,
    checked_at: i64,
    head: Option<S>,
    digest: u128,
    blocks: u32,
    /// What was found, as `staleness_core::store::pack` made it; nothing where nothing was.
    found: Option<S>,
}

pub(crate) fn encode_document(row: &Document) -> Result<Vec<u8>, StoreError> {
    let found = (!row.found.is_empty()).then(|| pack(&row.found));
    let body = Document1 {
        loaded: row.loaded,
        checked_at: row.checked_at.as_millis(),
        head: row.head.as_deref(),
        digest: row.digest,
        blocks: row.blocks,
        found: found.as_deref(),
    };
    encode(Kind::Document, 1, &body)
}

fn document_body(bytes: &[u8]) -> Result<Document1<&str>, Bad> {
    let (1, body) = open(Kind::Document, bytes)? else { return Err(Bad("version")) };
    decode(body)
}

pub(crate) fn decode_document(key: DocumentKey, bytes: &[u8]) -> Result<Document, Bad> {
    let body = document_body(bytes)?;
    let found = match body.found {
        None => Vec::new(),
        // The index of those with findings trusts that there is one.
        Some(text) => {
            unpack::<Vec<_>>(text).filter(|found| !found.is_empty()).ok_or(Bad("found"))?
        }
    };
    Ok(Document {
        key,
        loaded: body.loaded,
        checked_at: time(body.checked_at, "checked_at")?,
        head: body.head.map(str::to_owned),
        digest: body.digest,
        blocks: body.blocks,
        found,
    })
}
