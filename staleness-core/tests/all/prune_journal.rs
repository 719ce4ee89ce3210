//! Pruning the journal: what goes, what stays, and what is told of it.

use std::ops::ControlFlow;

use crate::common::*;
use staleness_core::ids::{AgentId, ItemId, ItemKey, ProjectId, Scope};
use staleness_core::journal::Revision;
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::registry::{Act, Resume, ResumeFrom};
use staleness_core::report::Delta;
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Selection, View};
use staleness_core::time::Timestamp;
use staleness_core::tool::Hold;
use staleness_core::transfer::{Checker, Record};
use staleness_core::{MemoryStore, Policy, Registry, Wait};

fn prune(world: &World) -> u64 {
    let would =
        world.registry.admin().prune_journal(world.now(), true, &mut || true).wait().unwrap();
    let removed =
        world.registry.admin().prune_journal(world.now(), false, &mut || true).wait().unwrap();
    assert_eq!(would, removed);
    world.registry.admin().check().wait().unwrap();
    assert_eq!(
        world.registry.admin().prune_journal(world.now(), false, &mut || true).wait().unwrap(),
        0
    );
    removed
}

fn floor(world: &World) -> u64 {
    world.everything().floor.revision.0
}

/// The tool fails and recovers so often: each time four entries.
fn flap(world: &World, name: &str, times: usize) {
    for _ in 0..times {
        world.uses(name, "FFF");
        world.uses(name, "SSS");
    }
}

fn item(id: &str) -> ItemKey {
    ItemKey { scope: Scope::Global, id: ItemId::new(id).unwrap() }
}

fn add_item(world: &World, id: &str) {
    let row = Item::new(item(id), ItemKind::Knowledge, "It is so.", world.now());
    world.registry.knowledge().add(row, Act::new(world.op(), world.now())).wait().unwrap();
}

#[test]
fn old_entries_go_and_what_explains_a_present_state_stays() {
    let world = World::default();
    world.uses("skill", "S");
    world.hold("skill", Hold::Pinned);
    flap(&world, "mcp__a__x", 5);
    world.uses("mcp__a__x", "FFF");
    world.uses("other", "S");
    let before = (world.history("skill"), world.history("mcp__a__x").len());
    assert_eq!(prune(&world), 0, "nothing is a year old");
    world.pass(366 * Timestamp::DAY);
    world.uses("new", "S");
    let removed = prune(&world);
    assert!(removed >= 7, "{removed}");
    assert_eq!(world.history("skill"), before.0, "the pin and how it became known");
    let left = world.history("mcp__a__x");
    assert_eq!(left.len() as u64, before.1 as u64 - removed);
    let actions: Vec<&str> = left.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(actions, ["added", "recovered", "failing"]);
    assert!(world.report("mcp__a__x").health.cause.is_some());
}

#[test]
fn of_what_is_gone_nothing_stays_but_that_a_person_removed_an_item() {
    let world = World::default();
    world.uses("mcp__a__x", "S");
    world.registry.tools().forget(world.by_hand("mcp__a__x")).wait().unwrap();
    add_item(&world, "gone");
    let act = Act::new(world.op(), world.now());
    world.registry.knowledge().remove(item("gone"), act).wait().unwrap();
    world.pass(366 * Timestamp::DAY);
    world.uses("new", "S");
    assert_eq!(prune(&world), 3);
    let left = world.everything().journal;
    let left: Vec<&str> = left.values().map(|entry| entry.action.as_str()).collect();
    assert_eq!(left, ["removed", "added"]);
}

#[test]
fn one_wrong_clock_and_one_old_pin_keep_nothing_else() {
    let world = World::default();
    world.pass(3_000 * Timestamp::DAY);
    world.uses("tomorrow", "S");
    world.pass(-3_000 * Timestamp::DAY);
    world.uses("skill", "S");
    world.hold("skill", Hold::Pinned);
    flap(&world, "mcp__a__x", 5);
    world.pass(366 * Timestamp::DAY);
    world.uses("new", "S");
    assert!(prune(&world) >= 6);
    assert_eq!(world.history("tomorrow").len(), 1);
}

#[test]
fn the_newest_commit_stays_whatever_it_says() {
    let world = World::with(keeping(0));
    world.uses("mcp__a__x", "S");
    world.registry.tools().forget(world.by_hand("mcp__a__x")).wait().unwrap();
    assert_eq!(prune(&world), 1);
    assert_eq!(world.everything().journal.len(), 1);
    let revision = world.registry.admin().revision().wait().unwrap();
    world.uses("mcp__a__x", "S");
    assert_eq!(world.registry.admin().revision().wait().unwrap(), Revision(revision.0 + 1));
}

fn keeping(keep_days: u32) -> Policy {
    let mut policy = Policy::default();
    policy.journal.keep_days = keep_days;
    policy
}

