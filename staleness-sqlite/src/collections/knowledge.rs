//! Items of knowledge.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ItemId, ItemKey, OpId, Scope};
use staleness_core::knowledge::{Item, ItemBrief, ItemKind};
use staleness_core::store::{ItemFilter, StoreError, View, pack, unpack, unpack_list};

use super::table::{Statements, TEXT_PAGE, Table, Visit, of_first, statements};
use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

statements! {
    knowledge: scope id; kind body keywords path added_at updated_at version_context evergreen due
    expires_at verified_at verified_commit verifications citations supersedes superseded_by related
    contradicted done_at recalls recalls_since_edit recalled_at recall_op;
}

// The `+` changes no value: SQLite notes five names for a bare column, and one for anything else.
const BRIEFS: &str = "SELECT +id, +kind, +body, +keywords, +path, +supersedes, +done_at \
    FROM knowledge WHERE scope = ?1 ORDER BY id";

impl Table for Item {
    type Columns<'k> = (&'k str, &'k str);

    const PAGE: usize = TEXT_PAGE;

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &ItemKey) -> Self::Columns<'_> {
        (key.scope.as_key(), key.id.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: ItemKey { scope: cells.scope("scope")?, id: cells.parsed("id", ItemId::new)? },
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
            recalls: cells.int("recalls")?.cast_unsigned(),
            recalls_since_edit: cells.int("recalls_since_edit")?.cast_unsigned(),
            recalled_at: cells.maybe_time("recalled_at")?,
            recall_op: cells.maybe_parsed("recall_op", OpId::new)?,
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (scope, id) = Self::columns(&self.key);
        let params = rusqlite::params![
            scope,
            id,
            self.kind.as_str(),
            self.body,
            pack(&self.keywords),
            self.path,
            self.added_at.as_millis(),
            self.updated_at.as_millis(),
            self.version_context,
            self.evergreen,
            self.due.map(|at| at.as_millis()),
            self.expires_at.map(|at| at.as_millis()),
            self.verified_at.map(|at| at.as_millis()),
            self.verified_commit,
            self.verifications,
            pack(&self.citations),
            pack(&self.supersedes),
            pack(&self.superseded_by),
            pack(&self.related),
            self.contradicted.as_ref().map(pack),
            self.done_at.map(|at| at.as_millis()),
            self.recalls.cast_signed(),
            self.recalls_since_edit.cast_signed(),
            self.recalled_at.map(|at| at.as_millis()),
            self.recall_op.as_ref().map(OpId::as_str),
        ];
        execute(tx, SQL.put, params).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &ItemFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            ItemFilter::Scope(scope) => of_first(tx, scope.as_key(), visit),
            ItemFilter::Key(_) | ItemFilter::All => Ok(()),
        }
    }
}

/// Adds the items of a scope in brief.
pub(crate) fn briefs(
    tx: &Transaction<'_>,
    scope: &Scope,
    view: &mut View,
) -> Result<(), StoreError> {
    let all = view.item_briefs.entry(scope.clone()).or_default();
    all.clear();
    each(tx, BRIEFS, (scope.as_key(),), |row| {
        let brief = read_brief(row).map_err(|bad| {
            let id = row.get::<_, String>(0).unwrap_or_default();
            corrupt("knowledge", format_args!("{:?}", (scope.as_key(), id)), bad)
        })?;
        all.push(brief);
        Ok(ControlFlow::Continue(()))
    })
}

fn read_brief(row: &Row<'_>) -> Result<ItemBrief, Bad> {
    let mut cells = Cells::new(row);
    Ok(ItemBrief {
        id: cells.parsed("id", ItemId::new)?,
        kind: cells.parsed("kind", ItemKind::from_word)?,
        body: cells.string("body")?,
        keywords: cells.parsed("keywords", unpack_list)?,
        path: cells.maybe_string("path")?,
        supersedes: cells.parsed("supersedes", unpack_list)?,
        done_at: cells.maybe_time("done_at")?,
    })
}
