//! Diagnoses lines that are not valid messages, and finds the request to answer.

use std::fmt;

use rmcp::model::ErrorCode;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

/// Maximum nesting depth that the JSON parser accepts.
const MAX_DEPTH: usize = 127;

/// The reason why a line was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotUtf8,
    NotJson,
    TooDeep,
    /// The line is larger than 8 MiB.
    TooLarge,
    /// The line is JSON, but not a message of the protocol.
    NoMessage,
    /// A request with this id has not been answered yet.
    IdInUse,
}

impl Fault {
    const fn as_str(self) -> &'static str {
        match self {
            Self::NotUtf8 => "the message is not UTF-8",
            Self::NotJson => "the message is not JSON",
            Self::TooDeep => "the message is nested deeper than 127 levels",
            Self::TooLarge => "the message is larger than 8 MiB",
            Self::NoMessage => "the message is not a request of this protocol",
            Self::IdInUse => "a request with this id is still being answered",
        }
    }

    /// Returns the answer to the request with this id, or null if it is unknown.
    pub(crate) fn error(self, id: &Value) -> Value {
        let (code, message) = (self.code(!id.is_null()), self.as_str());
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
    }

    /// Returns the JSON-RPC error code. `numbered` is true if the request's id is known.
    const fn code(self, numbered: bool) -> i32 {
        match self {
            Self::NoMessage | Self::IdInUse => ErrorCode::INVALID_REQUEST.0,
            _ if numbered => ErrorCode::INVALID_REQUEST.0,
            _ => ErrorCode::PARSE_ERROR.0,
        }
    }
}

/// Returns the fault of an unreadable line and the id of its request. `None` for notifications and answers, which are
/// not answered.
pub(crate) fn fault(line: &[u8]) -> Option<(Fault, Value)> {
    let head = head(line);
    let valid = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    let fault = match std::str::from_utf8(line) {
        Err(_) => Fault::NotUtf8,
        Ok(_) if !valid => Fault::NotJson,
        Ok(_) if depth(line) > MAX_DEPTH => Fault::TooDeep,
        Ok(_) => Fault::NoMessage,
    };
    let silent = valid && !head.has_id && (head.has_method || head.has_answer);
    (!silent && !head.has_answer).then_some((fault, head.id))
}

fn depth(line: &[u8]) -> usize {
    let (mut deepest, mut depth, mut in_text, mut escaped) = (0, 0_usize, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Returns the id of the request in a line, or null. The line may be incomplete.
pub(crate) fn id(line: &[u8]) -> Value {
    head(line).id
}

/// The top-level members of a line, as far as they can be parsed.
#[derive(Default)]
struct Head {
    id: Value,
    has_id: bool,
    has_method: bool,
    has_answer: bool,
}

fn head(line: &[u8]) -> Head {
    struct Fields<'a>(&'a mut Head);

    impl<'de> Visitor<'de> for Fields<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                match key.as_str() {
                    "id" => {
                        self.0.has_id = true;
                        let id = map.next_value()?;
                        self.0.id = if is_id(&id) { id } else { Value::Null };
                        continue;
                    }
                    "method" => self.0.has_method = true,
                    "result" | "error" => self.0.has_answer = true,
                    _ => {}
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut head = Head::default();
    // Members before the first error are used.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(Fields(&mut head));
    head
}

/// Returns true for an integer, or a string of at most 256 bytes.
fn is_id(id: &Value) -> bool {
    id.is_i64() || id.is_u64() || id.as_str().is_some_and(|text| text.len() <= 256)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_to_the_request_that_it_is() {
        let deep = format!(r#"{{"id":"d","method":"ping","params":{}"#, "[".repeat(100_000));
        let closed = format!(
            r#"{{"id":3,"method":"ping","params":{}1{}}}"#,
            "[".repeat(5_000),
            "]".repeat(5_000)
        );
        let long = format!(r#"{{"id":"{}","method":1}}"#, "x".repeat(300));
        for (line, expected) in [
            (&b"no JSON"[..], Some((Fault::NotJson, Value::Null))),
            (b"\xff\xfe", Some((Fault::NotUtf8, Value::Null))),
            (b"{\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", Some((Fault::NotUtf8, json!(1)))),
            (b"{\"x\":\"\xff\",\"id\":1}", Some((Fault::NotUtf8, json!(1)))),
            (b"{\"id\":7,\"method\":", Some((Fault::NotJson, json!(7)))),
            (deep.as_bytes(), Some((Fault::NotJson, json!("d")))),
            (closed.as_bytes(), Some((Fault::TooDeep, json!(3)))),
            (b"{\"id\":1.5,\"method\":\"ping\"}", Some((Fault::NoMessage, Value::Null))),
            (br#"{"id":8,"method":"\"[[{","params":"[[\\"}"#, Some((Fault::NoMessage, json!(8)))),
            (long.as_bytes(), Some((Fault::NoMessage, Value::Null))),
            (b"[]", Some((Fault::NoMessage, Value::Null))),
            (b"null", Some((Fault::NoMessage, Value::Null))),
            (b"{}", Some((Fault::NoMessage, Value::Null))),
            (b"{\"method\":\"notifications/none\",\"params\":7}", None),
            (b"{\"id\":1,\"result\":7}", None),
            (b"{\"error\":7}", None),
        ] {
            assert_eq!(
                fault(line),
                expected,
                "{}",
                String::from_utf8_lossy(&line[..line.len().min(60)])
            );
        }
    }

    #[test]
    fn a_fault_is_an_invalid_request_where_the_request_is_known() {
        assert_eq!(Fault::NotJson.code(false), -32_700);
        assert_eq!(Fault::TooLarge.code(true), -32_600);
        assert_eq!(Fault::NoMessage.code(false), -32_600);
    }
}
