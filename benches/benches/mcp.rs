//! Measures the MCP server: a call of `tool_status` with 10,000 tools, and the memory of an idle server.
//!
//! `cargo bench -p staleness-benches --bench mcp [-- --quick]`

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Map, json};
use staleness_benches::process::resident;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::rounds;
use staleness_benches::site::Site;
use staleness_mcp::{Options, Server};

const TOOLS: usize = 10_000;
/// Number of calls per sample.
const CALLS: usize = 50;

/// Returns the median time of an in-process call.
fn call(site: &Site) -> f64 {
    let server = Server::new(Options {
        store: Some(site.url()),
        project: Some(site.project()),
        home: Some(site.home().to_path_buf()),
        ..Options::default()
    });
    let server = server.expect("a server");
    let ask = || {
        let arguments = Map::from_iter([("name".into(), "mcp__server0__tool0".into())]);
        let result = server.call("tool_status", arguments).expect("the tool");
        assert_eq!(result.is_error, Some(false), "{result:?}");
    };
    let [samples] = race(rounds(40, 5), [&mut || timed(|| (0..CALLS).for_each(|_| ask()))]);
    samples.median() / CALLS as f64
}

/// Returns the resident memory of a server after the handshake, in KiB.
fn waiting(site: &Site) -> u64 {
    let mut command = site.cli(&["mcp"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "bench", "version": "1" },
    } });
    writeln!(stdin, "{hello}").expect("a pipe");
    let mut line = String::new();
    stdout.read_line(&mut line).expect("an answer");
    let memory = resident(child.id());
    drop(stdin);
    assert!(child.wait().expect("the program ends").success());
    memory
}

fn main() {
    let site = Site::new("sqlite", env!("CARGO_BIN_EXE_bench-hook"));
    site.fill(TOOLS, TOOLS);
    let rows = [
        Row::new("MCP: tool_status at 10,000 tools", f64::NAN, call(&site), Goal::Within(1e-3)),
        Row::of_memory("MCP: memory of a server that waits", waiting(&site), 25),
    ];
    keep(env!("CARGO_TARGET_TMPDIR"), "mcp", &rows);
}
