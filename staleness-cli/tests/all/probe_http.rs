//! HTTP servers that `scan --probe` reaches, with the feature `http`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use serde_json::{Value, json};

use crate::common::{Sandbox, names};

const SECRET: &str = "hunter2-hunter2";

/// Starts a server with one tool, for requests that hold the secret. Returns its address, and what it is sent.
fn serve() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    let (sent, received) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (head, body) = request(&mut stream);
            let answer = match serde_json::from_str(&body) {
                _ if !head.contains(&format!("\r\nauthorization: Bearer {SECRET}\r\n")) => {
                    format!(
                        "401 Unauthorized\r\nwww-authenticate: {SECRET}\r\ncontent-length: 0\r\n\r\n"
                    )
                }
                Ok(message) => answer(&message),
                Err(_) => "200 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
            };
            let _ = write!(stream, "HTTP/1.1 {answer}");
            let _ = sent.send(head);
        }
    });
    (format!("http://{host}/mcp?key={SECRET}"), received)
}

fn request(stream: &mut TcpStream) -> (String, String) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn answer(message: &Value) -> String {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({ "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} }, "serverInfo": { "name": "x", "version": "1" } }),
        Some("tools/list") => json!({ "tools": [{ "name": "find", "description": "Finds",
            "inputSchema": { "type": "object", "properties": { "repo": {} } } }] }),
        _ => return "202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
    };
    let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
    let length = body.len();
    format!("200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
}

#[test]
fn http_servers_are_pinned_and_nothing_of_their_headers_and_addresses_is_kept() {
    let sandbox = Sandbox::new();
    let (url, received) = serve();
    let servers = json!({
        "hub": { "type": "http", "url": url, "headers": { "Authorization": "Bearer ${TOKEN}" } },
        "locked": { "type": "http", "url": url, "headers": { "X-Key": SECRET } },
        "old": { "type": "sse", "url": url },
        "unset": { "type": "http", "url": url, "headers": { "X-Key": "${NOT_SET}" } },
    });
    sandbox.claude_trusting(&servers);
    let other = format!("[mcp_servers.other]\nurl = '{url}'\nbearer_token_env_var = 'TOKEN'\n");
    sandbox.codex_trusting(&other);
    let pending = json!({ "mcpServers": { "pending": { "type": "http", "url": url } } });
    sandbox.write("project/.mcp.json", pending.to_string());
    sandbox.ok(&["scan"]);
    let report = sandbox.json_under(&[("TOKEN", SECRET)], &["scan", "--probe"]);
    let probed = report["probed"].as_array().unwrap().iter();
    let told: Vec<(&str, &str, &Value)> = probed
        .map(|each| {
            let text = |key: &str| each[key].as_str().unwrap();
            let last = if each["tools"].is_null() { "reason" } else { "tools" };
            (text("server"), text("state"), &each[last])
        })
        .collect();
    let expected = [
        ("hub", "asked", &json!(1)),
        ("locked", "failed", &json!("it requires a sign-in (HTTP 401)")),
        ("old", "skipped", &json!("it uses only SSE, which is not supported")),
        ("other", "asked", &json!(1)),
        ("unset", "skipped", &json!("it needs a variable or an input that has no value here")),
        ("pending", "skipped", &json!("its client waits for your approval")),
    ];
    assert_eq!(told, expected);
    assert_eq!(names(&report["added"]), ["mcp__hub__find", "mcp__other__find"]);
    // Two are asked from the first word to the last, and one is refused.
    assert_eq!(received.try_iter().count(), 3 + 3 + 1);
    let shown = sandbox.ok(&["tools", "show", "mcp__hub__find"]);
    assert_eq!(sandbox.json(&["tools", "diff", "hub"])["definitions"], json!([]));
    for text in [report.to_string(), shown, sandbox.ok(&["tools", "history", "mcp__hub__find"])] {
        assert!(!text.contains(SECRET), "{text}");
    }
    for (path, bytes) in sandbox.files() {
        let is_ours = !path.ends_with(".claude.json")
            && !path.ends_with("config.toml")
            && !path.ends_with(".mcp.json");
        let holds = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!(is_ours && holds), "{}", path.display());
    }
}
