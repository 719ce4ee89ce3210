use std::path::PathBuf;

use staleness_core::outcome::OutcomeKind;
use staleness_core::time::Timestamp;
use staleness_sources::hook::{
    Event, Evidence, HookClient, HookError, HookInput, MAX_PAYLOAD_BYTES, Prompt, ToolEvent, parse,
};

fn read(text: &str) -> HookInput {
    parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn tool(input: HookInput) -> ToolEvent {
    match input.event {
        Event::ToolOutcome(event) => event,
        other => panic!("{other:?}"),
    }
}

fn mentions(event: &ToolEvent) -> Vec<&str> {
    event.mentions.iter().map(|name| name.as_str()).collect()
}

#[test]
fn claude_code_reports_a_use() {
    let input = read(
        r#"{"session_id": "s1", "transcript_path": "/t", "cwd": "/p", "permission_mode": "default",
            "hook_event_name": "PostToolUse", "tool_name": "mcp__github__search", "prompt_id": 5,
            "tool_input": {"query": "SECRET"}, "tool_response": [{"text": "SECRET"}],
            "tool_use_id": "toolu_1", "duration_ms": 12, "mcp_server": "github", "agent_type": "Explore"}"#,
    );
    assert_eq!(input.client, HookClient::ClaudeCode);
    assert_eq!(input.client_id().as_str(), "claude-code");
    assert_eq!(input.event_name, "PostToolUse");
    assert_eq!(input.session.as_ref().unwrap().as_str(), "s1");
    assert_eq!(input.cwd, Some(PathBuf::from("/p")));
    assert_eq!(input.agent.as_ref().unwrap().as_str(), "Explore");
    assert!(!format!("{input:?}").contains("SECRET"));
    let event = tool(input);
    assert_eq!(event.tool.as_str(), "mcp__github__search");
    assert_eq!(event.kind, OutcomeKind::Success);
    assert_eq!(event.op.unwrap().as_str(), "toolu_1");
    assert_eq!(event.duration_ms, Some(12));
    assert_eq!(event.server.as_deref(), Some("github"));
    assert!(!event.builtin);
    assert!(event.mentions.is_empty());
}

