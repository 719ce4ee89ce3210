//! Items of knowledge through the registry: what each verb writes, journals and refuses.

use std::collections::BTreeSet;

use crate::common::items::{act, add, at, get, global, id, item, key, project, registry};
use staleness_core::ids::{AgentId, ItemId, ItemKey, OpId, ProjectId, Scope};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::knowledge::{Citation, Item, ItemKind, Lines};
use staleness_core::registry::{Act, FileItem, ItemPatch, ScopeChoice, Verification, nearest};
use staleness_core::store::Refusal;
use staleness_core::{Registry, RegistryError, Wait};

fn todo(text: &str) -> Item {
    Item { kind: ItemKind::Todo, ..item(text) }
}

fn history(registry: &Registry, text: &str) -> Vec<JournalEntry> {
    registry.admin().journal_of(Subject::item(&key(text)), 50).wait().unwrap()
}

fn actions(registry: &Registry, text: &str) -> Vec<Action> {
    history(registry, text).iter().map(|entry| entry.action).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T, RegistryError>, says: &str) {
    match answer {
        Err(RegistryError::Rejected(why)) if !matches!(why, Refusal::Unknown { .. }) => {
            assert!(why.to_string().contains(says), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn unknown<T: std::fmt::Debug>(answer: Result<T, RegistryError>, says: &str) {
    match answer {
        Err(RegistryError::Rejected(Refusal::Unknown { what: "item", id })) => assert_eq!(id, says),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_item_is_added_once_and_told_once() {
    let registry = registry();
    let mut by = act("op", 0);
    by.actor = Some(AgentId::new("me").unwrap());
    by.note = Some("so that nobody forgets".into());
    let added = registry.knowledge().add(item("a"), by.clone()).wait().unwrap();
    assert_eq!(added, item("a"));
    // The acknowledgement was lost: the same again.
    assert_eq!(registry.knowledge().add(item("a"), by).wait().unwrap(), added);
    refused(
        registry.knowledge().add(item("a"), act("other", 1)).wait(),
        "\"a\" already names another item",
    );
    let told = history(&registry, "a");
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].action, told[0].from.as_deref()), (Action::Added, None));
    assert_eq!(told[0].to.as_deref(), Some("current"));
    assert_eq!(told[0].note.as_deref(), Some("so that nobody forgets"));
    assert_eq!(registry.admin().revision().wait().unwrap().0, 1);
}

#[test]
fn what_no_record_may_hold_is_refused() {
    let registry = registry();
    let refused =
        |item: Item, says: &str| refused(registry.knowledge().add(item, act("op", 0)).wait(), says);
    refused(Item { body: "x".repeat(Item::MAX_BODY_BYTES + 1), ..item("a") }, "bytes long");
    refused(Item { body: " \n".into(), ..item("a") }, "the text is empty");
    refused(Item { body: "a\0b".into(), ..item("a") }, "NUL");
    refused(Item { keywords: ["a\nb".into()].into(), ..item("a") }, "keyword");
    refused(Item { version_context: Some("\u{1b}[31m".into()), ..item("a") }, "control");
    let lines = Some(Lines { first: 9, last: 3 });
    let citation = Citation { lines, ..Citation::of_path("a.rs") };
    refused(Item { citations: [citation].into(), ..item("a") }, "not a range");
    let many = (0..10_000).map(|number| format!("{number:0100}")).collect();
    refused(Item { keywords: many, ..item("a") }, "at most");
    assert!(registry.knowledge().list(&project()).wait().unwrap().is_empty());
    let largest = Item { body: "x".repeat(Item::MAX_BODY_BYTES), ..item("a") };
    assert_eq!(add(&registry, largest.clone()), largest);
}

#[test]
fn an_edit_keeps_links_counters_and_history() {
    let registry = registry();
    let digest = Citation { digest: Some("0f".into()), ..Citation::of_path("src/a.rs") };
    add(&registry, item("old"));
    add(
        &registry,
        Item {
            supersedes: [id("old")].into(),
            related: [id("nowhere")].into(),
            citations: [digest.clone()].into(),
            ..item("a")
        },
    );
    registry.knowledge().count_recalls(vec![key("a")], act("recall", 1)).wait().unwrap();
    let before = get(&registry, "a");
    assert_eq!((before.recalls, before.recalls_since_edit), (1, 1));

    let patch = ItemPatch {
        body: Some("About a, again.".into()),
        citations: Some([Citation::of_path("src/a.rs"), Citation::of_path("b")].into()),
        due: Some(Some(at(9))),
        ..ItemPatch::default()
    };
    let edited =
        registry.knowledge().edit(vec![key("a")], patch.clone(), act("edit", 2)).wait().unwrap();
    let expected = Item {
        body: "About a, again.".into(),
        citations: [digest, Citation::of_path("b")].into(),
        due: Some(at(9)),
        updated_at: at(2),
        recalls_since_edit: 0,
        ..before
    };
    assert_eq!(edited, std::slice::from_ref(&expected));
    assert_eq!(get(&registry, "a"), expected);
    let told = history(&registry, "a");
    assert_eq!(told.last().unwrap().cause, "changed body, due, citations");

    // Nothing changes: nothing is written, and nothing is told.
    registry.knowledge().edit(vec![key("a")], patch, act("again", 3)).wait().unwrap();
    assert_eq!(get(&registry, "a"), expected);
    assert_eq!(actions(&registry, "a"), [Action::Added, Action::Edited]);
}

#[test]
fn an_edit_of_several_is_an_edit_of_all_or_none() {
    let registry = registry();
    add(&registry, item("a"));
    let patch = ItemPatch { evergreen: Some(true), ..ItemPatch::default() };
    let keys = vec![key("a"), key("b")];
    unknown(registry.knowledge().edit(keys.clone(), patch.clone(), act("op", 1)).wait(), "b");
    assert!(!get(&registry, "a").evergreen);
    add(&registry, item("b"));
    let edited = registry.knowledge().edit(keys, patch, act("op", 1)).wait().unwrap();
    assert!(edited.iter().all(|item| item.evergreen));
    assert_eq!(actions(&registry, "b"), [Action::Added, Action::Edited]);
}

/// The two sides of a link, as they are stored.
fn links(registry: &Registry, old: &str, new: &str) -> (bool, bool) {
    let has = |set: BTreeSet<ItemId>, text: &str| set.contains(&id(text));
    let item = |text: &str| {
        registry.knowledge().get(&project(), &id(text), ScopeChoice::Either).wait().ok()
    };
    (
        item(old).is_some_and(|item| has(item.superseded_by, new)),
        item(new).is_some_and(|item| has(item.supersedes, old)),
    )
}

#[test]
fn both_sides_of_a_link_stay_in_step() {
    let registry = registry();
    for text in ["a", "b", "c"] {
        add(&registry, item(text));
    }
    let (old, new) =
        registry.knowledge().supersede(key("a"), key("b"), act("s", 1)).wait().unwrap();
    assert_eq!((old.superseded_by, new.supersedes), ([id("b")].into(), [id("a")].into()));
    assert_eq!(old.updated_at, at(0), "nobody edited the old one");
    // Again, with the same op and with another one: nothing more is told.
    registry.knowledge().supersede(key("a"), key("b"), act("s", 1)).wait().unwrap();
    registry.knowledge().supersede(key("a"), key("b"), act("t", 1)).wait().unwrap();
    assert_eq!(actions(&registry, "a"), [Action::Added, Action::Superseded]);
    assert_eq!(actions(&registry, "b"), [Action::Added, Action::Edited], "both sides are told");
    let told = history(&registry, "a").pop().unwrap();
    assert_eq!((told.from.as_deref(), told.to.as_deref()), (Some("current"), Some("superseded")));

    refused(registry.knowledge().supersede(key("b"), key("a"), act("u", 1)).wait(), "already");
    refused(registry.knowledge().supersede(key("b"), key("b"), act("u", 1)).wait(), "itself");
    unknown(registry.knowledge().supersede(key("a"), key("x"), act("u", 1)).wait(), "x");
    add(&registry, Item { key: global("a"), ..item("a") });
    refused(
        registry.knowledge().supersede(global("a"), key("b"), act("u", 1)).wait(),
        "different scopes",
    );

    // By an edit of the other side.
    let to = |text: &str| ItemPatch { supersedes: Some([id(text)].into()), ..ItemPatch::default() };
    registry.knowledge().edit(vec![key("b")], to("c"), act("v", 2)).wait().unwrap();
    assert_eq!(links(&registry, "a", "b"), (false, false));
    assert_eq!(links(&registry, "c", "b"), (true, true));
    assert_eq!(history(&registry, "a").pop().unwrap().to.as_deref(), Some("current"));
    unknown(registry.knowledge().edit(vec![key("b")], to("x"), act("w", 2)).wait(), "x");
    unknown(
        registry
            .knowledge()
            .add(Item { supersedes: [id("x")].into(), ..item("d") }, act("w", 2))
            .wait(),
        "x",
    );

    // By removing either side.
    assert!(registry.knowledge().remove(key("b"), act("r", 3)).wait().unwrap().is_some());
    assert_eq!(
        registry.knowledge().remove(key("b"), act("r", 3)).wait().unwrap(),
        None,
        "repeated"
    );
    unknown(registry.knowledge().remove(key("b"), act("r2", 3)).wait(), "b");
    assert!(get(&registry, "c").superseded_by.is_empty());
    registry.knowledge().supersede(key("a"), key("c"), act("x", 4)).wait().unwrap();
    registry.knowledge().remove(key("a"), act("y", 4)).wait().unwrap();
    assert!(get(&registry, "c").supersedes.is_empty());
    assert_eq!(actions(&registry, "b").last(), Some(&Action::Removed));
}

#[test]
fn a_verification_anchors_and_takes_back_what_was_said() {
    let registry = registry();
    let cited = Citation { lines: Some(Lines { first: 1, last: 2 }), ..Citation::of_path("a.rs") };
    add(&registry, Item { citations: [cited.clone()].into(), ..item("a") });
    let said = registry
        .knowledge()
        .contradict(key("a"), "agent".into(), "it moved".into(), act("c", 1))
        .wait();
    assert_eq!(said.unwrap().contradicted.unwrap().reason, "it moved");
    let told = history(&registry, "a").pop().unwrap();
    assert_eq!((told.action, told.note.as_deref()), (Action::Contradicted, Some("it moved")));
    let contradict = |by: &str, reason: &str, op: &str| {
        registry.knowledge().contradict(key("a"), by.into(), reason.into(), act(op, 2)).wait()
    };
    contradict("agent", "it moved", "c2").unwrap();
    refused(contradict("a", " ", "c3"), "reason");

    let now = Citation { digest: Some("0f".into()), ..cited };
    let seen = Verification {
        key: key("a"),
        commit: Some("c0ffee".into()),
        citations: [now.clone(), Citation::of_path("not cited")].into(),
        moved: Vec::new(),
    };
    for _ in 0..2 {
        let verified =
            registry.knowledge().verify(vec![seen.clone()], act("v", 3)).wait().unwrap().remove(0);
        assert_eq!((verified.verified_at, verified.verifications), (Some(at(3)), 1));
        assert_eq!(verified.verified_commit.as_deref(), Some("c0ffee"));
        assert_eq!(verified.citations, [now.clone()].into());
        assert_eq!((verified.contradicted, verified.updated_at), (None, at(0)));
    }
    let expected = [Action::Added, Action::Contradicted, Action::Verified];
    assert_eq!(actions(&registry, "a"), expected);
    let before = get(&registry, "a");
    let restore = |left: &Item, op| {
        registry.knowledge().restore(left.clone(), Some(before.clone()), act(op, 5)).wait()
    };
    let left = registry.knowledge().verify(vec![seen.clone()], act("x", 4)).wait().unwrap();
    restore(&left[0], "undo").unwrap();
    assert_eq!(get(&registry, "a"), before);
    assert_eq!(actions(&registry, "a").last(), Some(&Action::Restored));
    refused(restore(&left[0], "again"), "has changed since then");
    // What it cites is not there any more: the digest goes on saying that it was.
    let gone = Citation { digest: None, ..now.clone() };
    let seen = Verification { citations: [gone].into(), ..seen };
    let verified = registry.knowledge().verify(vec![seen], act("w", 4)).wait().unwrap().remove(0);
    assert_eq!(verified.citations, [now].into());
}

#[test]
fn an_agent_takes_back_what_agents_said_and_nothing_that_a_person_said() {
    let by = |op: &str, agent: Option<&str>| Act {
        actor: agent.map(|agent| AgentId::new(agent).unwrap()),
        ..act(op, 1)
    };
    let seen = || Verification {
        key: key("a"),
        commit: None,
        citations: BTreeSet::new(),
        moved: Vec::new(),
    };
    for (said_by, verifier, holds) in [
        (None, Some("codex"), false),
        (None, None, true),
        (Some("codex"), Some("codex"), true),
        (Some("codex"), Some("claude-code"), true),
        (Some("codex"), None, true),
    ] {
        let registry = registry();
        add(&registry, item("a"));
        let name = said_by.unwrap_or("ana").to_owned();
        let said = registry.knowledge().contradict(
            key("a"),
            name,
            "it is\nlonger".into(),
            by("c", said_by),
        );
        said.wait().unwrap();
        let verified = registry.knowledge().verify(vec![seen()], by("v", verifier)).wait();
        if holds {
            assert_eq!(verified.unwrap()[0].contradicted, None);
        } else {
            let day = at(1).to_string()[..10].to_owned();
            let why = format!("ana marked \"a\" as wrong on {day}: \"it is longer\"");
            refused(verified, &why);
            // What the agent says after a person changes nothing.
            let mark = get(&registry, "a").contradicted;
            let also = registry.knowledge().contradict(
                key("a"),
                "codex".into(),
                "it moved".into(),
                Act { at: at(2), ..by("also", verifier) },
            );
            assert_eq!((also.wait().unwrap().contradicted, mark.is_some()), (mark, true));
            let told = history(&registry, "a").pop().unwrap();
            assert_eq!((told.note.as_deref(), told.actor.is_some()), (Some("it moved"), true));
            refused(registry.knowledge().verify(vec![seen()], by("w", verifier)).wait(), &why);
        }
    }
}

#[test]
fn a_verification_names_lines_as_they_are_numbered_now() {
    let registry = registry();
    let lines = |first| Some(Lines { first, last: first });
    let cited = Citation { lines: lines(2), ..Citation::of_path("a.rs") };
    let now = Citation { digest: Some("0f".into()), ..cited.clone() };
    let seen = |key: ItemKey| Verification {
        key,
        commit: None,
        citations: [now.clone()].into(),
        moved: vec![(cited.clone(), Lines { first: 3, last: 3 })],
    };
    for cites in [Some(cited.clone()), None] {
        let name = if cites.is_some() { "a" } else { "b" };
        add(&registry, Item { citations: cites.clone().into_iter().collect(), ..item(name) });
        let verified =
            registry.knowledge().verify(vec![seen(key(name))], act(name, 1)).wait().unwrap();
        let moved = cites.map(|_| Citation { lines: lines(3), ..now.clone() });
        assert_eq!(verified[0].citations, moved.into_iter().collect());
    }
    let file = FileItem {
        path: "c.md".into(),
        kind: ItemKind::Knowledge,
        added_at: at(0),
        updated_at: at(0),
        recalls: 0,
        recalled_at: None,
    };
    let act = Act { files: [(key("c"), file)].into(), ..act("c", 1) };
    let verified = registry.knowledge().verify(vec![seen(key("c"))], act).wait().unwrap();
    assert_eq!(verified[0].citations, [now.clone()].into(), "the file names them as it does");
}

#[test]
fn only_a_todo_can_be_done() {
    let registry = registry();
    add(&registry, todo("t"));
    add(&registry, item("k"));
    refused(
        registry.knowledge().done(vec![key("t"), key("k")], act("d", 1)).wait(),
        "only a to-do",
    );
    assert_eq!(get(&registry, "t").done_at, None);
    registry.knowledge().done(vec![key("t"), key("t")], act("d", 1)).wait().unwrap();
    registry.knowledge().done(vec![key("t")], act("e", 2)).wait().unwrap();
    assert_eq!(get(&registry, "t").done_at, Some(at(1)));
    assert_eq!(actions(&registry, "t"), [Action::Added, Action::Done]);
    refused(registry.knowledge().reopen(vec![key("k")], act("f", 3)).wait(), "only a to-do");
    for _ in 0..2 {
        let open =
            registry.knowledge().reopen(vec![key("t")], act("g", 3)).wait().unwrap().remove(0);
        assert_eq!((open.done_at, open.updated_at), (None, at(3)));
    }
    registry.knowledge().reopen(vec![key("t")], act("h", 4)).wait().unwrap();
    assert_eq!(actions(&registry, "t"), [Action::Added, Action::Done, Action::Reopened]);
}

#[test]
fn what_has_expired_can_be_done_until_it_holds_again() {
    let registry = registry();
    add(&registry, Item { expires_at: Some(at(2)), ..item("k") });
    refused(registry.knowledge().done(vec![key("k")], act("d", 1)).wait(), "only a to-do");
    let done = registry.knowledge().done(vec![key("k")], act("e", 2)).wait().unwrap().remove(0);
    assert!(done.is_done());
    let later = ItemPatch { expires_at: Some(Some(at(4))), ..ItemPatch::default() };
    registry.knowledge().edit(vec![key("k")], later, act("f", 3)).wait().unwrap();
    assert!(!get(&registry, "k").is_done());
    registry.knowledge().done(vec![key("k")], act("g", 5)).wait().unwrap();
    assert_eq!(get(&registry, "k").done_at, Some(at(5)));
    let open = registry.knowledge().reopen(vec![key("k")], act("h", 6)).wait().unwrap().remove(0);
    assert_eq!((open.done_at, open.is_done()), (None, false));
}

#[test]
fn recalls_are_counted_once_per_op_and_not_told() {
    let registry = registry();
    add(&registry, item("a"));
    let revision = registry.admin().revision().wait().unwrap();
    let keys = || vec![key("a"), key("removed since")];
    assert_eq!(registry.knowledge().count_recalls(keys(), act("r1", 5)).wait().unwrap(), 1);
    assert_eq!(registry.knowledge().count_recalls(keys(), act("r1", 5)).wait().unwrap(), 0);
    assert_eq!(registry.knowledge().count_recalls(keys(), act("r2", 4)).wait().unwrap(), 1);
    let counted = get(&registry, "a");
    assert_eq!((counted.recalls, counted.recalled_at), (2, Some(at(5))));
    assert_eq!(counted.updated_at, at(0));
    assert_eq!(registry.admin().revision().wait().unwrap(), revision);
    assert_eq!(registry.knowledge().list(&project()).wait().unwrap().len(), 1);
}

#[test]
fn an_item_that_lives_in_a_file_gets_a_row_for_what_is_said_of_it() {
    let registry = registry();
    let in_file = |day: i64, op: &str| {
        let file = FileItem {
            path: "docs/f.md".into(),
            kind: ItemKind::Reference,
            added_at: at(0),
            updated_at: at(day),
            recalls: 7,
            recalled_at: None,
        };
        Act { files: [(key("f"), file)].into(), ..act(op, day) }
    };
    registry.knowledge().count_recalls(vec![key("f")], in_file(1, "r")).wait().unwrap();
    let row = get(&registry, "f");
    assert_eq!((row.path.as_deref(), row.body.as_str()), (Some("docs/f.md"), ""));
    assert_eq!((row.recalls, row.updated_at), (8, at(1)), "it counts on from what the file says");
    assert!(history(&registry, "f").is_empty(), "the file was there before");
    // The file was edited: recalls since then begin again.
    registry.knowledge().count_recalls(vec![key("f")], in_file(3, "r2")).wait().unwrap();
    let row = get(&registry, "f");
    assert_eq!((row.recalls, row.recalls_since_edit, row.updated_at), (9, 1, at(3)));
    // Committing it afterwards is no edit.
    let row = Item { recalled_at: Some(at(5)), ..row };
    assert_eq!((row.recalls_since(at(4)), row.recalls_since(at(6))), (1, 0));
    let patch = ItemPatch { evergreen: Some(true), ..ItemPatch::default() };
    refused(
        registry.knowledge().edit(vec![key("f")], patch, act("e", 3)).wait(),
        "is stored in \"docs/f.md\"",
    );
    add(&registry, item("new"));
    registry.knowledge().supersede(key("f"), key("new"), in_file(3, "s")).wait().unwrap();
    assert_eq!(links(&registry, "f", "new"), (true, true));
}

#[test]
fn a_project_sees_its_own_items_and_the_global_ones_it_does_not_hide() {
    let registry = registry();
    add(&registry, item("deploy"));
    add(&registry, Item { key: global("deploy"), ..item("of all") });
    add(&registry, Item { key: global("style"), ..item("style") });
    let elsewhere = Scope::Project(ProjectId::of_root("/work/other"));
    add(&registry, Item { key: ItemKey { scope: elsewhere, id: id("other") }, ..item("other") });
    let keys = |items: Vec<Item>| items.into_iter().map(|item| item.key).collect::<Vec<_>>();
    let seen = keys(registry.knowledge().list(&project()).wait().unwrap());
    assert_eq!(seen, [key("deploy"), global("style")]);
    let rows = keys(registry.knowledge().rows(&project()).wait().unwrap());
    assert_eq!(rows, [global("deploy"), global("style"), key("deploy")]);
    let one = |choice| {
        registry.knowledge().get(&project(), &id("deploy"), choice).wait().map(|item| item.key)
    };
    assert_eq!(one(ScopeChoice::Either).unwrap(), key("deploy"));
    assert_eq!(one(ScopeChoice::Global).unwrap(), global("deploy"));
    let ids = || rows.iter().map(|key| &key.id);
    assert_eq!(nearest("Deplyo", ids()), Some(&id("deploy")));
    assert_eq!(nearest("zzz", ids()), None);
    unknown(
        registry.knowledge().get(&project(), &id("other"), ScopeChoice::Either).wait(),
        "other",
    );
}

#[test]
fn a_project_is_not_forgotten_over_what_somebody_wrote() {
    let registry = registry();
    let scan = staleness_core::scan::Scan {
        project: staleness_core::scan::ProjectRef::of_root("/work/shop"),
        read_under: registry.tools().readings(&project()).wait().unwrap(),
        sources: Vec::new(),
        indexes: Vec::new(),
        at: at(0),
        session: None,
        client: None,
    };
    registry.tools().apply_scan(scan).wait().unwrap();
    add(&registry, item("a"));
    let op = |text: &str| OpId::new(text).unwrap();
    refused(
        registry.admin().forget_project(project(), op("f"), at(1)).wait(),
        "1 item of knowledge belongs",
    );
    registry.admin().forget_project_and_knowledge(project(), op("g"), at(1)).wait().unwrap();
    registry.admin().forget_project_and_knowledge(project(), op("g"), at(1)).wait().unwrap();
    assert!(registry.knowledge().list(&project()).wait().unwrap().is_empty());
    assert_eq!(actions(&registry, "a"), [Action::Added, Action::Removed]);
}
