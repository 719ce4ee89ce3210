//! Payloads of the agent clients, and the answers to them.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, line, names, unread, used};

fn silent() -> Run {
    Run { code: 0, out: String::new(), err: String::new() }
}

#[test]
fn claude_code_reports_successes_failures_and_interruptions() {
    let sandbox = Sandbox::scanned();
    let name = "mcp__github__search";
    let mut success = used("PostToolUse", name, "t1");
    success["tool_response"] = json!({ "content": [{ "type": "text", "text": "ok" }] });
    success["duration_ms"] = json!(12);
    assert_eq!(sandbox.hook(&success), silent());
    let mut failure = used("PostToolUseFailure", name, "t2");
    failure["error"] = json!("boom");
    assert_eq!(sandbox.hook(&failure), silent());
    failure["tool_use_id"] = json!("t3");
    failure["is_interrupt"] = json!(true);
    assert_eq!(sandbox.hook(&failure), silent());
    let tool = sandbox.tool(name);
    assert_eq!((&tool["outcomes"], &tool["failures"]), (&json!("SFI"), &json!(1)));
    assert_eq!((&tool["scope"], &tool["server"]), (&json!("global"), &json!("github")));
}

#[test]
fn each_client_finds_the_text_where_it_looks() {
    let sandbox = Sandbox::scanned();
    for (client, key) in [
        ("claude-code", None),
        ("codex", None),
        ("cursor", Some("additional_context")),
        ("copilot", Some("additionalContext")),
    ] {
        for at in 0..3 {
            let name = format!("/{client}");
            sandbox.ok(&["record", &name, "--failure", "--id", &format!("{at}")]);
        }
        let payload = json!({ "cwd": sandbox.project }).to_string();
        let run =
            sandbox.hook_with(&["--client", client, "--event", "SessionStart"], payload.as_bytes());
        let said: Value = serde_json::from_str(&run.out).unwrap();
        let inner = &said["hookSpecificOutput"]["additionalContext"];
        assert!(inner.as_str().unwrap().contains(client), "{said}");
        assert_eq!(keys(&said).len(), 1 + key.iter().count(), "{said}");
        if let Some(key) = key {
            assert_eq!(&said[key], inner);
        }
    }
}

#[test]
fn a_skill_is_credited_for_its_use() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.claude/skills/pdf/SKILL.md", "---\ndescription: PDFs\n---\n");
    sandbox.ok(&["scan"]);
    let mut skill = used("PostToolUse", "Skill", "k1");
    skill["tool_input"] = json!({ "skill": "pdf" });
    assert_eq!(sandbox.hook(&skill), silent());
    let uses = |name: &str| sandbox.tool(name)["uses"].clone();
    assert_eq!((uses("pdf"), uses("Skill")), (json!(1), json!(1)));
    skill["tool_input"] = json!({ "skill": "unheard-of" });
    skill["tool_use_id"] = json!("k2");
    sandbox.hook(&skill);
    assert_eq!(sandbox.run(&["tools", "show", "unheard-of"]).code, 3);
}

#[test]
fn other_events_are_passed_over_and_a_changed_configuration_is_read() {
    let sandbox = Sandbox::scanned();
    let before = sandbox.recorded();
    for event in ["PreCompact", "Stop", "SubagentStop", "Notification", "UserPromptSubmit", "Other"]
    {
        let payload = json!({ "session_id": "s", "hook_event_name": event, "prompt": "secret" });
        assert_eq!(sandbox.hook(&payload), silent(), "{event}");
    }
    assert_eq!(sandbox.recorded(), before);
    sandbox.claude(&["github", "linear"]);
    let changed = json!({ "session_id": "s", "hook_event_name": "ConfigChange" });
    assert_eq!(sandbox.hook(&changed), silent());
    assert_eq!(sandbox.status("mcp__linear__*"), "active");
}

