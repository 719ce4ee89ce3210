//! Tests the share of connections, sessions, turns and bodies that each token has.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{OTHER, Site, TOKEN, answer, request, soon, start, start_with, stateless};
use crate::client::Machine;

/// Reads up to the end of a head, and returns its status.
fn status(stream: &mut TcpStream) -> u16 {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    String::from_utf8(head).unwrap().split(' ').nth(1).unwrap().parse().unwrap()
}

fn check() -> Value {
    request("tools/call", json!({ "name": "check_documents", "arguments": {} }))
}

/// A server for which git waits at a gate, which is held closed, in the first token's project.
fn gated(machine: &Machine) -> (Site, std::path::PathBuf) {
    let gate = crate::ends::gated(machine);
    let git = machine.root.join("bin/git");
    let script = std::fs::read_to_string(&git).unwrap();
    std::fs::write(&git, script.replacen("read", "[ ${PWD##*/} = other ] || read", 1)).unwrap();
    (start_with(machine, &format!("PATH={}:$PATH", machine.root.join("bin").display())), gate)
}

fn opened(gate: &std::path::Path) -> File {
    File::options().write(true).open(gate).unwrap()
}

#[test]
fn bodies_of_requests_share_one_bound() {
    let machine = Machine::new();
    let site = start(&machine);
    let begin = |token: &str| {
        let mut stream = TcpStream::connect(&site.host).unwrap();
        let head = format!("authorization: Bearer {token}\r\nexpect: 100-continue");
        let length = format!("content-length: {}", 1 << 20);
        write!(stream, "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{head}\r\n{length}\r\n\r\n")
            .unwrap();
        let status = status(&mut stream);
        (stream, status)
    };
    let all: Vec<_> = (0..4).map(|_| begin(TOKEN)).collect();
    let told: Vec<u16> = all.iter().map(|(_, status)| *status).collect();
    assert_eq!(told, [100, 100, 100, 429]);
    site.begin(TOKEN, "small");
    assert_eq!(begin(OTHER).1, 100, "the other token has its own share");
    drop(all);
    assert!(soon(|| begin(TOKEN).1 == 100));
}

#[test]
fn no_token_takes_the_connections_of_others() {
    let machine = Machine::new();
    // Half of the files are for connections: 8 without a token, and 12 for each token.
    let site = start_with(&machine, "ulimit -n 64");
    let session = site.begin(TOKEN, "a");
    let bearer = format!("Bearer {TOKEN}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("mcp-session-id", session.as_str()),
        ("accept", "text/event-stream"),
    ];
    let listen = || {
        let mut stream = site.open("GET", "/mcp", &headers, "");
        let status = status(&mut stream);
        (stream, status)
    };
    let all: Vec<_> = std::iter::repeat_with(listen).take(13).collect();
    assert!(all[..12].iter().all(|(_, status)| *status == 200));
    assert_eq!(all[12].1, 429);
    site.begin(OTHER, "b");
    // Those that say nothing take no place of a token.
    let silent: Vec<_> = (0..8).map(|_| TcpStream::connect(&site.host).unwrap()).collect();
    drop(all);
    site.begin(TOKEN, "waits until the silent ones are closed");
    drop(silent);
}

#[test]
fn no_token_takes_the_sessions_or_subscriptions_of_others() {
    let machine = Machine::new();
    let site = start(&machine);
    let subscribe = |token: &str, session: &str| {
        let message = request("resources/subscribe", json!({ "uri": "staleness://overview" }));
        site.post(token, &[("mcp-session-id", session)], &message).message()
    };
    let sessions: Vec<String> = (0..300).map(|_| site.begin(TOKEN, "a")).collect();
    let refused: Vec<&String> = sessions[..66]
        .iter()
        .filter(|session| !subscribe(TOKEN, session)["error"].is_null())
        .collect();
    assert_eq!(refused, [&sessions[64], &sessions[65]]);
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "a", "version": "1" } });
    let more = site.post(TOKEN, &[], &request("initialize", params));
    assert_eq!((more.status, more.body.trim()), (429, "too many sessions; end one"));
    let other = site.begin(OTHER, "b");
    assert!(subscribe(OTHER, &other)["error"].is_null());
}

#[test]
fn no_token_takes_the_turns_of_others() {
    let machine = Machine::new();
    let (site, gate) = gated(&machine);
    let (own, other) = (site.begin(TOKEN, "a"), site.begin(OTHER, "b"));
    let asked: Vec<_> = (0..4)
        .map(|id| {
            let message = json!({ "id": id, "jsonrpc": "2.0", "method": "tools/call",
                "params": { "name": "check_documents", "arguments": {} } });
            let mut stream = site.ask(TOKEN, &[("mcp-session-id", &own)], &message);
            assert_eq!(status(&mut stream), 200);
            stream
        })
        .collect();
    // One of them waits at the gate.
    let open = opened(&gate);
    site.call(OTHER, &other, "check_documents", json!({}));
    drop(open);
    drop(asked);
}

#[test]
fn an_id_in_use_is_refused_by_its_session_alone() {
    let machine = Machine::new();
    let (site, gate) = gated(&machine);
    let (own, second) = (site.begin(TOKEN, "a"), site.begin(TOKEN, "a"));
    let first = site.ask(TOKEN, &[("mcp-session-id", &own)], &check());
    let open = opened(&gate);
    for _ in 0..2 {
        let list = request("tools/list", json!({}));
        let refused = site.post(TOKEN, &[("mcp-session-id", &own)], &list);
        assert_eq!(refused.status, 400, "{}", refused.body);
        let refused = refused.message();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32_600)));
        assert!(refused.to_string().contains("a request with this id is still"), "{refused}");
    }
    assert_eq!(site.call(TOKEN, &second, "list_stale", json!({}))["isError"], false);
    drop(open);
    let first = answer(first).message();
    assert!(first["result"]["structuredContent"]["documents"].is_u64(), "{first}");
    assert_eq!(site.call(TOKEN, &own, "list_stale", json!({}))["isError"], false);
}

#[test]
fn calls_without_a_session_wait_for_no_other() {
    let machine = Machine::new();
    let (site, gate) = gated(&machine);
    let ask = |name: &str| {
        let (headers, message) = stateless(name, json!({}));
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        site.ask(TOKEN, &headers, &message)
    };
    let first = ask("check_documents");
    let open = opened(&gate);
    // The same id, which only its own connection knows.
    let told = answer(ask("list_stale")).message();
    assert_eq!(told["result"]["isError"], false, "{told}");
    site.begin(TOKEN, "a");
    drop(open);
    let first = answer(first).message();
    assert!(first["result"]["structuredContent"]["documents"].is_u64(), "{first}");
}
