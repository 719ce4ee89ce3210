//! The policy: its defaults, its file form, and what is refused.

use std::collections::BTreeSet;

use crate::common::*;
use staleness_core::ids::{AgentId, Caller, ProjectId};
use staleness_core::policy::ToolOverride;
use staleness_core::registry::ToolListing;
use staleness_core::tool::{DemotionRule, Ring, ToolKind};
use staleness_core::{Policy, Wait, verdict};

fn of(text: &str) -> Result<Policy, toml::de::Error> {
    toml::from_str(text)
}

/// Returns the entries of a table and of the tables in it, each on a line of its own.
fn entries(place: &str, table: &toml::Table) -> BTreeSet<String> {
    let each = |(name, value): (&String, &toml::Value)| match value {
        toml::Value::Table(inner) if !inner.is_empty() => {
            entries(&format!("{place}{name}."), inner)
        }
        other => [format!("{place}{name} = {other}")].into(),
    };
    table.iter().flat_map(each).collect()
}

#[test]
fn the_defaults_are_those_that_are_documented() {
    let text = toml::to_string(&Policy::default()).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let expected: toml::Table = include_str!("../defaults.toml").parse().unwrap();
    let (own, documented) = (entries("", &table), entries("", &expected));
    let missing: Vec<_> = own.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&own).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}; unknown: {unknown:?}");
    assert_eq!(table, expected);
    assert_eq!(Ring::CAPACITY, 32);
    assert!(Policy::default().faults().is_empty());
}

#[test]
fn an_empty_file_is_the_default_and_every_policy_survives_its_file() {
    assert_eq!(of("").unwrap(), Policy::default());
    let mut policy = Policy::default();
    policy.ignore.push("/x".into());
    policy.tools.rule = DemotionRule::Rate { percent: 60, min_uses: 4 };
    let rule = Some(DemotionRule::Consecutive { k: 2 });
    policy.kind.insert(ToolKind::Skill, ToolOverride { rule, ..ToolOverride::default() });
    policy.project.insert("/some/root of it".into(), ToolOverride::default());
    policy.agent.insert("a b".into(), ToolOverride { unseen_days: Some(1), ..Default::default() });
    let text = toml::to_string(&policy).unwrap();
    assert_eq!(of(&text).unwrap(), policy);
    let json = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
}

#[test]
fn unknown_keys_are_refused_wherever_they_stand() {
    for text in [
        "colour = 1",
        "[tools]\nunseen_weeks = 4",
        "[tools]\nrule = { k_of_n = { k = 1, n = 2, m = 3 } }",
        "[tools]\nrule = { never = {} }",
        "[outage]\nservers = 3",
        "[ranking]\nfactor = 1.0",
        "[outcomes]\nkeep = 1",
        "[hooks]\nshout = true",
        "[projects]\nshare = true",
        "[kind.gadget]\ndemote = false",
        "[kind.skill]\ndemotes = false",
        "[agent.x]\nfoo = 1",
        "[tools]\nunseen_days = -1",
    ] {
        assert!(of(text).is_err(), "{text}");
    }
}

#[test]
fn values_that_make_no_sense_are_named() {
    for (text, fault) in [
        ("[tools]\nrule = { k_of_n = { k = 6, n = 5 } }", "tools.rule: "),
        ("[kind.skill]\nrule = { consecutive = { k = 0 } }", "kind.skill.rule: "),
        ("[agent.x]\nrule = { rate = { percent = 101, min_uses = 3 } }", "agent.x.rule: "),
        ("[project.\"/p\"]\nfreshness_both = 2.0", "project./p.freshness_both: "),
        ("[tools]\nfreshness_unseen = nan", "tools.freshness_unseen: "),
        ("[tools]\nfreshness_absent = -0.1", "tools.freshness_absent: "),
        ("[ranking]\nwindow = 0", "ranking.window: "),
        ("[ranking]\nwindow = 1000000", "ranking.window: "),
        ("[ranking]\nunseen_factor = 1.5", "ranking.unseen_factor: "),
        ("[ranking]\nnot_active_factor = inf", "ranking.not_active_factor: "),
        ("[outage]\npercent = 101", "outage.percent: "),
    ] {
        let faults = of(text).unwrap().faults();
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
        assert!(faults[0].starts_with(fault), "{text}: {faults:?}");
    }
}

