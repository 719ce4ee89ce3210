//! Stores of every released format are read as ever, and raised by the first commit.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use redb::{Database, ReadableTable, TableDefinition};
use staleness_core::ids::{ItemId, ItemKey, Scope};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::store::{
    Decision, Draft, Durability, ItemFilter, Refusal, Selection, Step, StoreError, View,
};
use staleness_core::transfer::append_lines;
use staleness_redb::{OpenOptions, RedbStore};
use support::*;
use tempfile::TempDir;

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");
const LINES: &str = include_str!("fixtures/format-1.jsonl");

/// The file that the last program of format 1 left, byte for byte.
fn format_1() -> (TempDir, PathBuf) {
    let text = include_str!("fixtures/format-1.txt");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let length = lines.next().unwrap().parse().unwrap();
    let byte = |digits: &str| u8::from_str_radix(digits, 16).unwrap();
    let mut bytes = vec![0; length];
    for line in lines {
        let (offset, run) = line.split_once(' ').unwrap();
        let offset: usize = offset.parse().unwrap();
        let run: Vec<u8> = match run.split_once('*') {
            Some((filler, count)) => vec![byte(filler); count.parse().unwrap()],
            None => (0..run.len() / 2).map(|at| byte(&run[2 * at..2 * at + 2])).collect(),
        };
        bytes[offset..offset + run.len()].copy_from_slice(&run);
    }
    let (folder, path) = fresh();
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn format_of(path: &Path) -> u64 {
    // Opening it would change it.
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    let db = Database::open(&copy).unwrap();
    let tx = db.begin_write().unwrap();
    let meta = tx.open_table(META).unwrap();
    let format = meta.get("format").unwrap().map(|value| value.value());
    format.unwrap()
}

fn lines(view: &View) -> String {
    let mut bytes = Vec::new();
    append_lines(view, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// Adds an item, or refuses after everything was decided.
#[derive(Debug)]
struct Add {
    refuses: bool,
}

fn item() -> Item {
    let key = ItemKey { scope: Scope::Global, id: ItemId::new("new").unwrap() };
    Item::new(key, ItemKind::Knowledge, "It is new.", at(1))
}

impl Step for Add {
    fn selection(&self) -> Selection {
        Selection::new().lock_knowledge(ItemFilter::Key(item().key))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if self.refuses {
            return Err(Refusal::Invalid("no".into()));
        }
        let mut draft = Draft::new(view, at(1));
        draft.put_item(item());
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

#[test]
fn format_1_is_read_as_it_lies_there() {
    let (_folder, path) = format_1();
    let before = fs::read(&path).unwrap();
    for options in [OpenOptions::new(), OpenOptions::new().read_only(true)] {
        let store = RedbStore::open(&path, options).unwrap();
        check(&store).unwrap();
        let seen = everything(&store).unwrap();
        assert_eq!(lines(&seen), LINES);
        assert!(seen.knowledge.is_empty() && seen.documents.is_empty() && seen.work.is_empty());
    }
    assert!(fs::read(&path).unwrap() == before, "a reader wrote to it");
}

#[test]
fn format_1_is_raised_by_the_first_commit_and_keeps_everything() {
    let (_folder, path) = format_1();
    let store = open(&path);
    let refused = transact(&store, std::sync::Arc::new(Add { refuses: true }));
    assert!(matches!(refused, Err(StoreError::Refused(_))));
    assert_eq!(format_of(&path), 1, "a step that writes nothing raises nothing");
    transact(&store, std::sync::Arc::new(Add { refuses: false })).unwrap();
    assert_eq!(format_of(&path), 3);
    check(&store).unwrap();
    let mut seen = everything(&store).unwrap();
    assert_eq!(seen.knowledge.remove(&item().key), Some(item()));
    assert_eq!(lines(&seen), LINES);
    // The numbers go on behind the last one, which is 41.
    let commit = transact(&store, use_tool("later", 9)).unwrap();
    assert_eq!(commit.changes.outcomes[0].seq, 42);
}

/// Whatever part of the raising commit reached the disk: redb's older root is whole.
#[test]
fn a_commit_that_raises_and_is_cut_off_leaves_a_store() {
    let (_folder, path) = format_1();
    let before = fs::read(&path).unwrap();
    transact(&open(&path), std::sync::Arc::new(Add { refuses: false })).unwrap();
    let after = fs::read(&path).unwrap();
    let header = 4_096;
    // Everything of the commit but its header, which is what makes it one.
    let mut cut = after;
    cut[..header].copy_from_slice(&before[..header]);
    // redb cuts a free end off after the commit.
    cut.extend(before.get(cut.len()..).unwrap_or_default());
    fs::write(&path, &cut).unwrap();
    let store = open(&path);
    assert_eq!(lines(&everything(&store).unwrap()), LINES);
    check(&store).unwrap();
    transact(&store, std::sync::Arc::new(Add { refuses: false })).unwrap();
    assert_eq!(format_of(&path), 3);
}
