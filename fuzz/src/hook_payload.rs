//! Fuzzes hook payloads.
//!
//! Input: the payload. It is parsed as from every client, with and without an event given by the caller.

use std::sync::Arc;

use serde_json::Value;
use staleness_conformance::workload;
use staleness_core::ids::{IdError, OpId};
use staleness_core::scan::ProjectRef;
use staleness_core::store::Selection;
use staleness_core::{MemoryStore, Policy, Registry, Timestamp, Wait};
use staleness_sources::hook::{
    Event, Evidence, HookClient, HookError, HookInput, MAX_PROMPT_BYTES, parse,
};

use crate::SECRET;
use crate::plant::{fill, untold};

/// Fields with a use's input, output and errors, which must not be read.
const CONTENT: &str = "tool_input toolInput toolArgs tool_response toolResponse toolResult error error_message \
    prompt initialPrompt last_assistant_message reason";
/// Tools with an input that names other tools.
const MENTIONING: [&str; 4] = ["skill", "slashcommand", "task", "agent"];

/// Parses a payload, then the same payload with a secret in all its contents.
pub fn run(data: &[u8]) {
    look(data, "");
    if let Some(planted) = plant(data) {
        look(&planted, SECRET);
    }
}

/// Parses the payload as from every client. Unless it is empty, `secret` must not be kept.
fn look(payload: &[u8], secret: &str) {
    let guessed = parse(payload, None, None);
    judge(&guessed, secret);
    if let Ok(input) = &guessed {
        // Ignore how the client was determined.
        let told = parse(payload, Some(input.client.as_str()), None)
            .map(|told| HookInput { evidence: input.evidence, ..told });
        assert_eq!(told, guessed, "naming the client that was guessed changes nothing");
        record(input, secret);
    }
    for client in HookClient::ALL {
        for event in [None, Some("PostToolUse"), Some("postToolUseFailure")] {
            let told = parse(payload, Some(client.as_str()), event);
            judge(&told, secret);
            if let Ok(input) = told {
                let by_payload = input.evidence != Evidence::Argument;
                assert!(input.client == client || by_payload, "only a payload says otherwise");
                assert!(event.is_none_or(|event| event == input.event_name));
            }
        }
    }
    assert_eq!(parse(payload, Some("vim"), None), Err(HookError::UnknownClient));
}

fn judge(result: &Result<HookInput, HookError>, secret: &str) {
    match result {
        Ok(input) => {
            bounds(input);
            untold(&format!("{input:?}"), secret);
        }
        Err(error) => untold(&format!("{error} {error:?}"), secret),
    }
}

fn bounds(input: &HookInput) {
    assert!(input.event_name.len() <= 64 && !input.event_name.contains(char::is_control));
    assert!(input.session.as_ref().is_none_or(|id| IdError::check(id.as_str()).is_ok()));
    assert!(input.agent.as_ref().is_none_or(|id| IdError::check(id.as_str()).is_ok()));
    assert!(input.cwd.as_ref().is_none_or(|cwd| {
        let cwd = cwd.to_string_lossy();
        !cwd.is_empty() && !cwd.contains('\0')
    }));
    match &input.event {
        Event::SessionStart { source } => {
            let source = source.as_deref().unwrap_or_default();
            assert!(source.len() <= 64 && !source.contains(char::is_control));
        }
        Event::Ignored(name) => assert!(name.len() <= 64 && !name.contains(char::is_control)),
        Event::ToolOutcome(event) => {
            assert!(IdError::check(event.tool.as_str()).is_ok());
            assert!(event.mentions.len() <= 2);
            assert!(event.op.as_ref().is_none_or(|op| IdError::check(op.as_str()).is_ok()));
            assert!(event.server.as_ref().is_none_or(|server| IdError::check(server).is_ok()));
            assert!(event.duration_ms.is_none_or(|millis| millis < 1 << 53));
            assert!(!event.builtin || event.server.is_none());
        }
        Event::CallBegan { .. } | Event::PermissionAsked { .. } | Event::TurnEnded { .. } => {}
        Event::ConfigChanged | Event::SessionEnd { .. } => {}
        Event::UserPrompt(prompt) => assert!(prompt.0.len() <= MAX_PROMPT_BYTES),
    }
}

/// Records the use in a new registry twice. The second time must change nothing.
fn record(input: &HookInput, secret: &str) {
    let Event::ToolOutcome(event) = &input.event else { return };
    let registry = Registry::new(Arc::new(MemoryStore::new()), Policy::default());
    let fresh = || OpId::new("fresh").expect("a valid id");
    let at = input.at.unwrap_or(Timestamp::from_millis(1_750_000_000_000));
    let folder = input.cwd.as_ref().map_or("/p".into(), |cwd| cwd.to_string_lossy().into_owned());
    let used = input.used(event, fresh, at, ProjectRef::of_root(folder));
    registry.tools().record(used.clone()).wait().expect("a use is recorded");
    let once = exported(&registry);
    untold(&once, secret);
    registry.tools().record(used).wait().expect("a use is recorded twice");
    assert_eq!(exported(&registry), once, "an op counts once");
    registry.admin().check().wait().expect("the store is sound");
}

fn exported(registry: &Registry) -> String {
    workload::exported(registry, &Selection::everything()).expect("it can be exported")
}

/// Plants the secret in every text that is not a name, if the payload is an object.
fn plant(data: &[u8]) -> Option<Vec<u8>> {
    let Ok(Value::Object(mut payload)) = serde_json::from_slice(data) else { return None };
    let mentions = ["tool_name", "toolName"]
        .iter()
        .filter_map(|key| payload.get(*key)?.as_str())
        .any(|name| MENTIONING.contains(&name.to_ascii_lowercase().as_str()));
    for key in CONTENT.split_whitespace() {
        let Some(value) = payload.get_mut(key) else { continue };
        if !mentions {
            fill(value);
            continue;
        }
        // The mentioned name is kept.
        if let Value::String(text) = value {
            let inner = serde_json::from_str(text).ok().filter(Value::is_object);
            *text = inner.map_or_else(
                || SECRET.into(),
                |mut inner| {
                    fill_around_names(&mut inner);
                    inner.to_string()
                },
            );
        } else {
            fill_around_names(value);
        }
    }
    payload.insert("a field of tomorrow".into(), SECRET.into());
    serde_json::to_vec(&payload).ok()
}

fn fill_around_names(value: &mut Value) {
    let Value::Object(fields) = value else { return fill(value) };
    for (key, value) in fields.iter_mut() {
        match (key.as_str(), value) {
            ("subagent_type", Value::String(_)) => {}
            // A name may be followed by anything.
            ("skill" | "command", Value::String(text)) => {
                if !text.trim().is_empty() {
                    *text = format!("{text} {SECRET}");
                }
            }
            (_, other) => fill(other),
        }
    }
}
