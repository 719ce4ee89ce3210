//! Items of knowledge.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ItemId, ItemKey, OpId, Scope};
use staleness_core::knowledge::{Item, ItemBrief, ItemKind};
use staleness_core::store::{Change, ItemFilter, StoreError, View, pack, unpack, unpack_list};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! columns {
    () => {
        "scope, id, kind, body, keywords, path, added_at, updated_at, version_context, evergreen, \
         due, expires_at, verified_at, verified_commit, verifications, citations, supersedes, \
         superseded_by, related, contradicted, done_at, recalls, recalls_since_edit, recalled_at, \
         recall_op"
    };
}

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT ", columns!(), " FROM knowledge", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE scope = ?1 AND id = ?2");
const BY_SCOPE: &str = select!(" WHERE scope = ?1");
// The `+` changes no value: SQLite notes five names for a bare column, and one for anything else.
const BRIEFS: &str = "SELECT +id, +kind, +body, +keywords, +path, +supersedes, +done_at \
    FROM knowledge WHERE scope = ?1 ORDER BY id";
const ALL: &str = select!(" ORDER BY scope, id");
const PUT: &str = concat!(
    "REPLACE INTO knowledge(",
    columns!(),
    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
     ?19, ?20, ?21, ?22, ?23, ?24, ?25)"
);
const DELETE: &str = "DELETE FROM knowledge WHERE scope = ?1 AND id = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &ItemFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |item: Item| {
        view.knowledge.insert(item.key.clone(), item);
        ControlFlow::Continue(())
    };
    match filter {
        ItemFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        ItemFilter::Scope(scope) => rows(tx, BY_SCOPE, (scope.as_key(),), keep),
        ItemFilter::All => all(tx, keep),
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

/// Every item in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Item) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Item) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("knowledge", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Item, Bad> {
    let mut cells = Cells::new(row);
    Ok(Item {
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

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Item, ItemKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => put(tx, row)?,
            Change::Delete(key) => execute(tx, DELETE, words(key)).map(drop)?,
        }
    }
    Ok(())
}

fn put(tx: &Transaction<'_>, row: &Item) -> Result<(), StoreError> {
    let (scope, id) = words(&row.key);
    let params = rusqlite::params![
        scope,
        id,
        row.kind.as_str(),
        row.body,
        pack(&row.keywords),
        row.path,
        row.added_at.as_millis(),
        row.updated_at.as_millis(),
        row.version_context,
        row.evergreen,
        row.due.map(|at| at.as_millis()),
        row.expires_at.map(|at| at.as_millis()),
        row.verified_at.map(|at| at.as_millis()),
        row.verified_commit,
        row.verifications,
        pack(&row.citations),
        pack(&row.supersedes),
        pack(&row.superseded_by),
        pack(&row.related),
        row.contradicted.as_ref().map(pack),
        row.done_at.map(|at| at.as_millis()),
        row.recalls.cast_signed(),
        row.recalls_since_edit.cast_signed(),
        row.recalled_at.map(|at| at.as_millis()),
        row.recall_op.as_ref().map(OpId::as_str),
    ];
    execute(tx, PUT, params).map(drop)
}

fn words(key: &ItemKey) -> (&str, &str) {
    (key.scope.as_key(), key.id.as_str())
}
