//! The table of items of knowledge. It has a column per field, because a recall reads thousands of rows.

use super::rows::{of_scope, scope};
use super::{Bad, Cell, Cells, Condition, Record, TEXT_PAGE, Table};
use crate::ids::ItemKey;
use crate::knowledge::{Item, ItemKind};
use crate::store::{ItemFilter, pack, unpack};

impl Record for Item {
    const TABLE: &'static str = "knowledge";
    const COLUMNS: &'static [&'static str] = &[
        "scope",
        "id",
        "kind",
        "body",
        "keywords",
        "path",
        "added_at",
        "updated_at",
        "version_context",
        "evergreen",
        "due",
        "expires_at",
        "verified_at",
        "verified_commit",
        "verifications",
        "citations",
        "supersedes",
        "superseded_by",
        "related",
        "contradicted",
        "done_at",
        "recalls",
        "recalls_since_edit",
        "recalled_at",
        "recall_op",
    ];
    const KEY: usize = 2;
    const INDEXED: usize = 2;

    fn indexed(&self) -> Vec<Cell<'_>> {
        Self::of_key(&self.key)
    }

    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
        cells.extend([
            Cell::text(self.kind.as_str()),
            Cell::text(&self.body),
            Cell::packed(&self.keywords),
            Cell::maybe_text(self.path.as_deref()),
            Cell::time(self.added_at),
            Cell::time(self.updated_at),
            Cell::maybe_text(self.version_context.as_deref()),
            Cell::int(self.evergreen),
            Cell::maybe_time(self.due),
            Cell::maybe_time(self.expires_at),
            Cell::maybe_time(self.verified_at),
            Cell::maybe_text(self.verified_commit.as_deref()),
            Cell::int(self.verifications),
            Cell::packed(&self.citations),
            Cell::packed(&self.supersedes),
            Cell::packed(&self.superseded_by),
            Cell::packed(&self.related),
            Cell::Text(self.contradicted.as_ref().map(|said| pack(said).into())),
            Cell::maybe_time(self.done_at),
            Cell::bits(self.recalls),
            Cell::bits(self.recalls_since_edit),
            Cell::maybe_time(self.recalled_at),
            Cell::maybe_text(self.recall_op.as_ref().map(|op| op.as_str())),
        ]);
    }

    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: ItemKey { scope: cells.scope()?, id: cells.id()? },
            kind: cells.parsed(ItemKind::from_word)?,
            body: cells.string()?,
            keywords: cells.list()?,
            path: cells.maybe_string()?,
            added_at: cells.time()?,
            updated_at: cells.time()?,
            version_context: cells.maybe_string()?,
            evergreen: cells.flag()?,
            due: cells.maybe_time()?,
            expires_at: cells.maybe_time()?,
            verified_at: cells.maybe_time()?,
            verified_commit: cells.maybe_string()?,
            verifications: cells.small()?,
            citations: cells.list()?,
            supersedes: cells.list()?,
            superseded_by: cells.list()?,
            related: cells.list()?,
            contradicted: cells.maybe_parsed(unpack)?,
            done_at: cells.maybe_time()?,
            recalls: cells.bits()?,
            recalls_since_edit: cells.bits()?,
            recalled_at: cells.maybe_time()?,
            recall_op: cells.maybe_id()?,
        })
    }
}

impl Table for Item {
    const PAGE: usize = TEXT_PAGE;

    fn of_key(key: &ItemKey) -> Vec<Cell<'_>> {
        vec![scope(&key.scope), Cell::text(key.id.as_str())]
    }

    fn condition(filter: &ItemFilter) -> Condition<'_> {
        match filter {
            ItemFilter::Scope(scope) => of_scope(scope),
            ItemFilter::Key(_) | ItemFilter::All => Condition::ALL,
        }
    }
}
