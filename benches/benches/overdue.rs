//! Work and sessions: listing what is overdue, and resuming, as whole processes, against raw programs
//! that read the same rows; and what they cost from 100 to 1,000,000 items and journal entries.
//!
//! `cargo bench -p staleness-benches --bench overdue [-- --quick]` draws two plots in `docs/plots`; a short
//! run leaves them alone.

use std::path::PathBuf;
use std::process::Command;

use staleness::scan::ProjectRef;
use staleness::time::DAY;
use staleness::{BlockingRegistry, Timestamp};
use staleness_benches::process::run;
use staleness_benches::race::{Samples, race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::svg::{Series, plot};
use staleness_benches::work::{fill_journal, fill_work, tell_all};
use staleness_benches::{plots, registry, rounds};

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
const RAW: &str = env!("CARGO_BIN_EXE_bench-raw-work");
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Entries that are new to the agent.
const NEW: usize = 50;
const AGENT: &str = "agent";

/// A home, a project in it, and a store that grows.
struct Site {
    dir: tempfile::TempDir,
    project: PathBuf,
    place: ProjectRef,
    backend: &'static str,
    registry: BlockingRegistry,
    now: Timestamp,
    size: usize,
}

impl Site {
    fn new(backend: &'static str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        let project = project.canonicalize().expect("a path");
        let place = ProjectRef::of_root(project.display().to_string());
        let registry = registry(&format!("{backend}:{}", dir.path().join("store").display()));
        let now = staleness::clock::now();
        Self { dir, project, place, backend, registry, now, size: 0 }
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    /// The ages of what is overdue and of what is not.
    fn ages(&self) -> (Timestamp, Timestamp) {
        (self.now.plus_millis(-60 * DAY), self.now)
    }

    /// Open work only, so many of a hundred overdue.
    fn grow_work(&mut self, size: usize, overdue: usize) {
        let range = self.size..size;
        fill_work(&self.registry, &self.place, range, (10_000, overdue), self.ages());
        self.size = size;
    }

    /// A journal about a tenth as many items, of which 1 in 100 is open; the agent was told all of it
    /// but the last.
    fn grow_journal(&mut self, size: usize) {
        let items = (size / 10).max(NEW);
        fill_work(&self.registry, &self.place, self.size / 10..items, (100, 50), self.ages());
        let old = (size - NEW).saturating_sub(self.size);
        fill_journal(&self.registry, &self.place, items, (old, usize::MAX), self.now);
        tell_all(&self.registry, &self.place, AGENT);
        fill_journal(&self.registry, &self.place, items, (NEW, 1), self.now);
        self.size = size;
    }

    fn cli(&self, args: &[&str]) -> f64 {
        let mut command = Command::new(CLI);
        let url = format!("{}:{}", self.backend, self.store().display());
        command.env_clear().env("HOME", self.dir.path()).env("STALENESS_STORE", url);
        run(command.args(args).current_dir(&self.project), "")
    }

    fn list(&self) -> f64 {
        self.cli(&["stale", "list", "--json"])
    }

    fn resume(&self) -> f64 {
        self.cli(&["resume", "--agent", AGENT, "--peek", "--json"])
    }

    fn raw(&self, what: &str) -> f64 {
        let until = self.now.plus_millis(-45 * DAY).as_millis().to_string();
        let mut command = Command::new(RAW);
        command.arg(what).arg(self.store()).args([self.place.id.as_str(), &until, AGENT]);
        run(&mut command, "")
    }

    fn against_raw(&self, what: &str, ours: impl Fn() -> f64, turns: usize) -> [Samples; 2] {
        race(rounds(turns, 3), [&mut || self.raw(what), &mut || ours()])
    }
}

/// Two rows of one race: our time, and the ratio.
fn rows_of(rows: &mut Vec<Row>, work: &str, raw: &Samples, ours: &Samples, most: f64) {
    rows.push(Row::of(work, raw, ours, 1, Goal::Within(most)));
    let same = format!("{work}: the same against raw");
    rows.push(Row::of(same, raw, ours, 1, Goal::Times(1.5)));
}

fn measure_list(backend: &'static str, rows: &mut Vec<Row>) -> Series {
    let mut site = Site::new(backend);
    let mut points = Vec::new();
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 3)) {
        let filled = timed(|| site.grow_work(size, 1));
        let [list] = race(rounds(9, 1), [&mut || site.list()]);
        points.push((size as f64, list.median()));
        eprintln!("{backend}, {size} items: filled in {filled:.1} s, {:.4} s", list.median());
        if backend == "sqlite" && size == rounds(100_000, 10_000) {
            let [raw, ours] = site.against_raw("list", || site.list(), 21);
            let work = "sqlite: stale list, 100,000 items, 1,000 overdue";
            rows_of(rows, work, &raw, &ours, 60e-3);
        }
    }
    Series { name: backend.into(), points }
}

fn measure_resume(backend: &'static str, rows: &mut Vec<Row>) -> Series {
    let mut site = Site::new(backend);
    let mut points = Vec::new();
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 3)) {
        let filled = timed(|| site.grow_journal(size));
        let [resume] = race(rounds(9, 1), [&mut || site.resume()]);
        points.push((size as f64, resume.median()));
        eprintln!("{backend}, {size} entries: filled in {filled:.1} s, {:.4} s", resume.median());
        if backend == "sqlite" && size == rounds(1_000_000, 10_000) {
            let [raw, ours] = site.against_raw("resume", || site.resume(), 101);
            let work = "sqlite: resume, 1,000,000 entries, 50 new";
            rows_of(rows, work, &raw, &ours, 10e-3);
        }
    }
    Series { name: backend.into(), points }
}

fn main() {
    let mut rows = Vec::new();
    let list = ["sqlite", "redb"].map(|backend| measure_list(backend, &mut rows));
    let mut many = Site::new("sqlite");
    many.grow_work(rounds(100_000, 10_000), 40);
    let [raw, ours] = many.against_raw("list", || many.list(), 11);
    let work = "sqlite: stale list, 100,000 items, 40,000 overdue";
    rows.push(Row::of(work, &raw, &ours, 1, Goal::Times(1.5)));
    let resume = ["sqlite", "redb"].map(|backend| measure_resume(backend, &mut rows));
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    for (name, what, size, series) in [
        ("stale", "listing what is overdue", "open work items, 1 in 100 overdue", list),
        ("resume", "resuming with 50 new entries", "journal entries", resume),
    ] {
        std::fs::write(folder.join(format!("{name}.svg")), plot(what, size, &series))
            .expect("a plot");
        for each in &series {
            rows.push(Row::of_growth(format!("{}: growth of {what}", each.name), &each.points));
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "overdue", &rows);
}
