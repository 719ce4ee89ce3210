//! Presence as a state that every scan evaluates anew, from what each source says.

use crate::common::*;
use staleness_core::Wait;
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::source::SourceState;
use staleness_core::time::Timestamp;
use staleness_core::tool::{Hold, Status, ToolKind};

const TOOL: &str = "/review";

/// Brings a fresh world to a standing of the tool: `new`, `present`, `absent` or `demoted`.
fn standing(word: &str) -> World {
    let world = World::default();
    let config = |found| vec![read(user("commands"), found)];
    if word != "new" {
        world.scan(config(vec![command(TOOL)]));
    }
    match word {
        "absent" => drop(world.scan(config(vec![]))),
        "demoted" => drop(world.uses(TOOL, "FFF")),
        _ => {}
    }
    world
}

#[test]
fn every_state_of_a_source_times_every_standing_of_a_tool() {
    use SourceState::{Failed, Missing, Partial, Read};
    use Status::{Active, Demoted, Stale};
    // state, root is there, found; then status and report list per standing (`=` unchanged).
    let table = [
        (Read, true, true, [(Active, '+'), (Active, '='), (Active, '^'), (Demoted, '=')]),
        (Read, true, false, [(Active, ' '), (Stale, '-'), (Stale, ' '), (Demoted, '-')]),
        (Missing, true, false, [(Active, ' '), (Stale, '-'), (Stale, ' '), (Demoted, '-')]),
        (Missing, false, false, [(Active, ' '), (Active, ' '), (Stale, ' '), (Demoted, ' ')]),
        (Partial, true, true, [(Active, '+'), (Active, '='), (Active, '^'), (Demoted, '=')]),
        (Partial, true, false, [(Active, ' '), (Active, ' '), (Stale, ' '), (Demoted, ' ')]),
        (Failed, true, true, [(Active, '+'), (Active, '='), (Active, '^'), (Demoted, '=')]),
        (Failed, true, false, [(Active, ' '), (Active, ' '), (Stale, ' '), (Demoted, ' ')]),
    ];
    for (state, root_is_there, is_found, expected) in table {
        for (word, (status, list)) in ["new", "present", "absent", "demoted"].iter().zip(expected) {
            let world = standing(word);
            let found = if is_found { vec![command(TOOL)] } else { vec![] };
            let mut source = reading(user("commands"), state, found);
            source.root_is_there = root_is_there;
            let report = world.scan(vec![source]);
            let case = format!("{word}, {state:?}, root {root_is_there}, found {is_found}");
            let lists = [report.added.len(), report.restored.len(), report.stale.len()];
            let expected_lists = ['+', '^', '-'].map(|each| usize::from(each == list));
            assert_eq!(lists, expected_lists, "{case}");
            assert_eq!(report.unchanged, usize::from(list == '='), "{case}");
            if is_found || *word != "new" {
                assert_eq!(world.status(TOOL), status, "{case}");
            } else {
                assert!(world.everything().tools.is_empty(), "{case}");
            }
        }
    }
}

#[test]
fn the_journal_names_each_cause() {
    let world = World::default();
    let config = |found| vec![read(user("commands"), found)];
    world.scan(config(vec![command(TOOL)]));
    world.scan(config(vec![]));
    world.scan(config(vec![command(TOOL)]));
    world.scan(config(vec![off(command(TOOL))]));
    world.uses(TOOL, "FFF");
    world.scan(config(vec![command(TOOL)]));
    let expected = [
        "added - active configured",
        "absent active stale removed_from_config",
        "present stale active configured",
        "absent active stale disabled",
        "failing stale demoted 3 of the last 3 uses failed",
        "present demoted demoted configured",
    ];
    assert_eq!(world.history(TOOL), expected);
}

#[test]
fn a_tool_that_is_disabled_from_the_start_is_known_and_absent() {
    let world = World::default();
    let report = world.scan(vec![read(user("commands"), vec![off(command(TOOL))])]);
    assert_eq!((names(&report.added), report.stale.len()), (vec![TOOL], 0));
    assert!(report.added[0].presence.is_absent());
    assert_eq!(world.history(TOOL), ["added - stale disabled"]);
    let report = world.scan(vec![read(user("commands"), vec![off(command(TOOL))])]);
    assert_eq!((report.stale.len(), report.unchanged), (0, 0), "it was not there before");
    let report = world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    assert_eq!(names(&report.restored), [TOOL]);
}

#[test]
fn from_disabled_to_removed_is_no_new_absence() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![off(command(TOOL))])]);
    let report = world.scan(vec![read(user("commands"), vec![])]);
    assert!(report.stale.is_empty());
    assert_eq!(world.presence(TOOL), "removed_from_config");
    assert_eq!(world.history(TOOL).len(), 1);
}

#[test]
fn one_source_that_has_it_switched_on_suffices() {
    let world = World::default();
    let two = |a, b| vec![read(user("a"), vec![a]), read(user("b"), vec![b])];
    world.scan(two(off(command(TOOL)), command(TOOL)));
    assert_eq!(world.status(TOOL), Status::Active);
    let report = world.scan(two(off(command(TOOL)), off(command(TOOL))));
    assert_eq!(names(&report.stale), [TOOL]);
}

