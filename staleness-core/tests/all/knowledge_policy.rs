//! The policy of knowledge and documents: its file form, what overrides what, and what is refused.

use crate::items::*;
use staleness_core::Policy;
use staleness_core::ids::{Caller, ProjectId};
use staleness_core::knowledge::{Context, Curve, ItemKind};
use staleness_core::verdict::Level;

fn of(text: &str) -> Result<Policy, toml::de::Error> {
    toml::from_str(text)
}

#[test]
fn kind_then_project_then_agent_override_field_by_field() {
    let policy = of(r#"
        [knowledge]
        weight_expired = 0.1
        weight_superseded = 0.1
        weight_contradicted = 0.1
        weight_source_missing = 0.1
        [knowledge.kind.todo]
        weight_superseded = 0.2
        weight_contradicted = 0.2
        weight_source_missing = 0.2
        [knowledge.project."/p"]
        weight_contradicted = 0.3
        weight_source_missing = 0.3
        [knowledge.agent.me]
        weight_source_missing = 0.4
        recall_from = 0.1
    "#)
    .unwrap();
    let id = ProjectId::of_root("/p");
    let rules = policy
        .knowledge
        .rules(ItemKind::Todo, Caller { project: Some((&id, "/p")), agent: Some("me") });
    let got = [
        rules.weight_expired,
        rules.weight_superseded,
        rules.weight_contradicted,
        rules.weight_source_missing,
        rules.recall_from,
    ];
    assert_eq!(got.map(|value| (value * 10.0).round() as u8), [1, 2, 3, 4, 1]);
    let other = policy.knowledge.rules(ItemKind::Reference, Caller::default());
    assert!((other.weight_superseded - 0.1).abs() < 1e-9 && (other.recall_from - 0.8).abs() < 1e-9);
}

#[test]
fn an_override_of_a_kind_keeps_the_rest_of_its_defaults() {
    let policy = of("[knowledge.kind.todo]\nrecall_from = 0.5").unwrap();
    let rules = policy.knowledge.rules(ItemKind::Todo, Caller::default());
    assert_eq!(rules.curve, Curve::Linear { drop: 0.5, days: 30.0, floor: 0.3 });
    let documents = of("[knowledge]\nstrength_marker = 0.7").unwrap();
    let strength = |kind| documents.knowledge.rules(kind, Caller::default()).strength_marker;
    assert!((strength(ItemKind::Todo) - 0.7).abs() < 1e-9);
    assert!((strength(ItemKind::Document) - 0.5).abs() < 1e-9, "documents have their own");
}

#[test]
fn levels_and_pending_days_are_thresholds_of_the_policy() {
    let strict = under("fresh_from = 0.9\nreview_from = 0.8\ntodo_pending_days = 3");
    let level = |kind, days| item(kind, "x", days).score(&[], &strict).1;
    assert_eq!(level(ItemKind::Knowledge, 30), Level::Fresh);
    assert_eq!(level(ItemKind::Knowledge, 31), Level::Review);
    assert_eq!(level(ItemKind::Knowledge, 61), Level::Stale);
    assert_eq!(level(ItemKind::Todo, 2), Level::Fresh);
    assert_eq!(level(ItemKind::Todo, 3), Level::Review);
}

#[test]
fn unknown_keys_are_refused_and_values_that_make_no_sense_are_named() {
    for text in [
        "[knowledge]\ncolour = 1",
        "[knowledge]\ncurve = 'constant'",
        "[knowledge.kind.gadget]\nrecall_from = 0.1",
        "[knowledge.kind.todo]\ncurve = { linear = { drop = 0.1 } }",
        "[knowledge.kind.todo]\ncurve = { half_life = { days = 3, floor = 1 } }",
        "[knowledge.kind.todo]\ncurve = { cubic = {} }",
        "[documents]\nstore = 'x'",
        "[documents.kinds]\n'docs/**' = 'gadget'",
    ] {
        assert!(of(text).is_err(), "{text}");
    }
    let long = format!("[documents]\nignore = ['{}']", "x".repeat(600));
    for (text, fault) in [
        ("[knowledge]\nfresh_from = 1.5", "knowledge.fresh_from: "),
        ("[knowledge]\nfresh_from = 0.3", "knowledge.fresh_from: must not be below review_from"),
        // Thresholds that cross where two tables apply together.
        (
            "[knowledge.kind.todo]\nreview_from = 0.8",
            "knowledge.kind.todo.review_from: 0.8 is above knowledge.fresh_from, 0.7",
        ),
        (
            "[knowledge.kind.todo]\nfresh_from = 0.3",
            "knowledge.kind.todo.fresh_from: 0.3 is below knowledge.review_from, 0.4",
        ),
        (
            "[knowledge.project.\"/p\"]\nfresh_from = 0.5\n[knowledge.agent.me]\nreview_from = 0.6",
            "knowledge.agent.me.review_from: 0.6 is above knowledge.project./p.fresh_from, 0.5",
        ),
        (
            "[knowledge.kind.todo]\nfresh_from = 0.2\nreview_from = 0.3",
            "knowledge.kind.todo.fresh_from: must not be below review_from",
        ),
        ("[knowledge]\nweight_expired = nan", "knowledge.weight_expired: "),
        ("[knowledge]\ntodo_recalls = 0", "knowledge.todo_recalls: "),
        ("[knowledge.kind.todo]\nrecall_from = -1.0", "knowledge.kind.todo.recall_from: "),
        (
            "[knowledge.kind.todo]\ncurve = { half_life = { days = 0 } }",
            "knowledge.kind.todo.curve: ",
        ),
        (
            "[knowledge.kind.todo]\ncurve = { power = { stability = nan } }",
            "knowledge.kind.todo.curve: ",
        ),
        (
            "[knowledge.kind.todo]\ncurve = { linear = { drop = 2, days = 9 } }",
            "knowledge.kind.todo.curve: ",
        ),
        ("[knowledge.project.\"/p\"]\nstrength_minor = 2", "knowledge.project./p.strength_minor: "),
        ("[knowledge.agent.me]\nmarker_term = 2", "knowledge.agent.me.marker_term: "),
        ("[documents]\nignore = ['']", "documents.ignore: "),
        ("[documents]\nmax_file_bytes = 0", "documents.max_file_bytes: "),
        ("[documents]\nmax_file_bytes = 9000000000", "documents.max_file_bytes: "),
        (long.as_str(), "documents.ignore: "),
    ] {
        let faults = of(text).unwrap().faults();
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
        assert!(faults[0].starts_with(fault), "{text}: {faults:?}");
    }
}

/// A cloned repository brings this file, and every hook reads it.
#[test]
fn thousands_of_projects_and_agents_are_checked_and_the_keys_that_cross_are_named() {
    let tables = |table: &str, each: &str| -> String {
        (0..2_000).map(|at| format!("[knowledge.{table}.n{at}]\n{each}\n")).collect()
    };
    let many = |projects: &str, agents: &str, more: &str| {
        let text = tables("project", projects) + &tables("agent", agents) + more;
        of(&text).unwrap().faults()
    };
    assert_eq!(many("fresh_from = 0.6", "review_from = 0.5", ""), [""; 0]);
    // One among them all crosses, and only where the two apply together.
    let low = "[knowledge.project.low]\nfresh_from = 0.45";
    let faults = many("fresh_from = 0.6", "review_from = 0.3", low);
    assert_eq!(faults, [""; 0]);
    let high = format!("{low}\n[knowledge.agent.high]\nreview_from = 0.5");
    assert_eq!(
        many("fresh_from = 0.6", "review_from = 0.3", &high),
        ["knowledge.agent.high.review_from: 0.5 is above knowledge.project.low.fresh_from, 0.45"]
    );
    let high =
        "[knowledge.project.high]\nreview_from = 0.65\n[knowledge.agent.low]\nfresh_from = 0.6";
    assert_eq!(
        many("review_from = 0.3", "fresh_from = 0.7", high),
        ["knowledge.agent.low.fresh_from: 0.6 is below knowledge.project.high.review_from, 0.65"]
    );
    // What sets both is met by nobody's extremes.
    assert_eq!(many("fresh_from = 0.3", "fresh_from = 0.3\nreview_from = 0.2", "").len(), 2_000);
}

#[test]
fn a_policy_survives_its_file() {
    let text = r#"
        [knowledge.kind.knowledge]
        curve = { power = { stability = 45.0 } }
        [knowledge.kind.reference]
        curve = "constant"
        [documents]
        ignore = ["vendor/"]
        history = ["!CHANGES.md", "notes/**"]
        [documents.kinds]
        "docs/**" = "knowledge"
        "docs/links/**" = "reference"
    "#;
    let policy = of(text).unwrap();
    assert!(policy.faults().is_empty());
    assert_eq!(of(&toml::to_string(&policy).unwrap()).unwrap(), policy);
    let kinds = policy.documents.kinds_in_order();
    assert_eq!(
        kinds,
        [("docs/**", ItemKind::Knowledge), ("docs/links/**", ItemKind::Reference)],
        "the longer pattern comes last and decides"
    );
    let context = Context::new(NOW, &policy.knowledge, Caller::default());
    let (freshness, _) = item(ItemKind::Knowledge, "x", 45).score(&[], &context);
    assert!((freshness - 0.9).abs() < 1e-9);
}

#[test]
fn every_share_has_its_bounds() {
    let text = toml::to_string(&Policy::default()).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let all = table["knowledge"].as_table().unwrap();
    let kinds = all["kind"]["knowledge"].as_table().unwrap();
    for (place, table) in [("knowledge", all), ("knowledge.kind.todo", kinds)] {
        for (name, _) in table.iter().filter(|(_, value)| value.is_float()) {
            let faults = of(&format!("[{place}]\n{name} = 1.5")).unwrap().faults();
            let fault = format!("{place}.{name}: must be between 0 and 1");
            assert!(faults.contains(&fault), "{fault}: {faults:?}");
        }
    }
}
