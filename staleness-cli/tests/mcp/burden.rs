//! Clients that ask more than they read, that do not read at all, and that send what is no request.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Machine;

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);

/// A server that was greeted, and its input.
fn greeted(machine: &Machine) -> (Child, ChildStdin) {
    let mut child = machine.command(&["mcp"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(HELLO.as_bytes()).unwrap();
    (child, stdin)
}

/// Waits for the end of a server; one that does not end is killed.
fn end(mut child: Child) -> (Option<ExitStatus>, String) {
    let mut stderr = child.stderr.take().unwrap();
    let (told, ended) = mpsc::channel();
    let pid = child.id().to_string();
    let waiting = std::thread::spawn(move || told.send(child.wait().unwrap()));
    let status = ended.recv_timeout(Duration::from_secs(5)).ok();
    if status.is_none() {
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    }
    waiting.join().unwrap().unwrap();
    let mut text = String::new();
    stderr.read_to_string(&mut text).unwrap();
    (status, text)
}

/// The most memory that a process had, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn requests_in_a_row_take_no_more_memory_than_few() {
    let machine = Machine::new();
    let (mut child, mut stdin) = greeted(&machine);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let count = 12_000;
    let asking = std::thread::spawn(move || {
        for id in 0..count {
            let method = ["ping", "resources/list", "tools/list"][id % 3];
            writeln!(stdin, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#).unwrap();
        }
        stdin
    });
    for _ in 0..=count {
        assert!(lines.next().unwrap().unwrap().contains(r#""result""#));
    }
    let most = peak(&child);
    drop(asking.join().unwrap());
    assert!(most < 64 * 1024, "{most} KiB");
    assert!(end(child).0.unwrap().success());
}

#[cfg(unix)]
#[test]
fn b6_a_server_ends_when_nobody_reads_its_answers_any_more() {
    let machine = Machine::new();
    for asks in [true, false] {
        let (mut child, mut stdin) = greeted(&machine);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        drop(stdout);
        if asks {
            let _ = writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#);
        }
        // Its input stays open.
        let (status, stderr) = end(child);
        assert!(status.is_some_and(|status| status.success()), "{status:?}");
        assert_eq!(stderr, "");
        drop(stdin);
    }
    let mut child = machine.command(&["mcp"]).spawn().unwrap();
    drop(child.stdout.take());
    let stdin = child.stdin.take();
    let _ = stdin.as_ref().unwrap().write_all(HELLO.as_bytes());
    let (status, stderr) = end(child);
    assert!(status.is_some_and(|status| status.success()), "before it was greeted: {status:?}");
    assert_eq!(stderr, "");
    drop(stdin);
}

#[cfg(unix)]
#[test]
fn a_server_ends_with_its_input_though_its_answers_are_unread() {
    let machine = Machine::new();
    let (mut child, mut stdin) = greeted(&machine);
    let stdout = child.stdout.take();
    // More answers than a pipe holds, and fewer questions.
    for id in 0..600 {
        writeln!(stdin, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#).unwrap();
    }
    drop(stdin);
    let (status, stderr) = end(child);
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    assert_eq!(stderr, "");
    drop(stdout);
}

#[test]
fn b6_what_is_no_request_is_answered_with_an_error() {
    let (_machine, mut client) = Machine::served();
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"ping","params":{}1{}}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let large = format!(r#"{{"jsonrpc":"2.0","id":4,"method":"{}"}}"#, "x".repeat(9 << 20));
    for (line, id, code, what) in [
        (&b"this is no JSON"[..], Value::Null, -32_700, "not JSON"),
        (b"\xff\xfe", Value::Null, -32_700, "not UTF-8"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}", json!(1), -32_600, "not UTF-8"),
        (br#"{"jsonrpc":"2.0","id":"2","method":"#, json!("2"), -32_600, "not JSON"),
        (deep.as_bytes(), json!(3), -32_600, "nested deeper"),
        (large.as_bytes(), json!(4), -32_600, "larger than 8 MiB"),
        (br#"{"jsonrpc":"2.0","id":5,"method":7}"#, json!(5), -32_600, "not a request"),
        (br#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#, Value::Null, -32_600, "not a request"),
    ] {
        client.send_bytes(line);
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(what), "{answer}");
    }
    client.send("");
    assert!(client.ask("ping", json!({}))["error"].is_null(), "it goes on");
    // What is only too large to be kept is refused in words.
    let refused = client.call("save_knowledge", json!({ "body": "x".repeat(2 << 20) }));
    assert_eq!(refused["isError"], true, "{refused}");
    let output = client.leave();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let (_machine, mut client) = Machine::served();
    let call = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"list_stale","arguments":{}}}"#;
    client.send(&format!("{call}\n{call}"));
    let both = [client.receive(), client.receive()];
    let refused = both.iter().filter(|answer| answer["error"]["code"] == -32_600).count();
    // Where the first was answered before the second came, both are answered.
    assert!(refused <= 1 && both.iter().all(|answer| answer["id"] == "x"), "{both:?}");
    client.send(call);
    assert_eq!(client.receive()["result"]["isError"], false, "it is free again");
}

#[cfg(unix)]
#[test]
fn slow_calls_stand_in_nobodys_way() {
    let machine = Machine::new();
    let (gate, mut client) = crate::ends::gated_client(&machine);
    let check = json!({ "name": "check_documents", "arguments": {} });
    let recall = json!({ "name": "recall_knowledge", "arguments": { "query": "router" } });
    let first: Vec<u64> = (0..2).map(|_| client.request("tools/call", check.clone())).collect();
    // One of them waits at the gate.
    let open = std::fs::File::options().write(true).open(&gate).unwrap();
    let waiting: Vec<u64> = (0..16).map(|_| client.request("tools/call", recall.clone())).collect();
    let refused = client.ask("tools/call", recall.clone());
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(refused.to_string().contains("too many calls of this kind"), "{refused}");
    client.data("record_outcome", json!({ "name": "x", "outcome": "success", "new": true }));
    assert_eq!(client.data("tool_status", json!({ "name": "x" }))["status"], "active");
    // Those that wait can be cancelled, and give their place to others.
    for id in waiting.iter().chain(&first) {
        client.cancel(*id);
    }
    client.data("list_stale", json!({}));
    assert!(client.told.iter().all(|message| message["id"].is_null()), "{:?}", client.told);
    let output = client.leave();
    drop(open);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
