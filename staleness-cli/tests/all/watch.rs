//! The live screen at a real terminal.

use std::io::Read as _;
use std::process::{Command, Stdio};

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

#[test]
fn a_terminal_is_left_as_it_was_when_the_program_is_told_to_end() {
    let sandbox = Sandbox::scanned();
    let (main, path) = terminal();
    let end = || Stdio::from(opened(&path));
    let before = tcgetattr(&main).unwrap();
    let mut command = sandbox.command();
    let mut child = command.arg("watch").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
    drop(command);
    let mut from = std::fs::File::from(main.try_clone().unwrap());
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while !text.contains("undo") {
        let count = from.read(&mut bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert_ne!(tcgetattr(&main).unwrap().local_modes, before.local_modes);
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
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
