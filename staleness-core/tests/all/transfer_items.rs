//! Items of another store or system meet those that are here: what each leaves of the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use staleness_core::ids::{AgentId, ItemId, ItemKey, OpId, ProjectId, Scope};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject};
use staleness_core::knowledge::{Citation, Contradiction, Item, ItemKind};
use staleness_core::registry::{Act, FileItem, ImportReport, ScopeChoice, Verification};
use staleness_core::transfer::Record;
use staleness_core::{MemoryStore, Policy, Registry, RegistryError, Timestamp, Wait};

fn registry() -> Registry {
    Registry::new(Arc::new(MemoryStore::new()), Policy::default())
}

fn day(day: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(day * 86_400_000)
}

fn id(text: &str) -> ItemId {
    ItemId::new(text).unwrap()
}

fn key() -> ItemKey {
    ItemKey { scope: Scope::Project(ProjectId::of_root("/work/p")), id: id("i") }
}

/// A to-do that much was done to: edited on day 2, verified on day 3, contradicted on day 4.
fn known() -> Item {
    let cited = Citation { digest: Some("0f".into()), ..Citation::of_path("src/a.rs") };
    let said = Contradiction { by: "me".into(), reason: "no".into(), at: day(4) };
    Item {
        keywords: ["k".to_owned()].into(),
        updated_at: day(2),
        version_context: Some("1.2.0".into()),
        due: Some(day(30)),
        expires_at: Some(day(90)),
        verified_at: Some(day(3)),
        verified_commit: Some("c0".into()),
        verifications: 2,
        citations: [cited].into(),
        supersedes: [id("old")].into(),
        related: [id("other")].into(),
        contradicted: Some(said),
        recalls: 5,
        recalls_since_edit: 4,
        recalled_at: Some(day(6)),
        recall_op: Some(OpId::new("o").unwrap()),
        ..Item::new(key(), ItemKind::Todo, "Do it.", day(0))
    }
}

/// Imports two rows of an item, the second one twice, and returns the row that is left.
fn merged(here: &Item, there: &Item) -> Item {
    let registry = registry();
    for row in [here, there, there] {
        import(&registry, &[row]);
    }
    get(&registry, &key()).unwrap()
}

fn get(registry: &Registry, key: &ItemKey) -> Result<Item, RegistryError> {
    registry.knowledge().get(&ProjectId::of_root("/work/p"), &key.id, ScopeChoice::Either).wait()
}

#[test]
fn a_later_verification_does_not_bring_an_older_text_back() {
    let newer = Item { body: "Do that.".into(), updated_at: day(8), ..known() };
    let verified = Item {
        verified_at: Some(day(9)),
        verified_commit: Some("c9".into()),
        verifications: 3,
        contradicted: None,
        ..known()
    };
    let left = Item { verifications: 3, ..newer.clone() };
    for (here, there) in [(&newer, &verified), (&verified, &newer)] {
        // What was verified was another text.
        assert_eq!(merged(here, there), left);
    }
    // Of the same text it says something, whatever fields were edited since.
    let fields = Item { keywords: ["l".to_owned()].into(), updated_at: day(8), ..known() };
    let both = Item { keywords: fields.keywords.clone(), updated_at: day(8), ..verified.clone() };
    assert_eq!((merged(&fields, &verified), merged(&verified, &fields)), (both.clone(), both));
}

#[test]
fn of_two_rows_of_an_item_each_part_is_the_newer_one() {
    let said = Contradiction { by: "you".into(), reason: "never".into(), at: day(7) };
    let row = Item {
        contradicted: Some(said.clone()),
        done_at: Some(day(7)),
        recalls: 3,
        recalls_since_edit: 9,
        recalled_at: None,
        recall_op: None,
        ..known()
    };
    let left =
        Item { contradicted: Some(said), done_at: Some(day(7)), recalls_since_edit: 9, ..known() };
    assert_eq!((merged(&known(), &row), merged(&row, &known())), (left.clone(), left));
    // Taken up again, or edited, after it was done.
    let reopened = Item { updated_at: day(8), recalls_since_edit: 0, ..known() };
    assert_eq!(merged(&reopened, &row).done_at, None);
    assert_eq!(merged(&row, &reopened).done_at, None);
}

fn import(registry: &Registry, rows: &[&Item]) -> ImportReport {
    let mut importer = registry.admin().importer(false).wait().unwrap();
    for row in rows {
        importer.put(Record::Item(Box::new((*row).clone()))).wait().unwrap();
    }
    importer.finish().wait().unwrap()
}

/// Imports an item of another system; how many were written.
fn take(registry: &Registry, act: &Act, row: &Item) -> u64 {
    let mut importer = registry.admin().importer(false).wait().unwrap().by(act.clone());
    importer.put(Record::Item(Box::new(row.clone()))).wait().unwrap();
    importer.finish().wait().unwrap().imported.knowledge
}

/// The row of an item that lives in a file.
fn filed() -> Item {
    Item { body: String::new(), path: Some("i.md".into()), ..known() }
}

#[test]
fn a_text_of_the_store_and_one_of_a_file_do_not_replace_each_other() {
    let later = |row: Item| Item {
        updated_at: day(8),
        verified_at: Some(day(9)),
        recalls: 9,
        recalls_since_edit: 1,
        ..row
    };
    for (here, there) in [(known(), later(filed())), (filed(), later(known()))] {
        // What was verified there was another text.
        assert_eq!(merged(&here, &there), Item { recalls: 9, ..here.clone() });
        let said = Contradiction { by: "you".into(), reason: "never".into(), at: day(9) };
        let denied = Item { contradicted: Some(said.clone()), ..there };
        let left = Item { recalls: 9, contradicted: Some(said), ..here.clone() };
        assert_eq!(merged(&here, &denied), left);
    }
}

