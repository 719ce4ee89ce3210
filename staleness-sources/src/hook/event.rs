//! Interprets payloads as events.

use std::path::PathBuf;

use staleness_core::ids::{AgentId, IdError, OpId, SessionId, ToolName, stable_hash};
use staleness_core::outcome::OutcomeKind;
use staleness_core::time::Timestamp;
use staleness_core::tool::ToolKind;

use super::payload::{Payload, Scalar, Shallow};
use super::{
    Event, Evidence, HookClient, HookError, HookInput, MAX_PROMPT_BYTES, Prompt, ToolEvent,
};

/// Maximum length of an event or source name, in bytes.
const MAX_WORD_BYTES: usize = 64;
/// Maximum length of the path of a file that was read, in bytes.
const MAX_PATH_BYTES: usize = 4_096;

/// Converts a payload to an event.
pub(super) fn interpret(
    payload: &Payload<'_>,
    client: Option<HookClient>,
    event: Option<&str>,
) -> Result<HookInput, HookError> {
    let name = match event.filter(|name| !name.trim().is_empty()) {
        Some(name) => name,
        None => payload.event.strict("hook_event_name")?.ok_or(HookError::NoEvent)?,
    };
    let (client, evidence) = match (detect(payload, name), client) {
        (Some(client), _) => (client, Evidence::Payload),
        (None, Some(client)) => (client, Evidence::Argument),
        // Codex CLI is the only client known to count turns. Other clients may do so later.
        (None, None) if !matches!(payload.turn, Scalar::None) => {
            (HookClient::Codex, Evidence::Payload)
        }
        (None, None) => (HookClient::ClaudeCode, Evidence::Assumed),
    };
    let session = payload.session.id("session_id")?;
    let session = session.or_else(|| payload.conversation.id("conversation_id").ok().flatten());
    let cwd = payload
        .cwd
        .strict("cwd")?
        .or_else(|| payload.workspace.text())
        .filter(|path| !path.is_empty() && !path.contains('\0'));
    Ok(HookInput {
        client,
        evidence,
        event_name: word(name).unwrap_or_default(),
        event: event_of(payload, client, name)?,
        session: session.and_then(|id| SessionId::new(short(&id)).ok()),
        cwd: cwd.map(PathBuf::from),
        agent: payload.agent_type.text().and_then(|agent| AgentId::new(agent).ok()),
        agent_id: payload.agent_id.text().map(short),
        // The meaning of this field is only known for Copilot CLI.
        at: (client == HookClient::Copilot).then(|| timestamp(&payload.timestamp)).flatten(),
    })
}

