//! Ranking by what worked in a project lately, and the verdict of each tool.

use crate::common::*;
use proptest::prelude::*;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::FindTools;
use staleness_core::scan::ProjectRef;
use staleness_core::tool::{Hold, Status, ToolKind};
use staleness_core::verdict::{Level, NextAction};
use staleness_core::{Policy, Timestamp, Wait};

fn scores(world: &World, now: Timestamp) -> Vec<(String, f64)> {
    let ranked = world.registry.tools().rank(&world.project, 100, now).wait().unwrap();
    ranked.into_iter().map(|each| (each.tool.key.name.into(), each.score)).collect()
}

fn score(world: &World, name: &str, now: Timestamp) -> f64 {
    scores(world, now).into_iter().find(|(each, _)| each == name).unwrap().1
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn the_reason_tells_how_often_a_tool_worked_here() {
    let world = World::default();
    let tools = ["elsewhere", "never", "once", "thrice"];
    world.scan(vec![read(user("shelf"), tools.map(skill).to_vec())]);
    world.uses_in(&ProjectRef::of_root("/other"), "elsewhere", "SS");
    world.uses("once", "SF");
    world.uses("thrice", "SSS");
    let offered = world.suggest(FindTools::ranked(10));
    let mut reasons: Vec<_> =
        offered.iter().map(|each| (each.tool.key.name.as_str(), each.reason.as_str())).collect();
    reasons.sort_unstable();
    let expected = [
        ("elsewhere", "has not worked here recently"),
        ("never", "not used yet"),
        ("once", "worked once here recently"),
        ("thrice", "worked 3 times here recently"),
    ];
    assert_eq!(reasons, expected);
    world.pass(399 * Timestamp::DAY);
    let offered = world.suggest(FindTools::ranked(1));
    assert_eq!(offered[0].reason, "worked 3 times here, last used 399 days ago");
}

#[test]
fn the_score_is_the_share_of_successes_among_the_projects_counted_outcomes() {
    let world = World::default();
    world.uses("/a", "SSF");
    world.uses("/b", "SII");
    let elsewhere = ProjectRef::of_root("/q");
    world.uses_in(&elsewhere, "Bash", "SSSS");
    assert!(close(score(&world, "/a", world.now()), 2.0 / 4.0));
    assert!(close(score(&world, "/b", world.now()), 1.0 / 4.0));
    assert!(close(score(&world, "Bash", world.now()), 0.0), "what works elsewhere");
    world.uses("/b", &"S".repeat(200));
    assert!(close(score(&world, "/b", world.now()), 1.0), "the last 200");
    assert!(close(score(&world, "/a", world.now()), 0.0));
}

#[test]
fn stale_or_demoted_and_unseen_both_multiply() {
    let world = World::default();
    let config = |found| vec![read(user("commands"), found)];
    world.scan(config(vec![command("/stale"), command("/here")]));
    for name in ["/stale", "/here", "/demoted", "/used"] {
        world.uses(name, "S");
    }
    world.hold("/demoted", Hold::Demoted);
    world.scan(config(vec![command("/here")]));
    let soon = world.now();
    for (name, factor) in [("/here", 1.0), ("/used", 1.0), ("/stale", 0.25), ("/demoted", 0.25)] {
        assert!(close(score(&world, name, soon), 0.25 * factor), "{name}");
    }
    world.work(30);
    world.scan(config(vec![command("/here")]));
    let later = world.now();
    let share = 1.0 / 34.0;
    for (name, factor) in [("/here", 1.0), ("/used", 0.5), ("/stale", 0.125), ("/demoted", 0.125)] {
        assert!(close(score(&world, name, later), share * factor), "{name} later");
    }
    assert_eq!(world.status("/used"), Status::Active, "age alone changes no status");
}

#[test]
fn without_outcomes_the_order_is_status_seen_kind_uses_newest_name() {
    let world = World::default();
    let shelf = |kinds: &[(&str, ToolKind)]| {
        kinds.iter().map(|(name, kind)| found(name, *kind)).collect::<Vec<_>>()
    };
    let early = [
        ("agent:z", ToolKind::Agent),
        ("p", ToolKind::Plugin),
        ("s", ToolKind::Skill),
        ("/c", ToolKind::SlashCommand),
        ("gone", ToolKind::Skill),
        ("bad", ToolKind::Skill),
        ("interrupted", ToolKind::Skill),
        ("b", ToolKind::Skill),
    ];
    let sources = |first: &[(&str, ToolKind)]| {
        let mut first = shelf(first);
        first.push(server("m"));
        read(user("a"), first)
    };
    world.scan(vec![sources(&early)]);
    let kept: Vec<_> = early.into_iter().filter(|(name, _)| *name != "gone").collect();
    world.scan(vec![sources(&kept), read(user("b"), shelf(&[("new", ToolKind::Skill)]))]);
    world.uses("interrupted", "I");
    world.hold("bad", Hold::Demoted);
    let names: Vec<String> = scores(&world, world.now()).into_iter().map(|each| each.0).collect();
    assert_eq!(
        names,
        ["mcp__m__*", "/c", "interrupted", "new", "b", "s", "p", "agent:z", "gone", "bad"]
    );
}

#[test]
fn failures_never_lift_a_tool() {
    let world = World::default();
    world.uses("/a", "SSS");
    world.uses("/b", "SS");
    let before = scores(&world, world.now());
    world.uses("/b", "FF");
    let after = scores(&world, world.now());
    assert_eq!(before[0].0, "/a");
    assert_eq!(after[0].0, "/a");
    assert!(after[1].1 < before[1].1);
}

#[test]
fn verdicts_follow_the_table() {
    // present, failing, days unseen; then freshness, level, action and signals.
    use Level::{Fresh, Review, Stale};
    use NextAction::{Drop, Keep, Update, Verify};
    for (present, failing, days, freshness, level, action, signals) in [
        (true, false, 0, 1.0, Fresh, Keep, &["unproven"][..]),
        (true, false, 29, 1.0, Fresh, Keep, &["unproven"]),
        (true, false, 30, 0.5, Review, Verify, &["unseen"]),
        (true, false, 31, 0.5, Review, Verify, &["unseen"]),
        (false, false, 0, 0.2, Stale, Drop, &["absent"]),
        (true, true, 0, 0.2, Stale, Update, &["failing"]),
        (false, true, 0, 0.1, Stale, Drop, &["failing", "absent"]),
        (false, true, 30, 0.1, Stale, Drop, &["failing", "absent", "unseen"]),
    ] {
        let world = World::default();
        world.scan(vec![read(user("commands"), vec![command("/x")])]);
        if !present {
            world.scan(vec![read(user("commands"), vec![])]);
        }
        let letters = if failing { "FFF" } else { "I" };
        world.uses("/x", letters);
        world.work(days);
        let verdict = world.report("/x").verdict;
        let case = format!("present {present}, failing {failing}, {days} days");
        assert!(close(verdict.freshness, freshness), "{case}: {}", verdict.freshness);
        assert_eq!((verdict.level, verdict.action), (level, action), "{case}");
        let kinds: Vec<&str> = verdict.signals.iter().map(|each| each.kind.as_str()).collect();
        assert_eq!(kinds, signals, "{case}");
    }
}

#[test]
fn the_boundary_of_unseen_is_whole_elapsed_days() {
    let world = World::default();
    world.uses("/x", "S");
    let used = world.now();
    world.work(28);
    let until = |millis: i64| world.pass(millis - world.now().millis_since(used));
    until(30 * Timestamp::DAY - 2 * Timestamp::SECOND);
    world.uses("busy", "S");
    until(30 * Timestamp::DAY);
    assert_eq!(world.report("/x").verdict.action, NextAction::Keep, "nothing was used that day");
    world.uses("busy", "S");
    assert_eq!(world.report("/x").verdict.action, NextAction::Verify);
    assert_eq!(world.report("/x").verdict.signals[0].reason, "not seen in 30 days of use");
    world.pass(-90 * Timestamp::DAY);
    assert_eq!(world.report("/x").verdict.action, NextAction::Keep, "the future is age 0");
}

#[test]
fn both_facts_are_shown_of_a_tool_that_is_failing_and_gone() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![command("/x")])]);
    world.uses("/x", "FFF");
    world.scan(vec![read(user("commands"), vec![])]);
    let report = world.report("/x");
    assert_eq!((report.status, report.presence.is_absent()), (Status::Demoted, true));
    let reasons: Vec<&str> =
        report.verdict.signals.iter().map(|signal| signal.reason.as_str()).collect();
    let expected = [
        "3 of the last 3 uses failed",
        "removed from config: client/user/commands no longer lists it",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn ten_thousand_tools_are_ranked_with_a_limit_as_without() {
    let world = World::default();
    let skills = (0..10_000).map(|at| skill(&format!("s{at:05}"))).collect();
    world.scan(vec![read(user("skills"), skills)]);
    world.uses("s00007", "SS");
    world.uses("s09999", "S");
    let all = world.registry.tools().rank(&world.project, usize::MAX, world.now()).wait().unwrap();
    let top = world.registry.tools().rank(&world.project, 20, world.now()).wait().unwrap();
    assert_eq!(all[..20], top[..]);
    assert_eq!(
        (top[0].tool.key.name.as_str(), top[1].tool.key.name.as_str()),
        ("s00007", "s09999")
    );
}

fn a_world(seeds: &[(u8, u8, u8)]) -> World {
    let world = World::with(Policy::default());
    for (at, (kind, outcome_of, age)) in seeds.iter().enumerate() {
        let name = match kind % 4 {
            0 => format!("/c{}", at % 5),
            1 => format!("MCP:m{}", at % 3),
            2 => format!("agent:u{}", at % 4),
            _ => "Bash".to_owned(),
        };
        world.pass(i64::from(*age) * Timestamp::DAY / 8 + Timestamp::SECOND);
        world.uses(&name, ["S", "F", "I"][usize::from(outcome_of % 3)]);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// A limit keeps exactly the best.
    #[test]
    fn a_limit_is_a_prefix(
        seeds in proptest::collection::vec(any::<(u8, u8, u8)>(), 1..40),
        limit in 0usize..12,
    ) {
        let world = a_world(&seeds);
        let best =
            |limit| world.registry.tools().rank(&world.project, limit, world.now()).wait().unwrap();
        let all = best(usize::MAX);
        prop_assert!(all.iter().all(|each| (0.0..=1.0).contains(&each.score)));
        prop_assert_eq!(&best(limit)[..], &all[..limit.min(all.len())]);
    }

    /// One more failure never raises the score of a tool that was seen lately. (For one that was not,
    /// the failing use is itself a sighting.)
    #[test]
    fn one_more_failure_never_helps(
        seeds in proptest::collection::vec(any::<(u8, u8, u8)>(), 1..30),
        at in any::<proptest::sample::Index>(),
    ) {
        let recent: Vec<_> = seeds.iter().map(|(kind, mark, _)| (*kind, *mark, 0)).collect();
        let world = a_world(&recent);
        let before = scores(&world, world.now());
        let (name, was) = before[at.index(before.len())].clone();
        // Built at the same moment, so that nothing but the outcome differs.
        let used = world.a_use(&name, OutcomeKind::Failure);
        world.registry.tools().record(used).wait().unwrap();
        prop_assert!(score(&world, &name, world.now()) <= was);
    }
}
