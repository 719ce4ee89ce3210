//! Items of knowledge.

use staleness_core::ids::{ItemKey, OpId};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::store::{ItemFilter, StoreError, View, pack, unpack, unpack_list};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Knowledge;

impl Table for Knowledge {
    type Row = Item;
    type Key = ItemKey;
    type Filter = ItemFilter;

    const NAME: &'static str = "knowledge";
    const COLUMNS: &'static str = "scope, id, kind, body, keywords, path, added_at, updated_at, \
        version_context, evergreen, due, expires_at, verified_at, verified_commit, verifications, \
        citations, supersedes, superseded_by, related, contradicted, done_at, recalls, \
        recalls_since_edit, recalled_at, recall_op";
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, id";

    fn key(filter: &ItemFilter) -> Option<&ItemKey> {
        match filter {
            ItemFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &ItemFilter) -> Result<Where, StoreError> {
        match filter {
            ItemFilter::Scope(scope) => {
                Ok(Where::new("scope = $2", vec![Arg::text(scope.as_key())]))
            }
            ItemFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of items")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Item, Bad> {
        Ok(Item {
            key: ItemKey { scope: cells.scope("scope")?, id: cells.id("id")? },
            kind: cells.parsed("kind", ItemKind::from_word)?,
            body: cells.string("body")?,
            keywords: cells.parsed("keywords", unpack_list)?,
            path: cells.maybe_string("path")?,
            added_at: cells.time("added_at")?,
            updated_at: cells.time("updated_at")?,
            version_context: cells.maybe_string("version_context")?,
            evergreen: cells.flag("evergreen")?,
            due: cells.maybe_time("due")?,
            expires_at: cells.maybe_time("expires_at")?,
            verified_at: cells.maybe_time("verified_at")?,
            verified_commit: cells.maybe_string("verified_commit")?,
            verifications: cells.small("verifications")?,
            citations: cells.parsed("citations", unpack_list)?,
            supersedes: cells.parsed("supersedes", unpack_list)?,
            superseded_by: cells.parsed("superseded_by", unpack_list)?,
            related: cells.parsed("related", unpack_list)?,
            contradicted: cells.maybe_parsed("contradicted", unpack)?,
            done_at: cells.maybe_time("done_at")?,
            recalls: cells.bits("recalls")?,
            recalls_since_edit: cells.bits("recalls_since_edit")?,
            recalled_at: cells.maybe_time("recalled_at")?,
            recall_op: cells.maybe_id("recall_op")?,
        })
    }

    fn put_key(key: &ItemKey, batch: &mut Batch) {
        batch.text(key.scope.as_key());
        batch.text(key.id.as_str());
    }

    fn key_of(row: &Item) -> &ItemKey {
        &row.key
    }

    fn put(row: &Item, batch: &mut Batch) {
        batch.text(row.kind.as_str());
        batch.text(&row.body);
        batch.text(&pack(&row.keywords));
        batch.maybe_text(row.path.as_deref());
        batch.time(row.added_at);
        batch.time(row.updated_at);
        batch.maybe_text(row.version_context.as_deref());
        batch.flag(row.evergreen);
        batch.maybe_time(row.due);
        batch.maybe_time(row.expires_at);
        batch.maybe_time(row.verified_at);
        batch.maybe_text(row.verified_commit.as_deref());
        batch.int(row.verifications);
        batch.text(&pack(&row.citations));
        batch.text(&pack(&row.supersedes));
        batch.text(&pack(&row.superseded_by));
        batch.text(&pack(&row.related));
        batch.maybe_text(row.contradicted.as_ref().map(pack).as_deref());
        batch.maybe_time(row.done_at);
        batch.bits(row.recalls);
        batch.bits(row.recalls_since_edit);
        batch.maybe_time(row.recalled_at);
        batch.maybe_text(row.recall_op.as_ref().map(OpId::as_str));
    }

    fn keep(row: Item, view: &mut View) {
        view.knowledge.insert(row.key.clone(), row);
    }
}