/// Detects the client from fields that no other client sends. Codex CLI uses Claude Code's format and is recognised by
/// its transcript path.
fn detect(payload: &Payload<'_>, event: &str) -> Option<HookClient> {
    const OF_GEMINI: [&str; 5] =
        ["BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"];
    let transcript = payload.transcript.text().unwrap_or_default();
    let is_below = |folder: &str| {
        transcript.contains(&format!("/{folder}/")) || transcript.contains(&format!(r"\{folder}\"))
    };
    let has_lower_event = event.starts_with(|c: char| c.is_ascii_lowercase());
    if payload.has_cursor_keys {
        Some(HookClient::Cursor)
    } else if payload.has_camel_event {
        Some(HookClient::Vscode)
    } else if payload.has_camel_keys {
        Some(HookClient::Copilot)
    } else if OF_GEMINI.contains(&event) || is_below(".gemini") {
        Some(HookClient::Gemini)
    } else if is_below(".codex") {
        Some(HookClient::Codex)
    } else {
        let is_named = has_lower_event && !matches!(payload.event, Scalar::None);
        is_named.then_some(HookClient::Cursor)
    }
}

/// Converts an event by its name, ignoring case and punctuation.
fn event_of(payload: &Payload<'_>, client: HookClient, name: &str) -> Result<Event, HookError> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .take(MAX_WORD_BYTES)
        .collect();
    let ignored = || Event::Ignored(word(name).unwrap_or_default());
    Ok(match plain.as_str() {
        "sessionstart" => Event::SessionStart { source: payload.source.text().and_then(word) },
        "pretooluse" => call_began(payload, client)?.unwrap_or_else(ignored),
        "permissionrequest" => permission_asked(payload, client).unwrap_or_else(ignored),
        "stop" | "subagentstop" | "interrupt" => {
            turn(payload).filter(|_| client == HookClient::Codex).map_or_else(ignored, |turn| {
                Event::TurnEnded { turn, interrupted: plain == "interrupt" }
            })
        }
        "posttooluse" | "aftertool" => {
            Event::ToolOutcome(tool_event(payload, client, after_use(payload, client))?)
        }
        "posttoolusefailure" => {
            Event::ToolOutcome(tool_event(payload, client, after_failure(payload))?)
        }
        "configchange" | "filechanged" | "instructionsloaded" => Event::ConfigChanged,
        "sessionend" => Event::SessionEnd { cleared: payload.reason.text() == Some("clear") },
        "userpromptsubmit" | "userpromptsubmitted" | "beforesubmitprompt" | "beforeagent"
            if is_by_a_person(payload) =>
        {
            Event::UserPrompt(prompt(payload))
        }
        "userpromptexpansion" => typed_command(payload).map_or_else(ignored, Event::ToolOutcome),
        _ => ignored(),
    })
}

/// Returns true if a person sent the prompt. Clients also report prompts of programs and subagents.
fn is_by_a_person(payload: &Payload<'_>) -> bool {
    let text = payload.prompt.text().unwrap_or_default().trim_start();
    payload.source.text().is_none_or(|source| source == "user")
        && !text.starts_with("<task-notification>")
}

/// Reports a slash command typed by a person as a use of `SlashCommand`.
fn typed_command(payload: &Payload<'_>) -> Option<ToolEvent> {
    let name = ToolName::new(format!("/{}", first_word(payload.command.text()?)?)).ok()?;
    let op = payload.prompt_id.text().map(|id| short(&format!("prompt:{id}")));
    Some(ToolEvent {
        tool: ToolName::new("SlashCommand").ok()?,
        kind: OutcomeKind::Success,
        op: op.and_then(|id| OpId::new(id).ok()),
        duration_ms: None,
        server: None,
        mentions: vec![name],
        reads: Vec::new(),
        builtin: true,
    })
}

fn turn(payload: &Payload<'_>) -> Option<OpId> {
    OpId::new(short(&payload.turn.id("turn_id").ok()??)).ok()
}

/// Converts the start of an MCP call in Codex CLI, which does not report failed calls.
fn call_began(payload: &Payload<'_>, client: HookClient) -> Result<Option<Event>, HookError> {
    if client != HookClient::Codex {
        return Ok(None);
    }
    let Some(name) = payload.tool.strict("tool_name")? else { return Ok(None) };
    let op = payload.op.id("tool_use_id")?.and_then(|id| OpId::new(short(&id)).ok());
    let (Some(op), Some(turn)) = (op, turn(payload)) else { return Ok(None) };
    let tool = ToolName::new(name).map_err(|_| HookError::Unusable("tool_name"))?;
    Ok(tool.is_mcp().then_some(Event::CallBegan { tool, op, turn }))
}

/// Converts a permission request of Codex CLI, which is sent during a call but does not name the call.
fn permission_asked(payload: &Payload<'_>, client: HookClient) -> Option<Event> {
    let (tool, turn) = (ToolName::new(payload.tool.text()?).ok()?, turn(payload)?);
    let is_call = client == HookClient::Codex && tool.is_mcp();
    is_call.then_some(Event::PermissionAsked { tool, turn })
}

fn prompt(payload: &Payload<'_>) -> Prompt {
    let text = payload.prompt.text().unwrap_or_default();
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_PROMPT_BYTES);
    Prompt(text[..end.unwrap_or(text.len())].to_owned())
}

/// Returns the outcome of a finished use. The result may still report an error. Codex CLI does not report whether a
/// command failed, so without an exit code the outcome is unknown.
fn after_use(payload: &Payload<'_>, client: HookClient) -> OutcomeKind {
    let result = payload.response.get("resultType").unwrap_or_default();
    let is_mcp = payload.tool.text().is_some_and(|name| name.starts_with("mcp__"));
    let exit_code = payload.response.exit_code().filter(|_| client == HookClient::Codex);
    let failed = match client {
        HookClient::Gemini => payload.response.has("error"),
        _ => exit_code.is_some_and(|code| code != 0.0),
    };
    if matches!(payload.is_interrupt, Scalar::Bool(true)) || result == "denied" {
        OutcomeKind::Interrupted
    } else if failed || payload.response.is_error() || matches!(result, "failure" | "error") {
        OutcomeKind::Failure
    } else if client == HookClient::Codex && !is_mcp && exit_code.is_none() {
        OutcomeKind::Unknown
    } else {
        OutcomeKind::Success
    }
}

/// Returns the outcome of a failed use. A failure caused by a person counts as an interruption.
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
    let unusable = |_| HookError::Unusable("tool_name");
    let op = payload.op.id("tool_use_id")?.and_then(|id| OpId::new(short(&id)).ok());
    let mut server = payload.server.value.text().or_else(|| payload.server.get("name"));
    let mut tool = name.to_owned();
    if let (Some(of), Some(called)) =
        (payload.context.get("server_name"), payload.context.get("tool_name"))
    {
        server = Some(of);
        tool = format!("mcp__{of}__{called}");
    }
    let tool = ToolName::new(tool).map_err(unusable)?;
    let server = server.filter(|server| IdError::check(server).is_ok());
    Ok(ToolEvent {
        builtin: server.is_none() && is_builtin(&tool, client),
        mentions: mentions(tool.as_str(), &payload.input),
        reads: reads(tool.as_str(), &payload.input),
        tool,
        kind,
        op,
        duration_ms: payload.duration.whole(),
        server: server.map(str::to_owned),
    })
}

