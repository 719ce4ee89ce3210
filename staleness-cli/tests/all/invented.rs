//! Names that no client lists, and servers that are down or out of reach.

use serde_json::json;

use crate::common::{Sandbox, line};

/// A model may have invented a tool of a server that is configured.
#[test]
fn a_tool_that_never_worked_is_told_to_its_caller_alone_and_says_nothing_to_others() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["github"]);
    for client in ["claude-code", "codex"] {
        sandbox.start_of(client, "s1");
    }
    sandbox.ok(&line("record mcp__github__list --success --agent claude-code"));
    for _ in 0..3 {
        for tool in ["list", "merge_everything"] {
            sandbox.ok(&line(&format!("record mcp__github__{tool} --failure --agent codex")));
        }
    }
    for (start, fails) in [("s2", "Failing since the last session"), ("s3", "Still failing")] {
        let told = sandbox.start_of("claude-code", start);
        assert!(
            told.contains("`mcp__github__list`") && !told.contains("merge_everything"),
            "{told}"
        );
        assert!(!told.contains("`mcp__github__*`"), "{told}");
        // For its caller all that it uses of the server fails.
        let told = sandbox.start_of("codex", start);
        let down = "avoid: `mcp__github__*` (all 2 of its tools in use are demoted)";
        let down = format!("- {fails}, {down}");
        assert!(told.contains(&down) && told.matches("mcp__").count() == 1, "{told}");
    }
    sandbox.ok(&line("record mcp__github__merge_everything --success --agent codex"));
    assert!(sandbox.start_of("codex", "s4").contains("Available again: `mcp__github__merge"));
    let told = sandbox.start_of("claude-code", "s4");
    assert!(!told.contains("merge_everything"), "it never heard of its failures: {told}");
}

/// A server that is down is told as one, whichever of its tools worked before.
#[test]
fn a_server_that_is_down_is_told_as_one_though_some_of_its_tools_never_worked() {
    let sandbox = Sandbox::scanned();
    let fail = |tool: &str| {
        for _ in 0..3 {
            sandbox.ok(&line(&format!("record mcp__github__{tool} --failure --agent claude-code")));
        }
    };
    sandbox.start_of("claude-code", "s1");
    sandbox.ok(&line("record mcp__github__list --success --agent claude-code"));
    ["list", "create", "merge"].into_iter().for_each(fail);
    let told = sandbox.start_of("claude-code", "s2");
    assert!(told.contains("`mcp__github__*` (all 3 of its tools in use are demoted)"), "{told}");
    assert_eq!(told.matches("mcp__").count(), 1, "{told}");
}

/// No file lists the server of an account, so that it is unlisted proves nothing.
#[test]
fn a_connector_of_an_account_is_excused_while_the_machine_is_offline() {
    let sandbox = Sandbox::with_servers(&["a", "b", "c"]);
    sandbox.ok(&["scan"]);
    for outcome in ["success", "failure"] {
        for server in ["a", "b", "c"] {
            let used = format!("record mcp__{server}__x --{outcome} --agent claude-code");
            sandbox.ok(&line(&used));
        }
    }
    let shown = |tool: &str| {
        sandbox.ok(&line(&format!("record {tool} --failure --agent claude-code")));
        sandbox.json(&["tools", "show", tool])["outcomes"].clone()
    };
    assert_eq!(
        (shown("mcp__claude_ai_Mail__go"), shown("mcp__other__go")),
        (json!("O"), json!("F"))
    );
}

#[test]
fn invented_names_are_no_evidence_that_the_machine_is_offline() {
    let sandbox = Sandbox::with_servers(&["tracker"]);
    sandbox.ok(&["scan"]);
    let fail = |tool: &str| {
        sandbox.ok(&line(&format!("record {tool} --failure --agent claude-code")));
    };
    sandbox.ok(&line("record mcp__slack__post --interrupted --agent claude-code"));
    ["mcp__slack__post", "mcp__asana__list", "mcp__notion__search"].into_iter().for_each(fail);
    ["mcp__tracker__find"; 3].into_iter().for_each(fail);
    let shown = sandbox.json(&["tools", "show", "mcp__tracker__find"]);
    assert_eq!((&shown["outcomes"], &shown["status"]), (&json!("FFF"), &json!("demoted")));
    let listed = sandbox.json(&["tools"]);
    assert_eq!(listed["invented"].as_array().unwrap().len(), 3, "{listed}");
}

/// Bug: a name that nobody had been told of was told as available again.
#[test]
fn a_name_without_a_server_that_works_at_last_is_no_news() {
    let sandbox = Sandbox::scanned();
    let record = |outcome: &str| {
        let used = format!("record mcp__a__b --{outcome} --new --agent claude-code");
        sandbox.ok(&line(&used));
    };
    sandbox.start_of("claude-code", "s1");
    (0..3).for_each(|_| record("failure"));
    assert_eq!(sandbox.tool("mcp__a__b")["presence"]["cause"], "invented");
    assert!(!sandbox.start_of("claude-code", "s2").contains("mcp__a__b"));
    record("success");
    let told = sandbox.start_of("claude-code", "s3");
    assert!(!told.contains("mcp__a__b"), "{told}");
}

/// Bug: a connector that failed from its first use was told to be invented.
#[test]
fn a_connector_of_an_account_that_never_worked_is_failing_and_not_invented() {
    let sandbox = Sandbox::with_servers(&["a"]);
    sandbox.start_of("claude-code", "s1");
    let tool = "mcp__claude_ai_Mail__send";
    for _ in 0..3 {
        sandbox.ok(&line(&format!("record {tool} --failure --agent claude-code")));
    }
    let shown = sandbox.tool(tool);
    assert_eq!(
        (&shown["presence"]["cause"], &shown["status"]),
        (&json!("used"), &json!("demoted"))
    );
    let told = sandbox.start_of("claude-code", "s2");
    assert!(told.contains(&format!("avoid: `{tool}`")), "{told}");
}
