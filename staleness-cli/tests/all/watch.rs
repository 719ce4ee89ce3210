//! The live screen at a real terminal.

use std::ffi::CStr;
use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::termios::tcgetattr;

use crate::common::{Sandbox, opened, terminal};

const ENTERED: &str = "\u{1b}[?1049h";
const LEFT: &str = "\u{1b}[?1049l";

fn with_old_plan() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["--now", "2020-01-01T00:00:00Z", "work", "add", "plan", "--id", "old", "Old"]);
    sandbox
}

#[test]
fn keys_settle_work_and_take_it_back() {
    let sandbox = with_old_plan();
    let (shown, code) = sandbox.typing(&["watch"], "\t\t\tsq");
    assert!(code == 0 && shown.contains(ENTERED) && shown.contains(LEFT), "{shown}");
    let item = |sandbox: &Sandbox| sandbox.json(&["work", "show", "old"]);
    assert_eq!(item(&sandbox)["status"], "dropped");
    let sandbox = with_old_plan();
    let before = item(&sandbox);
    sandbox.answered(&["watch"], "\t\t\tsuvuq");
    assert_eq!(item(&sandbox), before, "its age too");
}

#[test]
fn keys_pin_a_tool_and_take_it_back() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.ok(&["scan"]);
    let hold = || sandbox.json(&["tools", "show", "github"])["hold"].clone();
    let before = hold();
    sandbox.answered(&["watch"], "pq");
    assert_eq!(hold(), "pinned");
    sandbox.answered(&["watch"], "pupuuq");
    assert_eq!(hold(), "pinned");
    sandbox.answered(&["watch"], "pq");
    assert_eq!(hold(), before);
}

#[test]
fn keys_verify_knowledge_and_paragraphs_and_take_it_back() {
    let sandbox = Sandbox::rotted();
    sandbox.ok(&["--now", "2020-01-01T00:00:00Z", "knowledge", "add", "--body", "X.", "--id", "k"]);
    sandbox.check_now();
    let row = || sandbox.json(&["knowledge", "show", "k"])["verified_at"].clone();
    let text = || std::fs::read_to_string(sandbox.project.join("AGENTS.md")).unwrap();
    let before = (row(), text());
    sandbox.answered(&["watch"], "\tv\tvq");
    assert!(text().contains(" <!-- staleness: verified "), "{}", text());
    assert_ne!(row(), before.0);
    std::fs::write(sandbox.project.join("AGENTS.md"), &before.1).unwrap();
    sandbox.check_now();
    let verified = row();
    sandbox.answered(&["watch"], "\tv\tvuuq");
    assert_eq!((row(), text()), (verified, before.1));
}

/// Starts the program at a terminal, and reads from it until the screen is shown.
fn started(sandbox: &Sandbox, path: &CStr, from: &mut File, text: &mut String) -> Child {
    let end = || Stdio::from(opened(path));
    let mut command = sandbox.command();
    let child = command.arg("watch").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
    let mut bytes = [0; 4096];
    while !text.contains("undo") {
        let count = from.read(&mut bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    child
}

fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}

/// Bug: without its terminal it never ended, and took all of a processor.
#[test]
fn it_ends_with_its_terminal() {
    let sandbox = Sandbox::scanned();
    let (main, path) = terminal();
    let mut from = File::from(main);
    let mut child = started(&sandbox, &path, &mut from, &mut String::new());
    drop(from);
    signal(&child, "-HUP");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_terminal_is_left_as_it_was_when_the_program_is_told_to_end() {
    let sandbox = Sandbox::scanned();
    for kind in ["-TERM", "-QUIT"] {
        is_left_as_it_was(&sandbox, kind);
    }
}

fn is_left_as_it_was(sandbox: &Sandbox, kind: &str) {
    let (main, path) = terminal();
    let before = tcgetattr(&main).unwrap();
    let mut from = File::from(main.try_clone().unwrap());
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    let mut child = started(sandbox, &path, &mut from, &mut text);
    assert_ne!(tcgetattr(&main).unwrap().local_modes, before.local_modes);
    signal(&child, kind);
    assert!(child.wait().unwrap().success());
    let after = tcgetattr(&main).unwrap();
    assert_eq!((after.local_modes, after.input_modes), (before.local_modes, before.input_modes));
    // A terminal whose other end is closed is read with an error.
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(text.contains(LEFT), "{text}");
}

#[test]
fn a_terminal_is_left_as_it_was_while_the_program_is_paused() {
    let sandbox = Sandbox::scanned();
    let (main, path) = terminal();
    let before = tcgetattr(&main).unwrap();
    let mut from = File::from(main.try_clone().unwrap());
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    let mut child = started(&sandbox, &path, &mut from, &mut text);
    signal(&child, "-TSTP");
    let waited = waitpid(Some(Pid::from_child(&child)), WaitOptions::UNTRACED).unwrap();
    assert!(waited.unwrap().1.stopped());
    assert_eq!(tcgetattr(&main).unwrap().local_modes, before.local_modes);
    signal(&child, "-CONT");
    while text.matches(ENTERED).count() < 2 {
        let count = from.read(&mut bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(text.contains(LEFT), "{text}");
    signal(&child, "-TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn without_a_terminal_another_command_is_named() {
    let run = Sandbox::new().run(&["watch"]);
    assert!(run.code == 2 && run.err.contains("`staleness board`"), "{run:?}");
}
