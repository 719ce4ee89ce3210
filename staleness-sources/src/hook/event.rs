//! The meaning of a payload.

use std::path::PathBuf;

use staleness_core::ids::{AgentId, IdError, OpId, SessionId, ToolName, stable_hash};
use staleness_core::outcome::OutcomeKind;
use staleness_core::time::Timestamp;
use staleness_core::tool::ToolKind;

use super::payload::{Payload, Scalar, Shallow};
use super::{Event, HookClient, HookError, HookInput, MAX_PROMPT_BYTES, Prompt, ToolEvent};

/// The longest event or source name that is passed on, in bytes.
const MAX_WORD_BYTES: usize = 64;

/// Turns a payload into an event.
pub(super) fn interpret(
    payload: &Payload<'_>,
    client: Option<HookClient>,
    event: Option<&str>,
) -> Result<HookInput, HookError> {
    let name = match event.filter(|name| !name.trim().is_empty()) {
        Some(name) => name,
        None => payload.event.strict("hook_event_name")?.ok_or(HookError::NoEvent)?,
    };
    let client = client.unwrap_or_else(|| detect(payload, name));
    let session = payload.session.strict("session_id")?.or_else(|| payload.conversation.text());
    let cwd = payload
        .cwd
        .strict("cwd")?
        .or_else(|| payload.workspace.text())
        .filter(|path| !path.is_empty() && !path.contains('\0'));
    Ok(HookInput {
        client,
        event_name: word(name).unwrap_or_default(),
        event: event_of(payload, client, name)?,
        session: session.and_then(|id| SessionId::new(short(id)).ok()),
        cwd: cwd.map(PathBuf::from),
        agent: payload.agent_type.text().and_then(|agent| AgentId::new(agent).ok()),
        // Of the other clients it is not known what a field of this name would count.
        at: (client == HookClient::Copilot).then(|| timestamp(&payload.timestamp)).flatten(),
    })
}

/// The client whose payloads look like this. Codex CLI speaks Claude Code's language and is told
/// apart by its turns and by where it keeps its transcripts.
fn detect(payload: &Payload<'_>, event: &str) -> HookClient {
    let transcript = payload.transcript.text().unwrap_or_default();
    if payload.has_cursor_keys {
        HookClient::Cursor
    } else if payload.has_camel_keys {
        HookClient::Copilot
    } else if payload.has_turn
        || transcript.contains("/.codex/")
        || transcript.contains(r"\.codex\")
    {
        HookClient::Codex
    } else if event.starts_with(|c: char| c.is_ascii_lowercase())
        && !matches!(payload.event, Scalar::None)
    {
        HookClient::Cursor
    } else {
        HookClient::ClaudeCode
    }
}

/// The event by its name, however a client spells it.
fn event_of(payload: &Payload<'_>, client: HookClient, name: &str) -> Result<Event, HookError> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .take(MAX_WORD_BYTES)
        .collect();
    Ok(match plain.as_str() {
        "sessionstart" => Event::SessionStart { source: payload.source.text().and_then(word) },
        "posttooluse" => Event::ToolOutcome(tool_event(payload, client, after_use(payload))?),
        "posttoolusefailure" => {
            Event::ToolOutcome(tool_event(payload, client, after_failure(payload))?)
        }
        "configchange" | "filechanged" | "instructionsloaded" => Event::ConfigChanged,
        "sessionend" => Event::SessionEnd,
        "userpromptsubmit" | "userpromptsubmitted" | "beforesubmitprompt" => {
            Event::UserPrompt(prompt(payload))
        }
        _ => Event::Ignored(word(name).unwrap_or_default()),
    })
}

fn prompt(payload: &Payload<'_>) -> Prompt {
    let text = payload.prompt.text().unwrap_or_default();
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_PROMPT_BYTES);
    Prompt(text[..end.unwrap_or(text.len())].to_owned())
}

/// A result may report an error although the use went well.
fn after_use(payload: &Payload<'_>) -> OutcomeKind {
    let result = payload.response.get("resultType").unwrap_or_default();
    if matches!(payload.is_interrupt, Scalar::Bool(true)) || result == "denied" {
        OutcomeKind::Interrupted
    } else if payload.response.is_error() || matches!(result, "failure" | "error") {
        OutcomeKind::Failure
    } else {
        OutcomeKind::Success
    }
}

