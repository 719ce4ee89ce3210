//! Contexts that go on, that were cleared, and what each of them knows.

use serde_json::json;

use crate::common::{Sandbox, line};

/// A session of Claude Code starts, at an hour of the day; the output of its hook.
fn start(sandbox: &Sandbox, hour: u8, id: &str, source: &str) -> String {
    event(sandbox, &format!("2026-11-20T{hour:02}:00:00"), id, ("SessionStart", source))
}

/// Something happens in a session of Claude Code; the output of its hook.
fn event(sandbox: &Sandbox, time: &str, id: &str, (name, source): (&str, &str)) -> String {
    let payload = json!({ "session_id": id, "cwd": sandbox.project, "hook_event_name": name,
                          "source": source, "reason": source, "tool_name": "Bash" });
    let now = format!("{time}Z");
    let run = sandbox.hook_with(&["--now", &now], payload.to_string().as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    run.out
}

/// Bug: `/clear`, which begins a session under a new id, abandoned what the agent was working on.
#[test]
fn a_cleared_context_goes_on_with_the_claims_of_the_last_one() {
    let sandbox = Sandbox::new();
    let run = |text: &str| sandbox.run(&line(text));
    for (session, id) in [("s1", "p"), ("s2", "q")] {
        start(&sandbox, 12, session, "startup");
        run(&format!("work add plan Ship --id {id} --now 2026-11-20T12:00:00Z"));
        let claim = format!("work claim {id} --agent claude-code --session {session}");
        assert_eq!(run(&format!("{claim} --now 2026-11-20T12:00:00Z")).code, 0);
    }
    event(&sandbox, "2026-11-20T12:20:00", "s1", ("SessionEnd", "clear"));
    let told = event(&sandbox, "2026-11-20T12:20:05", "s3", ("SessionStart", "clear"));
    for part in [
        "- Claimed by you: plan `p` until 2026-11-20T12:50:05Z",
        "- Claimed by another session of yours (",
    ] {
        assert!(told.contains(part) && !told.contains("Abandoned"), "{part}: {told}");
    }
    event(&sandbox, "2026-11-20T12:40:00", "s3", ("PostToolUse", ""));
    let taken = run("work claim p --agent codex --session c --now 2026-11-20T13:00:00Z");
    assert!(taken.code == 3 && taken.err.contains("is claimed by"), "{taken:?}");
    // Bug: one that was there before took the work of another that had just ended.
    event(&sandbox, "2026-11-20T13:00:10", "s2", ("SessionEnd", "clear"));
    event(&sandbox, "2026-11-20T13:00:15", "s3", ("SessionStart", "clear"));
    let held = sandbox.json(&line("work show q --now 2026-11-20T13:00:20Z"));
    assert_eq!(held["claim"]["session"], "s2", "{held}");
    // One that ended long before does not go on.
    event(&sandbox, "2026-11-20T13:01:00", "s3", ("SessionEnd", "clear"));
    let told = event(&sandbox, "2026-11-20T13:03:00", "s4", ("SessionStart", "clear"));
    assert!(told.contains("- Abandoned (take it over"), "{told}");
    // Bug: that another window had taken it over before was not told.
    for id in ["s5", "s6"] {
        start(&sandbox, 14, id, "startup");
    }
    let claim = |more: &str| run(&format!("work claim p --agent claude-code {more}"));
    assert_eq!(claim("--session s5 --now 2026-11-20T14:00:00Z").code, 0);
    assert_eq!(claim("--now 2026-11-20T15:00:00Z").code, 0);
    event(&sandbox, "2026-11-20T15:00:10", "s5", ("SessionEnd", "clear"));
    event(&sandbox, "2026-11-20T15:00:15", "s7", ("SessionStart", "clear"));
    let told = event(&sandbox, "2026-11-20T15:01:00", "s7", ("PostToolUse", ""));
    assert!(told.contains("plan `p`"), "{told}");
}

/// Bug: of two sessions that ended together, only the claims of the last one went on.
#[test]
fn each_of_two_contexts_that_are_cleared_together_goes_on() {
    let sandbox = Sandbox::new();
    for (session, id) in [("s1", "p"), ("s2", "q"), ("s3", "")] {
        start(&sandbox, 12, session, "startup");
        if !id.is_empty() {
            sandbox.ok(&line(&format!("work add plan Ship --id {id}")));
            let claim = format!("work claim {id} --agent claude-code --session {session}");
            sandbox.ok(&line(&format!("{claim} --now 2026-11-20T12:00:00Z")));
        }
    }
    for (at, session) in ["s1", "s2", "s3"].into_iter().enumerate() {
        event(&sandbox, &format!("2026-11-20T12:20:0{at}"), session, ("SessionEnd", "clear"));
    }
    for (at, session) in ["s4", "s5"].into_iter().enumerate() {
        let told =
            event(&sandbox, &format!("2026-11-20T12:20:1{at}"), session, ("SessionStart", "clear"));
        assert!(told.contains("- Claimed by you: plan `"), "{session}: {told}");
    }
    let told = event(&sandbox, "2026-11-20T12:20:13", "s6", ("SessionStart", "clear"));
    assert!(!told.contains("Claimed by you") && !told.contains("Abandoned"), "{told}");
}

/// Bug: a cleared context took over the work of another window, which was closed.
#[test]
fn a_cleared_context_takes_over_nothing_of_a_closed_one() {
    let sandbox = Sandbox::new();
    for session in ["a", "b"] {
        start(&sandbox, 12, session, "startup");
    }
    sandbox.ok(&line("work add plan Ship --id p"));
    let claim = "work claim p --agent claude-code --session a --now 2026-11-20T12:00:00Z";
    sandbox.ok(&line(claim));
    event(&sandbox, "2026-11-20T12:20:00", "a", ("SessionEnd", "prompt_input_exit"));
    event(&sandbox, "2026-11-20T12:20:30", "b", ("SessionEnd", "clear"));
    let told = event(&sandbox, "2026-11-20T12:20:31", "b2", ("SessionStart", "clear"));
    assert!(told.contains("- Abandoned (take it over") && !told.contains("by you"), "{told}");
}

/// A resumed context knows what it was told, so it hears that this holds no longer, whoever else heard it meanwhile.
#[test]
fn a_resumed_session_is_told_that_something_came_back() {
    let sandbox = Sandbox::scanned();
    let plan = |to: &str| sandbox.ok(&line(&format!("work set p --status {to}")));
    sandbox.ok(&line("work add plan Ship --id p"));
    start(&sandbox, 1, "s0", "startup");
    sandbox.claude(&[]);
    plan("in_progress");
    let told = start(&sandbox, 2, "s1", "startup");
    assert!(told.contains("do not call: `mcp__github__*`") && told.contains("→"), "{told}");
    sandbox.claude(&["github"]);
    plan("todo");
    let back = |told: &str| {
        assert!(told.contains("Available again: `mcp__github__*`"), "{told}");
        assert!(told.contains("plan `p` (in progress → todo)"), "{told}");
    };
    back(&start(&sandbox, 3, "s2", "startup"));
    back(&start(&sandbox, 4, "s1", "resume"));
    // From then on it knows, as does the one that lost its context.
    for source in ["resume", "compact"] {
        assert_eq!(start(&sandbox, 5, "s1", source), "", "{source}");
    }
}

/// A cleared context, which Claude Code begins under a new id, hears what waits for anyone, as a compacted one does.
#[test]
fn a_cleared_context_hears_what_waits_for_anyone() {
    let sandbox = Sandbox::scanned();
    start(&sandbox, 1, "s0", "startup");
    for (id, from) in [("open", "codex"), ("own", "claude-code")] {
        let add = format!("work add handoff Review --id {id} --from {from} --agent {from}");
        sandbox.ok(&line(&add));
    }
    let waits = "For whoever takes it: handoff `open` from `codex` (take it: ";
    for (hour, id, source, is_told) in [
        (2, "s1", "startup", true),
        (3, "s2", "startup", false),
        (4, "s3", "clear", true),
        (5, "s2", "compact", true),
    ] {
        let told = start(&sandbox, hour, id, source);
        assert_eq!(told.matches(waits).count(), usize::from(is_told), "{source}: {told}");
        assert!(!told.contains("it: handoff `own`"), "{told}");
    }
    sandbox.ok(&line("work set open --status accepted --agent codex"));
    assert!(!start(&sandbox, 6, "s4", "clear").contains("For whoever"), "it was taken");
}

/// Bug: a first session that was resumed is told that what has expired is open.
#[test]
fn what_has_expired_is_told_as_overdue_alone() {
    let sandbox = Sandbox::scanned();
    let add = "work add trap Read-only --id t --expires 2026-11-20T02:30:00Z";
    sandbox.ok(&line(&format!("{add} --now 2026-11-20T00:30:00Z")));
    for (hour, expected) in [(1, "- Open: trap `t` (active)"), (3, "): trap `t` (expired"), (4, "")]
    {
        let told = start(&sandbox, hour, "s1", if hour == 1 { "startup" } else { "resume" });
        assert!(
            told.contains(expected) && told.is_empty() == expected.is_empty(),
            "{hour}: {told}"
        );
    }
}

/// Bug: a resumed context did not hear for a week what another one was told meanwhile.
#[test]
fn a_resumed_session_is_told_what_became_overdue_though_another_one_was() {
    let sandbox = Sandbox::scanned();
    let add = "work add trap Read-only --id t --expires 2026-11-20T02:30:00Z";
    sandbox.ok(&line(&format!("{add} --now 2026-11-20T00:30:00Z")));
    start(&sandbox, 1, "s0", "startup");
    assert!(start(&sandbox, 2, "s1", "startup").contains("In force: trap `t`"));
    for (hour, id, source, is_told) in [
        (3, "s2", "startup", true),
        (4, "s1", "resume", true),
        (5, "s1", "resume", false),
        (6, "s2", "resume", false),
        // Bug: two that resumed by turns heard it each time.
        (7, "s1", "resume", false),
        (8, "s2", "resume", false),
    ] {
        let told = start(&sandbox, hour, id, source);
        assert_eq!(told.contains("): trap `t` (expired"), is_told, "{hour}: {told}");
    }
    // Bug: one that was left for a day did not hear what another was told meanwhile.
    let add = "work add trap Frozen --id f --expires 2026-11-22T02:00:00Z";
    sandbox.ok(&line(&format!("{add} --now 2026-11-20T08:00:00Z")));
    for (day, id, is_told) in [(21, "s1", false), (22, "s2", true), (23, "s1", true)] {
        let resumes = ("SessionStart", "resume");
        let told = event(&sandbox, &format!("2026-11-{day}T09:00:00"), id, resumes);
        assert_eq!(told.contains("): trap `f` (expired"), is_told, "{day}: {told}");
    }
}

/// Bug: what became due was told to no window, once another had asked without its session.
#[test]
fn a_report_without_a_session_takes_nothing_due_from_one() {
    let sandbox = Sandbox::scanned();
    let add = "work add trap Read-only --id t --expires 2026-11-20T02:30:00Z";
    sandbox.ok(&line(&format!("{add} --now 2026-11-20T00:30:00Z")));
    start(&sandbox, 1, "s1", "startup");
    let told = sandbox.ok(&line("resume --agent claude-code --now 2026-11-20T03:00:00Z"));
    assert!(told.contains("expired"), "{told}");
    for (hour, is_told) in [(4, true), (5, false)] {
        let told = start(&sandbox, hour, "s1", "resume");
        assert_eq!(told.contains("): trap `t` (expired"), is_told, "{hour}: {told}");
    }
}

/// An agent known from a session is also known when another agent starts for the first time.
#[test]
fn a_first_session_without_news_hears_nothing_of_what_two_others_hand_over() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&line("session start --agent reviewer --id r"));
    sandbox.ok(&line("work add handoff Review --id h --from codex --to reviewer --agent codex"));
    for client in ["claude-code", "gemini"] {
        assert_eq!(sandbox.start_of(client, client), "");
    }
}

