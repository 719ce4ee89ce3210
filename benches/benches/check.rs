//! `staleness check` as a whole process over a repository with a history, against git listing the changes.
//!
//! `cargo bench -p staleness-benches --bench check [-- --quick]`. Making the repository of a full run, 500
//! documents, 2,000 sources and 10,000 commits, takes ten seconds.

use std::path::Path;
use std::process::Command;

use staleness_benches::history::repository;
use staleness_benches::process::{peak, run};
use staleness_benches::race::race;
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::{quick, rounds};

/// Kibibytes of no goal: what is held is bounded by the largest file and the names, not by the history.
const MEMORY: u64 = 256 * 1_024;

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

fn main() {
    let dir = tempfile::tempdir().expect("a folder");
    let project = dir.path().join("project");
    std::fs::create_dir_all(&project).expect("a folder");
    let (documents, commits) = if quick() { (20, 200) } else { (500, 10_000) };
    repository(&project, documents, commits);
    let kept = dir.path().join("kept");
    std::fs::create_dir_all(&kept).expect("a folder");
    run(&mut check(&project, &kept), "");
    let mut homes = 0;
    let [floor, cold, warm] = race(
        rounds(9, 1),
        [
            &mut || changes(&project),
            &mut || {
                // Whoever has never looked.
                homes += 1;
                let home = dir.path().join(format!("home-{homes}"));
                std::fs::create_dir_all(&home).expect("a folder");
                run(&mut check(&project, &home), "")
            },
            &mut || run(&mut check(&project, &kept), ""),
        ],
    );
    let mut rows = Vec::new();
    let over = format!("{documents} documents, {commits} commits");
    rows.push(Row::of(format!("check, cold: {over}"), &floor, &cold, 1, Goal::Within(2.0)));
    rows.push(Row::of(format!("check, warm: {over}"), &floor, &warm, 1, Goal::Within(0.2)));
    let empty = peak(&mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), "");
    let home = dir.path().join("measured");
    std::fs::create_dir_all(&home).expect("a folder");
    let ours = peak(&mut check(&project, &home), "");
    rows.push(Row::of_memory(format!("check, cold: peak memory, {over}"), empty, ours, MEMORY));
    keep(env!("CARGO_TARGET_TMPDIR"), "check", &rows);
}
