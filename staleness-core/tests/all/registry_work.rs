//! Work items through the registry: what each verb writes, journals and refuses.

use std::sync::Arc;

use crate::common::Spy;
use staleness_core::ids::{OpId, ProjectId, Scope, WorkId, WorkKey};
use staleness_core::journal::{Action, Subject};
use staleness_core::registry::{Act, ScopeChoice, WorkListing, WorkPatch};
use staleness_core::scan::ProjectRef;
use staleness_core::store::Refusal;
use staleness_core::work::{Work, WorkKind, WorkStatus};
use staleness_core::{Policy, Registry, RegistryError, Timestamp, Wait};

fn registry() -> Registry {
    under("")
}

fn under(policy: &str) -> Registry {
    Registry::new(Arc::new(Spy::default()), toml::from_str::<Policy>(policy).unwrap())
}

fn at(day: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(day * 86_400_000)
}

fn act(op: &str, day: i64) -> Act {
    Act::new(OpId::new(op).unwrap(), at(day))
}

fn id(text: &str) -> WorkId {
    WorkId::new(text).unwrap()
}

fn project() -> ProjectRef {
    let root = "/work/shop";
    ProjectRef { id: ProjectId::of_root(root), root: root.into() }
}

fn key(text: &str) -> WorkKey {
    WorkKey { scope: Scope::Project(project().id), id: id(text) }
}

fn work(kind: WorkKind, text: &str) -> Work {
    Work::new(key(text), kind, format!("About {text}."), at(0))
}

fn add(registry: &Registry, work: Work) -> Work {
    let op = format!("add {} {}", work.key.scope.as_key(), work.key.id);
    registry.work().add(work, act(&op, 0)).wait().unwrap()
}

