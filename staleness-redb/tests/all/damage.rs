//! A check finds what no single row shows, and no message tells what a row holds.

use std::path::Path;

use crate::support::*;
use redb::{ReadableTable, TableDefinition, WriteTransaction};
use staleness_core::store::StoreError;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");
type Key = (&'static str, &'static str, &'static str);
const TOOLS: TableDefinition<'_, Key, &[u8]> = TableDefinition::new("tools");
const SERVED: TableDefinition<'_, (i64, u64), (&str, &str)> =
    TableDefinition::new("outcomes_served");
const IDENTITY: TableDefinition<'_, (u64, u64), ()> = TableDefinition::new("outcomes_identity");
const TOOLS_INDEX: TableDefinition<'_, Key, ()> = TableDefinition::new("tools_index");
const DOCUMENTS_INDEX: TableDefinition<'_, Key, ()> = TableDefinition::new("documents_index");
const SCOPE: TableDefinition<'_, (&str, u64, u32), ()> = TableDefinition::new("journal_scope");
const JOURNAL: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("journal");
const OTHER: TableDefinition<'_, u64, u64> = TableDefinition::new("other");

fn edit(path: &Path, work: impl FnOnce(&WriteTransaction)) {
    let db = staleness_redb::database(path).unwrap();
    let tx = db.begin_write().unwrap();
    work(&tx);
    tx.commit().unwrap();
}

/// Returns the damage that a check finds in a filled store after `work`.
fn found(work: impl FnOnce(&WriteTransaction)) -> String {
    let (_folder, path) = fresh();
    let store = filled(&path);
    check(&store).unwrap();
    edit(&path, work);
    match check(&store) {
        Err(StoreError::Corrupt(what)) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn indexes_are_compared_both_ways() {
    let missing = found(|tx| {
        let mut served = tx.open_table(SERVED).unwrap();
        served.remove((1, 1)).unwrap().unwrap();
    });
    assert!(missing.contains("outcomes_served"), "{missing}");
    let wrong = found(|tx| {
        tx.open_table(SERVED).unwrap().insert((1, 1), ("", "else")).unwrap();
    });
    assert!(wrong.contains("outcomes_served"), "{wrong}");
    let extra = found(|tx| {
        tx.open_table(IDENTITY).unwrap().insert((1, 1), ()).unwrap();
    });
    assert!(extra.contains("outcomes_identity"), "{extra}");
    let extra = found(|tx| {
        tx.open_table(TOOLS_INDEX).unwrap().insert(("", "revived", "a"), ()).unwrap();
    });
    assert!(extra.contains("tools_index"), "{extra}");
    let extra = found(|tx| {
        tx.open_table(DOCUMENTS_INDEX).unwrap().insert(("p", "loaded", "a.md"), ()).unwrap();
    });
    assert!(extra.contains("documents_index"), "{extra}");
    let missing = found(|tx| {
        tx.open_table(SCOPE).unwrap().remove(("", 1, 0)).unwrap().unwrap();
    });
    assert!(missing.contains("journal_scope"), "{missing}");
}

#[test]
fn numbers_and_tables_are_verified() {
    let beyond = found(|tx| {
        tx.open_table(META).unwrap().insert("revision", 0).unwrap();
    });
    assert!(beyond.contains("beyond 0"), "{beyond}");
    for (name, what) in [("revision", "no entry of revision 2"), ("floor", "which was pruned")] {
        let wrong = found(|tx| {
            tx.open_table(META).unwrap().insert(name, if name == "floor" { 1 } else { 2 }).unwrap();
        });
        assert!(wrong.contains(what), "{wrong}");
    }
    let absurd = found(|tx| {
        tx.open_table(META).unwrap().insert("last_seq", u64::MAX).unwrap();
    });
    assert!(absurd.contains("last_seq"), "{absurd}");
    let gap = found(|tx| {
        let mut journal = tx.open_table(JOURNAL).unwrap();
        let mut entry = journal.remove((1, 0)).unwrap().unwrap().value().to_vec();
        // Behind the kind, the version and the revision it says its place too.
        entry[3] = 1;
        journal.insert((1, 1), entry.as_slice()).unwrap();
    });
    assert!(gap.contains("journal 1.1: an entry before it is missing"), "{gap}");
    let other = found(|tx| {
        tx.open_table(OTHER).unwrap();
    });
    assert!(other.contains("tables"), "{other}");
}

#[test]
fn an_index_that_names_no_row_is_damage_for_readers_too() {
    let (_folder, path) = fresh();
    let store = filled(&path);
    edit(&path, |tx| {
        tx.open_table(TOOLS_INDEX).unwrap().insert(("", "revived", "gone"), ()).unwrap();
    });
    let scope = staleness_core::ids::Scope::Global;
    let revived = staleness_core::store::ToolFilter::Revived(scope);
    let selection = staleness_core::store::Selection::new().peek(revived);
    let view = staleness_core::store::RegistryStore::view(&store, std::sync::Arc::new(selection));
    match pollster::block_on(view) {
        Err(StoreError::Corrupt(what)) => assert!(what.contains("gone"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_tell_nothing_of_what_rows_hold() {
    let secret = "sk-live-secret";
    let (_folder, path) = fresh();
    let store = filled(&path);
    edit(&path, |tx| {
        let mut tools = tx.open_table(TOOLS).unwrap();
        let mut row = tools.get(("", "a", "")).unwrap().unwrap().value().to_vec();
        row.extend_from_slice(secret.as_bytes());
        tools.insert(("", "a", ""), row.as_slice()).unwrap();
    });
    for error in [check(&store).unwrap_err(), everything(&store).unwrap_err()] {
        let text = format!("{error} {error:?}");
        assert!(text.contains("tools") && text.contains("length"), "{text}");
        assert!(!text.contains(secret), "{text}");
    }
}
