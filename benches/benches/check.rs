//! Measures `staleness check` as a whole process, in a repository with a history. The floor is git listing
//! the changes.
//!
//! `cargo bench -p staleness-benches --bench check [-- --quick]`

use std::path::Path;
use std::process::Command;

use staleness_benches::history::{COMMITS, repository};
use staleness_benches::process::{peak_of_all, run};
use staleness_benches::race::race;
use staleness_benches::ratios::{Goal, Row, keep, thousands};
use staleness_benches::rounds;
use staleness_benches::site::Site;

/// Lets git list which commit changed which file, the minimum needed to know if cited lines changed.
fn changes(project: &Path) -> f64 {
    let mut command = Command::new("git");
    command.args(["log", "--raw", "--no-renames", "--no-abbrev", "-z", "--format=%H %ct"]);
    run(command.current_dir(project), "")
}

fn main() {
    let documents = rounds(500, 20);
    let site = Site::new("sqlite", env!("CARGO_BIN_EXE_bench-hook"));
    repository(&site.project(), documents);
    let check = |site: &Site| site.cli(&["check", "--json"]);
    let first = check(&site).output().expect("a check");
    let told = String::from_utf8_lossy(&first.stdout);
    assert!(first.status.success() && !told.contains("too large"), "all of it is searched");
    let [floor, cold, warm] = race(
        rounds(9, 1),
        [
            &mut || changes(&site.project()),
            &mut || run(&mut check(&site.newcomer()), ""),
            &mut || run(&mut check(&site), ""),
        ],
    );
    let commits = thousands((documents * COMMITS) as u64);
    let over = format!("{documents} documents, {commits} commits");
    let memory = peak_of_all(&mut check(&site.newcomer()));
    let rows = [
        Row::of(format!("check, cold: {over}"), &floor, &cold, 1, Goal::Within(1.0)),
        Row::of(format!("check, warm: {over}"), &floor, &warm, 1, Goal::Within(0.1)),
        Row::of_memory("check, cold: memory with git's processes", memory, 150),
    ];
    keep(env!("CARGO_TARGET_TMPDIR"), "check", &rows);
}
