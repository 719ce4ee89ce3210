//! Hooks in full: ranked tools, uses that are told twice, sub-agents, compaction.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, used};

/// Returns what a session start says under these policy values.
fn started(sandbox: &Sandbox, id: &str, values: &[&str]) -> Option<String> {
    let payload =
        json!({ "session_id": id, "cwd": sandbox.project, "hook_event_name": "SessionStart" });
    let options: Vec<&str> = values.iter().flat_map(|value| ["--set", value]).collect();
    let run = sandbox.hook_with(&options, payload.to_string().as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let said: Value = serde_json::from_str(&run.out).ok()?;
    Some(said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
}

fn silent() -> Run {
    Run { code: 0, out: String::new(), err: String::new() }
}

/// A machine on which tools worked, each as often as is said, and one fails.
fn used_machine() -> Sandbox {
    let sandbox = Sandbox::scanned();
    let works = [("mcp__github__search", 3), ("mcp__github__read", 2), ("mcp__github__list", 1)];
    for (name, times) in works.into_iter().chain([("Bash", 5), ("mcp__staleness__recall", 5)]) {
        for at in 0..times {
            sandbox.hook(&used("PostToolUse", name, &format!("{name}{at}")));
        }
    }
    for at in 0..3 {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__flaky", &format!("f{at}")));
    }
    started(&sandbox, "first", &[]);
    sandbox
}

#[test]
fn tools_are_ranked_where_the_policy_asks_for_it() {
    let sandbox = used_machine();
    let failing = "- Still failing, avoid: `mcp__github__flaky` (3 of the last 3 uses failed)";
    let head = format!("Tool status from `staleness`:\n{failing}");
    assert_eq!(started(&sandbox, "s1", &[]).as_deref(), Some(head.as_str()), "none by default");
    let two = started(&sandbox, "s2", &["hooks.ranked_tools=2"]).unwrap();
    let best = "- Worked here lately, best first: `mcp__github__search`, `mcp__github__read`";
    assert_eq!(two, format!("{head}\n{best}"));
    let all = started(&sandbox, "s3", &["hooks.ranked_tools=50"]).unwrap();
    assert!(all.ends_with("`mcp__github__read`, `mcp__github__list`"), "no others worked: {all}");
    assert_eq!(started(&sandbox, "s4", &["hooks.ranked_tools=2", "hooks.tell=false"]), None);
    // A project may not make its readers' hooks say more.
    sandbox.write("project/staleness.toml", "[hooks]\nranked_tools = 2\n");
    assert_eq!(started(&sandbox, "s5", &[]).as_deref(), Some(head.as_str()));
}

#[test]
fn ranked_tools_stay_within_the_budget_and_cost_no_news() {
    let sandbox = used_machine();
    for budget in [0, 60, 120, 160, 200, 1_500] {
        let budget = format!("hooks.session_start_chars={budget}");
        let without = started(&sandbox, "s", &[&budget]);
        let with = started(&sandbox, "s", &[&budget, "hooks.ranked_tools=3"]);
        let most = budget.split('=').nth(1).unwrap().parse().unwrap();
        assert!(with.as_deref().is_none_or(|text| text.chars().count() <= most), "{with:?}");
        let without = without.unwrap_or_default();
        assert!(with.unwrap_or_default().starts_with(&without), "{budget}");
    }
}

#[test]
fn explain_shows_the_ranked_tools() {
    let sandbox = used_machine();
    let start = json!({ "session_id": "s", "hook_event_name": "SessionStart" }).to_string();
    let options = ["--explain", "--set", "hooks.ranked_tools=1"];
    let said = sandbox.hook_with(&options, start.as_bytes());
    let line = "say      - Worked here lately, best first: `mcp__github__search`\n";
    assert!(said.out.contains(line), "{said:?}");
}

#[test]
fn silence_holds_where_no_tool_worked() {
    let sandbox = Sandbox::scanned();
    started(&sandbox, "s1", &[]);
    assert_eq!(started(&sandbox, "s2", &["hooks.ranked_tools=5"]), None);
}

/// Cursor runs the hooks of Claude Code too, where it is told to.
#[test]
fn a_use_that_two_sets_of_hooks_report_counts_once() {
    let sandbox = Sandbox::scanned();
    let payload = used("PostToolUseFailure", "mcp__github__search", "same").to_string();
    for client in ["claude-code", "cursor", "claude-code"] {
        assert_eq!(sandbox.hook_with(&["--client", client], payload.as_bytes()), silent());
    }
    assert_eq!(sandbox.tool("mcp__github__search")["outcomes"], "F");
}

#[test]
fn what_a_sub_agent_used_counts_and_its_end_says_nothing() {
    let sandbox = Sandbox::scanned();
    let mut by_agent = used("PostToolUse", "mcp__github__search", "a1");
    by_agent["agent_id"] = json!("agent-7");
    by_agent["agent_type"] = json!("Explore");
    assert_eq!(sandbox.hook(&by_agent), silent());
    by_agent["hook_event_name"] = json!("PostToolUseFailure");
    by_agent["tool_use_id"] = json!("a2");
    assert_eq!(sandbox.hook(&by_agent), silent());
    assert_eq!(sandbox.tool("mcp__github__search")["outcomes"], "SF");
    let before = sandbox.recorded();
    for event in
        ["SubagentStart", "SubagentStop", "Stop", "PreCompact", "PostCompact", "Notification"]
    {
        let payload = json!({ "session_id": "s1", "agent_id": "agent-7", "agent_type": "Explore",
            "hook_event_name": event, "cwd": sandbox.project });
        assert_eq!(sandbox.hook(&payload), silent(), "{event}");
    }
    assert_eq!(sandbox.recorded(), before, "the session of its caller goes on");
}
