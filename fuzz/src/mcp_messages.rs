//! Fuzzes messages to the MCP server.
//!
//! Input, by line: `TOOL {…}` calls the tool with these arguments; any other line is sent as it is. Lines
//! before `hello` are sent before the handshake.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};
use staleness_mcp::{MAX_DATA_BYTES, MAX_TEXT_BYTES, Options, Server, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{SECRET, put};

/// Maximum number of calls per input.
const MAX_CALLS: usize = 12;
/// Maximum duration of a session.
const PATIENCE: Duration = Duration::from_secs(20);
/// The server's time.
const NOW: &str = "2026-11-01T12:00:00Z";

thread_local! {
    static FOLDER: tempfile::TempDir = folder();
    static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
}

/// Creates a project with a document, and with secrets where clients keep them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| put(folder.path(), name, text);
    file("AGENTS.md", "# A\n\nSee `gone_name`, @b.md and src/gone.rs:3. Currently 1.0.\u{1b}[2J\n");
    file("a.rs", "fn known() {}\n");
    file("staleness.toml", "[tools]\nunseen_days = 9\n");
    let servers = json!({ "mcpServers": { "s": {
        "command": SECRET, "args": [SECRET], "env": { "KEY": SECRET }, "url": SECRET,
    }}});
    file(".mcp.json", &servers.to_string());
    folder
}

fn server() -> Server {
    let folder = FOLDER.with(|folder| folder.path().to_owned());
    let server = Server::new(Options {
        store: Some("memory:".into()),
        home: Some(folder.clone()),
        config: Some(folder.join("staleness.toml")),
        project: Some(folder),
        now: Some(NOW.into()),
        ..Options::default()
    });
    let server = server.expect("a server");
    for (tool, arguments) in [
        ("save_knowledge", json!({ "body": "a\u{1b}[2J is b", "id": "k", "keywords": ["b"] })),
        ("save_knowledge", json!({ "body": "do", "id": "t", "kind": "todo", "due": "2026-10-01" })),
        ("record_outcome", json!({ "name": "mcp__s__x", "outcome": "failure", "id": "o" })),
        ("work_item", json!({ "action": "add", "id": "w", "kind": "plan", "text": "a plan" })),
    ] {
        let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
        let told = server.call(tool, arguments).expect("there is such a tool");
        assert_ne!(told.is_error, Some(true), "{told:?}");
    }
    server
}

/// Runs the input directly and, if it has more than tool calls, over streams.
pub fn run(data: &[u8]) {
    let lines: Vec<&[u8]> =
        data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(MAX_CALLS).collect();
    let calls: Vec<_> = lines.iter().map(|line| call(line)).collect();
    let planted = data.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    let secret = if planted { None } else { Some(SECRET) };
    if calls.iter().any(Option::is_some) {
        let server = server();
        for (name, arguments) in calls.iter().flatten() {
            let told = server.call(name, arguments.clone());
            let is_known = server.tools().iter().any(|tool| tool.name == *name);
            assert_eq!(told.is_some(), is_known, "{name}");
            let Some(told) = told else { continue };
            judge(&serde_json::to_value(&told).expect("an answer is JSON"), secret);
        }
    }
    let often = data.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) % 16 == 0;
    if often || calls.iter().any(Option::is_none) {
        RUNTIME.with(|runtime| {
            runtime.block_on(async {
                let session = tokio::time::timeout(PATIENCE, session(&lines, &calls, secret));
                session.await.expect("a session ends");
            });
        });
    }
}

/// Parses a line that calls a tool.
fn call(line: &[u8]) -> Option<(String, Map<String, Value>)> {
    let line = std::str::from_utf8(line).ok()?;
    let (name, arguments) = line.split_once(' ')?;
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else { return None };
    plain.then(|| (name.to_owned(), arguments))
}

/// Asserts the requirements for every tool result.
fn judge(result: &Value, secret: Option<&str>) {
    let data = result["structuredContent"].to_string();
    assert!(data.len() <= MAX_DATA_BYTES, "{} bytes of data", data.len());
    let texts = result["content"].as_array().expect("an answer has content");
    assert_eq!(texts.len(), 1, "{result}");
    let text = texts[0]["text"].as_str().expect("the content is text");
    assert!(text.len() <= MAX_TEXT_BYTES + '…'.len_utf8(), "{} bytes of text", text.len());
    visible(result);
    if result["isError"] == true {
        assert!(!text.contains('\n') && text.contains("Next: "), "{text}");
        assert!(result["structuredContent"]["error"]["kind"].is_string(), "{result}");
    }
    quiet(&result.to_string(), secret);
}

