use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::definition::DefinitionVersion;
use crate::ids::{OpId, Scope, ServerKey, ToolName};
use crate::outcome::{Mark, Outcome};
use crate::policy::Policy;
use crate::scan::ProjectRef;
use crate::store::View;
use crate::tool::{Listing, PresenceCause};

fn day(days: i64) -> Timestamp {
    Timestamp::from_millis(days * Timestamp::DAY)
}

fn listed(name: &str, kind: ToolKind, client: &str, state: ListingState) -> Tool {
    let key = ToolKey::global(ToolName::new(name).unwrap());
    let mut tool = Tool::new(key, kind, PresenceCause::Configured, day(0));
    let level = if client == "live" { Level::Live } else { Level::User };
    let source = SourceId { project: None, client: client.into(), level, part: "mcp".into() };
    tool.listings.push(Listing { source, state });
    tool.server = ServerKey::of("hub").filter(|_| name.starts_with("mcp__hub"));
    tool
}

fn used(mut tool: Tool, client: &str, at: i64) -> Tool {
    if !client.is_empty() {
        tool.note_client(&ClientId::new(client).unwrap());
    }
    tool.note_use(Mark::Success, day(at), 0, 5);
    tool
}

/// Returns a built-in tool that a client used daily between two days.
fn bash(client: &str, first: i64, last: i64) -> Tool {
    let key = ToolKey::global(ToolName::new(format!("Bash of {client}")).unwrap());
    let tool = Tool::new(key, ToolKind::Builtin, PresenceCause::Used, day(first));
    used(tool, client, last)
}

fn outcome(client: ClientId, at: Timestamp) -> Outcome {
    Outcome {
        seq: 0,
        op: OpId::new("op").unwrap(),
        tool: ToolKey::global(ToolName::new("Bash").unwrap()),
        server: None,
        credits: Vec::new(),
        mark: Mark::Success,
        at,
        project: ProjectRef::of_root("/p").id,
        session: None,
        agent: None,
        client: Some(client),
        duration_ms: None,
    }
}

fn server() -> Tool {
    listed("mcp__hub__*", ToolKind::McpServer, "codex", ListingState::Configured)
}

fn member(name: &str) -> Tool {
    listed(name, ToolKind::McpTool, "live", ListingState::Configured)
}

fn costs_of(tools: Vec<Tool>, defined: &[&str], days: u32) -> Vec<ToolCost> {
    let mut view = View::default();
    let value = json!({ "description": "12345678", "inputSchema": {}, "outputSchema": { "a": 1 } });
    for mut tool in tools {
        if tool.kind == ToolKind::Builtin
            && let ([client], Some(until)) = (tool.used_by.as_slice(), tool.last_used_at)
        {
            let first = tool.discovered_at.days_since(day(0));
            for at in first..=until.days_since(day(0)) {
                let seq = view.outcomes.len() as u64;
                view.outcomes.insert(seq, outcome(client.clone(), day(at)));
            }
        }
        if defined.contains(&tool.key.name.as_str()) {
            tool.defined_chars = Some(DefinitionVersion::of(value.as_object().unwrap()).chars());
        }
        view.tools.insert(tool.key.clone(), tool);
    }
    let (policy, project) = (Policy::default(), ProjectRef::of_root("/p"));
    let context = Context::new(&view, &policy, &project, day(500));
    costs(&context, None, Some(days), &|client| client == "brief")
}

fn unused(all: &[ToolCost]) -> Vec<&str> {
    all.iter().filter(|each| each.unused).map(|each| each.key.name.as_str()).collect()
}

#[test]
fn idle_days_end_with_the_last_use_of_the_client_and_begin_with_its_first() {
    for (first, last, expected) in [(0, 100, 100), (90, 100, 10), (0, 29, 29), (40, 40, 0)] {
        let all = costs_of(vec![server(), bash("codex", first, last)], &[], 30);
        assert_eq!(all[0].idle_days, Some(expected), "{first}..{last}: a holiday proves nothing");
        assert_eq!(all[0].unused, expected >= 30);
    }
    for tools in [vec![server()], vec![server(), bash("gemini", 0, 100)]] {
        let all = costs_of(tools, &[], 0);
        assert_eq!((all[0].idle_days, all[0].unused), (None, false), "nobody saw codex work");
    }
}

/// On holidays nothing was used.
#[test]
fn only_days_on_which_the_client_used_anything_count_as_idle() {
    for (until, expected) in [(94, 30), (93, 29)] {
        let mut other = listed("other", ToolKind::Unknown, "codex", ListingState::Configured);
        for at in (0..=15).chain(80..=until) {
            other = used(other, "codex", at);
        }
        let all = costs_of(vec![server(), other], &[], 30);
        assert_eq!((all[0].idle_days, all[0].unused), (Some(expected), expected >= 30));
    }
}

#[test]
fn uses_of_others_do_not_count_and_those_of_nobody_in_particular_do() {
    let tool = || member("mcp__hub__a");
    let with = |tool: Tool| costs_of(vec![server(), bash("codex", 0, 100), tool], &[], 30);
    assert_eq!(unused(&with(used(tool(), "gemini", 99))), ["mcp__hub__*"]);
    for client in ["codex", ""] {
        let all = with(used(tool(), client, 99));
        assert_eq!(unused(&all), [""; 0], "{client}: a server is used with any of its tools");
        assert_eq!((all[0].idle_days, all[0].last_used_at), (Some(1), Some(day(99))));
    }
    // If two clients have the tool, its last user is unknown.
    let shared = used(used(bash("gemini", 0, 10), "codex", 200), "gemini", 300);
    let all = costs_of(vec![server(), bash("codex", 0, 20), shared], &[], 30);
    assert_eq!(all[0].idle_days, Some(20));
}