#[test]
fn a_result_that_reports_an_error_is_a_failure() {
    for (response, kind) in [
        (r#"{"isError": true}"#, OutcomeKind::Failure),
        (r#"{"content": [{"isError": false}], "is_error": true}"#, OutcomeKind::Failure),
        (r#"{"isError": false}"#, OutcomeKind::Success),
        (r#"{"isError": "true"}"#, OutcomeKind::Success),
        (r#"{"content": {"isError": true}}"#, OutcomeKind::Success),
        (r#""isError: true""#, OutcomeKind::Success),
        ("null", OutcomeKind::Success),
        ("[true]", OutcomeKind::Success),
    ] {
        let text = format!(
            r#"{{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_response": {response}}}"#
        );
        assert_eq!(tool(read(&text)).kind, kind, "{response}");
    }
}

#[test]
fn what_a_person_stopped_is_interrupted() {
    for (client, fields, kind) in [
        ("claude-code", r#""error": "SECRET""#, OutcomeKind::Failure),
        ("claude-code", r#""is_interrupt": true"#, OutcomeKind::Interrupted),
        ("claude-code", r#""is_interrupt": false"#, OutcomeKind::Failure),
        ("cursor", r#""failure_type": "error""#, OutcomeKind::Failure),
        ("cursor", r#""failure_type": "timeout""#, OutcomeKind::Failure),
        ("cursor", r#""failure_type": "abort""#, OutcomeKind::Interrupted),
        ("cursor", r#""failure_type": "permission_denied""#, OutcomeKind::Interrupted),
    ] {
        let text = format!(
            r#"{{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", {fields}}}"#
        );
        let input = parse(text.as_bytes(), Some(client), None).unwrap();
        assert!(!format!("{input:?}").contains("SECRET"));
        let event = tool(input);
        assert_eq!(event.kind, kind, "{fields}");
        assert!(event.builtin);
        assert_eq!(event.op, None);
    }
}

#[test]
fn the_names_in_a_tools_input_are_mentions() {
    for (name, input, expected) in [
        ("Skill", r#"{"skill": "pdf", "args": "SECRET"}"#, vec!["pdf", "/pdf"]),
        ("Skill", r#"{"command": "kit:pdf"}"#, vec!["kit:pdf", "/kit:pdf"]),
        ("SlashCommand", r#"{"command": "/review SECRET"}"#, vec!["/review"]),
        ("SlashCommand", r#"{"command": "review"}"#, vec!["/review"]),
        ("Task", r#"{"subagent_type": "Explore", "prompt": "SECRET"}"#, vec!["agent:Explore"]),
        ("Agent", r#"{"subagent_type": "kit:tester"}"#, vec!["agent:kit:tester"]),
        ("Task", r#"{"subagent_type": 5}"#, vec![]),
        ("Skill", r#"{"skill": "a\u0007"}"#, vec![]),
        ("Skill", "[1]", vec![]),
        ("Skill", "\"pdf\"", vec![]),
        ("Bash", r#"{"command": "SECRET"}"#, vec![]),
    ] {
        let text = format!(
            r#"{{"hook_event_name": "PostToolUse", "tool_name": "{name}", "tool_input": {input}}}"#
        );
        let input = read(&text);
        assert!(!format!("{input:?}").contains("SECRET"));
        assert_eq!(mentions(&tool(input)), expected, "{text}");
    }
}

#[test]
fn the_path_that_a_reader_was_given_is_kept_and_no_other() {
    let long = "x".repeat(5_000);
    for (name, input, expected) in [
        ("Read", r#"{"file_path": "/p/A.md", "offset": 3}"#, vec!["/p/A.md"]),
        ("read_file", r#"{"absolute_path": "/p/A.md"}"#, vec!["/p/A.md"]),
        ("read_file", r#"{"filePath": "A.md"}"#, vec!["A.md"]),
        ("Skill", r#"{"skill": "pdf"}"#, vec![".claude/skills/pdf/SKILL.md"]),
        ("Skill", r#"{"skill": "kit:pdf"}"#, vec![]),
        ("Skill", r#"{"skill": "../SECRET"}"#, vec![]),
        ("Read", r#"{"file_path": 5}"#, vec![]),
        ("Read", r#"{"file_path": "a\u0000b"}"#, vec![]),
        ("Read", &format!(r#"{{"file_path": "{long}"}}"#), vec![]),
        ("Write", r#"{"file_path": "/p/SECRET.md"}"#, vec![]),
    ] {
        let text = format!(
            r#"{{"hook_event_name": "PostToolUse", "tool_name": "{name}", "tool_input": {input}}}"#
        );
        assert_eq!(tool(read(&text)).reads, expected, "{text}");
    }
}

#[test]
fn copilot_names_its_event_on_the_command_line() {
    let text = r#"{"sessionId": "s", "timestamp": 1704614600000, "cwd": "/p", "toolName": "skill",
        "toolArgs": "{\"skill\": \"pdf\"}", "toolResult": {"resultType": "failure", "textResultForLlm": "SECRET"}}"#;
    let input = parse(text.as_bytes(), None, Some("postToolUse")).unwrap();
    assert_eq!(input.client, HookClient::Copilot);
    assert_eq!(input.event_name, "postToolUse");
    assert_eq!(input.at, Some(Timestamp::from_millis(1_704_614_600_000)));
    assert_eq!(input.session.as_ref().unwrap().as_str(), "s");
    let event = tool(input);
    assert_eq!(event.kind, OutcomeKind::Failure);
    assert_eq!(mentions(&event), ["pdf", "/pdf"]);
    assert!(event.builtin);
    assert_eq!(parse(text.as_bytes(), Some("copilot"), None), Err(HookError::NoEvent));

    let iso = br#"{"toolName": "x", "timestamp": "2026-01-02T03:04:05Z"}"#;
    let input = parse(iso, Some("copilot"), Some("postToolUse")).unwrap();
    assert_eq!(input.at.unwrap().to_string(), "2026-01-02T03:04:05Z");
    let input = parse(iso, Some("claude-code"), Some("PostToolUse")).unwrap();
    assert_eq!((input.client, input.evidence), (HookClient::Copilot, Evidence::Payload));
    let other = br#"{"tool_name": "x", "timestamp": "2026-01-02T03:04:05Z"}"#;
    let input = parse(other, Some("claude-code"), Some("PostToolUse")).unwrap();
    assert_eq!((input.client, input.evidence), (HookClient::ClaudeCode, Evidence::Argument));
    assert_eq!(input.at, None);

    let text = r#"{"toolName": "github-search", "error": {"message": "SECRET"}}"#;
    let event = tool(parse(text.as_bytes(), Some("copilot"), Some("postToolUseFailure")).unwrap());
    assert_eq!(event.kind, OutcomeKind::Failure);
    assert!(!event.builtin);
}

#[test]
fn cursor_spells_its_events_in_camel_case() {
    let text = r#"{"conversation_id": "c", "hook_event_name": "postToolUseFailure", "tool_name": "Shell",
        "error_message": "SECRET", "failure_type": "error", "duration": 5.9, "workspace_roots": ["/p", "/q"]}"#;
    let input = read(text);
    assert_eq!(input.client, HookClient::Cursor);
    assert_eq!(input.event_name, "postToolUseFailure");
    assert_eq!(input.session.as_ref().unwrap().as_str(), "c");
    assert_eq!(input.cwd, Some(PathBuf::from("/p")));
    let event = tool(input);
    assert_eq!(event.duration_ms, Some(5));
    assert!(event.builtin);
    let input =
        read(r#"{"hook_event_name": "afterMCPExecution", "tool_name": 5, "result_json": "x"}"#);
    assert_eq!(input.event, Event::Ignored("afterMCPExecution".into()));
    let input = read(r#"{"hook_event_name": "sessionEnd"}"#);
    assert_eq!(
        (input.client, input.event),
        (HookClient::Cursor, Event::SessionEnd { cleared: false })
    );
}

#[test]
fn codex_is_told_apart_from_claude_code() {
    let input = read(r#"{"hook_event_name": "Stop", "turn_id": "t"}"#);
    assert_eq!(input.client, HookClient::Codex);
    let input = read(r#"{"hook_event_name": "SessionStart", "transcript_path": "/h/.codex/x"}"#);
    assert_eq!(input.client, HookClient::Codex);
    let input = parse(br#"{"hook_event_name": "SessionStart"}"#, Some("codex"), None).unwrap();
    assert_eq!(input.client, HookClient::Codex);
}

#[test]
fn events_are_known_by_name() {
    for (name, event) in [
        ("SessionStart", Event::SessionStart { source: Some("resume".into()) }),
        ("SessionEnd", Event::SessionEnd { cleared: false }),
        ("UserPromptSubmit", Event::UserPrompt(Prompt("SECRET".into()))),
        ("userPromptSubmitted", Event::UserPrompt(Prompt("SECRET".into()))),
        ("beforeSubmitPrompt", Event::UserPrompt(Prompt("SECRET".into()))),
        ("ConfigChange", Event::ConfigChanged),
        ("FileChanged", Event::ConfigChanged),
        ("InstructionsLoaded", Event::ConfigChanged),
        ("Stop", Event::Ignored("Stop".into())),
        ("PreToolUse", Event::Ignored("PreToolUse".into())),
        ("some SECRET\\n", Event::Ignored(String::new())),
    ] {
        let source = if name == "SessionStart" { "resume" } else { "user" };
        let text = format!(
            r#"{{"hook_event_name": "{name}", "source": "{source}", "prompt": "SECRET", "reason": 1}}"#
        );
        assert_eq!(read(&text).event, event);
    }
    let input = parse(br#"{"source": {"a": 1}}"#, None, Some("SessionStart")).unwrap();
    assert_eq!(input.event, Event::SessionStart { source: None });
}

#[test]
fn ids_that_cannot_be_stored_are_hashed() {
    let long = "x".repeat(600);
    let text = |id: &str| {
        format!(
            r#"{{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_use_id": "{id}", "session_id": "{id}"}}"#
        )
    };
    let first = read(&text(&long));
    let again = read(&text(&long));
    assert_eq!(first, again);
    assert!(first.session.as_ref().unwrap().as_str().len() < 64);
    let other = read(&text(&"y".repeat(600)));
    assert_ne!(first.session, other.session);
    assert_ne!(tool(first).op, tool(other).op);
    assert!(tool(read(&text("a\\u0000b"))).op.is_some());
    let none = read(&text(""));
    assert_eq!(none.session, None);
    assert_eq!(tool(none).op, None);
}

/// Clients also count their ids.
#[test]
fn an_id_may_be_a_number() {
    let id = |value: &str| {
        let text = format!(
            r#"{{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_use_id": {value}, "session_id": {value}}}"#
        );
        let input = read(&text);
        let op = tool(input.clone()).op.unwrap().to_string();
        assert_eq!(input.session.unwrap().as_str(), op);
        op
    };
    let ids = ["7", "-7", "1.5", "9007199254740993", "18446744073709551615"];
    assert_eq!(ids.map(id), ids);
    let none = r#"{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_use_id": true, "session_id": true}"#;
    let none = read(none);
    assert_eq!(
        (&none.session, tool(none.clone()).op),
        (&None, None),
        "of two uses none is the other"
    );
}

#[test]
fn bad_payloads_are_refused_without_a_word_of_them() {
    let huge = vec![b' '; MAX_PAYLOAD_BYTES + 1];
    for (bytes, expected) in [
        (&b""[..], HookError::Empty),
        (b" \n", HookError::Empty),
        (&huge, HookError::TooLarge(MAX_PAYLOAD_BYTES + 1)),
        (b"\xff", HookError::NotUtf8),
        (b"SECRET", HookError::NotJson { line: 1, column: 1 }),
        (b"{}", HookError::NoEvent),
        (b"{\"hook_event_name\": 5}", HookError::Unusable("hook_event_name")),
        (b"{\"hook_event_name\": \"PostToolUse\"}", HookError::Missing("tool_name")),
        (
            b"{\"hook_event_name\": \"PostToolUse\", \"tool_name\": 5}",
            HookError::Unusable("tool_name"),
        ),
        (
            b"{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"SECRET\\u0007\"}",
            HookError::Unusable("tool_name"),
        ),
        (
            b"{\"hook_event_name\": \"Stop\", \"session_id\": [\"SECRET\"]}",
            HookError::Unusable("session_id"),
        ),
        (b"{\"hook_event_name\": \"Stop\", \"cwd\": {\"SECRET\": 1}}", HookError::Unusable("cwd")),
    ] {
        let error = parse(bytes, None, None).unwrap_err();
        assert_eq!(error, expected);
        assert!(!error.to_string().contains("SECRET"));
    }
    for text in ["[\"SECRET\"]", "5", "null", "{", "{\"SECRET\": SECRET}", "{} {}", "\"SECRET"] {
        let error = parse(text.as_bytes(), None, None).unwrap_err();
        assert!(matches!(error, HookError::NotJson { .. }), "{text}: {error:?}");
        assert!(!error.to_string().contains("SECRET"));
    }
    let unknown = parse(b"{}", Some("vim"), None).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "unknown client; use one of: claude-code, codex, copilot, cursor, gemini, vscode"
    );
}

#[test]
fn odd_payloads_are_read() {
    // Duplicates, a byte-order mark, wrong types in fields that nobody needs.
    let input = read(
        "\u{feff}{\"hook_event_name\": \"Stop\", \"hook_event_name\": \"PostToolUse\", \"tool_name\": \"a\",
          \"tool_name\": \"b\", \"duration_ms\": -5, \"mcp_server\": 7, \"agent_type\": [], \"timestamp\": {},
          \"is_interrupt\": \"yes\", \"tool_use_id\": null, \"session_id\": null, \"source\": 1e999}"
            .replace("1e999", "1")
            .as_str(),
    );
    let event = tool(input);
    assert_eq!(event.tool.as_str(), "b");
    assert_eq!(event.duration_ms, None);
    assert_eq!(event.server, None);
}

#[test]
fn unknown_keys_change_nothing() {
    let text = |more: &str| {
        format!(
            r#"{{{more}"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "mcp__a__b", "tool_use_id": "t",
              "tool_input": {{{more}"x": 1}}, "tool_response": {{{more}"isError": true}}, "cwd": "/p"}}"#
        )
    };
    let more =
        r#""a_new_key": {"tool_name": "other", "nested": [{"session_id": 1}]}, "effort": null, "#;
    assert_eq!(read(&text(more)), read(&text("")));
}

#[test]
fn the_start_of_a_call_is_read_for_codex_alone() {
    let odd =
        r#"{"hook_event_name": "PreToolUse", "turn_id": "t", "tool_use_id": "u", "tool_name": 7}"#;
    assert!(parse(odd.as_bytes(), Some("codex"), None).is_err());
    let of_claude = parse(odd.as_bytes(), Some("claude-code"), None).unwrap();
    assert_eq!(of_claude.event, Event::Ignored("PreToolUse".into()));
}

#[test]
fn a_depth_bomb_does_no_harm() {
    let deep = "[".repeat(1_000_000);
    assert!(parse(deep.as_bytes(), None, None).is_err());
    for field in ["tool_response", "tool_input", "tool_name", "x", "workspace_roots", "mcp_server"]
    {
        let text = format!("{{\"hook_event_name\": \"PostToolUse\", \"{field}\": {deep}");
        assert!(parse(text.as_bytes(), None, None).is_err());
    }
}

#[test]
fn a_large_response_is_read_through() {
    let text = format!(
        r#"{{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_response": {{"text": "{}", "isError": true}}}}"#,
        "é\\n".repeat(1_500_000)
    );
    assert_eq!(tool(read(&text)).kind, OutcomeKind::Failure);
}

/// Bug: a prompt that a client had cut within a character was no JSON.
#[test]
fn half_a_character_hides_no_prompt() {
    let input = read(
        r#"{"hook_event_name": "UserPromptSubmit", "prompt": "cut \ud83d", "session_id": "s1"}"#,
    );
    assert_eq!(input.event, Event::UserPrompt(Prompt("cut \u{fffd}".into())));
}
