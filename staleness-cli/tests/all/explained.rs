//! `hook --explain` shows the text that the hook gives to the agent.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Sandbox, line, told};

/// A client, the names of its events for a start, a prompt and the end of a call, and its tool that reads.
const CLIENTS: [[&str; 5]; 6] = [
    ["claude-code", "SessionStart", "UserPromptSubmit", "PostToolUse", "Read"],
    ["codex", "SessionStart", "UserPromptSubmit", "PostToolUse", "Read"],
    ["copilot", "sessionStart", "userPromptSubmitted", "postToolUse", "readFile"],
    ["cursor", "sessionStart", "beforeSubmitPrompt", "postToolUse", "Read"],
    ["gemini", "SessionStart", "BeforeAgent", "AfterTool", "read_file"],
    ["vscode", "SessionStart", "UserPromptSubmit", "PostToolUse", "read_file"],
];

/// Configures exactly these servers in each client.
fn servers(sandbox: &Sandbox, names: &[&str]) {
    sandbox.claude(names);
    sandbox.codex(names);
    let of = |key: &str| {
        let servers = names.iter().map(|name| ((*name).to_owned(), json!({ "command": "npx" })));
        json!({ key: servers.collect::<serde_json::Map<_, _>>() }).to_string()
    };
    for path in [".copilot/mcp-config.json", ".cursor/mcp.json", ".gemini/settings.json"] {
        sandbox.write(&format!("home/{path}"), of("mcpServers"));
    }
    sandbox.write("home/.config/Code/User/mcp.json", of("servers"));
}

/// A payload as the client sends it. That of Copilot CLI does not name the event.
fn payload(sandbox: &Sandbox, client: &str, event: &str, more: &Value) -> String {
    let mut payload = json!({ "session_id": "s1", "cwd": sandbox.project });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    match client {
        "copilot" => {
            for (name, camel) in [
                ("session_id", "sessionId"),
                ("tool_name", "toolName"),
                ("tool_input", "toolArgs"),
                ("tool_use_id", "toolCallId"),
                ("tool_response", "toolResult"),
            ] {
                if let Some(value) = fields.remove(name) {
                    fields.insert(camel.into(), value);
                }
            }
        }
        "vscode" => drop(fields.insert("hookEventName".into(), event.into())),
        _ => drop(fields.insert("hook_event_name".into(), event.into())),
    }
    payload.to_string()
}

/// Runs the hook, and compares its text with the one that `--explain` shows before it.
fn both(sandbox: &Sandbox, client: &str, event: &str, more: &Value) -> String {
    let payload = payload(sandbox, client, event, more);
    let options = ["--client", client, "--event", event];
    let written = || -> BTreeMap<_, _> {
        let is_shared = |path: &Path| path.to_string_lossy().ends_with("-shm");
        sandbox.files().into_iter().filter(|(path, _)| !is_shared(path)).collect()
    };
    let before = written();
    let explained = sandbox.hook_with(&[&options[..], &["--explain"]].concat(), payload.as_bytes());
    assert_eq!((explained.code, explained.err.as_str()), (0, ""), "{explained:?}");
    assert!(explained.out.starts_with(&format!("client   {client}\n")), "{explained:?}");
    assert!(written() == before, "{client} {event}: --explain wrote something");
    let said = explained.out.lines().filter_map(|each| each.strip_prefix("say      "));
    let said = said.collect::<Vec<_>>().join("\n");
    let text = told(&sandbox.hook_with(&options, payload.as_bytes()));
    assert_eq!(said, if text.is_empty() { "nothing" } else { &text }, "{client} {event}");
    text
}

#[test]
fn explain_shows_what_the_hook_says_for_each_event_and_client() {
    for [client, start, prompt, used, reads] in CLIENTS {
        let sandbox = Sandbox::rotted();
        sandbox.check_now();
        let both = |event: &str, more: Value| both(&sandbox, client, event, &more);
        servers(&sandbox, &["github"]);
        both(start, json!({ "source": "startup" }));
        sandbox.ok(&line("work add trap Read-only --id t"));
        servers(&sandbox, &["github", "linear"]);
        for more in [json!({ "session_id": "s2" }), json!({ "source": "compact" })] {
            let said = both(start, more);
            assert!(said.contains("- New: `mcp_") && said.contains("trap `t`"), "{client}: {said}");
        }
        let used_as = |tool: &str, id: &str, input: Value| {
            json!({ "tool_name": tool, "tool_use_id": id, "tool_input": input,
                    "tool_response": {} })
        };
        for id in ["1", "2", "3"] {
            both(used, used_as("mcp__github__search", id, json!({})));
        }
        let said = both(prompt, json!({ "prompt": "github search", "session_id": "s2" }));
        let takes_context = ["claude-code", "codex", "gemini"].contains(&client);
        assert_eq!(said.contains("github"), takes_context, "{client}: {said}");
        let file = json!({ "file_path": sandbox.project.join("AGENTS.md") });
        for (id, lines) in [("4", 1), ("5", 0)] {
            // Codex CLI does not say that it read a file.
            let lines = lines * usize::from(client != "codex");
            let said = both(used, used_as(reads, id, file.clone()));
            assert_eq!(said.matches("`src/router.rs` is now").count(), lines, "{client}: {said}");
        }
        // Uses that wait to be recorded are recorded first.
        let lock = sandbox.store().with_extension("db.lock");
        let lock = File::options().write(true).open(lock).unwrap();
        lock.lock().unwrap();
        for id in ["f1", "f2", "f3"] {
            let mut failed = used_as("mcp__github__flaky", id, json!({}));
            failed["tool_response"] =
                json!({ "error": "no", "is_error": true, "resultType": "failure" });
            let payload = payload(&sandbox, client, used, &failed);
            let options = ["--client", client, "--event", used];
            assert_eq!(told(&sandbox.hook_with(&options, payload.as_bytes())), "");
        }
        drop(lock);
        servers(&sandbox, &["github"]);
        let said = both(start, json!({ "session_id": "s3" }));
        for part in ["do not call: `mcp_", "avoid: `mcp_", "linear", "flaky"] {
            assert!(said.contains(part), "{client}: {part}: {said}");
        }
    }
}