#[test]
fn what_an_agent_was_not_told_stays_until_its_place_is_forgotten() {
    let world = World::with(keeping(1));
    let project = world.project.clone();
    world.uses("mcp__a__x", "S");
    world.told(&project, "s1");
    let told = world.registry.admin().revision().wait().unwrap();
    flap(&world, "mcp__a__x", 5);
    world.uses("mcp__a__x", "FFF");
    world.pass(300 * Timestamp::DAY);
    world.uses("new", "S");
    prune(&world);
    assert!(floor(&world) <= told.0);
    let (_, delta) = world.looked(&project, &session("s2"));
    assert_eq!((delta.pruned_until, changes(&delta).len()), (None, 1), "{delta:?}");
    world.pass(66 * Timestamp::DAY);
    // The session that looked began after all of it, and is remembered.
    prune(&world);
    assert!(floor(&world) <= told.0);
    world.pass(300 * Timestamp::DAY);
    world.uses("newer", "S");
    world.registry.admin().prune_sessions(world.now(), false, &mut || true).wait().unwrap();
    assert!(prune(&world) >= 8 && floor(&world) > told.0);
}

#[test]
fn b14_sessions_that_are_told_nothing_keep_no_more_than_two_years() {
    let world = World::default();
    let project = world.project.clone();
    for _ in 0..40 {
        flap(&world, "mcp__a__x", 1);
        world.looked(&project, &session(&format!("s{}", world.now())));
        world.pass(50 * Timestamp::DAY);
        prune(&world);
        world.registry.admin().prune_sessions(world.now(), false, &mut || true).wait().unwrap();
    }
    let view = world.everything();
    let young = |at: Timestamp| at > world.now().minus_days(731);
    let old = view.journal.values().filter(|entry| !young(entry.at)).count();
    assert!(old <= 3 && view.journal.len() > 20, "{old} of {}", view.journal.len());
    let (_, delta) = world.looked(&project, &session("last"));
    assert_eq!(delta.pruned_until, Some(view.floor.at));
}

/// A world whose agent was told long ago, and whose journal was pruned since.
fn pruned_behind_an_agent() -> (World, ProjectRef, Timestamp) {
    let mut policy = keeping(1);
    policy.sessions.keep_days = 1;
    let world = World::with(policy);
    let project = world.project.clone();
    world.uses("mcp__a__x", "S");
    world.told(&project, "s1");
    flap(&world, "mcp__a__x", 5);
    let last = world.now();
    world.pass(10 * Timestamp::DAY);
    world.uses("new", "S");
    assert!(prune(&world) >= 6);
    (world, project, last)
}

fn resumed(world: &World, project: &ProjectRef, from: ResumeFrom) -> Delta {
    let resume = Resume { from, peek: true, ..Resume::new(AgentId::new("agent").unwrap()) };
    world.registry.sessions().resume(project, resume, world.now()).wait().unwrap()
}

#[test]
fn a_delta_that_begins_before_what_is_kept_says_so() {
    let (world, project, last) = pruned_behind_an_agent();
    let gone = world.everything().floor.at;
    assert!(gone <= last);
    // The cursor is past its own time, and not yet forgotten.
    assert_eq!(resumed(&world, &project, ResumeFrom::Cursor).pruned_until, Some(gone));
    let since = |at| resumed(&world, &project, ResumeFrom::Time(at));
    assert_eq!(since(gone).pruned_until, Some(gone));
    assert_eq!(since(gone.plus_millis(1)).pruned_until, None);
    let session = resumed(&world, &project, ResumeFrom::Session(session("s1")));
    assert_eq!(session.pruned_until, Some(gone));
    assert_eq!(resumed(&world, &project, ResumeFrom::Digest).pruned_until, None);
    let json = serde_json::to_value(&session).unwrap();
    assert_eq!(json["pruned_until"], serde_json::to_value(gone).unwrap());
    // Told once, it is told no more.
    assert!(world.told(&project, "s3").pruned_until.is_some());
    assert_eq!(resumed(&world, &project, ResumeFrom::Cursor).pruned_until, None);
    // One that is empty does not say that nothing changed.
    let elsewhere = ProjectRef { id: ProjectId::new("q").unwrap(), root: "/q".into() };
    assert_eq!(resumed(&world, &elsewhere, ResumeFrom::Cursor).pruned_until, None);
}

#[test]
fn a_delta_in_which_nothing_is_left_does_not_say_that_nothing_changed() {
    let mut policy = keeping(1);
    policy.sessions.keep_days = 1;
    let world = World::with(policy);
    let project = world.project.clone();
    world.uses("mcp__a__x", "S");
    world.told(&project, "s1");
    world.uses("mcp__b__x", "S");
    world.registry.tools().forget(world.by_hand("mcp__b__x")).wait().unwrap();
    world.pass(10 * Timestamp::DAY);
    let mut other = world.by_hand("mcp__a__x");
    other.project = ProjectRef::of_root("/elsewhere");
    world.uses_in(&other.project, "/go", "S");
    prune(&world);
    let delta = resumed(&world, &project, ResumeFrom::Cursor);
    assert!(delta.items.is_empty() && delta.pruned_until.is_some(), "{delta:?}");
}

