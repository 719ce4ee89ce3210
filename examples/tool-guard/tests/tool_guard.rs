//! Runs the example as a user would: twice, with each backend that was built in.

use std::fs::create_dir;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// The missing cache fails three times and is not tried a fourth time.
const FIRST: &str = "\
read file from cache: some words
read file from cache: some words
read-cache is demoted: 3 of the last 3 uses failed
read file from cache: some words
read file from cache: some words
count words: 2
sing: no tool could do it
0.50  read-disk    active   keep
0.12  count-words  active   keep
0.00  read-cache   demoted  update  3 of the last 3 uses failed
";

/// A removed tool is known to be gone, and failures are remembered.
const SECOND: &str = "\
count words: no tool could do it
0.50  read-disk    active   keep
0.03  count-words  stale    drop    removed from config: tool-guard/project/tools no longer lists it
0.00  read-cache   demoted  update  3 of the last 3 uses failed
";

fn run(folder: &Path, store: &str, requests: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tool-guard"))
        .args(["tools", store])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(requests.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn lives_the_same(scheme: &str) {
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools");
    create_dir(&tools).unwrap();
    for tool in ["count-words", "read-cache", "read-disk"] {
        symlink(Path::new(HERE).join("tools").join(tool), tools.join(tool)).unwrap();
    }
    std::fs::write(folder.path().join("note"), "some words\n").unwrap();
    let store = format!("{scheme}:registry");
    let requests = "read file from cache: note\n".repeat(4) + "count words: note\nsing: a song\n";
    assert_eq!(run(folder.path(), &store, &requests), FIRST, "{scheme}");
    std::fs::remove_file(tools.join("count-words")).unwrap();
    assert_eq!(run(folder.path(), &store, "count words: note\n"), SECOND, "{scheme}");
}

#[cfg(feature = "sqlite")]
#[test]
fn over_sqlite() {
    lives_the_same("sqlite");
}

#[cfg(feature = "redb")]
#[test]
fn over_redb() {
    lives_the_same("redb");
}

/// The README contains this example unchanged.
#[test]
fn the_readme_shows_this_program() {
    let read = |path: &str| {
        let text = std::fs::read_to_string(Path::new(HERE).join(path)).unwrap();
        text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
    };
    let readme = read("../../README.md");
    let source = read("src/main.rs");
    let shown: Vec<&str> =
        readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert!(!shown.is_empty(), "the README shows no Rust");
    for each in shown {
        assert!(source.contains(each), "not in the example:\n{each}");
    }
}