#[test]
fn a_server_costs_what_its_tools_do_and_an_unknown_cost_is_no_zero() {
    let tools = || {
        let other = used(member("mcp__hub__c"), "codex", 99);
        vec![server(), member("mcp__hub__a"), member("mcp__hub__bb"), other, bash("codex", 0, 100)]
    };
    let all = costs_of(tools(), &[], 30);
    let server = &all[0];
    assert_eq!((server.tokens, server.tools, server.unknown_tools), (None, Some(3), Some(3)));
    assert_eq!(unused(&all), ["mcp__hub__a", "mcp__hub__bb"]);
    let all = costs_of(tools(), &["mcp__hub__a", "mcp__hub__bb"], 30);
    // 11 characters of a name, 8 of its description and 2 of its schema. Answers are not loaded.
    assert_eq!((all[1].tokens, all[2].tokens), (Some(6), Some(6)));
    assert_eq!((all[0].tokens, all[0].unknown_tools), (Some(12), Some(1)));
    let mut brief = tools();
    brief[0].listings[0].source.client = "brief".into();
    brief.push(bash("brief", 0, 100));
    let all = costs_of(brief, &["mcp__hub__a"], 30);
    assert_eq!((all[0].tokens, all[0].loaded_tokens), (Some(3), Some(6)), "names alone");
    let mut gone = member("mcp__hub__a");
    gone.listings[0].state = ListingState::Gone;
    let all = costs_of(vec![tools()[0].clone(), gone], &["mcp__hub__a"], 30);
    assert_eq!((all[0].tokens, all[0].tools), (None, Some(0)), "its server lists it no more");
}

#[test]
fn what_is_not_loaded_or_kept_or_comes_along_is_not_unused() {
    let with = |tool: Tool| costs_of(vec![tool, bash("codex", 0, 100)], &[], 0);
    for state in ListingState::ALL {
        let tool = listed("mcp__hub__*", ToolKind::McpServer, "codex", state);
        let is_loaded = state == ListingState::Configured;
        assert_eq!(with(tool).len(), usize::from(is_loaded), "{state:?}");
    }
    for kind in ToolKind::ALL {
        let costs = with(listed("x", kind, "codex", ListingState::Configured));
        let expected = !matches!(kind, ToolKind::Builtin | ToolKind::Plugin | ToolKind::Unknown);
        assert_eq!(costs.len(), usize::from(expected), "{kind:?}");
    }
    for hold in [Hold::Pinned, Hold::Ignored] {
        let costs = with(Tool { hold, ..server() });
        assert_eq!((costs[0].unused, costs[0].idle_days), (false, Some(100)), "{hold:?}");
    }
    let mut own =
        listed("mcp__staleness__*", ToolKind::McpServer, "codex", ListingState::Configured);
    own.server = ServerKey::of("staleness");
    assert!(!with(own)[0].unused);
    let skill = |about: Option<&str>| {
        let tool = listed("tidy", ToolKind::Skill, "codex", ListingState::Configured);
        with(Tool { description: about.map(str::to_owned), ..tool }).remove(0).tokens
    };
    assert_eq!((skill(Some("12345")), skill(None)), (Some(3), None), "name and description");
}

#[test]
fn a_server_is_not_unused_while_one_of_the_same_tools_is_used() {
    let project = ProjectRef::of_root("/p").id;
    let own = |client: &str, used_at: Option<i64>| {
        let mut own = listed("mcp__hub__*", ToolKind::McpServer, client, ListingState::Configured);
        own.key.scope = Scope::Project(project.clone());
        own.listings[0].source.project = Some(project.clone());
        used_at.map_or(own.clone(), |at| used(own, client, at))
    };
    let with = |own: Tool| {
        costs_of(vec![server(), own, bash("codex", 0, 100), bash("brief", 0, 99)], &[], 30)
    };
    assert_eq!(unused(&with(own("codex", Some(99)))), [""; 0], "a client's list names both");
    assert_eq!(unused(&with(own("codex", None))), ["mcp__hub__*"; 2]);
    assert_eq!(
        unused(&with(own("brief", Some(99)))),
        ["mcp__hub__*"],
        "each client has its own files"
    );
}

proptest! {
    /// Later use of a tool never makes it unused, a larger number of days never adds unused tools, and later use of
    /// others never removes any.
    #[test]
    fn unused_follows_its_evidence(
        use_at in proptest::option::of(0i64..200), later in 0i64..50, first in 0i64..200, busy in 0i64..200,
        days in 0u32..200, more in 0u32..50,
    ) {
        let idle = |use_at: Option<i64>, busy: i64, days: u32| {
            let tool = use_at.map_or_else(server, |at| used(server(), "codex", at));
            let all = costs_of(vec![tool, bash("codex", first.min(busy), busy)], &[], days);
            all[0].unused
        };
        let is_unused = idle(use_at, busy, days);
        if let Some(at) = use_at.filter(|at| at + later <= busy) {
            prop_assert!(is_unused || !idle(Some(at + later), busy, days));
        }
        prop_assert!(is_unused || !idle(use_at, busy, days + more));
        prop_assert!(!is_unused || idle(use_at, busy + later, days));
    }
}
