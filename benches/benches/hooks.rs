//! Measures hooks as whole processes, from spawn to exit. Tool events are compared with a raw program that
//! writes the same rows, session starts and prompts with an empty process.
//!
//! `cargo bench -p staleness-benches --bench hooks [-- --quick]`

use std::path::Path;
use std::process::Command;

use staleness::ids::ClientId;
use staleness::registry::Use;
use staleness::{Timestamp, Wait};
use staleness_benches::chance::words;
use staleness_benches::process::{peak, run};
use staleness_benches::race::{Samples, race};
use staleness_benches::ratios::{Goal, Row, keep, thousands};
use staleness_benches::site::Site;
use staleness_benches::{QUESTION, START, rounds, twin, uses};
use staleness_conformance::disk::Draws;

const HOOK: &str = env!("CARGO_BIN_EXE_bench-hook");

fn empty() -> f64 {
    run(&mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "")
}

fn hook(site: &Site, payload: &str) -> f64 {
    run(&mut site.cli(&["hook"]), payload)
}

/// Returns the payload of a tool event.
fn used(site: &Site, name: &str, event: usize) -> String {
    let fields = format!(
        r#""tool_name":"{name}","tool_use_id":"toolu_{event:020}","duration_ms":12,"tool_input":{{"query":"x"}},"tool_response":{{"content":"{}"}}"#,
        "y".repeat(500),
    );
    site.event("PostToolUse", 0, &fields)
}

/// Returns the raw program that records the same event in its own store.
fn raw(site: &Site, store: &Path, name: &str, event: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench-raw"));
    let at = START + 2_000_000_000 + event as i64;
    command.arg(store).args([site.place().id.as_str(), name]);
    command.args([format!("raw-{event:020}"), at.to_string()]);
    command
}

fn tool_events(tools: usize, outcomes: usize, rows: &mut Vec<Row>) {
    let site = Site::new("sqlite", HOOK);
    site.fill(tools, outcomes);
    let store = twin(&site.store());
    let name = |event: usize| format!("mcp__server0__tool{}", event % tools / 12 * 12);
    let (mut raws, mut hooks) = (0, 0);
    let [idle, floor, ours] = race(
        rounds(300, 3),
        [
            &mut empty,
            &mut || {
                raws += 1;
                let name = name(raws);
                run(&mut raw(&site, &store, &name, raws), &used(&site, &name, raws))
            },
            &mut || {
                hooks += 1;
                hook(&site, &used(&site, &name(hooks), hooks))
            },
        ],
    );
    eprintln!("an empty process: {:.2} ms", idle.median() * 1e3);
    let work = format!("hook: tool event, {} tools", thousands(tools as u64));
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Times(1.5)));
}