#[test]
fn changes_are_told_once_per_session_and_again_to_one_that_lost_its_memory() {
    let sandbox = Sandbox::scanned();
    let here = sandbox.project.clone();
    sandbox.session_start(&here, "s1", "startup");
    assert_eq!(sandbox.session_start(&here, "s2", "startup"), None);
    sandbox.claude(&[]);
    let told = sandbox.session_start(&here, "s3", "startup").unwrap();
    assert!(told.contains("`mcp__github__*`"), "{told}");
    for source in ["compact", "resume"] {
        assert_eq!(sandbox.session_start(&here, "s3", source).as_ref(), Some(&told), "{source}");
    }
    assert_eq!(sandbox.session_start(&here, "s4", "startup"), None);
    // A known session scans too.
    sandbox.claude(&["github"]);
    // Bug W8: a context that was cleared never knew that it was gone.
    assert_eq!(sandbox.session_start(&here, "s4", "compact"), None);
    let back = sandbox.session_start(&here, "s4", "resume").unwrap();
    assert!(back.contains("`mcp__github__*`"), "{back}");
    assert_eq!(sandbox.session_start(&here, "s5", "clear"), None);
    sandbox.claude(&["github", "linear"]);
    let new = sandbox.session_start(&here, "s5", "compact").unwrap();
    assert!(new.ends_with("- New: `mcp__linear__*`"), "{new}");
}

/// Bug W7: an expired trap and an overdue plan are told at every start.
#[test]
fn w7_what_is_overdue_is_told_once_and_then_weekly_with_the_command_that_settles_it() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["work", "add", "trap", "Read-only", "--id", "t", "--expires", "2026-11-22"]);
    sandbox.ok(&["work", "add", "plan", "Ship it", "--id", "p"]);
    let start = |day: &str, source: &str| started(&sandbox, day, source);
    let late = "Overdue (settle: `staleness stale resolve ID --agent claude-code`; still valid: \
                `staleness work set ID --expires +30d --agent claude-code`): ";
    let expired = format!("{late}trap `t` (expired ");
    for (day, expected) in [
        ("2026-11-21", "Open: trap `t`"),
        ("2026-11-22", &expired),
        ("2026-11-23", ""),
        ("2026-11-28", ""),
        ("2026-11-30", &expired),
        ("2026-12-01", ""),
    ] {
        let told = start(day, "startup");
        assert!(told.contains(expected) && told.is_empty() == expected.is_empty(), "{day}: {told}");
    }
    let told = start("2026-12-02", "clear");
    assert!(told.contains(&expired), "a cleared context knows nothing of it: {told}");
    sandbox.ok(&["stale", "resolve", "t", "--now", "2026-12-02"]);
}

#[test]
fn a_context_that_was_cleared_or_compacted_hears_what_is_overdue_and_open_now() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["work", "add", "plan", "Ship it", "--id", "p"]);
    sandbox.ok(&["work", "set", "p", "--status", "in_progress"]);
    let start = |source: &str| started(&sandbox, "2026-12-01", source);
    let overdue = "- Overdue (a plan that is done: `staleness work set ID --status done --agent claude-code`; if it continues: `staleness work touch ID`; settle, which drops a plan: `staleness stale resolve ID --agent claude-code`): plan `p` (in progress";
    for source in ["startup", "compact", "clear"] {
        let told = start(source);
        assert!(told.contains(overdue) && !told.contains("- Open"), "{source}: {told}");
    }
    // It is not told as overdue again for a week, and still open.
    let told = start("resume");
    assert!(!told.contains("Overdue") && told.contains("- Open: plan `p`"), "{told}");
}

/// Starts a session at noon of a day, called after it, and returns what it is told.
fn started(sandbox: &Sandbox, day: &str, source: &str) -> String {
    let mut command = sandbox.command_of(Path::new(env!("CARGO_BIN_EXE_staleness")));
    command.args(["--now", &format!("{day}T12:00:00Z"), "hook"]);
    let start = json!({ "session_id": day, "hook_event_name": "SessionStart", "source": source });
    fed(command, start.to_string().as_bytes()).out
}

