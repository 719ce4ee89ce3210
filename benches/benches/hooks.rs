//! Whole processes: the hook against an empty process and a raw program that writes the same rows.
//!
//! `cargo bench -p staleness-benches --bench hooks [-- EVENTS]`. Programs alternate, so that the
//! machine's moods meet them alike; medians and 99th percentiles are over consecutive events.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use staleness::scan::ProjectRef;
use staleness_benches::{START, fill, quantile, registry};

/// One kind of process to be timed.
struct Program<'a> {
    name: &'a str,
    times: Vec<f64>,
}

#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn time(program: &mut Program<'_>, command: &mut Command, payload: &str) {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let begun = Instant::now();
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("the payload");
    let status = child.wait().expect("the program ends");
    program.times.push(begun.elapsed().as_secs_f64() * 1e3);
    assert!(status.success(), "{} failed", program.name);
}

fn hook(home: &Path, store: &Path, project: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench-hook"));
    command
        .env_clear()
        .env("HOME", home)
        .env("STALENESS_STORE", format!("sqlite:{}", store.display()))
        .arg("hook")
        .current_dir(project);
    command
}

fn report(title: &str, programs: &mut [Program<'_>]) {
    println!("\n{title}");
    println!("  {:<8} {:>9} {:>9} {:>9} {:>9}", "", "median", "p99", "÷ raw", "÷ raw p99");
    for program in programs.iter_mut() {
        program.times.sort_by(f64::total_cmp);
    }
    let raw = programs.iter().find(|program| program.name == "raw");
    let floor = raw.map(|raw| (quantile(&raw.times, 0.5), quantile(&raw.times, 0.99)));
    for program in programs.iter() {
        let (median, p99) = (quantile(&program.times, 0.5), quantile(&program.times, 0.99));
        let (a, b) = floor.map_or((f64::NAN, f64::NAN), |(m, p)| (median / m, p99 / p));
        println!("  {:<8} {median:>6.3} ms {p99:>6.3} ms {a:>9.2} {b:>9.2}", program.name);
    }
}

fn tool_events(tools: usize, outcomes: usize, events: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let project = dir.path().join("project");
    std::fs::create_dir_all(project.join(".git")).expect("a folder");
    let project = project.canonicalize().expect("a path");
    let place = ProjectRef::of_root(project.display().to_string());
    let store = dir.path().join("registry.db");
    fill(&registry(&store), &place, tools, outcomes);
    let mut programs =
        ["empty", "raw", "hook"].map(|name| Program { name, times: Vec::with_capacity(events) });
    let [empty, raw, hooked] = &mut programs;
    for event in 0..events {
        let name = format!("mcp__server0__tool{}", event % tools / 12 * 12);
        let payload = format!(
            r#"{{"session_id":"bench","cwd":{:?},"hook_event_name":"PostToolUse","tool_name":"{name}","tool_use_id":"toolu_{event:020}","duration_ms":12,"tool_input":{{"query":"x"}},"tool_response":{{"content":"{}"}}}}"#,
            project.display().to_string(),
            "y".repeat(500),
        );
        time(empty, &mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "");
        let at = START + 2_000_000_000 + event as i64;
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-raw"));
        let op = format!("raw-{event:020}");
        command.arg(&store).args([place.id.as_str(), &name, &op, &at.to_string()]);
        time(raw, &mut command, &payload);
        time(hooked, &mut hook(dir.path(), &store, &project), &payload);
    }
    report(&format!("tool event, {tools} tools, {outcomes} outcomes"), &mut programs);
}

fn session_starts(tools: usize, events: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let project = dir.path().join("project");
    std::fs::create_dir_all(project.join(".git")).expect("a folder");
    let project = project.canonicalize().expect("a path");
    let place = ProjectRef::of_root(project.display().to_string());
    let store = dir.path().join("registry.db");
    let servers = |from: usize| -> String {
        let entries: Vec<String> =
            (from..from + 12).map(|at| format!(r#""server{at}":{{"command":"x"}}"#)).collect();
        format!(r#"{{"mcpServers":{{{}}}}}"#, entries.join(","))
    };
    std::fs::write(dir.path().join(".claude.json"), servers(0)).expect("a file");
    // Each start is a session of its own: one that starts again is told everything again.
    let mut sessions = 0;
    let mut payload = || {
        sessions += 1;
        format!(
            r#"{{"session_id":"bench-{sessions}","cwd":{:?},"hook_event_name":"SessionStart","source":"startup"}}"#,
            project.display().to_string(),
        )
    };
    let mut first = Program { name: "first", times: Vec::new() };
    time(&mut first, &mut hook(dir.path(), &store, &project), &payload());
    fill(&registry(&store), &place, tools, tools);
    time(&mut first, &mut hook(dir.path(), &store, &project), &payload());
    let mut programs =
        ["empty", "hook"].map(|name| Program { name, times: Vec::with_capacity(events) });
    let [empty, hooked] = &mut programs;
    for _ in 0..events {
        time(empty, &mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "");
        time(hooked, &mut hook(dir.path(), &store, &project), &payload());
    }
    report(&format!("session start, {tools} tools, nothing changed"), &mut programs);
    // A command folder that comes and goes changes 200 tools at a time.
    let commands = dir.path().join(".claude").join("commands");
    let mut changed = [Program { name: "hook", times: Vec::new() }];
    for round in 0..events.min(50) {
        std::fs::create_dir_all(&commands).expect("a folder");
        if round % 2 == 0 {
            for at in 0..200 {
                std::fs::write(commands.join(format!("c{at}.md")), "x").expect("a file");
            }
        } else {
            for at in 0..200 {
                std::fs::remove_file(commands.join(format!("c{at}.md"))).expect("removed");
            }
        }
        time(&mut changed[0], &mut hook(dir.path(), &store, &project), &payload());
    }
    report(&format!("session start, {tools} tools, 200 changed"), &mut changed);
}

fn main() {
    let events = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1_000);
    tool_events(20, 200, events);
    tool_events(10_000, 1_000_000, events);
    session_starts(10_000, events.min(200));
}