fn quiet(told: &str, secret: Option<&str>) {
    assert!(!told.contains("a defect in staleness"), "{told}");
    assert!(secret.is_none_or(|secret| !told.contains(secret)), "told: {told}");
}

/// Asserts that no text moves a cursor or changes the text direction.
fn visible(value: &Value) {
    match value {
        Value::String(text) => {
            let hidden = |c: char| {
                c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}')
            };
            assert!(!text.contains(hidden), "{text:?}");
        }
        Value::Array(values) => values.iter().for_each(visible),
        Value::Object(fields) => fields.values().for_each(visible),
        _ => {}
    }
}

/// Runs a client that shakes hands, sends the lines, waits for the answers to its calls, and disconnects.
async fn session(
    lines: &[&[u8]],
    calls: &[Option<(String, Map<String, Value>)>],
    secret: Option<&str>,
) {
    let server = server();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(theirs);
    let serving = async {
        let served = serve(&server, read, write).await;
        served.map_err(|error| assert!(!error.to_string().contains('\n'), "{error}"))
    };
    let client = async move {
        let (read, mut write) = tokio::io::split(ours);
        let mut lost = false;
        let mut send = async |line: &[u8]| {
            lost |= write.write_all(line).await.is_err() || write.write_all(b"\n").await.is_err();
        };
        let early = lines.iter().position(|line| *line == b"hello").unwrap_or(0);
        for line in &lines[..early] {
            send(line).await;
        }
        let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "fuzz", "version": "1" },
        }});
        send(hello.to_string().as_bytes()).await;
        send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        let mut waiting: BTreeMap<String, usize> = BTreeMap::new();
        for (at, line) in lines.iter().enumerate().skip(early) {
            let Some((name, arguments)) = &calls[at] else {
                send(line).await;
                continue;
            };
            let id = format!("call-{at}");
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": name, "arguments": arguments } });
            send(call.to_string().as_bytes()).await;
            waiting.insert(id, 0);
        }
        // The lines themselves may end the session or cancel a call.
        let sure = lines.iter().zip(calls).all(|(line, call)| {
            call.is_some() || !line.windows(6).any(|part| part == b"cancel") && early == 0
        });
        let mut read = BufReader::new(read).lines();
        let (mut open, mut greeted) = (true, 0);
        loop {
            // Wait for answers only if they are certain to come.
            if open && (!sure || waiting.values().all(|count| *count > 0) && greeted > 0) {
                let _ = write.shutdown().await;
                open = false;
            }
            let Some(line) = read.next_line().await.expect("answers are UTF-8") else { break };
            let answer: Value = serde_json::from_str(&line).expect("an answer is one line of JSON");
            assert_eq!(answer["jsonrpc"], "2.0", "{line}");
            quiet(&line, secret);
            let is_answer = answer.get("result").is_some() || answer.get("error").is_some();
            assert!(is_answer != answer.get("method").is_some(), "an answer or a message: {line}");
            match answer["id"].as_str() {
                Some("hello") if is_answer => greeted += 1,
                Some(id) if is_answer => {
                    if let Some(count) = waiting.get_mut(id) {
                        *count += 1;
                        let unknown = answer.get("result").is_none();
                        assert!(unknown || !sure || answer["result"].is_object(), "{line}");
                        if !unknown && sure {
                            judge(&answer["result"], secret);
                        }
                    }
                }
                _ => {}
            }
        }
        // An id that the input reuses may be answered again.
        for (id, count) in &waiting {
            let again = lines.iter().zip(calls).any(|(line, call)| {
                call.is_none() && line.windows(4).any(|part| part == b"call" || part == b"\\u00")
            });
            assert!(again || *count <= 1, "{id} is answered {count} times");
            assert!(!sure || again || *count == 1, "{id} is not answered");
        }
    };
    let (_served, ()) = tokio::join!(serving, client);
}
