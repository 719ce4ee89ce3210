//! The MCP server: what `tool_status` costs inside the process at 10,000 tools, against reading the same
//! tool through the registry; a call over the pipe; and the memory of a server that waits.
//!
//! `cargo bench -p staleness-benches --bench mcp [-- --quick]`

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use staleness::registry::ScopeChoice;
use staleness::scan::ProjectRef;
use staleness_benches::process::peak;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::{fill, registry, rounds};
use staleness_mcp::{Options, Server};

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
/// The tool that is asked about.
const NAME: &str = "mcp__server0__tool0";
/// Calls in one sample.
const CALLS: usize = 50;
/// The most that a server that waits may hold, in kibibytes.
const MOST_KIB: u64 = 25_000_000 / 1_024;

/// A line out, a line back.
struct Pipe(ChildStdin, BufReader<ChildStdout>);

impl Pipe {
    fn send(&mut self, message: &Value) {
        self.0.write_all(format!("{message}\n").as_bytes()).expect("a pipe");
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.1.read_line(&mut line).expect("a pipe");
        line
    }
}

fn main() {
    let mut rows = Vec::new();
    let tools = rounds(10_000, 1_000);
    for backend in ["sqlite", "redb"] {
        let dir = tempfile::tempdir().expect("a folder");
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        let project = project.canonicalize().expect("a path");
        let place = ProjectRef::of_root(project.display().to_string());
        let url = format!("{backend}:{}", dir.path().join("store").display());
        let filled = registry(&url);
        fill(&filled, &place, tools, 0..tools);
        drop(filled);

        let own = empty();
        let server = Server::new(Options {
            store: Some(url.clone()),
            project: Some(project.clone()),
            home: Some(dir.path().to_path_buf()),
            ..Options::default()
        });
        let server = server.expect("a server");
        let floor = registry(&url);
        let read = || {
            let key = floor.find_key(&place.id, NAME, ScopeChoice::Either).expect("the tool");
            floor.show(&place, &[key], staleness::clock::now()).expect("the tool");
        };
        let ask = || {
            let mut arguments = serde_json::Map::new();
            arguments.insert("name".into(), NAME.into());
            let result = server.call("tool_status", arguments).expect("the tool");
            assert_eq!(result.is_error, Some(false), "{result:?}");
        };
        let [raw, ours] = race(
            rounds(40, 5),
            [&mut || timed(|| (0..CALLS).for_each(|_| read())), &mut || {
                timed(|| (0..CALLS).for_each(|_| ask()))
            }],
        );
        let work = format!("{backend}: tool_status at {tools} tools, in the process");
        // redb opens its file for each step, so that hooks get their turn: that is the floor's, too.
        let goal = if backend == "redb" { Goal::Times(1.25) } else { Goal::Within(1e-3) };
        rows.push(Row::of(work, &raw, &ours, CALLS, goal));

        let mut child = Command::new(CLI)
            .args(["mcp", "--store", &url])
            .current_dir(&project)
            .env("STALENESS_HOME", dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take().expect("a pipe");
        let mut pipe = Pipe(stdin, BufReader::new(child.stdout.take().expect("a pipe")));
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        pipe.ask("initialize", &hello);
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let idle = resident(child.id());
        let status = json!({ "name": "tool_status", "arguments": { "name": NAME } });
        let pipe = RefCell::new(pipe);
        let [ping, called] = race(
            rounds(40, 5),
            [
                &mut || {
                    timed(|| {
                        (0..CALLS).for_each(|_| drop(pipe.borrow_mut().ask("ping", &json!({}))))
                    })
                },
                &mut || {
                    timed(|| {
                        (0..CALLS).for_each(|_| {
                            let answer = pipe.borrow_mut().ask("tools/call", &status);
                            assert!(answer.contains("\"isError\":false"), "{answer}");
                        });
                    })
                },
            ],
        );
        let work = format!("{backend}: the same over a pipe, against a ping");
        rows.push(Row::of(work, &ping, &called, CALLS, Goal::Open));
        let used = resident(child.id());
        let work = format!("{backend}: the server's resident memory while it waits");
        rows.push(Row::of_memory(work, own, idle, MOST_KIB));
        let work = format!("{backend}: the same after {CALLS} calls in each sample");
        rows.push(Row::of_memory(work, own, used, MOST_KIB));
        drop(pipe);
        assert!(child.wait().expect("the program ends").success());
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "mcp", &rows);
}

/// The peak memory of an empty process, in kibibytes.
fn empty() -> u64 {
    peak(&mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "")
}

/// The resident memory of a process, in kibibytes; 0 where the system does not tell.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
