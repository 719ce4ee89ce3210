//! Items of knowledge.

use staleness_core::ids::{ItemKey, OpId};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::store::{ItemFilter, pack, unpack, unpack_list};

use crate::cells::{Bad, Cells};
use crate::table::{TEXT_PAGE, Table, Where};
use crate::values::{Arg, Batch};

impl Table for Item {
    const TABLE: &'static str = "knowledge";
    const COLUMNS: &'static str = "scope, id, kind, body, keywords, path, added_at, updated_at, \
        version_context, evergreen, due, expires_at, verified_at, verified_commit, verifications, \
        citations, supersedes, superseded_by, related, contradicted, done_at, recalls, \
        recalls_since_edit, recalled_at, recall_op";
    const PAGE: usize = TEXT_PAGE;
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, id";

    fn condition(filter: &ItemFilter) -> Where {
        match filter {
            ItemFilter::Scope(scope) => Where::new("scope = $2", vec![Arg::text(scope.as_key())]),
            ItemFilter::Key(_) | ItemFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
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

    fn put(&self, batch: &mut Batch) {
        batch.text(self.kind.as_str());
        batch.text(&self.body);
        batch.text(&pack(&self.keywords));
        batch.maybe_text(self.path.as_deref());
        batch.time(self.added_at);
        batch.time(self.updated_at);
        batch.maybe_text(self.version_context.as_deref());
        batch.flag(self.evergreen);
        batch.maybe_time(self.due);
        batch.maybe_time(self.expires_at);
        batch.maybe_time(self.verified_at);
        batch.maybe_text(self.verified_commit.as_deref());
        batch.int(self.verifications);
        batch.text(&pack(&self.citations));
        batch.text(&pack(&self.supersedes));
        batch.text(&pack(&self.superseded_by));
        batch.text(&pack(&self.related));
        batch.maybe_text(self.contradicted.as_ref().map(pack).as_deref());
        batch.maybe_time(self.done_at);
        batch.bits(self.recalls);
        batch.bits(self.recalls_since_edit);
        batch.maybe_time(self.recalled_at);
        batch.maybe_text(self.recall_op.as_ref().map(OpId::as_str));
    }
}
