//! What looks at a whole registry, or takes it away: backing it up, forgetting its project, and, as whole
//! processes, copying it into a new one, the board and the review, at 100 to 1,000,000 rows.
//!
//! `cargo bench -p staleness-benches --bench registry [-- --quick]` draws a plot in `docs/plots`; a short run leaves
//! it alone. Each is done once in a new registry. The rows are outcomes; for the board and the review they are
//! tools, open work items, 1 in 100 of which is overdue, and items of knowledge, a third each.

use std::process::Command;

use staleness::ids::OpId;
use staleness::scan::ProjectRef;
use staleness::time::DAY;
use staleness_benches::knowledge::{fill_items, items};
use staleness_benches::process::run;
use staleness_benches::race::timed;
use staleness_benches::ratios::{Row, keep};
use staleness_benches::svg::{Series, plot};
use staleness_benches::work::fill_work;
use staleness_benches::{fill, plots, registry, rounds};

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const VERBS: [&str; 5] = ["backup", "copy", "forget the project", "board", "review"];
const TOOLS: usize = 500;
/// Rows that one commit writes.
const BATCH: usize = 10_000;

/// Backing up, copying and forgetting so many outcomes.
fn of_outcomes(backend: &str, size: usize) -> [f64; 3] {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    let url = |name: &str| format!("{backend}:{}", path(name).display());
    let project = ProjectRef::of_root("/bench/project");
    let store = registry(&url("one"));
    fill(&store, &project, TOOLS.min(size), 0..size);
    // Whoever backs up or copies opens the registry anew.
    drop(store);
    let store = registry(&url("one"));
    let backed_up = timed(|| store.backup(&path("two")).expect("a backup"));
    let mut command = Command::new(CLI);
    command.env_clear().env("HOME", dir.path()).current_dir(dir.path());
    drop(store);
    let copied = run(command.args(["copy", &url("one"), &url("three"), "--quiet"]), "");
    let store = registry(&url("one"));
    let op = OpId::new("forget").expect("a valid id");
    let now = staleness::clock::now();
    let forgotten = timed(|| store.forget_project(project.id, op, now).expect("it is forgotten"));
    [backed_up, copied, forgotten]
}

/// The board and the review.
fn of_everything(backend: &str, size: usize) -> [f64; 2] {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("project");
    std::fs::create_dir_all(folder.join(".git")).expect("a folder");
    let folder = folder.canonicalize().expect("a path");
    let project = ProjectRef::of_root(folder.display().to_string());
    let url = format!("{backend}:{}", dir.path().join("store").display());
    let now = staleness::clock::now();
    let part = size / 3;
    let store = registry(&url);
    fill(&store, &project, part, 0..part);
    fill_work(&store, &project, 0..part, (10_000, 1), (now.plus_millis(-60 * DAY), now));
    let all = items(&project, part, now);
    all.chunks(BATCH).for_each(|some| fill_items(&store, some.to_vec()));
    drop((all, store));
    ["board", "review"].map(|verb| {
        let mut command = Command::new(CLI);
        command.env_clear().env("HOME", dir.path()).env("STALENESS_STORE", &url);
        run(command.args([verb, "--json"]).current_dir(&folder), "")
    })
}

fn measure(backend: &str) -> Vec<Series> {
    let named = |verb| Series { name: format!("{verb}, {backend}"), points: Vec::new() };
    let mut all: Vec<Series> = VERBS.into_iter().map(named).collect();
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 2)) {
        let times = [&of_outcomes(backend, size)[..], &of_everything(backend, size)[..]].concat();
        eprintln!("{backend}, {size}: {times:.4?}");
        for (series, time) in all.iter_mut().zip(times) {
            series.points.push((size as f64, time));
        }
    }
    all
}

fn main() {
    let series = ["sqlite", "redb"].map(measure).concat();
    let svg = plot("a whole registry, by its size", "rows", &series);
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("whole.svg"), svg).expect("a plot");
    let row = |each: &Series| Row::of_growth(format!("growth of {}", each.name), &each.points);
    let rows: Vec<Row> = series.iter().map(row).collect();
    keep(env!("CARGO_TARGET_TMPDIR"), "registry", &rows);
}
