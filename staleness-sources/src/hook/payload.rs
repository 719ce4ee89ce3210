//! Deserializes the few relevant fields of a payload, borrowed from the input.
//!
//! The visitors are written by hand, because derived ones would reject duplicate keys, and wrong types in fields that
//! are not needed. A tool's response may be megabytes long, so it is skipped instead of built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::{HookError, MAX_PAYLOAD_BYTES};
use crate::text::repaired;

/// The fields of a payload, under the same names for all clients.
#[derive(Default)]
pub(super) struct Payload<'a> {
    pub(super) event: Scalar<'a>,
    pub(super) session: Scalar<'a>,
    pub(super) conversation: Scalar<'a>,
    pub(super) cwd: Scalar<'a>,
    pub(super) workspace: Scalar<'a>,
    pub(super) agent_type: Scalar<'a>,
    pub(super) agent_id: Scalar<'a>,
    pub(super) transcript: Scalar<'a>,
    pub(super) timestamp: Scalar<'a>,
    pub(super) source: Scalar<'a>,
    pub(super) reason: Scalar<'a>,
    pub(super) prompt: Scalar<'a>,
    pub(super) tool: Scalar<'a>,
    pub(super) op: Scalar<'a>,
    pub(super) duration: Scalar<'a>,
    pub(super) failure_type: Scalar<'a>,
    pub(super) is_interrupt: Scalar<'a>,
    pub(super) turn: Scalar<'a>,
    pub(super) command: Scalar<'a>,
    pub(super) prompt_id: Scalar<'a>,
    /// The server and tool of an MCP call, as Gemini CLI reports them.
    pub(super) context: Shallow<'a>,
    pub(super) server: Shallow<'a>,
    pub(super) input: Shallow<'a>,
    pub(super) response: Shallow<'a>,
    /// True if a key of Copilot CLI was found.
    pub(super) has_camel_keys: bool,
    /// True if the event's key was in camel case.
    pub(super) has_camel_event: bool,
    /// True if a key of Cursor was found.
    pub(super) has_cursor_keys: bool,
}

/// Returns the text of a payload. Repairs a prompt that the client cut within a character.
pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, HookError> {
    if bytes.len() > MAX_PAYLOAD_BYTES {
        return Err(HookError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| HookError::NotUtf8)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(HookError::Empty);
    }
    Ok(repaired(text.as_bytes()))
}

impl<'a> Payload<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, HookError> {
        serde_json::from_str(text)
            .map_err(|error| HookError::NotJson { line: error.line(), column: error.column() })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Payload<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Payload<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut payload = Payload::default();
                while let Some(Key(key)) = map.next_key()? {
                    payload.take(&key, &mut map)?;
                }
                Ok(payload)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl<'a> Payload<'a> {
    fn take<A: MapAccess<'a>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "sessionId" | "toolName" | "toolArgs" | "toolResult" | "initialPrompt" => {
                self.has_camel_keys = true;
            }
            "hookEventName" => self.has_camel_event = true,
            "conversation_id" | "generation_id" | "cursor_version" | "workspace_roots"
            | "failure_type" => self.has_cursor_keys = true,
            _ => {}
        }
        match key {
            "hook_event_name" | "hookEventName" => self.event = map.next_value()?,
            "session_id" | "sessionId" => self.session = map.next_value()?,
            "conversation_id" => self.conversation = map.next_value()?,
            "cwd" => self.cwd = map.next_value()?,
            "workspace_roots" => self.workspace = map.next_value_seed(FIRST)?.value,
            "agent_type" | "agentType" => self.agent_type = map.next_value()?,
            "agent_id" | "agentId" => self.agent_id = map.next_value()?,
            "transcript_path" => self.transcript = map.next_value()?,
            "timestamp" => self.timestamp = map.next_value()?,
            "source" => self.source = map.next_value()?,
            "reason" => self.reason = map.next_value()?,
            "prompt" => self.prompt = map.next_value()?,
            "tool_name" | "toolName" => self.tool = map.next_value()?,
            "tool_use_id" | "toolUseId" | "toolCallId" => self.op = map.next_value()?,
            "duration_ms" | "durationMs" | "duration" => self.duration = map.next_value()?,
            "failure_type" => self.failure_type = map.next_value()?,
            "turn_id" => self.turn = map.next_value()?,
            "command_name" => self.command = map.next_value()?,
            "prompt_id" => self.prompt_id = map.next_value()?,
            "mcp_context" => self.context = map.next_value_seed(CONTEXT)?,
            "is_interrupt" | "isInterrupt" => self.is_interrupt = map.next_value()?,
            "mcp_server" | "mcpServer" => self.server = map.next_value_seed(NAMED)?,
            "tool_input" | "toolInput" | "toolArgs" => self.input = map.next_value_seed(INPUT)?,
            "tool_response" | "toolResponse" | "toolResult" => {
                self.response = map.next_value_seed(RESPONSE)?
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

/// A key, borrowed unless it contains escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => Ok(Self(text)),
            _ => Ok(Self(Cow::Borrowed(""))),
        }
    }
}

/// A scalar value. Lists and objects are skipped.
#[derive(Default)]
pub(super) enum Scalar<'a> {
    /// Absent, or `null`.
    #[default]
    None,
    Text(Cow<'a, str>),
    Number(f64),
    Bool(bool),
    /// A list or an object.
    Other,
}

