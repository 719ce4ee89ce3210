//! The payload as it arrives: the few fields that matter, borrowed from the bytes.
//!
//! Read by hand-written visitors, because a derived one refuses duplicate keys and wrong types in
//! fields that nobody needs. A tool's response can be megabytes long; it is skipped, not built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{HookError, MAX_PAYLOAD_BYTES};

/// The fields of a payload, under one name for all clients.
#[derive(Default)]
pub(super) struct Payload<'a> {
    pub(super) event: Scalar<'a>,
    pub(super) session: Scalar<'a>,
    pub(super) conversation: Scalar<'a>,
    pub(super) cwd: Scalar<'a>,
    pub(super) workspace: Option<Cow<'a, str>>,
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
    pub(super) server: Scalar<'a>,
    pub(super) input: Input<'a>,
    pub(super) response: Response<'a>,
    /// A key of Copilot CLI was seen.
    pub(super) has_camel_keys: bool,
    /// A key of Codex CLI was seen.
    pub(super) has_turn: bool,
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
            "turn_id" => self.has_turn = true,
            "conversation_id" | "generation_id" | "cursor_version" | "workspace_roots"
            | "failure_type" => self.has_cursor_keys = true,
            _ => {}
        }
        match key {
            "hook_event_name" | "hookEventName" => self.event = map.next_value()?,
            "session_id" | "sessionId" => self.session = map.next_value()?,
            "conversation_id" => self.conversation = map.next_value()?,
            "cwd" => self.cwd = map.next_value()?,
            "workspace_roots" => self.workspace = map.next_value::<First<'_>>()?.0,
            "agent_type" | "agentType" => self.agent_type = map.next_value()?,
            "transcript_path" => self.transcript = map.next_value()?,
            "timestamp" => self.timestamp = map.next_value()?,
            "source" => self.source = map.next_value()?,
            "prompt" => self.prompt = map.next_value()?,
            "tool_name" | "toolName" => self.tool = map.next_value()?,
            "tool_use_id" | "toolUseId" | "toolCallId" => self.op = map.next_value()?,
            "duration_ms" | "durationMs" | "duration" => self.duration = map.next_value()?,
            "failure_type" => self.failure_type = map.next_value()?,
            "is_interrupt" | "isInterrupt" => self.is_interrupt = map.next_value()?,
            "mcp_server" | "mcpServer" => self.server = map.next_value::<Named<'_>>()?.0,
            "tool_input" | "toolInput" | "toolArgs" => self.input = map.next_value()?,
            "tool_response" | "toolResponse" | "toolResult" => self.response = map.next_value()?,
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
    /// The text, if it is one.
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

/// Visitors for values of which only some forms matter: the others are skipped.
macro_rules! skip_other_forms {
    ($($visit:ident($type:ty),)*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        $(fn $visit<E: Error>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Default::default())
        })*
    };
}

fn skip_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar<'de>;

            skip_other_forms! {}

            fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Scalar::Bool(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Scalar::Number(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Scalar::Number(value as f64))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Scalar::Number(value))
            }
            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Scalar::Text(Cow::Borrowed(value)))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Scalar::Text(Cow::Owned(value.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                skip_list(list).map(|()| Scalar::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                IgnoredAny.visit_map(map).map(|_| Scalar::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A text, or the `name` of an object.
#[derive(Default)]
struct Named<'a>(Scalar<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Named<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Named<'de>;

            skip_other_forms! { visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), }

            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Named(Scalar::Text(Cow::Borrowed(value))))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Named(Scalar::Text(Cow::Owned(value.to_owned()))))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                skip_list(list).map(|()| Named::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut name = Scalar::None;
                while let Some(Key(key)) = map.next_key()? {
                    if key == "name" {
                        name = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Named(name))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The first text of a list.
#[derive(Default)]
struct First<'a>(Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for First<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = First<'de>;

            skip_other_forms! {
                visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str),
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let first = match list.next_element()? {
                    Some(Scalar::Text(text)) => Some(text),
                    _ => None,
                };
                skip_list(list).map(|()| First(first))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                IgnoredAny.visit_map(map).map(|_| First::default())
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The names that some tools take as input. A text may be the same object as JSON.
#[derive(Default)]
pub(super) struct Input<'a> {
    pub(super) skill: Scalar<'a>,
    pub(super) command: Scalar<'a>,
    pub(super) agent: Scalar<'a>,
    pub(super) text: Option<Cow<'a, str>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Input<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Input<'de>;

            skip_other_forms! { visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), }

            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Input { text: Some(Cow::Borrowed(value)), ..Input::default() })
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Input { text: Some(Cow::Owned(value.to_owned())), ..Input::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                skip_list(list).map(|()| Input::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut input = Input::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "skill" => input.skill = map.next_value()?,
                        "command" => input.command = map.next_value()?,
                        "subagent_type" => input.agent = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(input)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Whether a result reports an error.
#[derive(Default)]
pub(super) struct Response<'a> {
    pub(super) is_error: bool,
    /// Copilot CLI's word for it.
    pub(super) result_type: Scalar<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Response<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Response<'de>;

            skip_other_forms! {
                visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str),
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                skip_list(list).map(|()| Response::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut response = Response::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "isError" | "is_error" => {
                            response.is_error |= matches!(map.next_value()?, Scalar::Bool(true));
                        }
                        "resultType" => response.result_type = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(response)
            }
        }
        deserializer.deserialize_any(Any)
    }
}