/// Returns true for a client's built-in tool. Unknown names count as built-in unless they look like MCP tools. Copilot
/// CLI does not mark MCP tools, so only known names count there.
fn is_builtin(name: &ToolName, client: HookClient) -> bool {
    let kind = ToolKind::of_name(name.as_str());
    kind == ToolKind::Builtin
        || (kind == ToolKind::Unknown
            && client != HookClient::Copilot
            && !name.is_mcp()
            && !name.as_str().starts_with("mcp_"))
}

/// Returns names in a tool's input that may refer to other tools.
fn mentions(tool: &str, input: &Shallow<'_>) -> Vec<ToolName> {
    let tool = tool.to_ascii_lowercase();
    if !matches!(tool.as_str(), "skill" | "slashcommand" | "task" | "agent") {
        return Vec::new();
    }
    // Copilot CLI sends the input as a JSON string.
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

/// Returns the files that a tool read: `Read` in Claude Code and Cursor, `read_file` in Gemini CLI and VS Code.
/// `Skill` in Claude Code counts as reading the skill's file.
fn reads(tool: &str, input: &Shallow<'_>) -> Vec<String> {
    const KEYS: [&str; 4] = ["file_path", "absolute_path", "filePath", "path"];
    let is_plain = |name: &&str| !name.contains(['/', '\\', ':']) && !name.starts_with('.');
    let path = match tool {
        "Read" | "read_file" | "readFile" => {
            KEYS.iter().find_map(|key| input.get(key)).map(str::to_owned)
        }
        "Skill" => input
            .get("skill")
            .filter(is_plain)
            .map(|name| format!(".claude/skills/{name}/SKILL.md")),
        _ => None,
    };
    path.filter(|path| !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.contains('\0'))
        .into_iter()
        .collect()
}

/// Returns the first word, without a leading slash.
fn first_word(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let word = word.strip_prefix('/').unwrap_or(word);
    (!word.is_empty()).then_some(word)
}

/// Returns the id, or its hash if the id cannot be stored.
fn short(id: &str) -> String {
    if IdError::check(id).is_ok() {
        id.to_owned()
    } else {
        format!("hash:{:032x}", stable_hash(id.as_bytes()))
    }
}

/// Returns the text if it is a short plain word.
fn word(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    (text.len() <= MAX_WORD_BYTES && !text.is_empty() && text.chars().all(is_plain))
        .then(|| text.to_owned())
}

/// Parses milliseconds since 1970, or RFC 3339.
fn timestamp(value: &Scalar<'_>) -> Option<Timestamp> {
    match value {
        Scalar::Text(text) => text.parse().ok(),
        number => {
            number.whole().and_then(|millis| i64::try_from(millis).ok()).map(Timestamp::from_millis)
        }
    }
}
