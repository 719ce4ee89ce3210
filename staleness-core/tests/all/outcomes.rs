//! Effects of outcomes on a tool: counted, remembered, demoting and restoring.

use crate::common::*;
use staleness_core::ids::{AgentId, OpId, SessionId, ToolKey};
use staleness_core::outcome::OutcomeKind;
use staleness_core::policy::ToolOverride;
use staleness_core::registry::FindTools;
use staleness_core::scan::ProjectRef;
use staleness_core::tool::{DemotionRule, Hold, Status, ToolKind};
use staleness_core::{Policy, Timestamp, Wait};

#[test]
fn a_run_of_outcomes_has_the_status_that_is_promised() {
    use Status::{Active, Demoted};
    for (letters, status, failures) in [
        ("S", Active, 0),
        ("FF", Active, 2),
        ("FFF", Demoted, 3),
        ("SSFFF", Demoted, 3),
        ("FSFSF", Demoted, 3),
        ("FSSFF", Demoted, 3),
        ("FFSSSFF", Active, 2),
        ("FFSSSS", Active, 1),
        ("FFIIIIIF", Demoted, 3),
        ("IIII", Active, 0),
        ("FFFS", Active, 3),
        ("FFFSF", Demoted, 4),
        ("FFFSSSSSFF", Active, 2),
        ("FFFI", Demoted, 3),
        ("FFFSFS", Active, 3),
    ] {
        let world = World::default();
        let report = world.uses("/x", letters).tool;
        assert_eq!((report.status, report.failures), (status, failures), "{letters}");
        assert_eq!(report.outcomes, letters);
        assert_eq!(report.uses, letters.len() as u64);
    }
}

#[test]
fn each_change_is_told_and_journalled_with_its_cause() {
    let world = World::default();
    world.uses("x", "FF");
    let change = &world.uses("x", "F").changed[0];
    let told = (change.from, change.to, change.cause.as_str());
    assert_eq!(told, (Status::Active, Some(Status::Demoted), "3 of the last 3 uses failed"));
    assert!(world.uses("x", "F").changed.is_empty());
    assert_eq!(world.uses("x", "S").changed[0].to, Some(Status::Active));
    world.uses("x", "F");
    let expected = [
        "added - active used",
        "failing active demoted 3 of the last 3 uses failed",
        "recovered demoted active succeeded",
        "failing active demoted 4 of the last 5 uses failed",
    ];
    assert_eq!(world.history("x"), expected);
    let revision = world.registry.admin().revision().wait().unwrap();
    world.uses("x", "FIF");
    assert_eq!(
        world.registry.admin().revision().wait().unwrap(),
        revision,
        "outcomes are not journalled"
    );
}

#[test]
fn builtins_are_never_demoted() {
    let world = World::default();
    assert_eq!(world.uses("Bash", "FFFFFFFF").tool.status, Status::Active);
    assert_eq!(world.uses("Bash", "S").tool.outcomes, "FFFFFFFFS");
}

#[test]
fn rules_follow_the_policy_of_kind_project_and_agent_in_that_order() {
    let rule = |rule| ToolOverride { rule: Some(rule), ..ToolOverride::default() };
    let mut policy = Policy::default();
    policy.kind.insert(ToolKind::SlashCommand, rule(DemotionRule::Consecutive { k: 2 }));
    policy.project.insert("/q".into(), rule(DemotionRule::Rate { percent: 50, min_uses: 4 }));
    policy.agent.insert("strict".into(), rule(DemotionRule::Consecutive { k: 1 }));
    let world = World::with(policy);
    let q = ProjectRef::of_root("/q");
    assert_eq!(world.uses("/a", "FSFF").tool.status, Status::Demoted, "by kind");
    assert_eq!(world.uses("b", "FFS").tool.status, Status::Active, "the default");
    assert_eq!(world.uses_in(&q, "/a", "SFF").tool.status, Status::Active, "by project");
    assert_eq!(world.uses_in(&q, "/a", "F").tool.status, Status::Demoted);
    let mut used = world.a_use("c", OutcomeKind::Failure);
    used.agent = Some(AgentId::new("strict").unwrap());
    assert_eq!(
        world.registry.tools().record(used).wait().unwrap().tool.status,
        Status::Demoted,
        "by agent"
    );
}

#[test]
fn the_window_may_start_afresh_at_a_restore() {
    for (restarts, status) in [(false, Status::Demoted), (true, Status::Active)] {
        let mut policy = Policy::default();
        policy.tools.window_restarts_on_restore = restarts;
        let world = World::with(policy.clone());
        world.uses("/x", "FFFS");
        assert_eq!(world.uses("/x", "F").tool.status, status, "after a success, {restarts}");
        let world = World::with(policy);
        world.uses("/x", "FFF");
        assert_eq!(world.hold("/x", Hold::None).status, Status::Active);
        assert_eq!(world.uses("/x", "F").tool.status, status, "after a person, {restarts}");
    }
}

