//! The live screen at a real terminal.

use std::ffi::CStr;
use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use rustix::termios::tcgetattr;

use crate::common::{Sandbox, opened, terminal};

const ENTERED: &str = "\u{1b}[?1049h";
const LEFT: &str = "\u{1b}[?1049l";

#[test]
fn keys_settle_work_and_take_it_back() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["--now", "2020-01-01T00:00:00Z", "work", "add", "plan", "--id", "old", "Old"]);
    let status = || sandbox.json(&["work", "show", "old"])["status"].clone();
    let (shown, code) = sandbox.typing(&["watch"], "\t\t\tsq");
    assert!(code == 0 && shown.contains(ENTERED) && shown.contains(LEFT), "{shown}");
    assert_eq!(status(), "dropped");
    sandbox.ok(&["work", "reopen", "old"]);
    sandbox.answered(&["watch"], "\t\t\tsuq");
    assert_eq!(status(), "todo");
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
fn without_a_terminal_another_command_is_named() {
    let run = Sandbox::new().run(&["watch"]);
    assert!(run.code == 2 && run.err.contains("`staleness board`"), "{run:?}");
}