#[test]
fn a_source_that_fails_holds_what_it_held() {
    let world = World::default();
    world.scan(vec![read(user("a"), vec![command(TOOL)]), read(user("b"), vec![command(TOOL)])]);
    let report = world.scan(vec![read(user("a"), vec![]), failed(user("b"))]);
    assert!(report.stale.is_empty());
    assert_eq!(sources(&world.report(TOOL)), ["client/user/b"]);
    assert_eq!(names(&world.scan(vec![read(user("b"), vec![])]).stale), [TOOL]);
}

#[test]
fn sources_that_a_scan_does_not_bring_keep_their_tools() {
    let world = World::default();
    world.scan(vec![read(user("a"), vec![command(TOOL)])]);
    assert!(world.scan(vec![read(user("b"), vec![])]).stale.is_empty());
    assert_eq!(world.status(TOOL), Status::Active);
}

#[test]
fn a_plugin_that_left_its_index_is_covered_and_empty() {
    let world = World::default();
    let skills = || read(user("plugin:x@market/skills"), vec![skill("x:go")]);
    world.scan(vec![skills(), read(user("skills"), vec![skill("mine")])]);
    world.pass(1);
    let mut scan = world.scan_of(&world.project, vec![]);
    scan.indexes = vec![plugin_index()];
    let report = world.registry.tools().apply_scan(scan).wait().unwrap();
    assert_eq!(names(&report.stale), ["x:go"], "and not what other sources hold");
    assert_eq!(world.registry.admin().sources().wait().unwrap().len(), 1);
    assert_eq!(sources(&world.report("x:go")), ["client/user/plugin:x@market/skills"]);
    assert_eq!(names(&world.scan(vec![skills()]).restored), ["x:go"]);
}

#[test]
fn missing_sources_are_noted_only_where_they_once_were() {
    let world = World::default();
    world.scan(vec![missing(user("a")), read(user("b"), vec![])]);
    assert_eq!(world.registry.admin().sources().wait().unwrap().len(), 1);
    world.scan(vec![read(user("a"), vec![])]);
    world.scan(vec![missing(user("a"))]);
    let sources = world.registry.admin().sources().wait().unwrap();
    assert_eq!(sources[0].state, SourceState::Missing);
    assert_eq!((sources[0].readings, sources[1].readings), (2, 1));
}

#[test]
fn kind_and_description_follow_the_first_source_that_tells() {
    let world = World::default();
    let told = |kind, text: Option<&str>| found("x", kind).described(text);
    world.uses("x", "S");
    assert_eq!(world.tool("x").kind, ToolKind::Unknown);
    let p = &world.project;
    world.scan(vec![
        read(own(p, "b"), vec![told(ToolKind::Agent, Some("from b"))]),
        read(own(p, "a"), vec![told(ToolKind::Skill, None)]),
    ]);
    let tool = world.tool("x");
    assert_eq!((tool.kind, tool.description.as_deref()), (ToolKind::Skill, Some("from b")));
    assert_eq!((tool.presence.cause.as_str(), tool.uses), ("configured", 1));
    let report = world.scan(vec![read(own(p, "a"), vec![told(ToolKind::Skill, Some("from a"))])]);
    assert_eq!((report.added.len(), report.stale.len(), report.unchanged), (0, 0, 1));
    assert_eq!(world.tool("x").description.as_deref(), Some("from a"));
    assert_eq!(world.history("x").len(), 1, "no status changed");
}

#[test]
fn what_a_later_source_fills_in_stays_when_something_else_changes() {
    let world = World::default();
    let p = &world.project;
    let scan = |others: Vec<Found>| {
        world.scan(vec![
            read(own(p, "a"), vec![skill("x")]),
            read(own(p, "b"), vec![skill("x").described(Some("from b"))]),
            read(own(p, "c"), others),
        ])
    };
    scan(vec![]);
    scan(vec![skill("y")]);
    assert_eq!(world.tool("x").description.as_deref(), Some("from b"));
}

#[test]
fn a_revived_tool_goes_at_the_next_scan_even_if_nothing_else_changed() {
    let world = World::default();
    let config = || vec![read(user("commands"), vec![])];
    world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    world.scan(config());
    world.uses(TOOL, "S");
    assert_eq!((world.status(TOOL), world.presence(TOOL)), (Status::Active, "used"));
    let report = world.scan(config());
    assert_eq!(names(&report.stale), [TOOL]);
    assert_eq!(world.presence(TOOL), "removed_from_config");
    world.uses(TOOL, "F");
    assert_eq!(world.status(TOOL), Status::Stale, "a failure proves nothing");
}

#[test]
fn a_revived_tool_stays_while_its_source_cannot_be_read() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    world.scan(vec![read(user("commands"), vec![])]);
    world.uses(TOOL, "S");
    for _ in 0..2 {
        assert!(world.scan(vec![failed(user("commands"))]).stale.is_empty());
        assert_eq!(world.status(TOOL), Status::Active);
    }
    let report = world.scan(vec![read(user("commands"), vec![])]);
    assert_eq!(names(&report.stale), [TOOL]);
}