#[test]
fn the_same_op_counts_once_in_a_batch_and_over_time() {
    let world = World::default();
    let used = world.a_use("x", OutcomeKind::Failure);
    let other = world.a_use("y", OutcomeKind::Failure);
    let batch = vec![used.clone(), other, used.clone()];
    let reports = world.registry.tools().record_all(batch).wait().unwrap();
    let duplicates: Vec<bool> = reports.iter().map(|report| report.duplicate).collect();
    assert_eq!(duplicates, [false, false, true]);
    world.uses("x", &"S".repeat(40));
    assert!(
        !world.registry.tools().record_quietly(used).wait().unwrap().0,
        "remembered by the raw log"
    );
    assert_eq!(world.tool("x").uses, 41);
}

#[test]
fn the_same_op_counts_once_in_a_batch_longer_than_the_ring() {
    let world = World::default();
    let used = world.a_use("x", OutcomeKind::Failure);
    let mut batch = vec![used.clone()];
    batch.extend((0..40).map(|_| world.a_use("x", OutcomeKind::Success)));
    batch.push(used);
    assert!(world.registry.tools().record_all(batch).wait().unwrap().pop().unwrap().duplicate);
    assert_eq!(world.everything().outcomes.len(), 41);
}

#[test]
fn the_ring_remembers_an_op_after_the_raw_log_was_pruned() {
    let world = World::keeping(1, 0);
    let used = world.a_use("x", OutcomeKind::Failure);
    let first = world.registry.tools().record(used.clone()).wait().unwrap();
    world.pass(2 * Timestamp::DAY);
    assert_eq!(
        world.registry.admin().prune_outcomes(world.now(), false).wait().unwrap().removed,
        1
    );
    assert!(world.everything().outcomes.is_empty());
    let again = world.registry.tools().record(used).wait().unwrap();
    assert!(!first.duplicate && again.duplicate);
    assert_eq!(world.tool("x").uses, 1);
}

#[test]
fn an_op_is_remembered_even_if_its_name_means_another_entry_now() {
    let world = World::default();
    let used = world.a_use("/go", OutcomeKind::Failure);
    world.scan(vec![read(user("commands"), vec![command("/go")])]);
    world.registry.tools().record(used.clone()).wait().unwrap();
    world.scan(vec![read(own(&world.project, "commands"), vec![command("/go")])]);
    assert!(world.registry.tools().record(used).wait().unwrap().duplicate);
    assert_eq!(world.everything().outcomes.len(), 1);
}

#[test]
fn a_repetition_tells_the_first_result() {
    let world = World::default();
    world.uses("x", "FF");
    let used = world.a_use("x", OutcomeKind::Failure);
    let first = world.registry.tools().record(used.clone()).wait().unwrap();
    world.uses("x", "S");
    let again = world.registry.tools().record(used).wait().unwrap();
    assert_eq!(again.changed, first.changed);
    assert_eq!(again.changed[0].to, Some(Status::Demoted));
}

#[test]
fn ten_in_one_millisecond_keep_their_order() {
    let world = World::default();
    let letters = "FFSFSSFFFS";
    let uses = letters.chars().map(|letter| world.a_use("x", outcome(letter))).collect();
    let report = world.registry.tools().record_all(uses).wait().unwrap().pop().unwrap();
    assert_eq!(report.tool.outcomes, letters);
    let marks: String = world.everything().outcomes.values().map(|row| row.mark.letter()).collect();
    assert_eq!(marks, letters);
}

#[test]
fn a_clock_that_goes_backwards_does_not_reorder() {
    let world = World::default();
    world.uses("x", "FF");
    let latest = world.now();
    world.pass(-Timestamp::HOUR);
    let report = world.uses("x", "F").tool;
    assert_eq!((report.status, report.outcomes.as_str()), (Status::Demoted, "FFF"));
    assert_eq!(report.last_used_at, Some(latest), "the latest use stays the latest");
    assert_eq!(world.uses("x", "S").tool.status, Status::Active);
}

#[test]
fn interruptions_are_recorded_and_not_counted() {
    let world = World::default();
    let report = world.uses("/x", "FFIIII").tool;
    assert_eq!((report.status, report.failures, report.uses), (Status::Active, 2, 6));
    world.uses("/x", &"I".repeat(60));
    let report = world.uses("/x", "F").tool;
    assert_eq!(report.outcomes.len(), 32);
    assert_eq!((report.status, report.failures), (Status::Demoted, 3), "the window was kept");
}

