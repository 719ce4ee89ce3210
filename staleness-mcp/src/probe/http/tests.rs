//! Tests with servers that answer too much, too late, elsewhere or not at all. They are threads on the loopback
//! address.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use serde_json::{Value, json};
use staleness_sources::clients::{Launch, Target};

use super::super::{Ended, ask, ask_one};
use super::*;

const SECRET: &str = "hunter2";

/// Everything that was sent to a server, by request: the head in lower case, then the body.
type Log = Arc<Mutex<Vec<String>>>;

/// Starts a server that answers each request with the output of `answer`. Returns its host and port.
fn serve(answer: impl Fn(&str, &str, &mut TcpStream) + Send + 'static) -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    let log = Log::default();
    std::thread::spawn({
        let log = Arc::clone(&log);
        move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (head, body) = request(&mut stream);
                log.lock().expect("no panic").push(format!("{head}{body}"));
                answer(&head, &body, &mut stream);
            }
        }
    });
    (host, log)
}

fn request(stream: &mut TcpStream) -> (String, String) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
    stream.read_exact(&mut body).expect("a body");
    (head, String::from_utf8_lossy(&body).into_owned())
}

fn answer_with(stream: &mut TcpStream, status: &str, more: &str, body: &str) {
    let length = body.len();
    // The client may have disconnected.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}

/// Sends nothing until the client disconnects.
fn wait(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0]);
}

const JSON: &str = "content-type: application/json\r\nmcp-session-id: s-1\r\n";
const EVENTS: &str = "content-type: text/event-stream\r\n";

/// Returns the result of a request: a handshake, or a list of these tools with one tool per page.
fn result(body: &str, tools: &[&str]) -> Option<Value> {
    let message: Value = serde_json::from_str(body).ok()?;
    let result = match message["method"].as_str()? {
        "initialize" => json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
                                "serverInfo": { "name": "x", "version": "1" } }),
        "tools/list" => {
            let page = message["params"]["cursor"].as_str().map_or(0, |page| page.len());
            let schema = json!({ "type": "object" });
            let tools: Vec<Value> = tools[page..]
                .iter()
                .take(1)
                .map(|name| json!({ "name": name, "inputSchema": schema }))
                .collect();
            json!({ "tools": tools })
        }
        _ => return None,
    };
    let mut result = result;
    let page = message["params"]["cursor"].as_str().map_or(0, |page| page.len()) + 1;
    if message["method"] == "tools/list" && page < tools.len() {
        result["nextCursor"] = "x".repeat(page).into();
    }
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

fn answer_json(body: &str, stream: &mut TcpStream) {
    match result(body, &["a", "b"]) {
        Some(result) => answer_with(stream, "200 OK", JSON, &result.to_string()),
        None => answer_with(stream, "202 Accepted", "", ""),
    }
}

fn launch(url: String) -> Launch {
    let headers = BTreeMap::from([("X-Key".to_owned(), SECRET.to_owned())]);
    Launch { target: Target::Http { url, headers }, folder: "/".into() }
}

fn limits(millis: u64) -> Limits {
    Limits { time: Duration::from_millis(millis), ..Limits::default() }
}

fn answer(url: String, limits: Limits) -> Answer {
    let mut answers = ask(vec![launch(url)], limits, &mut |_| {}).expect("a runtime");
    answers.remove(0).expect("no interrupt")
}

fn names(text: &str) -> Vec<String> {
    let list: Value = serde_json::from_str(text).expect("JSON");
    let tools = list["tools"].as_array().expect("a list");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn an_http_server_is_asked_for_every_page_with_its_headers() {
    let (host, log) = serve(|_, body, stream| answer_json(body, stream));
    let text =
        answer(format!("http://{host}/mcp?key=hunter2"), limits(20_000)).expect("it answers");
    assert_eq!(names(&text), ["a", "b"]);
    let log = log.lock().expect("no panic");
    let first: Vec<&str> = log.iter().filter_map(|each| each.lines().next()).collect();
    let post = "post /mcp?key=hunter2 http/1.1";
    assert_eq!(first, [post, post, post, post, "delete /mcp?key=hunter2 http/1.1"]);
    for (place, each) in log.iter().enumerate() {
        assert!(each.contains("\r\nx-key: hunter2\r\n"), "{each}");
        assert_eq!(each.contains("\r\nmcp-session-id: s-1\r\n"), place > 0, "{each}");
        assert!(each.contains(&format!("\r\nhost: {host}\r\n")), "{each}");
    }
}

#[test]
fn answers_come_as_events_too() {
    let (host, _) = serve(|_, body, stream| match result(body, &["a", "b"]) {
        Some(result) => {
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/message",
                               "params": { "level": "info", "data": "x" } });
            let result = result.to_string().replace("\"a\"", "\"a\\ud800\"");
            let events = format!(": hello\n\nid: 1\ndata: {note}\n\ndata: {result}\n\n");
            answer_with(stream, "200 OK", EVENTS, &events);
        }
        None => answer_with(stream, "200 OK", "", ""),
    });
    assert_eq!(
        names(&answer(format!("http://{host}"), limits(20_000)).expect("it answers")),
        ["a\u{fffd}", "b"]
    );
}