#[test]
fn what_nobody_read_is_told_again() {
    let sandbox = Sandbox::scanned();
    let here = sandbox.project.clone();
    sandbox.session_start(&here, "s1", "startup");
    sandbox.claude(&[]);
    let payload = json!({ "session_id": "s2", "cwd": here, "hook_event_name": "SessionStart",
        "source": "startup" });
    let mut command = sandbox.command();
    let hook = command.arg("hook").stdin(Stdio::piped()).stdout(unread());
    let mut child = hook.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert_eq!(Run::of(child.wait_with_output().unwrap()), silent());
    let told = sandbox.session_start(&here, "s3", "startup").unwrap();
    assert!(told.contains("`mcp__github__*`"), "{told}");
    assert_eq!(sandbox.session_start(&here, "s4", "startup"), None);
}

#[test]
fn a_hook_does_not_wait_for_a_client_to_close_the_pipe() {
    let sandbox = Sandbox::new();
    let payload = used("PostToolUse", "mcp__a__go", "u1").to_string();
    let mut command = sandbox.command();
    let hook = command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = hook.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(payload.as_bytes()).unwrap();
    // It ends while the pipe is open; else this waits for ever.
    assert!(child.wait().unwrap().success());
    drop(stdin);
    assert_eq!(sandbox.tool("mcp__a__go")["outcomes"], "S");
}

#[test]
fn five_hundred_removals_fit_into_the_budget() {
    let sandbox = Sandbox::new();
    let servers: Vec<String> = (0..500).map(|at| format!("server-with-a-long-name-{at}")).collect();
    sandbox.claude(&servers.iter().map(String::as_str).collect::<Vec<_>>());
    let here = sandbox.project.clone();
    let first = sandbox.session_start(&here, "s1", "startup");
    assert!(first.is_none_or(|text| text.chars().count() <= 1_500));
    sandbox.claude(&[]);
    let told = sandbox.session_start(&here, "s2", "startup").unwrap();
    assert!(told.chars().count() <= 1_500, "{}", told.chars().count());
    let first = "`mcp__server-with-a-long-name-0__*`";
    assert!(told.contains(first) && told.contains(" more"), "{told}");
    assert_eq!(sandbox.session_start(&here, "s3", "startup"), None);
    let after = sandbox.json(&["tools", "--status", "stale"]);
    assert_eq!(names(&after["tools"]).len(), 500);
}

#[test]
fn the_user_can_switch_the_telling_off() {
    let sandbox = Sandbox::scanned();
    let here = sandbox.project.clone();
    sandbox.session_start(&here, "s1", "startup");
    sandbox.write("home/.config/staleness/staleness.toml", "[hooks]\ntell = false\n");
    sandbox.claude(&[]);
    assert_eq!(sandbox.session_start(&here, "s2", "startup"), None);
    assert_eq!(sandbox.status("mcp__github__*"), "stale", "the scan is done all the same");
}