#[test]
fn what_was_forgotten_comes_back_as_new_while_it_is_listed() {
    let world = World::default();
    let config = || vec![read(user("commands"), vec![command(TOOL)])];
    world.scan(config());
    world.uses(TOOL, "FFF");
    world.registry.tools().forget(world.by_hand(TOOL)).wait().unwrap();
    assert!(world.everything().tools.is_empty());
    assert!(world.everything().outcomes.is_empty());
    let report = world.scan(config());
    assert_eq!(names(&report.added), [TOOL]);
    assert_eq!((report.added[0].uses, report.added[0].status), (0, Status::Active));
    assert_eq!(world.history(TOOL).len(), 4, "the history stays");
}

#[test]
fn a_forgotten_project_starts_again() {
    let (world, p) = World::and_project();
    let config = || vec![read(own(&p, "commands"), vec![command(TOOL)])];
    world.scan(config());
    world.uses(TOOL, "S");
    world.uses("Bash", "S");
    let (op, admin) = (world.op(), world.registry.admin());
    for _ in 0..2 {
        admin.forget_project(p.id.clone(), op.clone(), world.now()).wait().unwrap();
    }
    let all = world.everything();
    assert_eq!((all.projects.len(), all.sources.len(), all.outcomes.len()), (0, 0, 0));
    assert_eq!(all.tools.len(), 1, "global tools are everybody's");
    assert_eq!(names(&world.scan(config()).added), [TOOL]);
    let none = ProjectRef::of_root("/none").id;
    assert!(admin.forget_project(none, world.op(), world.now()).wait().is_err());
}

#[test]
fn ignored_tools_are_not_reported_and_still_evaluated() {
    let mut policy = staleness_core::Policy::default();
    policy.ignore.push("/other".into());
    let world = World::with(policy);
    let config = |found| vec![read(user("commands"), found)];
    let report = world.scan(config(vec![command(TOOL), command("/other")]));
    assert_eq!(names(&report.added), [TOOL]);
    world.hold(TOOL, Hold::Ignored);
    let report = world.scan(config(vec![]));
    assert!(report.stale.is_empty());
    assert_eq!((world.status(TOOL), world.status("/other")), (Status::Stale, Status::Stale));
}

#[test]
fn a_preview_tells_what_a_scan_would_do_and_writes_nothing() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![command("/a"), command("/b")])]);
    let before = world.everything();
    let next = || vec![read(user("commands"), vec![command("/b"), command("/c")])];
    let scan = world.scan_of(&world.project, next());
    let (preview, view) = world.registry.tools().preview_scan(scan).wait().unwrap();
    assert_eq!(world.everything(), before);
    let report = world.scan(next());
    assert_eq!(names(&preview.added), names(&report.added));
    assert_eq!(names(&preview.stale), names(&report.stale));
    assert_eq!(preview.unchanged, report.unchanged);
    assert_eq!(view.tools.len(), 3);
}

#[test]
fn a_clock_that_goes_backwards_takes_nothing_back() {
    let world = World::default();
    world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    world.pass(Timestamp::DAY);
    world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    let latest = world.now();
    world.pass(-3 * Timestamp::DAY);
    world.scan(vec![read(user("commands"), vec![command(TOOL)])]);
    assert_eq!(world.report(TOOL).last_seen_at, latest);
    let report = world.scan(vec![read(user("commands"), vec![])]);
    assert_eq!(names(&report.stale), [TOOL]);
    assert_eq!(world.registry.admin().projects().wait().unwrap()[0].last_seen_at, latest);
}

#[test]
fn the_json_of_a_report_has_words_for_scope_sources_and_presence() {
    let world = World::default();
    let mut own = user("commands");
    own.project = Some(world.project.id.clone());
    let report =
        world.scan(vec![read(own, vec![command(TOOL)]), read(user("a"), vec![command("/b")])]);
    let json = |at: usize| serde_json::to_string(&report.added[at]).unwrap();
    let (now, project) = (world.now(), &world.project.id);
    let facts = |source: &str| {
        format!(
            r#""kind":"slash_command","sources":["{source}"],"clients":{{"client":"configured"}},"changed_for":["client"],"status":"active","presence":{{"state":"present","cause":"configured","since":"{now}"}},"health":{{"state":"healthy"}},"outcomes":"","failures":0,"uses":0,"discovered_at":"{now}","last_seen_at":"{now}","verdict":{{"level":"unknown","freshness":null,"signals":[{{"kind":"unused","strength":1.0,"weight":0.0,"reason":"not used yet; configured in client"}}],"action":"keep"}}}}"#
        )
    };
    let global = format!(r#"{{"name":"/b","scope":"global",{}"#, facts("client/user/a"));
    let own = format!(
        r#"{{"name":"{TOOL}","scope":"project","project":"{project}",{}"#,
        facts("client/user/commands")
    );
    assert_eq!([json(0), json(1)], [global, own]);
}