#[test]
fn whatever_an_http_server_does_it_is_told_in_words_of_ours() {
    let status = |status: &'static str| {
        move |_: &str, _: &str, stream: &mut TcpStream| {
            answer_with(stream, status, "www-authenticate: Bearer realm=hunter2\r\n", "hunter2");
        }
    };
    let body = |kind: &'static str, text: &'static str| {
        move |_: &str, _: &str, stream: &mut TcpStream| {
            answer_with(stream, "200 OK", &format!("content-type: {kind}\r\n"), text);
        }
    };
    type Server = Box<dyn Fn(&str, &str, &mut TcpStream) + Send>;
    let servers: [(Server, &str); 15] = [
        (Box::new(status("401 Unauthorized")), "it requires a sign-in (HTTP 401)"),
        (Box::new(status("403 Forbidden")), "it requires a sign-in (HTTP 403)"),
        (Box::new(status("404 Not Found")), NO_STREAMABLE),
        (Box::new(status("405 Method Not Allowed")), NO_STREAMABLE),
        (Box::new(status("429 Too Many Requests")), "it answered with HTTP 429"),
        (Box::new(status("500 hunter2")), "it answered with HTTP 500"),
        (Box::new(status("302 Found")), ELSEWHERE),
        (Box::new(body("text/html", "<p>hunter2")), NOT_MCP),
        (Box::new(body("application/json", "hunter2")), NOT_MCP),
        (Box::new(body("application/json", "{\"hunter2\":1}")), NOT_MCP),
        (
            Box::new(body("text/event-stream", "id: 1\nretry: 0\ndata:\n\n")),
            "it closed the connection before it answered",
        ),
        (
            Box::new(body("text/event-stream", "data: hunter2\n\n")),
            "it closed the connection before it answered",
        ),
        (
            Box::new(|_: &str, _: &str, stream: &mut TcpStream| {
                let _ = stream.write_all(b"hunter2\r\n\r\n");
            }),
            "it does not speak HTTP",
        ),
        (Box::new(|_: &str, _: &str, _: &mut TcpStream| {}), "it does not speak HTTP"),
        (
            Box::new(|_: &str, body: &str, stream: &mut TcpStream| {
                if body.contains("tools/list") {
                    let error =
                        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"hunter2"}}"#;
                    return answer_with(stream, "200 OK", JSON, error);
                }
                answer_json(body, stream);
            }),
            "it answered with an error",
        ),
    ];
    for (server, expected) in servers {
        let (host, _) = serve(server);
        let told = answer(format!("http://{host}/?key=hunter2"), limits(20_000));
        assert_eq!(told, Err(expected.to_owned()));
    }
    let (silent, _) = serve(|_, _, stream| wait(stream));
    let told = answer(format!("http://{silent}"), limits(300));
    assert_eq!(told, Err("no answer within 0 s".to_owned()));
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one");
    let open = TcpListener::bind("127.0.0.1:0").expect("a port");
    let plain = open.local_addr().expect("an address");
    std::thread::spawn(move || open.accept().map(|(mut stream, _)| stream.write_all(b"hunter2")));
    for (url, expected) in [
        (format!("http://{closed}"), "cannot be reached: it refuses the connection"),
        (format!("https://{plain}"), "cannot be reached: the encrypted connection (TLS) failed"),
        ("http://hunter2.invalid".into(), "cannot be reached: its host is unknown"),
        (
            "https://user:hunter2@h".into(),
            "its address has a user name or password, which is not sent",
        ),
        ("ws://hunter2".into(), "its address is not an HTTP URL"),
        ("http://hunter2 /".into(), "its address is not valid"),
        ("hunter2".into(), "its address is not an HTTP URL"),
    ] {
        assert_eq!(answer(url, limits(20_000)), Err(expected.to_owned()));
    }
    let headers = BTreeMap::from([("X".to_owned(), "hunter2\r\nY: z".to_owned())]);
    let target = Target::Http { url: "http://h".into(), headers };
    let mut told =
        ask(vec![Launch { target, folder: "/".into() }], limits(9), &mut |_| {}).expect("one");
    assert_eq!(told.remove(0), Some(Err("one of its headers cannot be sent".to_owned())));
}

