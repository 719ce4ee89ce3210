//! Whole processes: the hook against an empty process and raw programs that write the same rows.
//!
//! `cargo bench -p staleness-benches --bench hooks [-- --quick]`. Programs take turns; medians and
//! 99th percentiles are over consecutive events. A plot of 100 to 1,000,000 tools is drawn in `docs/plots`; a
//! short run leaves it alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use staleness::scan::ProjectRef;
use staleness_benches::chance::Chance;
use staleness_benches::process::{peak, run};
use staleness_benches::race::{Samples, race};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::svg::{Series, plot};
use staleness_benches::{QUESTION, START, fill, plots, registry, rounds};

const EMPTY: &str = env!("CARGO_BIN_EXE_bench-empty");
const HOOK: &str = env!("CARGO_BIN_EXE_bench-hook");
/// Kibibytes that a hook may have resident.
const MEMORY: u64 = 12_000_000 / 1_024;

/// Tools of the plot.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// A home, a project in it, and a store.
struct Site {
    dir: tempfile::TempDir,
    project: PathBuf,
    place: ProjectRef,
    backend: &'static str,
}

impl Site {
    fn new(backend: &'static str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        let project = project.canonicalize().expect("a path");
        let place = ProjectRef::of_root(project.display().to_string());
        Self { dir, project, place, backend }
    }

    fn home(&self) -> &Path {
        self.dir.path()
    }

    fn store(&self) -> PathBuf {
        self.home().join("registry.db")
    }

    fn url(&self) -> String {
        format!("{}:{}", self.backend, self.store().display())
    }

    fn fill(&self, tools: usize, outcomes: usize) {
        fill(&registry(&self.url()), &self.place, tools, 0..outcomes);
    }

    fn hook(&self) -> Command {
        let mut command = Command::new(HOOK);
        command.env_clear().env("HOME", self.home()).env("STALENESS_STORE", self.url());
        command.arg("hook").current_dir(&self.project);
        command
    }

    fn raw(&self, name: &str, event: usize) -> Command {
        let program = match self.backend {
            "sqlite" => env!("CARGO_BIN_EXE_bench-raw"),
            _ => env!("CARGO_BIN_EXE_bench-raw-redb"),
        };
        let mut command = Command::new(program);
        let at = START + 2_000_000_000 + event as i64;
        command.arg(self.store()).args([self.place.id.as_str(), name]);
        command.args([format!("raw-{event:020}"), at.to_string()]);
        command
    }

    fn used(&self, name: &str, event: usize) -> String {
        format!(
            r#"{{"session_id":"bench","cwd":{:?},"hook_event_name":"PostToolUse","tool_name":"{name}","tool_use_id":"toolu_{event:020}","duration_ms":12,"tool_input":{{"query":"x"}},"tool_response":{{"content":"{}"}}}}"#,
            self.place.root,
            "y".repeat(500),
        )
    }

    fn prompted(&self, session: usize) -> String {
        format!(
            r#"{{"session_id":"bench-{session}","cwd":{:?},"hook_event_name":"UserPromptSubmit","prompt":"{QUESTION}"}}"#,
            self.place.root,
        )
    }

    /// Takes in lines of another system.
    fn import(&self, lines: &str) {
        let path = self.home().join("lines.jsonl");
        std::fs::write(&path, lines).expect("a file");
        let mut command = Command::new(HOOK);
        command.env_clear().env("HOME", self.home()).env("STALENESS_STORE", self.url());
        command.args(["import", "--from", "jsonl"]).arg(path).current_dir(&self.project);
        run(&mut command, "");
    }

    /// Each start is a session of its own: one that starts again is told everything again.
    fn started(&self, session: usize) -> String {
        format!(
            r#"{{"session_id":"bench-{session}","cwd":{:?},"hook_event_name":"SessionStart","source":"startup"}}"#,
            self.place.root,
        )
    }
}

fn empty() -> f64 {
    run(&mut Command::new(EMPTY), "")
}

fn tell(what: &str, empty: &Samples) {
    eprintln!("{what}: an empty process {:.2} ms", empty.median() * 1e3);
}