/// Handoffs between two others push nothing out of a digest, and are not counted in it.
#[test]
fn what_others_hand_to_each_other_takes_no_room_from_what_is_mine() {
    let sandbox = Sandbox::new();
    let add = |hour: u8, id: &str, more: &str| {
        sandbox.ok(&line(&format!("--now 2026-11-19T{hour:02}:00:00Z work add {id} {more}")));
    };
    add(1, "handoff Mine --id mine", "--from claude-code --to gemini --agent claude-code");
    (0..12).for_each(|at| add(2, &format!("decision D --id d{at}"), "--agent codex"));
    (0..4).for_each(|at| add(3, &format!("handoff T --id t{at}"), "--from codex --to gemini"));
    let delta = sandbox.json(&line("resume --agent claude-code --peek"));
    let items = delta["items"].as_array().unwrap();
    assert_eq!((&items[0]["id"], items.len(), &delta["more"]), (&json!("mine"), 12, &json!(1)));
}

/// An agent that was told of a handoff hears once that it is no longer for it.
#[test]
fn who_was_told_of_a_handoff_hears_once_that_another_took_it() {
    let sandbox = Sandbox::scanned();
    sandbox.codex(&[]);
    start(&sandbox, 1, "s0", "startup");
    let handed = |to: &str| format!("work add handoff Review --id {to} --from codex --agent codex");
    sandbox.ok(&line(&handed("anyones")));
    sandbox.ok(&line(&format!("{} --to claude", handed("mine"))));
    sandbox.run(&line(&format!("{} --to reviewer", handed("strangers"))));
    sandbox.ok(&line(&format!("{} --to gemini", handed("theirs"))));
    let told = start(&sandbox, 2, "s1", "startup");
    assert!(["anyones", "mine", "strangers"].iter().all(|id| told.contains(id)), "{told}");
    assert!(!told.contains("theirs"), "{told}");
    sandbox.ok(&line("--now 2026-11-20T03:00:00Z session start --agent reviewer --id r"));
    for (id, to, by) in [
        ("anyones", "gemini", "gemini"),
        ("mine", "gemini", "codex"),
        ("strangers", "reviewer", "reviewer"),
    ] {
        sandbox.ok(&line(&format!("work set {id} --status accepted --to {to} --agent {by}")));
    }
    sandbox.ok(&line("work set theirs --status accepted --agent gemini"));
    let told = start(&sandbox, 4, "s2", "startup");
    for taken in [
        "`anyones` (open → accepted) for `gemini`",
        "`mine` (open → accepted, by `codex`) for `gemini`",
        "`strangers` (open → accepted) for `reviewer`",
    ] {
        assert!(told.contains(taken), "{taken}: {told}");
    }
    assert!(!told.contains("theirs"), "{told}");
    assert_eq!(start(&sandbox, 5, "s3", "startup"), "", "once");
}