/// Returns the outcome of a failure. One that a person caused says nothing about the tool.
fn after_failure(payload: &Payload<'_>) -> OutcomeKind {
    const BY_A_PERSON: [&str; 6] =
        ["abort", "permission", "denied", "cancel", "interrupt", "reject"];
    let kind = payload.failure_type.text().unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    if matches!(payload.is_interrupt, Scalar::Bool(true))
        || BY_A_PERSON.iter().any(|word| kind.contains(word))
        || payload.response.get("resultType") == Some("denied")
    {
        OutcomeKind::Interrupted
    } else {
        OutcomeKind::Failure
    }
}

fn tool_event(
    payload: &Payload<'_>,
    client: HookClient,
    kind: OutcomeKind,
) -> Result<ToolEvent, HookError> {
    let name = payload.tool.strict("tool_name")?.ok_or(HookError::Missing("tool_name"))?;
    let tool = ToolName::new(name).map_err(|_| HookError::Unusable("tool_name"))?;
    let op = payload.op.strict("tool_use_id")?.and_then(|id| OpId::new(short(id)).ok());
    let server = payload
        .server
        .value
        .text()
        .or_else(|| payload.server.get("name"))
        .filter(|server| IdError::check(server).is_ok())
        .map(str::to_owned);
    Ok(ToolEvent {
        builtin: server.is_none() && is_builtin(&tool, client),
        mentions: mentions(name, &payload.input),
        tool,
        kind,
        op,
        duration_ms: payload.duration.whole(),
        server,
    })
}

/// Hooks name a client's own tools and those of MCP servers. Copilot CLI gives the latter no
/// mark, so there only a known name is a built-in.
fn is_builtin(name: &ToolName, client: HookClient) -> bool {
    let kind = ToolKind::of_name(name.as_str());
    kind == ToolKind::Builtin
        || (kind == ToolKind::Unknown
            && client != HookClient::Copilot
            && !name.is_mcp()
            && !name.as_str().starts_with("MCP:"))
}

/// The names in a tool's input that may be other tools.
fn mentions(tool: &str, input: &Shallow<'_>) -> Vec<ToolName> {
    let tool = tool.to_ascii_lowercase();
    if !matches!(tool.as_str(), "skill" | "slashcommand" | "task" | "agent") {
        return Vec::new();
    }
    // Copilot CLI sends the input as a text that holds JSON.
    let inner: Option<Shallow<'_>> = input.value.text().and_then(Shallow::input);
    let input = inner.as_ref().unwrap_or(input);
    let names = match tool.as_str() {
        "skill" => input
            .get("skill")
            .or_else(|| input.get("command"))
            .and_then(first_word)
            .map(|name| vec![name.to_owned(), format!("/{name}")]),
        "slashcommand" => {
            input.get("command").and_then(first_word).map(|name| vec![format!("/{name}")])
        }
        _ => input.get("subagent_type").map(|name| vec![format!("agent:{name}")]),
    };
    names.unwrap_or_default().into_iter().filter_map(|name| ToolName::new(name).ok()).collect()
}

/// The first word, without the slash of a command.
fn first_word(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let word = word.strip_prefix('/').unwrap_or(word);
    (!word.is_empty()).then_some(word)
}

/// An id that can be stored: one that cannot is replaced by a hash of it.
fn short(id: &str) -> String {
    if IdError::check(id).is_ok() {
        id.to_owned()
    } else {
        format!("hash:{:032x}", stable_hash(id.as_bytes()))
    }
}

/// A name that is a plain word.
fn word(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    (text.len() <= MAX_WORD_BYTES && !text.is_empty() && text.chars().all(is_plain))
        .then(|| text.to_owned())
}

/// Milliseconds since 1970, or RFC 3339.
fn timestamp(value: &Scalar<'_>) -> Option<Timestamp> {
    match value {
        Scalar::Text(text) => text.parse().ok(),
        number => {
            number.whole().and_then(|millis| i64::try_from(millis).ok()).map(Timestamp::from_millis)
        }
    }
}