#[test]
fn a_lenient_rule_of_one_agent_does_not_shorten_what_others_need() {
    let mut policy = Policy::default();
    let rule = ToolOverride {
        rule: Some(DemotionRule::Consecutive { k: 1 }),
        demote: Some(false),
        ..ToolOverride::default()
    };
    policy.agent.insert("other".into(), rule);
    let world = World::with(policy);
    world.uses("x", "FF");
    for _ in 0..60 {
        let mut used = world.a_use("x", OutcomeKind::Interrupted);
        used.agent = Some(AgentId::new("other").unwrap());
        world.registry.tools().record(used).wait().unwrap();
    }
    assert_eq!(world.uses("x", "F").tool.status, Status::Demoted);
}

#[test]
fn what_a_person_decided_stays_until_it_is_restored() {
    use Status::{Active, Demoted, Stale};
    // hold, then the status: at once, after failures, after a success, when removed, restored.
    for (hold, expected, action) in [
        (Hold::Demoted, [Demoted, Demoted, Demoted, Demoted, Stale], "demoted"),
        (Hold::Pinned, [Active, Active, Active, Active, Stale], "pinned"),
        (Hold::Ignored, [Active, Demoted, Active, Stale, Stale], "ignored"),
    ] {
        let world = World::default();
        let config = |found| vec![read(user("commands"), found)];
        world.scan(config(vec![command("/x")]));
        let mut seen = vec![world.hold("/x", hold).status];
        assert_eq!(world.hold("/x", hold).hold, hold, "twice is once");
        seen.push(world.uses("/x", "FFF").tool.status);
        seen.push(world.uses("/x", "S").tool.status);
        world.scan(config(vec![]));
        seen.push(world.status("/x"));
        seen.push(world.hold("/x", Hold::None).status);
        assert_eq!(seen, expected, "{hold:?}");
        let history = world.history("/x");
        let by_hand: Vec<&String> =
            history.iter().filter(|line| line.ends_with("by_hand")).collect();
        assert_eq!(by_hand.len(), 2, "{history:?}");
        assert!(by_hand[0].starts_with(action) && by_hand[1].starts_with("restored"));
    }
}

#[test]
fn an_act_by_hand_is_done_once_per_op_and_keeps_who_and_why() {
    let world = World::default();
    world.uses("x", "S");
    let mut by_hand = world.by_hand("x");
    by_hand.act.note = Some("too slow".into());
    by_hand.act.actor = Some(AgentId::new("person").unwrap());
    by_hand.act.session = Some(session("s"));
    world.registry.tools().set_hold(by_hand.clone(), Hold::Demoted).wait().unwrap();
    world.hold("x", Hold::None);
    world.registry.tools().set_hold(by_hand, Hold::Demoted).wait().unwrap();
    assert_eq!(world.tool("x").hold, Hold::None, "the op was seen");
    let key = world.tool("x").key;
    let history = world.registry.tools().history(&[key], 10).wait().unwrap().entries;
    assert_eq!(history[1].note.as_deref(), Some("too slow"));
    assert_eq!(history[1].session, Some(SessionId::new("s").unwrap()));
    assert!(world.registry.tools().set_hold(world.by_hand("none"), Hold::Pinned).wait().is_err());
}

#[test]
fn a_use_of_an_unknown_tool_makes_it_known_where_it_belongs() {
    let account_servers = vec!["claude_ai_".into()];
    let world = World::with(Policy { account_servers, ..Policy::default() });
    let p = &world.project;
    world.scan(vec![
        read(user("mcp"), vec![server("g"), server("both")]),
        read(own(p, "mcp"), vec![server("p"), server("both")]),
    ]);
    for (name, scope, kind, server) in [
        ("Bash", "global", ToolKind::Builtin, None),
        ("mcp__g__go", "global", ToolKind::McpTool, Some("g")),
        ("mcp__p__go", "project", ToolKind::McpTool, Some("p")),
        ("mcp__both__go", "project", ToolKind::McpTool, Some("both")),
        ("mcp__unheard__go", "project", ToolKind::McpTool, Some("unheard")),
        ("mcp__claude_ai_Mail__go", "global", ToolKind::McpTool, Some("claude_ai_Mail")),
        ("/review", "project", ToolKind::SlashCommand, None),
        ("whatever", "project", ToolKind::Unknown, None),
    ] {
        let report = world.uses(name, "S").tool;
        assert_eq!((report.key.scope.word(), report.kind), (scope, kind), "{name}");
        assert_eq!(report.server.as_deref(), server, "{name}");
    }
    // Known again once the project's own is gone: the global server is meant.
    world.scan(vec![read(own(p, "mcp"), vec![server("p")])]);
    assert_eq!(world.uses("mcp__both__other", "S").tool.key.scope.word(), "global");
}