/// Returns a site whose user configures the twelve servers of the tools.
fn with_servers() -> Site {
    let site = Site::new("sqlite", HOOK);
    let entries: Vec<String> =
        (0..12).map(|at| format!(r#""server{at}":{{"command":"x"}}"#)).collect();
    let servers = format!(r#"{{"mcpServers":{{{}}}}}"#, entries.join(","));
    std::fs::write(site.home().join(".claude.json"), servers).expect("a file");
    site
}

/// Measures the search for unused tools, all of which the client used, in turn and over ten weeks.
fn unused(rows: &mut Vec<Row>) {
    let site = with_servers();
    let (registry, place, outcomes) = (site.registry(), site.place(), rounds(1_000_000, 10_000));
    let apart = 70 * Timestamp::DAY / outcomes as i64;
    let client = ClientId::new("claude-code").ok();
    for from in (0..outcomes).step_by(2_000) {
        let some = uses(&place, "seed", 10_000, from..from + 2_000).zip(from..);
        let some = some.map(|(each, number)| Use {
            at: Timestamp::from_millis(START + number as i64 * apart),
            client: client.clone(),
            ..each
        });
        registry.tools().record_all(some.collect()).wait().expect("uses are recorded");
    }
    drop(registry);
    run(&mut site.cli(&["scan", "--quiet"]), "");
    let mut costs = || run(&mut site.cli(&["tools", "unused", "--json"]), "");
    let [idle, ours] = race(rounds(50, 3), [&mut empty, &mut costs]);
    let work = format!("tools unused, 10,000 tools, {} outcomes", thousands(outcomes as u64));
    rows.push(Row::of(work, &idle, &ours, 1, Goal::Within(50e-3)));
}

fn session_starts(rows: &mut Vec<Row>) {
    let site = with_servers();
    let mut sessions = 0;
    let mut start = || {
        sessions += 1;
        hook(&site, &site.start(sessions))
    };
    start();
    site.fill(10_000, 10_000);
    start();
    let [idle, ours] = race(rounds(100, 3), [&mut empty, &mut start]);
    let work = "hook: session start, 10,000 tools, nothing changed";
    rows.push(Row::of(work, &idle, &ours, 1, Goal::Within(6e-3)));
    // Adding or removing a folder of commands changes 200 tools at a time.
    let commands = site.home().join(".claude").join("commands");
    std::fs::create_dir_all(&commands).expect("a folder");
    let mut round = 0;
    let mut changed = || {
        for at in 0..200 {
            let path = commands.join(format!("c{at}.md"));
            if round % 2 == 0 {
                std::fs::write(path, "x").expect("a file");
            } else {
                std::fs::remove_file(path).expect("removed");
            }
        }
        round += 1;
        start()
    };
    let [idle, ours] = race(rounds(50, 3), [&mut empty, &mut changed]);
    let work = "hook: session start, 10,000 tools, 200 changed";
    rows.push(Row::of(work, &idle, &ours, 1, Goal::Within(25e-3)));
}

/// Returns the times of an empty process and of prompts, and the peak memory. The tools have descriptions of
/// twenty words, and there are learned routes. Each prompt is the first of its session, so everything is
/// searched.
fn prompts(tools: usize, routes: usize) -> ([Samples; 2], u64) {
    let site = Site::new("sqlite", HOOK);
    let name = |at: usize| format!("mcp__server{}__tool{at}", at % 12);
    let mut draws = Draws(7);
    let mut described = |at| {
        let (name, words) = (name(at), words(&mut draws, 20));
        format!(r#"{{"type":"tool","name":"{name}","description":"{words}"}}"#)
    };
    site.import(&(0..tools).map(&mut described).collect::<Vec<_>>());
    let mut learned = |at| {
        let (name, words) = (name(at), words(&mut draws, 6));
        format!(r#"{{"type":"route","tool":"{name}","query":"{words}","created":"2026-11-01"}}"#)
    };
    site.import(&(0..routes).map(&mut learned).collect::<Vec<_>>());
    let prompt =
        |session| site.event("UserPromptSubmit", session, &format!(r#""prompt":"{QUESTION}""#));
    let mut session = 0;
    let times = race(
        rounds(100, 3),
        [&mut empty, &mut || {
            session += 1;
            hook(&site, &prompt(session))
        }],
    );
    (times, peak(&mut site.cli(&["hook"]), &prompt(0)))
}

fn main() {
    let mut rows = Vec::new();
    tool_events(20, 200, &mut rows);
    tool_events(10_000, rounds(100_000, 10_000), &mut rows);
    session_starts(&mut rows);
    unused(&mut rows);
    let ([idle, ours], _) = prompts(1_000, 1_000);
    let work = "hook: prompt, 1,000 described tools, 1,000 routes";
    rows.push(Row::of(work, &idle, &ours, 1, Goal::Within(10e-3)));
    let ([idle, ours], memory) = prompts(10_000, 5_000);
    let work = "hook: prompt, 10,000 described tools, 5,000 routes";
    rows.push(Row::of(work, &idle, &ours, 1, Goal::Within(80e-3)));
    rows.push(Row::of_memory(format!("{work}, memory"), memory, 25));
    keep(env!("CARGO_TARGET_TMPDIR"), "hooks", &rows);
}