fn tool_events(backend: &'static str, tools: usize, outcomes: usize, rows: &mut Vec<Row>) {
    let site = Site::new(backend);
    site.fill(tools, outcomes);
    let name = |event: usize| format!("mcp__server0__tool{}", event % tools / 12 * 12);
    let (mut raws, mut hooks) = (0, 0);
    let [idle, raw, hook] = race(
        rounds(1_000, 5),
        [
            &mut empty,
            &mut || {
                raws += 1;
                run(&mut site.raw(&name(raws), raws), &site.used(&name(raws), raws))
            },
            &mut || {
                hooks += 1;
                run(&mut site.hook(), &site.used(&name(hooks), hooks))
            },
        ],
    );
    let size = if tools == 20 { "small" } else { "large" };
    tell(&format!("{backend}, {size}"), &idle);
    let goal = Goal::Times(1.25);
    let work = format!("{backend}: tool event, {size}, median");
    rows.push(Row::of(work, &raw, &hook, 1, goal));
    let work = format!("{backend}: tool event, {size}, 99th percentile");
    rows.push(Row::new(work, raw.p99(), hook.p99(), goal));
    if tools > 20 {
        let floor = peak(&mut site.raw(&name(0), 0), &site.used(&name(0), 0));
        let ours = peak(&mut site.hook(), &site.used(&name(0), 0));
        let work = format!("{backend}: tool event, {size}, peak memory");
        rows.push(Row::of_memory(work, floor, ours, MEMORY));
    }
}

/// What a hook written for Node.js cannot go below: the runtime started and ended, where there is one.
fn beside_node(rows: &mut Vec<Row>) {
    let node = || Command::new("node").args(["-e", ""]).status();
    if !node().is_ok_and(|status| status.success()) {
        eprintln!("no Node.js here: not compared with it");
        return;
    }
    let site = Site::new("sqlite");
    site.fill(20, 200);
    let mut hooks = 0;
    let [node, hook] = race(
        rounds(100, 3),
        [&mut || run(Command::new("node").args(["-e", ""]), ""), &mut || {
            hooks += 1;
            run(&mut site.hook(), &site.used("mcp__server0__tool0", hooks))
        }],
    );
    let work = "sqlite: tool event, small, and an empty Node.js process";
    rows.push(Row::of(work, &node, &hook, 1, Goal::Open));
}

