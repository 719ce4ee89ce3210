//! Routes and sessions: what outcomes teach about what was asked, and what is forgotten.

use crate::common::teaching::*;
use crate::common::*;
use staleness_core::ids::{OpId, SessionId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{FindTools, Learn, Use};
use staleness_core::route::{Prompted, Route, SuggestedTool};
use staleness_core::session::SessionKey;
use staleness_core::store::Refusal;
use staleness_core::time::Timestamp;
use staleness_core::{RegistryError, Wait};

fn session_of(world: &World) -> SessionKey {
    SessionKey { project: world.project.id.clone(), id: SessionId::new("s").unwrap() }
}

fn prompt(world: &World, query: Option<&str>, suggested: &[(&str, Option<&Route>)]) {
    let tools = suggested.iter().map(|(name, route)| SuggestedTool {
        tool: tool(name),
        route: route.map(|route| route.key.id),
    });
    let prompted = Prompted {
        at: world.now(),
        query: query.map(Into::into),
        tools: tools.collect(),
        taught: Vec::new(),
    };
    world.registry.sessions().note_prompt(session_of(world), prompted).wait().unwrap();
}

fn used(world: &World, name: &str, outcome: OutcomeKind, op: &str) {
    let op = OpId::new(op).unwrap();
    let mut used = Use::new(op, tool(name), outcome, world.now(), world.project.clone());
    used.session = Some(session_of(world).id);
    world.registry.tools().record(used).wait().unwrap();
}

#[test]
fn outcomes_of_a_session_teach_what_was_asked_in_it() {
    let world = world();
    prompt(&world, Some("open issues"), &[(TOOL, None)]);
    used(&world, TOOL, OutcomeKind::Success, "a");
    used(&world, OTHER, OutcomeKind::Success, "b");
    // Built-ins are never suggested, and once is enough.
    used(&world, "Bash", OutcomeKind::Success, "c");
    used(&world, TOOL, OutcomeKind::Failure, "d");
    let learned: Vec<(String, f64)> =
        routes(&world).iter().map(|route| (route.key.tool.to_string(), sure(route))).collect();
    assert_eq!(learned, [(TOOL.to_string(), 1.0), (OTHER.to_string(), 0.75)]);
    // The next prompt is another chance.
    world.pass(1);
    prompt(&world, Some("open issues"), &[(TOOL, None)]);
    used(&world, TOOL, OutcomeKind::Failure, "e");
    assert_eq!(sure(&routes(&world)[0]), 0.8);
}

#[test]
fn a_result_that_reports_an_error_is_not_learned_as_success() {
    let world = world();
    prompt(&world, Some("open issues"), &[(TOOL, None)]);
    used(&world, TOOL, OutcomeKind::Failure, "a");
    used(&world, OTHER, OutcomeKind::Interrupted, "b");
    assert!(routes(&world).is_empty());
}

#[test]
fn retrieval_counts_as_use() {
    let world = world();
    let route = learn(&world, "open issues", 1.0, "a").unwrap();
    world.pass(29 * Timestamp::DAY);
    // Nothing of the prompt is kept: only which route led to the tool.
    prompt(&world, None, &[(TOOL, Some(&route))]);
    used(&world, TOOL, OutcomeKind::Success, "b");
    let used = &routes(&world)[0];
    assert_eq!((used.last_used_at, used.uses), (world.now(), 2));
    assert_eq!(used.confidence, route.confidence);
    world.pass(29 * Timestamp::DAY);
    assert_eq!(
        world.registry.routes().prune(&world.project.id, world.now(), false).wait().unwrap().kept,
        1
    );
    // The op that used a route may teach it, too.
    assert_eq!(sure(&learn(&world, "open issues", 0.0, "b").unwrap()), 0.8);
}

#[test]
fn what_was_asked_for_is_noted_and_takes_nothing_from_the_limit() {
    let world = world();
    let route = learn(&world, "open issues", 1.0, "a").unwrap();
    let find = FindTools::by_words("open issues", 5);
    world.pass(Timestamp::DAY);
    let found = world.suggest(find);
    let tools: Vec<SuggestedTool> = found.iter().map(SuggestedTool::from).collect();
    assert_eq!(tools[0], SuggestedTool { tool: tool(TOOL), route: Some(route.key.id) });
    let note = |tools: Vec<SuggestedTool>| {
        let prompted = Prompted { at: world.now(), query: None, tools, taught: Vec::new() };
        world.registry.sessions().note_suggested(session_of(&world), prompted).wait().unwrap();
    };
    note(tools.clone());
    note(tools);
    // One that no route led to hides nothing of what did.
    note(vec![SuggestedTool { tool: tool(TOOL), route: None }]);
    let noted = world.registry.sessions().suggestions(&session_of(&world)).wait().unwrap().unwrap();
    assert_eq!((noted.made, noted.prompts.len()), (0, 2), "the same twice is once");
    assert_eq!(noted.last_suggested_at(), Some(world.now()));
    used(&world, TOOL, OutcomeKind::Success, "b");
    let used = &routes(&world)[0];
    assert_eq!((used.last_used_at, used.uses), (world.now(), 2));
}

#[test]
fn a_session_in_which_nothing_was_suggested_teaches_nothing() {
    let world = world();
    used(&world, TOOL, OutcomeKind::Success, "a");
    let commit = world.last_commit();
    assert!(commit.changes.routes.is_empty() && commit.changes.suggestions.is_empty());
    assert_eq!(commit.view.looks, 1, "it looked again");
}

#[test]
fn forgetting_a_route_erases_its_words_wherever_they_are() {
    let world = world();
    let route = embed(&world, "open issues", &[1.0, 0.0], "a");
    prompt(&world, Some("Open issues"), &[(TOOL, Some(&route))]);
    let forget =
        || world.registry.routes().forget(&world.project.id, route.key.id, world.now()).wait();
    assert_eq!(forget().unwrap(), route);
    let view = world.everything();
    assert!(view.routes.is_empty() && view.vectors.is_empty());
    let prompts = &view.suggestions[&session_of(&world)].prompts;
    assert_eq!((prompts[0].query.as_ref(), prompts[0].tools[0].route), (None, None));
    assert!(matches!(
        forget(),
        Err(RegistryError::Rejected(Refusal::Unknown { what: "route", .. }))
    ));
}

#[test]
fn forgetting_a_tool_or_a_project_takes_its_routes_along() {
    let world = world();
    embed(&world, "q", &[1.0, 0.0], "a");
    let other = Learn { tool: tool(OTHER), ..lesson(&world, "q", 1.0, "b") };
    world.registry.routes().learn(&world.project, other).wait().unwrap();
    prompt(&world, Some("q"), &[(TOOL, None)]);
    world.registry.tools().forget(world.by_hand(TOOL)).wait().unwrap();
    let left: Vec<ToolName> = routes(&world).into_iter().map(|route| route.key.tool).collect();
    assert_eq!(left, [tool(OTHER)]);
    let op = OpId::new("project").unwrap();
    let project = world.project.id.clone();
    world.registry.admin().forget_project(project, op, world.now()).wait().unwrap();
    let view = world.everything();
    assert!(view.routes.is_empty() && view.vectors.is_empty() && view.suggestions.is_empty());
}

#[test]
fn ending_a_session_forgets_what_was_suggested_in_it() {
    let world = world();
    prompt(&world, Some("q"), &[(TOOL, None)]);
    let (key, now) = (session_of(&world), world.now());
    // Nobody began it.
    let ended = world.registry.sessions().end(&key.project, &key.id, now).wait();
    assert!(matches!(ended, Err(RegistryError::Rejected(_))), "{ended:?}");
    assert_eq!(world.registry.sessions().suggestions(&session_of(&world)).wait().unwrap(), None);
    // Of sessions that never ended too, in the end.
    prompt(&world, Some("q"), &[(TOOL, None)]);
    world.pass(30 * Timestamp::DAY);
    world.registry.routes().prune(&world.project.id, world.now(), false).wait().unwrap();
    assert_eq!(world.registry.sessions().suggestions(&session_of(&world)).wait().unwrap(), None);
}

#[test]
fn a_session_cools_down_by_its_own_calls() {
    for window in [200, 3, 1] {
        let world = with(|policy| {
            policy.ranking.window = window;
            policy.routes.suggest_from = 0.1;
        });
        learn(&world, "open issues", 1.0, "a");
        let says = || {
            let (session, now) = (session_of(&world).id, world.now());
            let found = world
                .registry
                .tools()
                .suggest_for_prompt(&world.project, &session, "open issues", now)
                .wait();
            !found.unwrap().is_empty()
        };
        assert!(says(), "{window}");
        prompt(&world, None, &[(TOOL, None)]);
        for call in 0..5 {
            assert!(!says(), "{window}: after {call} calls");
            world.pass(1);
            used(&world, OTHER, OutcomeKind::Success, &format!("own-{call}"));
        }
        // However much others did since.
        world.uses(OTHER, &"S".repeat(250));
        assert!(says(), "{window}");
        world.pass(1);
        prompt(&world, None, &[(TOOL, None)]);
        world.pass(1);
        world.uses(OTHER, &"S".repeat(250));
        assert!(!says(), "{window}: only others called");
    }
}

#[test]
fn a_route_that_did_not_lead_to_a_tool_is_not_refreshed_by_its_use() {
    let world = world();
    let route = learn(&world, "open issues and search for something else altogether", 1.0, "a");
    let route = route.unwrap();
    world.pass(Timestamp::DAY);
    let find = FindTools::by_words("search something", 5);
    let found = world.suggest(find);
    let found = found.into_iter().find(|each| each.tool.key.name == tool(TOOL)).unwrap();
    let by = found.parts.route.clone().unwrap();
    assert!(by.id == route.key.id && by.closeness < 0.3, "{by:?}");
    let tools = vec![SuggestedTool::from(&found)];
    assert_eq!(tools[0].route, None);
    let prompted = Prompted { at: world.now(), query: None, tools, taught: Vec::new() };
    world.registry.sessions().note_suggested(session_of(&world), prompted).wait().unwrap();
    used(&world, TOOL, OutcomeKind::Success, "b");
    assert_eq!(routes(&world), [route]);
}
