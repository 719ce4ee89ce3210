//! Slices of pruning: each removes a part, and together they remove everything.

use crate::common::*;
use staleness_core::ids::SessionId;
use staleness_core::outcome::OutcomeKind;
use staleness_core::{Timestamp, Wait};

/// Returns the numbers of outcomes, sessions, tools and journal entries.
fn left(world: &World) -> (usize, usize, usize, usize) {
    let all = world.everything();
    (all.outcomes.len(), all.sessions.len(), all.tools.len(), all.journal.len())
}

#[test]
fn b7_slices_of_pruning_remove_together_what_one_prune_does() {
    let world = World::keeping(1, 0);
    let project = world.project.clone();
    let batch = (0..5_000).map(|_| world.a_use("x", OutcomeKind::Success)).collect();
    world.registry.tools().record_all(batch).wait().unwrap();
    world.scan(vec![read(user("mcp"), vec![server("hub")])]);
    crate::invented::fails(&world, "frobnicate");
    world.looked(&project, &SessionId::new("old").unwrap());
    world.pass(800 * Timestamp::DAY);
    let mut seen = vec![left(&world)];
    for slice in 0.. {
        let mut asked = 0;
        let mut more = || {
            asked += 1;
            asked <= slice
        };
        world.registry.admin().prune_while(&project.id, world.now(), &mut more).wait().unwrap();
        seen.push(left(&world));
        if asked <= slice {
            break;
        }
    }
    assert_eq!(seen[1].0, 3_001, "one commit, and a question");
    assert!(seen.iter().any(|all| all.0 == 0 && all.1 == 1), "outcomes go first: {seen:?}");
    assert_eq!(
        seen.last().map(|all| (all.0, all.1, all.2)),
        Some((0, 0, seen[0].2 - 1)),
        "{seen:?}"
    );
    let admin = world.registry.admin();
    assert_eq!(admin.prune_outcomes(world.now(), true).wait().unwrap().removed, 0);
    assert_eq!(admin.prune_sessions(world.now(), true, &mut || true).wait().unwrap().0.removed, 0);
    assert_eq!(admin.prune_journal(world.now(), true, &mut || true).wait().unwrap(), 0);
}

/// Ends a session that has no time to prune.
fn end_without_time(world: &World) {
    let admin = world.registry.admin();
    admin.prune_while(&world.project.id, world.now(), &mut || false).wait().unwrap();
    world.pass(1);
}

#[test]
fn slices_without_time_keep_no_kind_waiting_for_another() {
    let world = World::keeping(1, 0);
    let batch = (0..9_000).map(|_| world.a_use("x", OutcomeKind::Success)).collect();
    world.registry.tools().record_all(batch).wait().unwrap();
    world.scan(vec![read(user("mcp"), vec![server("hub")])]);
    (0..30).for_each(|name| crate::invented::fails(&world, &format!("frobnicate{name}")));
    world.looked(&world.project, &SessionId::new("old").unwrap());
    world.pass(800 * Timestamp::DAY);
    let before = left(&world);
    (0..5).for_each(|_| end_without_time(&world));
    let after = left(&world);
    assert!((4_000..9_000).contains(&after.0), "a page at a time: {after:?}");
    assert_eq!((after.1, after.2), (0, before.2 - 20), "{after:?}");
    // Each forgotten name added an entry.
    assert!(after.3 < before.3 + 20, "{before:?} {after:?}");
    (0..25).for_each(|_| end_without_time(&world));
    let after = left(&world);
    assert_eq!((after.0, after.1, after.2), (0, 0, before.2 - 30), "{after:?}");
    let admin = world.registry.admin();
    assert_eq!(admin.prune_journal(world.now(), true, &mut || true).wait().unwrap(), 0);
}

#[test]
fn an_outcome_of_a_wrong_clock_and_the_newest_keep_no_slice_from_its_end() {
    let world = World::keeping(90, 2);
    world.pass(9_000 * Timestamp::DAY);
    world.uses("x", "S");
    world.pass(-9_000 * Timestamp::DAY);
    world.uses("x", "SSSS");
    world.pass(100 * Timestamp::DAY);
    let admin = world.registry.admin();
    // The first was recorded in the future, the last two are the newest.
    (0..5).for_each(|_| end_without_time(&world));
    assert_eq!(world.everything().outcomes.len(), 3);
    let mut more = || panic!("nothing is left to remove");
    admin.prune_while(&world.project.id, world.now(), &mut more).wait().unwrap();
}