fn session_starts(tools: usize, rows: &mut Vec<Row>) {
    let site = Site::new("sqlite");
    let entries: Vec<String> =
        (0..12).map(|at| format!(r#""server{at}":{{"command":"x"}}"#)).collect();
    let servers = format!(r#"{{"mcpServers":{{{}}}}}"#, entries.join(","));
    std::fs::write(site.home().join(".claude.json"), servers).expect("a file");
    let mut sessions = 0;
    let mut start = || {
        sessions += 1;
        run(&mut site.hook(), &site.started(sessions))
    };
    start();
    site.fill(tools, tools);
    start();
    let [idle, hook] = race(rounds(200, 3), [&mut empty, &mut start]);
    let work = "sqlite: session start, large, nothing changed";
    rows.push(Row::of(work, &idle, &hook, 1, Goal::Within(15e-3)));
    // A command folder that comes and goes changes 200 tools at a time.
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
    let [idle, hook] = race(rounds(50, 3), [&mut empty, &mut changed]);
    let work = "sqlite: session start, large, 200 changed";
    rows.push(Row::of(work, &idle, &hook, 1, Goal::Within(25e-3)));
    let floor = peak(&mut Command::new(EMPTY), "");
    let ours = peak(&mut site.hook(), &site.started(0));
    let work = "sqlite: session start, large, peak memory";
    rows.push(Row::of_memory(work, floor, ours, MEMORY));
}

/// Prompts over tools that were seen in use, over tools that are described in twenty words, and over
/// these with queries that were learned. Each is the first of a session, so all is searched.
fn prompts(backend: &'static str, tools: usize, rows: &mut Vec<Row>) {
    let used = Site::new(backend);
    used.fill(tools, tools);
    let site = Site::new(backend);
    let name = |at: usize| format!("mcp__server{}__tool{at}", at % 12);
    let mut chance = Chance(7);
    let described: Vec<String> = (0..tools)
        .map(|at| {
            let (name, words) = (name(at), chance.words(20));
            format!(r#"{{"type":"tool","name":"{name}","description":"{words}"}}"#)
        })
        .collect();
    site.import(&described.join("\n"));
    let asked = std::cell::Cell::new(0);
    let ask = |site: &Site| {
        asked.set(asked.get() + 1);
        run(&mut site.hook(), &site.prompted(asked.get()))
    };
    let times = rounds(100, 3);
    let [idle, of_used, of_described] =
        race(times, [&mut empty, &mut || ask(&used), &mut || ask(&site)]);
    let learned: Vec<String> = (0..tools / 2)
        .map(|at| {
            let (name, words) = (name(at), chance.words(6));
            format!(
                r#"{{"type":"route","tool":"{name}","query":"{words}","created":"2026-11-01"}}"#
            )
        })
        .collect();
    site.import(&learned.join("\n"));
    let [_, of_learned] = race(times, [&mut empty, &mut || ask(&site)]);
    let goal = if backend == "sqlite" { Goal::Within(25e-3) } else { Goal::Open };
    let all = [
        ("tools seen in use", &of_used, goal),
        ("described tools", &of_described, goal),
        ("described tools, 5,000 routes", &of_learned, Goal::Open),
    ];
    for (over, samples, goal) in all {
        let work = format!("{backend}: prompt, {tools} {over}");
        rows.push(Row::of(work, &idle, samples, 1, goal));
    }
    let floor = peak(&mut Command::new(EMPTY), "");
    for (over, site) in [("tools seen in use", &used), ("described, 5,000 routes", &site)] {
        let ours = peak(&mut site.hook(), &site.prompted(0));
        let work = format!("{backend}: prompt, {tools} {over}, peak memory");
        rows.push(Row::of_memory(work, floor, ours, MEMORY));
    }
}

/// Each kind of event with ever more tools, all of which were seen in use.
fn growth(rows: &mut Vec<Row>) {
    let site = Site::new("sqlite");
    let mut series = ["tool event", "session start", "prompt"]
        .map(|name| Series { name: name.into(), points: Vec::new() });
    let (mut filled, mut events) = (0, [0; 3]);
    for tools in SIZES.into_iter().take(rounds(SIZES.len(), 2)) {
        fill(&registry(&site.url()), &site.place, tools, filled..tools);
        filled = tools;
        let [used, started, prompted] = &mut events;
        let event = |count: &mut usize, payload: &dyn Fn(usize) -> String| {
            *count += 1;
            run(&mut site.hook(), &payload(*count))
        };
        let samples = race(
            rounds(21, 1),
            [
                &mut || event(used, &|at| site.used("mcp__server0__tool0", at)),
                &mut || event(started, &|at| site.started(at)),
                &mut || event(prompted, &|at| site.prompted(at)),
            ],
        );
        for (each, samples) in series.iter_mut().zip(&samples) {
            each.points.push((tools as f64, samples.median()));
            eprintln!("{tools} tools, {}: {:.4} s", each.name, samples.median());
        }
    }
    for each in &series {
        rows.push(Row::of_growth(format!("sqlite: growth of a {}", each.name), &each.points));
    }
    let drawn = plot("a hook as a whole process", "tools seen in use", &series);
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("hooks.svg"), drawn).expect("a plot");
}

fn main() {
    let mut rows = Vec::new();
    for backend in ["sqlite", "redb"] {
        tool_events(backend, 20, 200, &mut rows);
        tool_events(backend, 10_000, rounds(1_000_000, 10_000), &mut rows);
    }
    beside_node(&mut rows);
    session_starts(10_000, &mut rows);
    for backend in ["sqlite", "redb"] {
        prompts(backend, 10_000, &mut rows);
    }
    growth(&mut rows);
    keep(env!("CARGO_TARGET_TMPDIR"), "hooks", &rows);
}