impl Scalar<'_> {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a required field, or `None` if it is absent, `null` or blank.
    ///
    /// # Errors
    /// If the field has another type.
    pub(super) fn strict(&self, field: &'static str) -> Result<Option<&str>, HookError> {
        match self {
            Scalar::None => Ok(None),
            Scalar::Text(text) => Ok(Some(&**text).filter(|text| !text.trim().is_empty())),
            _ => Err(HookError::Unusable(field)),
        }
    }

    /// Returns the text of an id, which may be a number, or `None` if it is absent, `null`, a boolean or blank.
    ///
    /// # Errors
    /// If the field is a list or an object.
    pub(super) fn id(&self, field: &'static str) -> Result<Option<Cow<'_, str>>, HookError> {
        match self {
            Scalar::Number(number) => Ok(Some(number.to_string().into())),
            Scalar::Bool(_) => Ok(None),
            text => Ok(text.strict(field)?.map(Cow::Borrowed)),
        }
    }

    /// Returns an integer as a number, or as text if a float cannot represent it, so that different ids stay different.
    fn integer(number: impl Into<i128>) -> Self {
        const EXACT: i128 = 1 << f64::MANTISSA_DIGITS;
        let number = number.into();
        if number.abs() <= EXACT {
            Scalar::Number(number as f64)
        } else {
            Scalar::Text(number.to_string().into())
        }
    }

    /// Returns a non-negative number without its fraction.
    pub(super) fn whole(&self) -> Option<u64> {
        match self {
            // Larger floats are not plausible as milliseconds.
            Scalar::Number(number) if (0.0..9e15).contains(number) => Some(*number as u64),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Projection { members: &[], text: true, first: false }
            .deserialize(deserializer)
            .map(|it| it.value)
    }
}

/// A value with the requested members, one level deep.
#[derive(Default)]
pub(super) struct Shallow<'a> {
    /// The value itself. For a list, the first element if requested.
    pub(super) value: Scalar<'a>,
    members: Vec<(&'static str, Scalar<'a>)>,
}

impl<'a> From<Scalar<'a>> for Shallow<'a> {
    fn from(value: Scalar<'a>) -> Self {
        Self { value, members: Vec::new() }
    }
}

impl<'a> Shallow<'a> {
    /// Returns the text of a member. If it is duplicated, the last one counts.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.members.iter().rev().find(|(key, _)| *key == name)?.1.text()
    }

    /// Returns true if a result reports an error.
    pub(super) fn is_error(&self) -> bool {
        let is_true = |(key, value): &(&str, Scalar<'_>)| {
            matches!(*key, "isError" | "is_error") && matches!(value, Scalar::Bool(true))
        };
        self.members.iter().any(is_true)
    }

    /// Returns true if a member exists and is not `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, value)| *key == name && !matches!(value, Scalar::None))
    }

    /// Returns a command's exit code, if the result contains it.
    pub(super) fn exit_code(&self) -> Option<f64> {
        self.members.iter().find_map(|(key, value)| match value {
            Scalar::Number(code) if *key == "exit_code" => Some(*code),
            _ => None,
        })
    }

    /// Parses a tool's input that was sent as a JSON string.
    pub(super) fn input(text: &'a str) -> Option<Self> {
        let mut json = serde_json::Deserializer::from_str(text);
        let input = INPUT.deserialize(&mut json).ok()?;
        json.end().ok().map(|()| input)
    }
}

/// Keeps the first string of a list.
const FIRST: Projection = Projection { members: &[], text: false, first: true };
/// Keeps a string, or the `name` of an object.
const NAMED: Projection = Projection { members: &["name"], text: true, first: false };
/// Keeps names and paths from a tool's input. A string may contain such an object as JSON.
const INPUT: Projection = Projection {
    members: &[
        "skill",
        "command",
        "subagent_type",
        "file_path",
        "absolute_path",
        "filePath",
        "path",
    ],
    text: true,
    first: false,
};
/// Keeps the members of a result that report an error. The last three are from Copilot, Gemini and Codex CLI.
const RESPONSE: Projection = Projection {
    members: &["isError", "is_error", "resultType", "error", "exit_code"],
    text: false,
    first: false,
};
/// Keeps the server and the tool of an MCP call.
const CONTEXT: Projection =
    Projection { members: &["server_name", "tool_name"], text: false, first: false };

/// The parts of a value to keep. The rest is skipped without being built.
struct Projection {
    members: &'static [&'static str],
    text: bool,
    first: bool,
}

impl<'de> DeserializeSeed<'de> for Projection {
    type Value = Shallow<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Projection {
    type Value = Shallow<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Shallow::default())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Bool(value).into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Scalar::integer(value).into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Scalar::integer(value).into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(value).into())
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(if self.text { Scalar::Text(Cow::Borrowed(value)) } else { Scalar::Other }.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        let text = || Scalar::Text(Cow::Owned(value.to_owned()));
        Ok(if self.text { text() } else { Scalar::Other }.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let first = if self.first { list.next_element()? } else { None };
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(first.unwrap_or(Scalar::Other).into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            match self.members.iter().find(|member| **member == key) {
                Some(member) => members.push((*member, map.next_value()?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Shallow { value: Scalar::Other, members })
    }
}