/// Bug: what the first session of a client was told depended on which client came before.
#[test]
fn the_first_session_of_a_client_is_told_the_same_whoever_came_before() {
    for order in [["claude-code", "codex"], ["codex", "claude-code"]] {
        let sandbox = Sandbox::with_servers(&["github", "linear"]);
        sandbox.codex(&["github", "docs"]);
        sandbox.ok(&["scan"]);
        sandbox.claude(&["github", "added"]);
        sandbox.codex(&["github"]);
        for outcome in ["success", "failure", "failure", "failure"] {
            sandbox.ok(&line(&format!("record mcp__github__list --{outcome}")));
        }
        for client in order {
            // It knows of no earlier state, so only what fails is said.
            let told = sandbox.start_of(client, &format!("{client}-1"));
            let fails = "- Failing, avoid: `mcp__github__list` (3 of the last 4 uses failed)";
            let whole = format!("\"Tool status from `staleness`:\\n{fails}\"");
            assert!(told.contains(&whole), "{client}: {told}");
        }
        sandbox.claude(&["github"]);
        for (session, is_news) in [("2", true), ("3", false)] {
            for client in order {
                let told = sandbox.start_of(client, &format!("{client}-{session}"));
                let gone = "- Gone since the last session; do not call: `mcp__added__*`";
                let is_told = is_news && client == "claude-code";
                assert_eq!(
                    (told.contains(gone), told.contains("added")),
                    (is_told, is_told),
                    "{told}"
                );
            }
        }
    }
}

/// Bug: a name of Cursor without a server was in `list_stale` and told at no start, though its servers may have it.
#[test]
fn a_failing_name_without_a_server_is_told_at_a_start_too() {
    let sandbox = Sandbox::new();
    let servers = json!({ "mcpServers": { "one": { "command": "x" }, "two": { "command": "x" } } });
    sandbox.write("home/.cursor/mcp.json", servers.to_string());
    sandbox.start_of("cursor", "c1");
    for _ in 0..3 {
        sandbox.ok(&line("record MCP:serch --failure --agent cursor"));
    }
    let told = sandbox.start_of("cursor", "c2");
    assert!(told.contains("`MCP:serch` (3 of the last 3 uses failed)"), "{told}");
}