#[test]
fn an_http_server_that_never_ends_is_heard_up_to_a_bound() {
    let few = Limits { bytes: 100_000, ..limits(20_000) };
    let endless = |kind: &'static str, text: &'static str| {
        move |_: &str, _: &str, stream: &mut TcpStream| {
            let head = format!("HTTP/1.1 200 OK\r\n{kind}\r\n");
            if stream.write_all(head.as_bytes()).is_ok() {
                while stream.write_all(text.as_bytes()).is_ok() {}
            }
        }
    };
    for (kind, text) in [(JSON, "[[[[[[[["), (EVENTS, "data: x"), (EVENTS, ": x\n\n")] {
        let (host, _) = serve(endless(kind, text));
        assert_eq!(answer(format!("http://{host}"), few), Err(TOO_MUCH.to_owned()));
    }
    // The limit applies to all answers together.
    let (host, _) = serve(|_, body, stream| match result(body, &["a"]) {
        Some(mut result) => {
            result["result"]["nextCursor"] = "x".into();
            result["result"]["_meta"] = json!({ "x": "x".repeat(40_000) });
            answer_with(stream, "200 OK", JSON, &result.to_string());
        }
        None => answer_with(stream, "202 Accepted", "", ""),
    });
    assert_eq!(answer(format!("http://{host}"), few), Err(TOO_MUCH.to_owned()));
}

#[test]
fn a_list_of_100_000_tools_is_cut_like_any_other() {
    let (host, _) = serve(|_, body, stream| match result(body, &["a"]) {
        Some(mut result) if body.contains("tools/list") => {
            let tool = json!({ "name": "a", "inputSchema": {} });
            result["result"] = json!({ "tools": vec![tool; 100_000], "nextCursor": "x" });
            answer_with(stream, "200 OK", JSON, &result.to_string());
        }
        Some(result) => answer_with(stream, "200 OK", JSON, &result.to_string()),
        None => answer_with(stream, "202 Accepted", "", ""),
    });
    let text = answer(format!("http://{host}"), limits(60_000)).expect("it answers");
    assert!(text.ends_with(r#""nextCursor":"more"}"#), "no second page is asked for");
}

#[test]
fn a_redirect_is_followed_on_its_own_host_only() {
    let (other, elsewhere) = serve(|_, body, stream| answer_json(body, stream));
    for to in [
        format!("http://{other}/mcp"),
        format!("//{other}/mcp"),
        format!("https://{other}/"),
        "x".into(),
    ] {
        let (host, _) = serve(move |_, _, stream| {
            answer_with(stream, "307 Temporary Redirect", &format!("location: {to}\r\n"), "");
        });
        assert_eq!(answer(format!("http://{host}/"), limits(20_000)), Err(ELSEWHERE.to_owned()));
    }
    assert!(elsewhere.lock().expect("no panic").is_empty());
    let (host, _) = serve(|head, body, stream| {
        let host = head.split_once("host: ").and_then(|(_, rest)| rest.lines().next());
        let to = format!("location: http://{}/mcp/\r\n", host.expect("a host"));
        match head.contains(" /mcp/ ") {
            true => answer_json(body, stream),
            false if head.contains(" /mcp ") => {
                answer_with(stream, "308 Permanent Redirect", &to, "")
            }
            false => answer_with(stream, "307 Temporary Redirect", "location: /for/ever\r\n", ""),
        }
    });
    let text = answer(format!("http://{host}/mcp"), limits(20_000)).expect("it is followed");
    assert_eq!(names(&text), ["a", "b"]);
    let told = answer(format!("http://{host}/for/ever"), limits(20_000));
    assert_eq!(told, Err("it redirects too often".to_owned()));
}

#[test]
fn an_interrupt_ends_a_request() {
    let stop = Ended::default();
    let (host, _) = serve({
        let stop = stop.clone();
        move |_, _, stream| {
            stop.end();
            wait(stream);
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
    let asked = runtime.block_on(ask_one(launch(format!("http://{host}")), limits(60_000), stop));
    assert!(asked.is_none());
}
