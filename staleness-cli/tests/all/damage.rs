//! Damaged stores: whatever byte is flipped and wherever the file is cut off, a verb answers as if nothing had
//! happened or says that the store is damaged, and a hook is silent.
//!
//! A few damages are tried. With `STALENESS_THOROUGH` set it is 64 cuts, 500 flips and 100 lost sectors, which take minutes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, line, used};

/// The questions to each damaged store.
const VERBS: &str = "export,tools list --json,tools show mcp__s1__t1 --json,\
                     tools suggest 'query 7',knowledge list --json,board,\
                     resume --agent codex --peek,doctor,backup ../copy,\
                     record mcp__s1__t1 --success --id new,\
                     knowledge add --kind todo --body 'Write the guide'";

#[derive(Debug)]
enum Damage {
    Cut(usize),
    Flip(usize, u8),
    /// A sector that the disk lost.
    Zeros(usize),
}

/// Bytes of a sector, and of a page.
const SECTOR: usize = 512;
const PAGE: usize = 4_096;

impl Damage {
    fn of(&self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        match *self {
            Self::Cut(length) => bytes.truncate(length),
            Self::Flip(at, bit) => bytes[at] ^= 1 << bit,
            Self::Zeros(at) => bytes[at..at + SECTOR].fill(0),
        }
        bytes
    }
}

/// Numbers that look random and are the same in every run.
fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

/// Cuts at even distances, flips anywhere, flips of bytes that are not zero, and lost sectors: the last of a page, or
/// any, where it held something.
fn damages(whole: &[u8]) -> Vec<Damage> {
    let thorough = std::env::var_os("STALENESS_THOROUGH").is_some();
    let (cuts, flips, sectors) = if thorough { (64, 500, 100) } else { (4, 14, 6) };
    let mut draw = draws(42);
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let cuts = (0..cuts).map(|cut| Damage::Cut(whole.len() * cut / cuts));
    let flips = (0..flips).map(|flip| {
        let at = if flip % 2 == 0 { used[draw(used.len())] } else { draw(whole.len()) };
        Damage::Flip(at, (draw(8)) as u8)
    });
    let flips: Vec<_> = flips.collect();
    let held = |at: &usize| whole[*at..*at + SECTOR].iter().any(|byte| *byte != 0);
    let held: Vec<usize> = (0..whole.len() / SECTOR).map(|at| at * SECTOR).filter(held).collect();
    let last = held.iter().filter(|at| **at % PAGE == PAGE - SECTOR);
    let last: Vec<usize> = last.copied().collect();
    let sectors = (0..sectors).map(|sector| {
        let of = if sector % 2 == 0 { &last } else { &held };
        Damage::Zeros(of[draw(of.len())])
    });
    cuts.chain(flips).chain(sectors).collect()
}

/// Payloads of hooks; each may write.
fn payloads(project: &Path) -> [Value; 4] {
    let of = |event: &str| json!({ "session_id": "s1", "cwd": project, "hook_event_name": event });
    let (mut start, mut prompt) = (of("SessionStart"), of("UserPromptSubmit"));
    start["source"] = json!("startup");
    prompt["prompt"] = json!("query 7 about the plan");
    [used("PostToolUse", "mcp__s1__t1", "u9"), start, prompt, of("SessionEnd")]
}

/// A store of a backend, and what was answered from it before it was damaged.
struct Trial {
    sandbox: Sandbox,
    backend: &'static str,
    store: PathBuf,
    whole: Vec<u8>,
}

impl Trial {
    fn new(backend: &'static str) -> Self {
        let sandbox = Sandbox::scanned();
        let filled = format!("{backend}:{}", sandbox.root().join("filled").display());
        let lines = sandbox.write("lines.jsonl", lines());
        sandbox.ok(&["--store", &filled, "scan"]);
        sandbox.ok(&["--store", &filled, "import", "--from", "jsonl", lines.to_str().unwrap()]);
        for payload in payloads(&sandbox.project) {
            let mut command = sandbox.command();
            command.args(["--store", &filled, "hook"]);
            assert_eq!(fed(command, payload.to_string().as_bytes()).code, 0);
        }
        // A file that stands alone.
        let store = sandbox.root().join("store");
        sandbox.ok(&["--store", &filled, "backup", store.to_str().unwrap()]);
        let whole = fs::read(&store).unwrap();
        Self { sandbox, backend, store, whole }
    }

    /// Makes the store hold these bytes, with nothing beside it.
    fn lay_out(&self, bytes: &[u8]) {
        for suffix in ["-wal", "-shm", "-journal", ".lock", ".new"] {
            let mut name = self.store.clone().into_os_string();
            name.push(suffix);
            let _ = fs::remove_file(name);
        }
        let _ = fs::remove_dir_all(self.sandbox.root().join("store.spool"));
        let _ = fs::remove_file(self.sandbox.root().join("copy"));
        fs::write(&self.store, bytes).unwrap();
    }

    fn url(&self) -> String {
        format!("{}:{}", self.backend, self.store.display())
    }

