//! Limits of the system on a process, and folders that it may not use.

use serde_json::json;

use crate::common::{NOW, Run, Sandbox, used};

/// Runs the program where no file may grow beyond this many blocks of 512 bytes.
#[cfg(unix)]
fn within(sandbox: &Sandbox, blocks: u32, args: &[&str], input: &[u8]) -> Run {
    let mut command = sandbox.command_of(std::path::Path::new("/bin/sh"));
    command.args(["-c", &format!("ulimit -f {blocks} && exec \"$0\" \"$@\"")]);
    command.args([env!("CARGO_BIN_EXE_staleness"), "--now", NOW]).args(args);
    crate::common::fed(command, input)
}

#[cfg(unix)]
fn stores(sandbox: &Sandbox) -> Vec<String> {
    let file = |kind: &str| format!("{kind}:{}/own.{kind}", sandbox.root().display());
    let kinds = [
        "sqlite",
        #[cfg(feature = "redb")]
        "redb",
    ];
    kinds.into_iter().map(file).collect()
}

#[cfg(unix)]
#[test]
fn b8_a_hook_at_the_largest_size_of_a_file_exits_0_and_says_nothing() {
    let sandbox = Sandbox::new();
    for store in stores(&sandbox) {
        for blocks in [0, 1, 8, 40] {
            for at in 0..3 {
                let payload = used("PostToolUse", "mcp__s__t", &format!("u{at}")).to_string();
                let args = ["--store", &store, "hook", "--client", "claude-code"];
                let run = within(&sandbox, blocks, &args, payload.as_bytes());
                let silent = (run.code, run.out.as_str(), run.err.as_str());
                assert_eq!(silent, (0, "", ""), "{store} {blocks}");
            }
        }
        // What was cut off in the middle is undone.
        sandbox.ok(&["--store", &store, "record", "Later", "--success"]);
        // What found no room in the store waited beside it.
        let tool = sandbox.json(&["--store", &store, "tools", "show", "mcp__s__t"]);
        assert_eq!(tool["outcomes"], "SSS", "{store}");
        assert_eq!(sandbox.json(&["--store", &store, "doctor"])["ok"], true);
    }
}

#[cfg(unix)]
#[test]
fn b8_a_hook_at_the_limit_of_its_processor_time_exits_0_and_says_nothing() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a pipe holds: the hook has begun to read.
    input.write_all(&vec![b' '; 1 << 20]).unwrap();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "XCPU", &id]).status().unwrap().success());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() });
}

#[cfg(unix)]
#[test]
fn a_command_at_the_largest_size_of_a_file_names_the_limit() {
    let sandbox = Sandbox::new();
    for store in stores(&sandbox) {
        for blocks in [0, 1, 8] {
            let args = ["--store", &store, "record", "mcp__s__t", "--success"];
            let run = within(&sandbox, blocks, &args, b"");
            assert_eq!((run.code, run.out.as_str()), (4, ""), "{store} {blocks}: {run:?}");
            assert!(run.err.contains("the size limit of this process"), "{run:?}");
            assert!(run.err.contains("ulimit -f") && run.err.lines().count() == 1, "{run:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_export_without_a_temporary_folder_names_the_folder() {
    let sandbox = Sandbox::scanned();
    let gone = sandbox.root().join("gone");
    let mut command = sandbox.command();
    let run = Run::of(command.env("TMPDIR", &gone).arg("export").output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
    let folder = format!("a temporary file in {}: no such file or folder", gone.display());
    assert!(run.err.contains(&folder) && run.err.contains("set TMPDIR"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn b13_a_variable_that_is_not_utf8_is_named_and_hooks_stay_silent() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::scanned();
    let garbled = OsStr::from_bytes(b"sqlite:/tmp/caf\xe9.db");
    let mut command = sandbox.command();
    let run = Run::of(command.env("STALENESS_STORE", garbled).arg("tools").output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
    assert!(run.err.contains("STALENESS_STORE is not UTF-8 text"), "{run:?}");
    let mut command = sandbox.command();
    command.env("STALENESS_STORE", garbled).args(["hook", "--client", "claude-code"]);
    let payload = used("PostToolUse", "mcp__s__t", "u1").to_string();
    let run = crate::common::fed(command, payload.as_bytes());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn b13_the_last_day_of_all_is_a_date_wherever_dates_are_taken() {
    let sandbox = Sandbox::new();
    let of = |id: &str| sandbox.json(&["knowledge", "show", id])["expires_at"].clone();
    let body = ["--body", "The port is 5432", "--id", "port"];
    sandbox.ok(&[&["knowledge", "add"], &body[..], &["--expires", "9999-12-31"]].concat());
    assert_eq!(of("port"), "9999-12-30T22:00:00Z");
    let line = json!({ "type": "knowledge", "id": "told", "body": "x", "added": NOW, "expires": "9999-12-31" });
    let file = sandbox.write("lines.jsonl", line.to_string());
    sandbox.ok(&["import", "--from", "jsonl", file.to_str().unwrap()]);
    assert_eq!(of("told"), "9999-12-30T22:00:00Z");
}
