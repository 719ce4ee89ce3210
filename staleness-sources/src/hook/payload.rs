//! The payload as it arrives: the few fields that matter, borrowed from the bytes.
//!
//! Read by hand-written visitors, because a derived one refuses duplicate keys and wrong types in
//! fields that nobody needs. A tool's response can be megabytes long; it is skipped, not built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::{HookError, MAX_PAYLOAD_BYTES};

/// The fields of a payload, under one name for all clients.
#[derive(Default)]
pub(super) struct Payload<'a> {
    pub(super) event: Scalar<'a>,
    pub(super) session: Scalar<'a>,
    pub(super) conversation: Scalar<'a>,
    pub(super) cwd: Scalar<'a>,
    pub(super) workspace: Scalar<'a>,
    pub(super) agent_type: Scalar<'a>,
    pub(super) transcript: Scalar<'a>,
    pub(super) timestamp: Scalar<'a>,
    pub(super) source: Scalar<'a>,
    pub(super) prompt: Scalar<'a>,
    pub(super) tool: Scalar<'a>,
    pub(super) op: Scalar<'a>,
    pub(super) duration: Scalar<'a>,
    pub(super) failure_type: Scalar<'a>,
    pub(super) is_interrupt: Scalar<'a>,
    pub(super) turn: Scalar<'a>,
    pub(super) command: Scalar<'a>,
    pub(super) prompt_id: Scalar<'a>,
    /// Gemini CLI's word for the server and the tool.
    pub(super) context: Shallow<'a>,
    pub(super) server: Shallow<'a>,
    pub(super) input: Shallow<'a>,
    pub(super) response: Shallow<'a>,
    /// A key of Copilot CLI was seen.
    pub(super) has_camel_keys: bool,
    /// The event was named in camel case.
    pub(super) has_camel_event: bool,
    /// A key of Cursor was seen.
    pub(super) has_cursor_keys: bool,
}

impl<'a> Payload<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, HookError> {
        if bytes.len() > MAX_PAYLOAD_BYTES {
            return Err(HookError::TooLarge(bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| HookError::NotUtf8)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(HookError::Empty);
        }
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
            "transcript_path" => self.transcript = map.next_value()?,
            "timestamp" => self.timestamp = map.next_value()?,
            "source" => self.source = map.next_value()?,
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

/// A key, borrowed where it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => Ok(Self(text)),
            _ => Ok(Self(Cow::Borrowed(""))),
        }
    }
}

/// A value of which only its simple forms matter.
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

    /// The text of a field that matters: absent, `null` and empty are the same.
    pub(super) fn strict(&self, field: &'static str) -> Result<Option<&str>, HookError> {
        match self {
            Scalar::None => Ok(None),
            Scalar::Text(text) => Ok(Some(&**text).filter(|text| !text.trim().is_empty())),
            _ => Err(HookError::Unusable(field)),
        }
    }

    /// A whole number that is not negative; fractions are cut off.
    pub(super) fn whole(&self) -> Option<u64> {
        match self {
            // A float as large as this is no count of milliseconds any more.
            Scalar::Number(number) if (0.0..9e15).contains(number) => Some(*number as u64),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Asked { members: &[], text: true, first: false }
            .deserialize(deserializer)
            .map(|it| it.value)
    }
}

/// A value of which one level is kept, and nothing but what was asked for.
#[derive(Default)]
pub(super) struct Shallow<'a> {
    /// The value itself; of a list perhaps its first element.
    pub(super) value: Scalar<'a>,
    members: Vec<(&'static str, Scalar<'a>)>,
}

impl<'a> From<Scalar<'a>> for Shallow<'a> {
    fn from(value: Scalar<'a>) -> Self {
        Self { value, members: Vec::new() }
    }
}

impl<'a> Shallow<'a> {
    /// The text of a member. Of duplicates the last one counts.
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

    /// Returns true if a member is there and not `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, value)| *key == name && !matches!(value, Scalar::None))
    }

    /// The exit code of a command, where a result tells it.
    pub(super) fn exit_code(&self) -> Option<f64> {
        self.members.iter().find_map(|(key, value)| match value {
            Scalar::Number(code) if *key == "exit_code" => Some(*code),
            _ => None,
        })
    }

    /// Reads a tool's input that was sent as a text that holds JSON.
    pub(super) fn input(text: &'a str) -> Option<Self> {
        let mut json = serde_json::Deserializer::from_str(text);
        let input = INPUT.deserialize(&mut json).ok()?;
        json.end().ok().map(|()| input)
    }
}

/// The first text of a list.
const FIRST: Asked = Asked { members: &[], text: false, first: true };
/// A text, or the `name` of an object.
const NAMED: Asked = Asked { members: &["name"], text: true, first: false };
/// The names and paths that some tools take as input. A text may be the same object as JSON.
const INPUT: Asked = Asked {
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
/// The parts of a result that tell of an error, the last of them in the words of Copilot, Gemini and Codex CLI.
const RESPONSE: Asked = Asked {
    members: &["isError", "is_error", "resultType", "error", "exit_code"],
    text: false,
    first: false,
};
/// The server and the tool of an MCP call.
const CONTEXT: Asked = Asked { members: &["server_name", "tool_name"], text: false, first: false };

/// The parts of a value that are kept; the rest is skipped, not built.
struct Asked {
    members: &'static [&'static str],
    text: bool,
    first: bool,
}

impl<'de> DeserializeSeed<'de> for Asked {
    type Value = Shallow<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Asked {
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
        Ok(Scalar::Number(value as f64).into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(value as f64).into())
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