    fn ask(&self, verb: &[&str], bytes: &[u8]) -> Run {
        self.lay_out(bytes);
        self.sandbox.run(&[&["--store", &self.url()], verb].concat())
    }

    fn hook(&self, payload: &Value, bytes: &[u8]) -> Run {
        self.lay_out(bytes);
        let mut command = self.sandbox.command();
        command.args(["--store", &self.url(), "hook"]);
        fed(command, payload.to_string().as_bytes())
    }

    /// Number of answers that reported damage.
    fn run(&self) -> usize {
        let payloads = payloads(&self.sandbox.project);
        let verbs: Vec<_> = VERBS.split(',').map(line).collect();
        let sound: Vec<_> = verbs.iter().map(|verb| self.ask(verb, &self.whole)).collect();
        let silent = payloads.each_ref().map(|payload| self.hook(payload, &self.whole));
        for run in sound.iter().chain(&silent) {
            assert_eq!(run.code, 0, "{run:?}");
        }
        let (mut told, damages) = (0, damages(&self.whole));
        for damage in &damages {
            let bytes = damage.of(&self.whole);
            for (verb, sound) in verbs.iter().zip(&sound) {
                let run = self.ask(verb, &bytes);
                if run == *sound {
                    continue;
                }
                told += 1;
                let context = format!("{damage:?} {verb:?}: {run:?}");
                assert_eq!(run.code, 4, "{context}");
                if *verb == ["doctor"] {
                    assert!(run.out.contains("fail") && run.err.is_empty(), "{context}");
                } else {
                    // An export may have begun.
                    assert!(sound.out.starts_with(&run.out), "{context}");
                    let begins = if verb.contains(&"--json") { "{\"error\":" } else { "error: " };
                    assert!(run.err.starts_with(begins), "{context}");
                    assert_eq!(run.err.lines().count(), 1, "{context}");
                }
            }
            for (payload, sound) in payloads.iter().zip(&silent) {
                let run = self.hook(payload, &bytes);
                let nothing = Run { code: 0, out: String::new(), err: String::new() };
                assert!(run == *sound || run == nothing, "{damage:?} {payload}: {run:?}");
            }
        }
        let (of, count) = (self.backend, damages.len());
        eprintln!("{of}: {count} damages, {} answers, {told} of damage", verbs.len() * count);
        told
    }
}

/// An export with rows of most collections.
fn lines() -> String {
    let words = "word ".repeat(20);
    let mut lines = Vec::new();
    for i in 0..200 {
        let result = if i % 3 == 0 { "failure" } else { "success" };
        lines.push(json!({
            "type": "outcome", "tool": format!("mcp__s{}__t{}", i % 7, i % 31), "result": result,
            "at": format!("2026-11-{:02}T12:30:{:02}Z", 1 + i % 19, i % 60), "id": format!("c{i}"),
        }));
    }
    for i in 0..40 {
        lines.push(json!({
            "type": "knowledge", "id": format!("k{i}"), "body": format!("body number {i} {words}"),
            "added": "2026-10-02",
        }));
        lines.push(json!({
            "type": "work", "id": format!("w{i}"), "kind": "plan", "status": "in_progress",
            "text": format!("plan {i} {words}"), "created": "2026-10-02",
        }));
        lines.push(json!({
            "type": "route", "query": format!("query {i}"),
            "tool": format!("mcp__s{}__t{}", i % 7, i % 31), "created": "2026-11-01",
        }));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn b5_a_damaged_sqlite_store_is_told_and_never_believed() {
    let told = Trial::new("sqlite").run();
    assert!(told > 30, "{told}");
}

#[cfg(feature = "redb")]
#[test]
fn b4_a_damaged_redb_store_is_told_and_never_believed() {
    let told = Trial::new("redb").run();
    assert!(told > 30, "{told}");
}

/// An empty file, as some file systems leave one after a power cut.
#[test]
fn b5_an_empty_file_is_damage_and_a_path_where_nothing_was_is_new() {
    let sandbox = Sandbox::scanned();
    fs::write(sandbox.store(), "").unwrap();
    for verb in ["tools", "export", "record x --success", "scan"].map(line) {
        let run = sandbox.run(&verb);
        assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
        let is_told = run.err.contains("the store is damaged") && run.err.contains("is empty");
        assert!(is_told, "{run:?}");
    }
    // A check does its work without what the store holds, and says so.
    let run = sandbox.run(&["check"]);
    let is_told = run.err.contains("is empty; only files were checked");
    assert!(run.code == 0 && is_told && run.err.lines().count() == 1, "{run:?}");
    let silent = Run { code: 0, out: String::new(), err: String::new() };
    assert_eq!(sandbox.hook(&used("PostToolUse", "x", "t1")), silent);
    assert!(fs::read(sandbox.store()).unwrap().is_empty(), "nothing takes its place");
    fs::remove_file(sandbox.store()).unwrap();
    sandbox.ok(&["record", "x", "--success"]);
}