fn told(registry: &Registry, text: &str) -> Vec<(Action, Option<String>, Option<String>)> {
    let entries = registry.admin().journal_of(Subject::work(&key(text)), 99).wait().unwrap();
    entries.into_iter().map(|entry| (entry.action, entry.from, entry.to)).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, RegistryError>) -> String {
    match result.unwrap_err() {
        RegistryError::Rejected(why) if !matches!(why, Refusal::Unknown { .. }) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_item_is_written_down_once_in_any_state_of_its_kind() {
    let registry = registry();
    let plan = Work { status: WorkStatus::Blocked, ..work(WorkKind::Plan, "p") };
    assert_eq!(add(&registry, plan.clone()), plan);
    assert_eq!(add(&registry, plan.clone()), plan, "the same op again");
    let taken = registry.work().add(plan, act("other", 1)).wait().unwrap_err();
    let what = "work item";
    assert!(matches!(taken, RegistryError::Rejected(Refusal::Taken { what: w, .. }) if w == what));
    let odd = Work { status: WorkStatus::Accepted, ..work(WorkKind::Plan, "q") };
    let why = refused(registry.work().add(odd, act("q", 1)).wait());
    assert!(why.contains("todo, in_progress, blocked, done, dropped"), "{why}");
    assert!(WorkKind::named("plans").unwrap_err().contains("plan, trap"));
    let act = Act { note: Some(" ".into()), ..act("n", 1) };
    assert!(refused(registry.work().add(work(WorkKind::Note, "n"), act).wait()).contains("reason"));
    assert_eq!(told(&registry, "p"), [(Action::Added, None, Some("blocked".into()))]);
}

#[test]
fn moves_edits_and_steps_are_told_and_touches_are_not() {
    let registry = registry();
    add(&registry, work(WorkKind::Plan, "p"));
    let patch = WorkPatch {
        status: Some(WorkStatus::InProgress),
        text: Some("Anew.".into()),
        ..WorkPatch::default()
    };
    for _ in 0..2 {
        let row = registry.work().set(key("p"), patch.clone(), act("set", 1)).wait().unwrap();
        assert_eq!((row.status, row.updated_at), (WorkStatus::InProgress, at(1)));
    }
    // It stands so already: nothing is written.
    registry.work().set(key("p"), patch, act("set again", 2)).wait().unwrap();
    for _ in 0..2 {
        let row =
            registry.work().step(key("p"), "Done a part.".into(), act("step", 3)).wait().unwrap();
        assert_eq!((row.steps.len(), row.updated_at), (1, at(3)));
    }
    let revision = registry.admin().revision().wait().unwrap();
    let row = registry.work().touch(key("p"), at(5)).wait().unwrap();
    assert_eq!(row.updated_at, at(5));
    assert_eq!(registry.work().touch(key("p"), at(4)).wait().unwrap(), row);
    assert_eq!(registry.admin().revision().wait().unwrap(), revision);
    let word = |text: &str| Some(text.to_owned());
    let mut entries = told(&registry, "p");
    entries.sort();
    let mut expected = vec![
        (Action::Added, None, word("todo")),
        (Action::Moved, word("todo"), word("in_progress")),
        (Action::Edited, word("in_progress"), word("in_progress")),
        (Action::Stepped, word("in_progress"), word("in_progress")),
    ];
    expected.sort();
    assert_eq!(entries, expected);
    assert!(
        refused(registry.work().step(key("p"), " ".into(), act("empty", 6)).wait())
            .contains("empty")
    );
    let error = registry.work().touch(key("none"), at(1)).wait().unwrap_err();
    assert!(matches!(error, RegistryError::Rejected(Refusal::Unknown { what: "work item", .. })));
}

#[test]
fn only_what_is_overdue_is_resolved_and_reopening_undoes_it() {
    let registry = registry();
    add(&registry, Work { status: WorkStatus::Blocked, ..work(WorkKind::Plan, "p") });
    let early = registry.work().resolve(&project(), key("p"), act("early", 29)).wait();
    assert!(refused(early).contains("not overdue"));
    assert!(registry.work().stale(&project(), at(29)).wait().unwrap().is_empty());
    let warnings = registry.work().stale(&project(), at(30)).wait().unwrap();
    let ids: Vec<&str> = warnings.iter().map(|each| each.key.id.as_str()).collect();
    assert_eq!(ids, ["p"]);
    for _ in 0..2 {
        let done =
            registry.work().resolve(&project(), key("p"), act("resolve", 30)).wait().unwrap();
        assert_eq!((done.from.as_str(), done.to.as_str()), ("blocked", "dropped"));
    }
    assert!(registry.work().stale(&project(), at(99)).wait().unwrap().is_empty());
    for _ in 0..2 {
        let row = registry.work().reopen(key("p"), act("reopen", 31)).wait().unwrap();
        assert_eq!((row.status, row.before), (WorkStatus::Blocked, None));
    }
    assert!(
        refused(registry.work().reopen(key("p"), act("again", 32)).wait()).contains("is blocked")
    );
    let actions: Vec<Action> = told(&registry, "p").into_iter().map(|entry| entry.0).collect();
    assert!(actions.contains(&Action::Resolved) && actions.contains(&Action::Reopened));
}

#[test]
fn what_was_settled_or_touched_is_restored_unless_it_changed_since() {
    let registry = registry();
    let old = add(&registry, work(WorkKind::Plan, "p"));
    registry.work().resolve(&project(), key("p"), act("resolve", 90)).wait().unwrap();
    let row = || registry.work().get(&project().id, &key("p").id, ScopeChoice::Either).wait();
    let settled = row().unwrap();
    for _ in 0..2 {
        let back = registry.work().restore(settled.clone(), old.clone(), act("undo", 91)).wait();
        assert_eq!(back.unwrap(), old, "its age too");
    }
    let again = registry.work().restore(settled, old.clone(), act("again", 92)).wait();
    assert!(refused(again).contains("has changed since then"));
    let touched = registry.work().touch(key("p"), at(93)).wait().unwrap();
    registry.work().restore(touched, old.clone(), act("untouch", 94)).wait().unwrap();
    assert_eq!(row().unwrap(), old);
    let actions: Vec<Action> = told(&registry, "p").into_iter().map(|entry| entry.0).collect();
    assert_eq!(actions, [Action::Added, Action::Resolved, Action::Reopened]);
}

#[test]
fn fresh_work_softens_and_thresholds_can_be_set() {
    let policy = "work = { in_progress_days = 3, kind.candidate.candidate_days = 2, \
                  project.'/work/shop'.handoff_days = 1, agent.bot.in_progress_days = 1 }";
    let registry = under(policy);
    let begun = |text| Work { status: WorkStatus::InProgress, ..work(WorkKind::Plan, text) };
    add(&registry, begun("p"));
    add(&registry, Work { author: Some("bot".into()), ..begun("b") });
    add(&registry, work(WorkKind::Handoff, "h"));
    add(&registry, work(WorkKind::Candidate, "c"));
    let at_day = |day| -> Vec<String> {
        let warnings = registry.work().stale(&project(), at(day)).wait().unwrap();
        warnings.into_iter().map(|each| each.key.id.into()).collect()
    };
    assert_eq!(at_day(0), [""; 0]);
    assert_eq!(at_day(1), ["b", "h"]);
    assert_eq!(at_day(2), ["b", "h", "c"]);
    assert_eq!(at_day(3).len(), 4);
    let refers = Work { refs: ["p".into()].into(), ..work(WorkKind::Decision, "d") };
    add(&registry, refers);
    let all = registry.work().list(&project().id, WorkListing::default()).wait().unwrap();
    let reports = registry.work().reports(&project(), all, at(3)).wait().unwrap();
    let of = |text: &str| reports.iter().find(|each| each.key.id == id(text)).unwrap();
    assert!((of("p").verdict.freshness - 0.5).abs() < 1e-9);
    assert!((of("h").verdict.freshness - 0.3).abs() < 1e-9);
    assert!((of("d").verdict.freshness - 1.0).abs() < 1e-9);
    let softened = |day| registry.work().stale(&project(), at(day)).wait().unwrap();
    let by =
        |day| softened(day).into_iter().find(|each| each.key.id == id("p")).unwrap().softened_by;
    assert_eq!((by(29), by(30)), (Some(id("d")), None), "a decision keeps alive for a while");
    let bad: Policy = toml::from_str("work.agent.x.freshness_flagged = 2.0").unwrap();
    assert_eq!(bad.faults(), ["work.agent.x.freshness_flagged: must be between 0 and 1"]);
    for minutes in ["0", "43201"] {
        let bad: Policy = toml::from_str(&format!("work.claim_minutes = {minutes}")).unwrap();
        assert_eq!(bad.faults(), ["work.claim_minutes: must be between 1 and 43200"]);
    }
}

#[test]
fn listing_finds_by_kind_and_state_and_a_near_id() {
    let registry = registry();
    add(&registry, work(WorkKind::Plan, "deploy-shop"));
    add(&registry, Work { status: WorkStatus::Done, ..work(WorkKind::Plan, "done") });
    add(&registry, work(WorkKind::Trap, "trap"));
    let hidden = WorkKey { scope: Scope::Global, id: id("trap") };
    add(&registry, Work { key: hidden, ..work(WorkKind::Note, "trap 2") });
    let ids = |listing| -> Vec<String> {
        let found = registry.work().list(&project().id, listing).wait().unwrap();
        found.into_iter().map(|each| each.key.id.to_string()).collect()
    };
    assert_eq!(ids(WorkListing::default()), ["deploy-shop", "done", "trap"]);
    let plans = WorkListing { kind: Some(WorkKind::Plan), ..WorkListing::default() };
    assert_eq!(ids(plans), ["deploy-shop", "done"]);
    assert_eq!(ids(WorkListing { open: true, ..plans }), ["deploy-shop"]);
    let done = WorkListing { status: Some(WorkStatus::Done), ..WorkListing::default() };
    assert_eq!(ids(done), ["done"]);
    let trap = registry.work().get(&project().id, &id("trap"), ScopeChoice::Either).wait().unwrap();
    assert_eq!(trap.kind, WorkKind::Trap);
}
