//! The table of items of knowledge. It has a column per field, because a recall reads thousands of rows.

use super::rows::{of_scope, scope};
use super::{Bad, Cell, Cells, Condition, Kind, Record, TEXT_PAGE, Table};
use crate::ids::ItemKey;
use crate::knowledge::{Item, ItemKind};
use crate::store::{ItemFilter, pack, unpack};

columns! {
    "knowledge": Item, key 2, |row|
    [
        scope scope = row.key.scope;
        id id = row.key.id;
    ]
    [
        kind parsed(ItemKind::from_word) = row.kind.as_str();
        body string = row.body;
        keywords list = row.keywords;
        path maybe_string = row.path;
        added_at time = row.added_at;
        updated_at time = row.updated_at;
        version_context maybe_string = row.version_context;
        evergreen flag = row.evergreen;
        due maybe_time = row.due;
        expires_at maybe_time = row.expires_at;
        verified_at maybe_time = row.verified_at;
        verified_commit maybe_string = row.verified_commit;
        verifications small = row.verifications;
        citations list = row.citations;
        supersedes list = row.supersedes;
        superseded_by list = row.superseded_by;
        related list = row.related;
        contradicted maybe_parsed(unpack) = row.contradicted.as_ref().map(pack);
        done_at maybe_time = row.done_at;
        recalls bits = row.recalls;
        recalls_since_edit bits = row.recalls_since_edit;
        recalled_at maybe_time = row.recalled_at;
        recall_op maybe_id = row.recall_op;
    ]
    Self {
        key: ItemKey { scope, id },
        kind, body, keywords, path, added_at, updated_at, version_context, evergreen, due, expires_at,
        verified_at, verified_commit, verifications, citations, supersedes, superseded_by, related,
        contradicted, done_at, recalls, recalls_since_edit, recalled_at, recall_op,
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