#[test]
fn builtins_stay_spared_when_another_kind_is_overridden() {
    let demotes =
        |text: &str| of(text).unwrap().tools_for(ToolKind::Builtin, Caller::default()).demote;
    assert!(!demotes(""));
    assert!(!demotes("[kind.skill]\ndemote = false"));
    assert!(!demotes("[kind.builtin]\nunseen_days = 3"));
    assert!(demotes("[kind.builtin]\ndemote = true"), "unless their own entry says so");
}

#[test]
fn kind_then_project_then_agent_override_field_by_field() {
    let policy = of(r#"
        [tools]
        unseen_days = 1
        probation_minutes = 1
        probation_max_hours = 1
        probation_reset_days = 1
        [kind.skill]
        probation_minutes = 2
        probation_max_hours = 2
        probation_reset_days = 2
        [project."/p"]
        probation_max_hours = 3
        probation_reset_days = 3
        [agent.me]
        probation_reset_days = 4
    "#)
    .unwrap();
    let (id, agent) = (ProjectId::of_root("/p"), AgentId::new("me").unwrap());
    let all = policy.tools_for(
        ToolKind::Skill,
        Caller { project: Some((&id, "/p")), agent: Some(agent.as_str()) },
    );
    let got =
        [all.unseen_days, all.probation_minutes, all.probation_max_hours, all.probation_reset_days];
    assert_eq!(got, [1, 2, 3, 4]);
    let none = policy.tools_for(ToolKind::McpTool, Caller::default());
    assert_eq!(*none, policy.tools);
    let mut by_id = Policy::default();
    let days = |days| ToolOverride { unseen_days: Some(days), ..ToolOverride::default() };
    by_id.project.insert(id.to_string(), days(7));
    assert_eq!(
        by_id
            .tools_for(ToolKind::Skill, Caller { project: Some((&id, "/p")), agent: None })
            .unseen_days,
        7
    );
}

#[test]
fn levels_have_their_bounds() {
    use verdict::Level::{Fresh, Review, Stale};
    for (freshness, level) in [
        (1.0, Fresh),
        (0.7, Fresh),
        (0.7 - 1e-12, Fresh),
        (0.699_999, Review),
        (0.4, Review),
        (0.399_999, Stale),
        (0.0, Stale),
    ] {
        assert_eq!(verdict::Level::of(freshness), level, "{freshness}");
    }
}

#[test]
fn the_short_name_of_an_ignored_server_covers_its_tools() {
    let mut policy = Policy::default();
    policy.ignore.push("github".into());
    let world = World::with(policy);
    world.scan(vec![read(user("mcp"), vec![server("github"), server("other")])]);
    world.uses("mcp__github__search", "S");
    world.uses("mcp__other__search", "S");
    let found = world.discover("search", 10);
    let names: Vec<&str> = found.iter().map(|each| each.tool.key.name.as_str()).collect();
    assert_eq!(names, ["mcp__other__search"]);
    let listing = ToolListing { hide_ignored: true, ..ToolListing::default() };
    let listed = world.registry.tools().list(&world.project, listing, world.now()).wait().unwrap();
    assert!(listed.iter().all(|tool| !tool.key.name.as_str().contains("github")), "{listed:?}");
    assert_eq!(world.list(&world.project).len(), 4);
}

/// A project brings its own list, of up to a megabyte: looking through it for every tool took
/// minutes.
#[test]
fn a_long_list_of_ignored_names_is_looked_up() {
    let mut policy = Policy::default();
    policy.ignore.extend((0..50_000).map(|at| format!("noise-{at}")));
    policy.ignore.push("github".into());
    let world = World::with(policy);
    let mut tools: Vec<_> = (0..3_000).map(|at| command(&format!("/c{at}"))).collect();
    tools.extend([command("/noise-49999"), server("github"), server("other")]);
    assert_eq!(world.scan(vec![read(user("commands"), tools)]).added.len(), 3_001);
    let listing = ToolListing { hide_ignored: true, ..ToolListing::default() };
    let listed = world.registry.tools().list(&world.project, listing, world.now()).wait().unwrap();
    assert_eq!(listed.len(), 3_001);
}
