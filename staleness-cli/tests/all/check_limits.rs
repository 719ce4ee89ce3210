//! Checks that would take all memory, threads or time, with the real binary.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::Value;

use crate::common::{NOW, Sandbox};

/// Runs a check in which every process may have 300 MB of its own, and returns what it printed.
fn check(sandbox: &Sandbox) -> Value {
    let mut command = sandbox.command_of(Path::new("/bin/sh"));
    command.args(["-c", "ulimit -d 300000 && exec \"$0\" \"$@\""]);
    command.args([env!("CARGO_BIN_EXE_staleness"), "--now", NOW, "check", "--json"]);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    serde_json::from_slice(&done.stdout).unwrap()
}

fn skipped(told: &Value) -> Vec<&str> {
    told["skipped"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect()
}

/// Ten levels of folders that hold ten times the same folder.
fn bomb(sandbox: &Sandbox) {
    let script = r#"
        set -e
        file=$(echo x | git hash-object -w --stdin)
        ten() { for at in 0 1 2 3 4 5 6 7 8 9; do printf '%s %s %s\tf%s\n' "$1" "$2" "$3" $at; done | git mktree; }
        tree=$(ten 100644 blob $file)
        for level in 1 2 3 4 5 6 7 8 9 10; do tree=$(ten 040000 tree $tree); done
        root=$( (git ls-tree HEAD; printf '040000 tree %s\td\n' $tree) | git mktree)
        git update-ref HEAD $(git -c user.name=a -c user.email=a@example.org commit-tree $root -p HEAD -m x)
    "#;
    let done = Command::new("sh").args(["-c", script]).current_dir(&sandbox.project).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
#[ignore = "takes long: `.ci/run` runs it"]
fn b2_folders_that_repeat_themselves_take_bounded_memory_and_are_told() {
    let sandbox = Sandbox::rotted();
    bomb(&sandbox);
    assert_eq!(skipped(&check(&sandbox)), [".", ".git"]);
    // In the history alone.
    sandbox.write("project/more.rs", "x\n");
    sandbox.commit("2026-02-12T00:00:00Z");
    assert_eq!(skipped(&check(&sandbox)), [".git"]);
}

#[test]
#[ignore = "takes long: `.ci/run` runs it"]
fn b3_names_of_many_large_documents_take_bounded_memory_and_are_told() {
    let sandbox = Sandbox::rotted();
    for document in 0..10 {
        let flags: String = (0..30_000).map(|at| format!("--flag-{document}-{at} ")).collect();
        sandbox.write(&format!("project/a{document}.md"), flags);
    }
    sandbox.commit("2026-02-11T00:00:00Z");
    let told = check(&sandbox);
    // Two of ten find room, and those that are small.
    let expected: Vec<String> = (2..10).map(|document| format!("a{document}.md")).collect();
    assert_eq!(skipped(&told), expected);
    let found = told["items"].as_array().unwrap();
    assert!(found.iter().any(|each| !each["path"].as_str().unwrap().starts_with('a')), "{found:?}");
}

#[test]
fn b10_where_no_thread_can_be_started_that_is_told() {
    let sandbox = Sandbox::rotted();
    // No machine has room for such a stack.
    let stack = (1_u64 << 46).to_string();
    let done = sandbox.command().env("RUST_MIN_STACK", &stack).arg("check").output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{done:?}");
    assert!(told.contains("no thread can be started"), "{told}");
    if cfg!(feature = "mcp") {
        let done = sandbox.command().env("RUST_MIN_STACK", stack).arg("mcp").output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(3), &b""[..]), "{done:?}");
        assert!(told.starts_with("error: no thread can be started: "), "{told}");
    }
}

/// The folder of a program that is taken for git.
fn script(sandbox: &Sandbox, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let git = sandbox.write("bin/git", format!("#!/bin/sh\n{text}"));
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    git.parent().unwrap().to_path_buf()
}

/// A git that works for ever, and holds this pipe open meanwhile.
fn busy_git(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let pipe = sandbox.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let text = format!("exec 3>'{}'\necho x >&3\nwhile :; do :; done\n", pipe.display());
    (script(sandbox, &text), pipe)
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
}

#[test]
fn b2_no_git_outlives_the_program_however_it_ends() {
    let sandbox = Sandbox::rotted();
    let (bin, pipe) = busy_git(&sandbox);
    for name in ["TERM", "INT", "HUP", "KILL"] {
        let mut command = sandbox.command();
        command.env("PATH", &bin).arg("check").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // It opens when git does.
        let mut held = File::open(&pipe).unwrap();
        held.read_exact(&mut [0; 2]).unwrap();
        signal(&child, name);
        child.wait().unwrap();
        let (to, ended) = channel();
        std::thread::spawn(move || to.send(held.read_to_end(&mut Vec::new())));
        let ended = ended.recv_timeout(Duration::from_secs(20));
        assert!(matches!(ended, Ok(Ok(_))), "{name}: git still holds the pipe");
    }
}

#[test]
fn a_command_opens_the_repository_once() {
    let sandbox = Sandbox::rotted();
    let cited = ["--id", "a", "--body", "Call `run()`.", "--cite", "src/main.rs:2"];
    sandbox.ok(&[&["knowledge", "add"], &cited[..]].concat());
    sandbox.write("project/memory/b.md", "---\ntype: knowledge\nid: b\n---\n\nTo run it.\n");
    sandbox.write("project/src/main.rs", "fn main() {\n\n    run();\n}\n");
    sandbox.commit("2026-03-10T00:00:00Z");
    let log = sandbox.root().join("log");
    let text = "for it; do case $it in --is-inside-work-tree) echo x >> \"$HOME/../log\";; esac; done\n\
                PATH=${PATH#*:}\nexec git \"$@\"\n";
    let path = format!("{}:{}", script(&sandbox, text).display(), std::env::var("PATH").unwrap());
    for command in ["check --since HEAD", "review", "knowledge recall run", "knowledge verify a b"]
    {
        let done = sandbox.command().env("PATH", &path).args(command.split(' ')).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "x\n", "{command}");
        std::fs::remove_file(&log).unwrap();
    }
}
