//! `staleness check` as a whole process over a repository with a history, against git listing the changes;
//! and what it costs from 10 documents to 10,000.
//!
//! `cargo bench -p staleness-benches --bench check [-- --quick]` draws a plot in `docs/plots`; a short run
//! leaves it alone. Every repository has four sources and twenty commits for each document: making the one
//! of 500 takes ten seconds.

use std::path::{Path, PathBuf};
use std::process::Command;

use staleness_benches::history::repository;
use staleness_benches::process::{peak, run};
use staleness_benches::race::{Samples, race};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::svg::{Series, plot};
use staleness_benches::{plots, quick, rounds};

/// Kibibytes of no goal: what is held are the names, the changes, and up to 128 MiB of documents.
const MEMORY: u64 = 256_000_000 / 1_024;
/// Documents of the repositories of the plot, and commits for each of them. No more than 200,000 are looked
/// back.
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const COMMITS: usize = 20;

/// The least that tells which lines that a document cites were changed since: which commit changed which
/// file.
fn changes(project: &Path) -> f64 {
    let mut command = Command::new("git");
    command.args(["log", "--raw", "--no-renames", "--no-abbrev", "-z", "--format=%H %ct"]);
    run(command.current_dir(project), "")
}

fn check(project: &Path, home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench-hook"));
    command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let store = format!("sqlite:{}", home.join("registry.db").display());
    command.env("STALENESS_STORE", store).args(["check", "--json"]).current_dir(project);
    command
}

/// A repository, and the homes of those who check it.
struct Site {
    dir: tempfile::TempDir,
    homes: usize,
}

impl Site {
    fn new(documents: usize) -> Self {
        let site = Self { dir: tempfile::tempdir().expect("a folder"), homes: 0 };
        std::fs::create_dir_all(site.project()).expect("a folder");
        repository(&site.project(), documents, documents * COMMITS);
        site
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// The home of somebody who has never looked.
    fn home(&mut self) -> PathBuf {
        self.homes += 1;
        let home = self.dir.path().join(format!("home-{}", self.homes));
        std::fs::create_dir_all(&home).expect("a folder");
        home
    }

    /// In turn: git listing the changes, a check by somebody who has never looked, and one by somebody
    /// who has.
    fn race(&mut self, turns: usize) -> [Samples; 3] {
        let (project, kept) = (self.project(), self.home());
        let first = check(&project, &kept).output().expect("a check");
        let told = String::from_utf8_lossy(&first.stdout);
        assert!(first.status.success() && !told.contains("too large"), "all of it is searched");
        race(
            turns,
            [
                &mut || changes(&project),
                &mut || run(&mut check(&project, &self.home()), ""),
                &mut || run(&mut check(&project, &kept), ""),
            ],
        )
    }
}

/// What a check costs as documents, sources and history grow together.
fn measure_growth(rows: &mut Vec<Row>) {
    let names = ["git listing the changes", "cold", "warm"];
    let mut series = names.map(|name| Series { name: name.into(), points: Vec::new() });
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 2)) {
        // The largest takes minutes to make, and a minute to look at.
        let turns = if size < SIZES[SIZES.len() - 1] { 3 } else { 1 };
        let samples = Site::new(size).race(rounds(turns, 1));
        for (each, samples) in series.iter_mut().zip(&samples) {
            each.points.push((size as f64, samples.median()));
            eprintln!("{size} documents, {}: {:.3} s", each.name, samples.median());
        }
    }
    for each in &series[1..] {
        rows.push(Row::of_growth(format!("check, {}: growth", each.name), &each.points));
    }
    let drawn = plot("a check", "documents, with 20 commits each", &series);
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("check.svg"), drawn).expect("a plot");
}

fn main() {
    let documents = if quick() { 20 } else { 500 };
    let mut site = Site::new(documents);
    let [floor, cold, warm] = site.race(rounds(9, 1));
    let mut rows = Vec::new();
    let over = format!("{documents} documents, {} commits", documents * COMMITS);
    rows.push(Row::of(format!("check, cold: {over}"), &floor, &cold, 1, Goal::Within(2.0)));
    rows.push(Row::of(format!("check, warm: {over}"), &floor, &warm, 1, Goal::Within(0.2)));
    let empty = peak(&mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "");
    let (project, home) = (site.project(), site.home());
    let ours = peak(&mut check(&project, &home), "");
    rows.push(Row::of_memory(format!("check, cold: peak memory, {over}"), empty, ours, MEMORY));
    measure_growth(&mut rows);
    keep(env!("CARGO_TARGET_TMPDIR"), "check", &rows);
}
