//! The examples in docs/ci.md, run as they stand there.

use std::path::Path;
use std::process::Command;

use crate::common::{Run, Sandbox};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ci.md");

/// The command lines of the page that call the program: of shell examples and of workflow steps.
fn commands() -> Vec<String> {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let line = |line: &str| {
        let line = line.trim().trim_start_matches("run: ");
        let calls =
            ["staleness check ", "staleness lock "].iter().any(|call| line.starts_with(call));
        calls.then(|| line.to_owned())
    };
    page.lines().filter_map(line).collect()
}

/// A shell in the project that finds the program.
fn shell(sandbox: &Sandbox, line: &str) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_staleness"));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&folders);
    let path = std::env::join_paths([program.parent().unwrap().into()].into_iter().chain(folders))
        .unwrap();
    let mut command = Command::new("sh");
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", &sandbox.home)
        .args(["-c", line])
        .current_dir(&sandbox.project);
    Run::of(command.output().unwrap())
}

#[cfg(unix)]
#[test]
fn every_example_runs_as_it_stands_on_the_page() {
    let sandbox = Sandbox::rotted();
    let commands = commands();
    assert_eq!(commands.len(), 6, "{commands:?}");
    for line in &commands {
        let run = shell(&sandbox, line);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}: {run:?}");
    }
    let sarif = std::fs::read_to_string(sandbox.project.join("staleness.sarif")).unwrap();
    assert!(sarif.contains("\"2.1.0\""), "{sarif}");

    // A later commit breaks another document: the step fails, and says where.
    std::fs::remove_file(sandbox.project.join("src/main.rs")).unwrap();
    sandbox.commit("2026-03-01T00:00:00Z");
    let step = commands.iter().find(|line| line.contains("github")).unwrap();
    let run = shell(&sandbox, step);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.starts_with("::error file=docs/fine.md,line=3,"), "{run:?}");
}