#[test]
fn a_line_over_an_item_of_a_file_gives_it_counters_alone() {
    let registry = registry();
    import(&registry, &[&filed()]);
    let act = Act::new(OpId::new("import").unwrap(), day(20));
    let stated = Item {
        updated_at: day(10),
        verified_at: Some(day(12)),
        recalls: 9,
        ..Item::new(key(), ItemKind::Knowledge, "New.", day(0))
    };
    for written in [1, 0] {
        assert_eq!(take(&registry, &act, &stated), written);
        assert_eq!(get(&registry, &key()).unwrap(), Item { recalls: 9, ..filed() });
    }
}

#[test]
fn what_was_removed_here_comes_back_only_if_something_was_done_to_it_since() {
    let registry = registry();
    let other = |name: &str| ItemKey { id: id(name), ..key() };
    // In the export it stands for another one.
    let row = Item { supersedes: [id("a")].into(), ..known() };
    let a = Item {
        superseded_by: [key().id].into(),
        ..Item::new(other("a"), ItemKind::Knowledge, "A.", day(0))
    };
    import(&registry, &[&row, &a]);
    for key in [key(), a.key.clone()] {
        let act = Act::new(OpId::new(format!("remove-{}", key.id)).unwrap(), day(10));
        registry.knowledge().remove(key, act).wait().unwrap();
    }
    let get = |key: &ItemKey| get(&registry, key).ok();
    let report = import(&registry, &[&row]);
    assert_eq!((report.imported.knowledge, report.skipped.knowledge), (0, 1));
    assert_eq!(get(&row.key), None);
    let act = Act::new(OpId::new("import").unwrap(), day(20));
    let stated = Item::new(key(), ItemKind::Knowledge, "Older.", day(9));
    assert_eq!(take(&registry, &act, &stated), 0);
    // What was edited since is back, and nothing stands for it that is not there.
    let a = Item { updated_at: day(11), ..a };
    assert_eq!(import(&registry, &[&a, &row]).imported.knowledge, 1);
    assert_eq!(get(&a.key).unwrap().superseded_by, [].into());
    let verified = Item { verified_at: Some(day(12)), ..row };
    assert_eq!(import(&registry, &[&verified]).imported.knowledge, 1);
    assert_eq!(get(&a.key).unwrap().superseded_by, [key().id].into());
}

/// Bug: an imported entry of an agent stood for the mark of a person.
#[test]
fn the_mark_of_a_person_stays_one_when_an_earlier_one_of_an_agent_comes() {
    let registry = registry();
    let row = Item { contradicted: None, ..known() };
    import(&registry, &[&row]);
    let act = |op: &str| Act::new(OpId::new(op).unwrap(), day(5));
    let knowledge = registry.knowledge();
    knowledge.contradict(key(), "ana".into(), "no".into(), act("c")).wait().unwrap();
    let said = Contradiction { by: "codex".into(), reason: "moved".into(), at: day(4) };
    let entry = JournalEntry {
        actor: Some(AgentId::new("codex").unwrap()),
        ..JournalEntry::new(day(4), Subject::item(&key()), Action::Contradicted, "said")
    };
    let mut importer = registry.admin().importer(false).wait().unwrap();
    let there = Item { contradicted: Some(said), ..row };
    for record in [Record::Item(Box::new(there)), Record::Journal(entry)] {
        importer.put(record).wait().unwrap();
    }
    assert_eq!(importer.finish().wait().unwrap().imported.journal, 1);
    assert_eq!(get(&registry, &key()).unwrap().contradicted.unwrap().by, "ana");
    let seen =
        Verification { key: key(), commit: None, citations: BTreeSet::new(), moved: Vec::new() };
    let act = Act { actor: Some(AgentId::new("claude-code").unwrap()), ..act("v") };
    let refused = knowledge.verify(vec![seen], act).wait().unwrap_err();
    assert!(refused.to_string().contains("ana marked"), "{refused}");
}

#[test]
fn of_an_item_in_a_file_counters_come_and_nothing_else() {
    let registry = registry();
    let file = FileItem {
        path: "a.md".into(),
        kind: ItemKind::Reference,
        added_at: day(0),
        updated_at: day(2),
        recalls: 3,
        recalled_at: Some(day(3)),
    };
    let files = [(key(), file)].into();
    let act = Act { files, ..Act::new(OpId::new("import").unwrap(), day(20)) };
    let take = |row: &Item| take(&registry, &act, row);
    let get = || get(&registry, &key());

    let new = Item::new(key(), ItemKind::Knowledge, "New.", day(1));
    let same = Item { updated_at: day(9), ..new };
    assert_eq!(take(&same), 0, "nothing is stated that the file does not say");
    get().unwrap_err();

    let stated = Item { recalls: 9, recalled_at: Some(day(8)), ..same };
    assert_eq!(take(&stated), 1);
    let row = Item {
        path: Some("a.md".into()),
        updated_at: day(2),
        recalls: 9,
        recalled_at: Some(day(8)),
        ..Item::new(key(), ItemKind::Reference, "", day(0))
    };
    assert_eq!(get().unwrap(), row);
    assert_eq!(registry.admin().revision().wait().unwrap(), Revision(0), "counters are not told");
    assert_eq!(take(&stated), 0);
}