#[test]
fn pruning_that_is_cut_short_goes_on_the_next_time() {
    let world = World::with(keeping(1));
    for turn in 0..900 {
        let name = format!("mcp__s{turn}__x");
        world.uses(&name, "FFF");
        world.registry.tools().forget(world.by_hand(&name)).wait().unwrap();
    }
    world.pass(2 * Timestamp::DAY);
    let all = world.everything().journal.len() as u64;
    assert!(all > 2_500, "{all}");
    let mut one = false;
    let mut removed = Vec::new();
    while world.everything().journal.len() > 1 {
        let mut more = || one;
        removed.push(
            world.registry.admin().prune_journal(world.now(), false, &mut more).wait().unwrap(),
        );
        world.registry.admin().check().wait().unwrap();
        one = !one;
    }
    assert!(removed.len() >= 2 && removed[0] < 1_001, "{removed:?}");
    assert_eq!(removed.iter().sum::<u64>(), all - 1);
}

/// Things are looked up fifty at a time. A slice that has time for the first fifty alone takes the others to exist,
/// so each one removes what it can know of, and the next begins elsewhere.
#[test]
fn slices_without_time_forget_everything_that_is_gone_and_nothing_else() {
    let world = World::default();
    world.uses("stays", "S");
    for number in 0..120 {
        let name = format!("gone{number}");
        world.uses(&name, "S");
        world.registry.tools().forget(world.by_hand(&name)).wait().unwrap();
    }
    world.pass(366 * Timestamp::DAY);
    world.uses("new", "S");
    let left = || world.everything().journal.values().filter(|row| row.subject.id != "new").count();
    let before = left();
    for _ in 0..40 {
        world.pass(37);
        world.registry.admin().prune_journal(world.now(), false, &mut || false).wait().unwrap();
    }
    assert!(before > 120, "{before}");
    assert_eq!((left(), world.history("stays").len()), (1, 1));
    assert_eq!(prune(&world), 0);
}

fn lines(registry: &Registry) -> Vec<String> {
    let (mut bytes, mut first) = (Vec::new(), Record::HEADER.to_owned());
    let mut visit = |page: View| {
        page.append_lines(&mut bytes);
        first = Record::header(page.floor.revision);
        ControlFlow::Continue(())
    };
    registry.admin().pages(&Selection::records(), &mut visit).wait().unwrap();
    let text = String::from_utf8(bytes).unwrap();
    [first].into_iter().chain(text.lines().map(str::to_owned)).collect()
}

fn check(lines: &[String]) -> Result<Vec<Record>, String> {
    let mut checker = Checker::new();
    let mut records = Vec::new();
    for line in lines {
        records.extend(checker.line(line).map_err(|error| error.to_string())?);
    }
    Ok(records)
}

#[test]
fn an_export_carries_what_was_pruned_and_an_import_keeps_it() {
    let (world, project, _) = pruned_behind_an_agent();
    let exported = lines(&world.registry);
    assert!(exported[0].ends_with(&format!(",\"pruned\":{}}}", floor(&world))), "{}", exported[0]);
    let fresh = Registry::new(std::sync::Arc::new(MemoryStore::new()), Policy::default());
    let fresh = fresh;
    let mut importer = fresh.admin().importer(false).wait().unwrap();
    let (projects, others): (Vec<Record>, Vec<Record>) =
        check(&exported).unwrap().into_iter().partition(|row| matches!(row, Record::Project(_)));
    others.into_iter().chain(projects).for_each(|row| importer.put(row).wait().unwrap());
    importer.finish().wait().unwrap();
    fresh.admin().check().wait().unwrap();
    assert_eq!(lines(&fresh), exported);
    let resume = Resume::new(AgentId::new("agent").unwrap());
    let delta = fresh.sessions().resume(&project, resume, world.now()).wait().unwrap();
    assert!(delta.pruned_until >= resumed(&world, &project, ResumeFrom::Cursor).pruned_until);
    assert!(delta.pruned_until.is_some());
    // What else is missing is refused, and so is what is there and should not be.
    let plain = [&[Record::HEADER.to_owned()], &exported[1..]].concat();
    assert!(check(&plain).unwrap_err().contains("the journal has no gaps"));
    let lower = Record::header(Revision(floor(&world) - 1));
    assert!(check(&[&[lower], &exported[1..]].concat()).unwrap_err().contains("no gaps"));
    let absurd = [Record::header(Revision(u64::MAX - 1))];
    assert!(check(&absurd).unwrap_err().contains("too large"));
    let revision = world.registry.admin().revision().wait().unwrap();
    let higher = [&[Record::header(revision)], &exported[1..]].concat();
    assert!(check(&higher).unwrap_err().contains("no gaps"));
}