#[test]
fn a_client_that_tells_kind_and_server_is_believed() {
    let world = World::default();
    let mut used = world.a_use("mcp__a__b__c", OutcomeKind::Success);
    used.server = Some("a__b".into());
    let report = world.registry.tools().record(used).wait().unwrap().tool;
    assert_eq!(report.server.as_deref(), Some("a__b"));
    let mut used = world.a_use("thing", OutcomeKind::Success);
    used.kind = Some(ToolKind::Agent);
    assert_eq!(world.registry.tools().record(used).wait().unwrap().tool.kind, ToolKind::Agent);
}

#[test]
fn raw_outcomes_are_pruned_by_age_and_number_with_the_same_answer_dry() {
    let world = World::keeping(90, 2);
    world.uses("x", "SSSS");
    world.pass(89 * Timestamp::DAY);
    assert_eq!(world.registry.admin().prune_outcomes(world.now(), true).wait().unwrap().removed, 0);
    world.pass(2 * Timestamp::DAY);
    let dry = world.registry.admin().prune_outcomes(world.now(), true).wait().unwrap();
    assert_eq!((dry.removed, dry.kept), (2, 2), "the newest stay however old");
    assert_eq!(world.registry.admin().prune_outcomes(world.now(), false).wait().unwrap(), dry);
    assert_eq!(world.everything().outcomes.len(), 2);
    assert_eq!(world.tool("x").uses, 4);
}

#[test]
fn probation_doubles_and_only_that_tool_is_offered_then() {
    let (world, p) = World::and_project();
    world.uses("/x", "FFF");
    let offered = |world: &World, after: i64| -> Vec<String> {
        let at: Timestamp = world.now().plus_millis(after);
        let offers =
            world.registry.tools().suggest(&p, FindTools::ranked(5), at).wait().unwrap().tools;
        offers.iter().map(|each| format!("{} {:?}", each.tool.key.name, each.mark)).collect()
    };
    assert!(offered(&world, Timestamp::HOUR - 1).is_empty());
    assert_eq!(offered(&world, Timestamp::HOUR), ["/x Some(\"[probation]\")"]);
    world.uses("/x", "SF");
    let early = 2 * Timestamp::HOUR - Timestamp::MINUTE;
    assert!(offered(&world, early).is_empty(), "the second cool-down is longer");
    assert_eq!(offered(&world, 2 * Timestamp::HOUR).len(), 1);
    world.uses("/y", "S");
    assert_eq!(offered(&world, 2 * Timestamp::HOUR), ["/y None"], "an active tool goes before");
    world.uses("/y", "FFF");
    assert_eq!(offered(&world, 2 * Timestamp::HOUR).len(), 2, "where no active tool fits");
    world.hold("/x", Hold::Demoted);
    world.hold("/y", Hold::Ignored);
    assert!(offered(&world, 9 * Timestamp::HOUR).is_empty(), "a person's word is not on probation");
}

#[test]
fn a_tool_that_is_failing_and_gone_is_not_on_offer() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![command("/x")])]);
    world.uses("/x", "FFF");
    world.scan(vec![read(user("commands"), vec![])]);
    world.pass(2 * Timestamp::HOUR);
    assert!(world.suggest(FindTools::ranked(5)).is_empty());
}

#[test]
fn a_large_batch_is_recorded_in_one_commit() {
    let world = World::default();
    let uses: Vec<_> = (0..10_000)
        .map(|at| {
            world.a_use(&format!("mcp__s{}__t{}", at % 100, at % 1_000), OutcomeKind::Success)
        })
        .collect();
    let reports = world.registry.tools().record_all(uses).wait().unwrap();
    assert_eq!(reports.len(), 10_000);
    assert!(reports.iter().all(|report| report.tool.uses == 10 && !report.duplicate));
    let id = OpId::new("op-1").unwrap();
    let all = world.everything();
    assert_eq!(all.outcomes.values().filter(|row| row.op == id).count(), 1);
    let key = ToolKey::project(world.project.id.clone(), tool_name("mcp__s1__t1"));
    assert_eq!(all.tools[&key].uses, 10);
}

#[test]
fn lifting_a_pin_or_an_ignore_does_not_deny_the_failures() {
    for hold in [Hold::Pinned, Hold::Ignored] {
        let world = World::default();
        world.uses("loose", "FFF");
        world.hold("loose", hold);
        world.hold("loose", Hold::None);
        assert_eq!(world.status("loose"), Status::Demoted, "{hold:?}");
        world.hold("loose", Hold::None);
        assert_eq!(world.status("loose"), Status::Active, "{hold:?}");
    }
}

#[test]
fn the_evidence_is_that_of_now_and_the_history_keeps_that_of_then() {
    let world = World::default();
    world.uses("loose", "FFFFF");
    assert_eq!(world.report("loose").health.cause.as_deref(), Some("5 of the last 5 uses failed"));
    let then = world.history("loose");
    assert!(then.iter().any(|line| line.contains("3 of the last 3 uses failed")), "{then:?}");
}