#[test]
fn a_payload_belongs_to_the_root_above_its_folder_unless_a_project_is_named() {
    let sandbox = Sandbox::scanned();
    let other = sandbox.second_project();
    let deep = other.join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    let mut use_there = used("PostToolUse", "mcp__own__use", "o1");
    use_there["cwd"] = json!(deep);
    sandbox.hook(&use_there);
    let there = ["--project", other.to_str().unwrap()];
    let tool = sandbox.json(&[&there[..], &["tools", "show", "mcp__own__use"]].concat());
    assert_eq!((&tool["scope"], &tool["uses"]), (&json!("project"), &json!(1)));
    assert_eq!(sandbox.run(&["tools", "show", "mcp__own__use"]).code, 3);

    // The folder may be gone by the time that the use is reported.
    std::fs::remove_dir_all(&deep).unwrap();
    use_there["tool_use_id"] = json!("o3");
    sandbox.hook(&use_there);
    let tool = sandbox.json(&[&there[..], &["tools", "show", "mcp__own__use"]].concat());
    assert_eq!(tool["uses"], 2);
    use_there["cwd"] = json!("/no/such/folder");
    use_there["tool_use_id"] = json!("o4");
    sandbox.hook(&use_there);
    assert_eq!(sandbox.json(&["project", "list"])["projects"].as_array().unwrap().len(), 2);
    use_there["cwd"] = json!(deep);

    use_there["tool_use_id"] = json!("o2");
    let mut command = sandbox.command();
    command.env("CLAUDE_PROJECT_DIR", &sandbox.project).arg("hook");
    assert_eq!(crate::common::fed(command, use_there.to_string().as_bytes()), silent());
    assert_eq!(sandbox.tool("mcp__own__use")["uses"], 1);
}

#[test]
fn explain_says_what_would_be_done_and_writes_nothing() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let before = sandbox.files();
    let here = json!(sandbox.project);
    let mut events = vec![used("PostToolUse", "mcp__github__search", "t1")];
    for event in ["SessionStart", "SessionEnd", "ConfigChange", "UserPromptSubmit", "Stop"] {
        events.push(json!({ "session_id": "s", "hook_event_name": event, "cwd": here }));
    }
    for payload in events {
        let run = sandbox.hook_with(&["--explain"], payload.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        for part in ["client   claude-code\n", "project  ", "session  `s", "would    "] {
            assert!(run.out.contains(part), "{part}: {}", run.out);
        }
    }
    let trouble = sandbox.hook_with(&["--explain"], b"{");
    assert_eq!((trouble.code, trouble.out.as_str()), (0, ""));
    assert_eq!(trouble.err.lines().count(), 1, "who asks is told: {trouble:?}");
    assert_eq!(sandbox.files(), before);
}

#[test]
fn explain_says_what_a_session_start_would_say_under_this_policy() {
    let sandbox = Sandbox::scanned();
    for id in ["1", "2", "3"] {
        sandbox.ok(&["record", "/flaky", "--failure", "--id", id]);
    }
    let start = json!({ "session_id": "s", "hook_event_name": "SessionStart" }).to_string();
    let said = |options: &[&str]| sandbox.hook_with(options, start.as_bytes()).out;
    let told = said(&["--explain"]);
    assert!(told.contains("say      - Failing, avoid: `/flaky`"), "{told}");
    let silent = said(&["--explain", "--set", "hooks.tell=false"]);
    assert!(silent.ends_with("say      nothing\n"), "{silent}");
}

#[test]
fn odd_names_are_kept_apart_and_shown_escaped() {
    let sandbox = Sandbox::scanned();
    let mut odd = line("a_b a%b a*b a\"b axb x\u{202e}y _ % * mcp__a__b__c mcp__a_b__c");
    odd.extend(["a'b", "tool \u{1f680}"]);
    for (at, name) in odd.iter().enumerate() {
        sandbox.hook(&used("PostToolUseFailure", name, &format!("o{at}")));
    }
    for name in odd {
        assert_eq!(sandbox.tool(name)["uses"], 1, "{name}");
        let shown = sandbox.ok(&["tools", "show", name]);
        assert!(!shown.contains('\u{202e}'));
    }
    for name in ["_", "%", "*", "a_b"] {
        sandbox.ok(&["tools", "forget", name, "--yes"]);
    }
    assert_eq!(sandbox.tool("axb")["uses"], 1);
    let listed = sandbox.ok(&["tools"]);
    assert!(listed.contains("x\\u{202e}y") && listed.contains('\u{1f680}'), "{listed}");
    assert!(!listed.contains('\u{202e}'));
    let told = sandbox.ok(&["record", "x\u{202e}y", "--success"]);
    assert!(told.contains("x\\u{202e}y"), "{told}");
}
