//! A store that cannot be used: exit code 4, in plain words, and nothing is touched.

use std::fs::{self, File};
use std::path::Path;

use crate::common::{Run, Sandbox, line};

/// Sets the number of the format in the header of a database without a log, whose page has no checksum
/// then.
pub(crate) fn set_format(bytes: &mut [u8], format: u32) {
    bytes[60..64].copy_from_slice(&format.to_be_bytes());
    bytes[4_092..4_096].copy_from_slice(&[0, 0, 0, 1]);
}

/// Runs readers and a writer against a store; each must fail with 4, say `part`, and leave the
/// file as it was.
fn refused(sandbox: &Sandbox, store: &Path, parts: &[&str]) {
    let url = format!("sqlite:{}", store.display());
    let before = fs::read(store).ok();
    for args in ["tools", "scan", "record x --success", "prune", "", "project list"].map(line) {
        let args = &args[..];
        let run = sandbox.run(&[&["--store", &url], args].concat());
        assert_eq!((run.code, run.out.as_str()), (4, ""), "{args:?}: {run:?}");
        assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{run:?}");
        for part in parts {
            assert!(run.err.contains(part), "{part:?} is not in {}", run.err);
        }
        assert!(!run.err.contains("(os error"), "{}", run.err);
        let as_json = sandbox.run(&[&["--store", &url, "--json"], args].concat());
        let error: serde_json::Value = serde_json::from_str(&as_json.err).unwrap();
        assert_eq!((as_json.code, &error["error"]["kind"]), (4, &"store".into()), "{error}");
    }
    let doctor = sandbox.run(&["--store", &url, "doctor"]);
    assert_eq!((doctor.code, doctor.err.as_str()), (4, ""), "{doctor:?}");
    assert!(doctor.out.contains("fail") && doctor.out.contains(parts[0]), "{doctor:?}");
    assert!(fs::read(store).ok() == before, "the file was touched");
}

#[test]
fn a_folder() {
    let sandbox = Sandbox::new();
    refused(&sandbox, &sandbox.home, &["is a folder", "point --store at another file"]);
}

#[test]
fn another_kind_of_file() {
    let sandbox = Sandbox::new();
    let long = sandbox.write("notes.txt", "these are my notes, keep them safe. ".repeat(200));
    refused(&sandbox, &long, &["not a staleness store", "nothing was changed"]);
    let short = sandbox.write("short.txt", "hi");
    refused(&sandbox, &short, &["not a staleness store"]);
}

#[test]
fn a_store_of_a_newer_program() {
    let sandbox = Sandbox::scanned();
    let copy = sandbox.root().join("copy.db");
    sandbox.ok(&["backup", copy.to_str().unwrap()]);
    let mut bytes = fs::read(&copy).unwrap();
    set_format(&mut bytes, 99);
    fs::write(&copy, bytes).unwrap();
    refused(&sandbox, &copy, &["format 99", "update staleness"]);
}

#[test]
fn a_place_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "a file");
    let below = format!("sqlite:{}", file.join("registry.db").display());
    let run = sandbox.run(&["--store", &below, "scan"]);
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    assert!(run.err.contains("registry.db"), "{run:?}");
}

#[test]
fn a_writer_that_never_ends_is_not_waited_for_forever_and_readers_do_not_mind() {
    let sandbox = Sandbox::scanned();
    let before = sandbox.recorded();
    let lock =
        File::options().write(true).open(sandbox.root().join("data/staleness/registry.db.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    assert_eq!(sandbox.recorded(), before, "readers need no turn");
    let run = sandbox.run(&["record", "x", "--success"]);
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    assert!(run.err.contains("registry.db: ") && run.err.contains("try again"), "{run:?}");
    let payload = crate::common::used("PostToolUse", "x", "t1");
    assert_eq!(sandbox.hook(&payload), Run { code: 0, out: String::new(), err: String::new() });
    lock.unlock().unwrap();
    assert_eq!(sandbox.recorded(), before);
    sandbox.ok(&["record", "x", "--success"]);
}

/// Permissions mean nothing to root: as root, the program runs as somebody else.
#[cfg(unix)]
#[test]
fn a_store_that_may_only_be_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let sandbox = Sandbox::scanned();
    let before = sandbox.recorded();
    let folder = sandbox.store().parent().unwrap().to_owned();
    let is_root = fs::metadata(sandbox.root()).unwrap().uid() == 0;
    let program = sandbox.root().join("program");
    // By another process: what this one writes to, those that other tests start have open too, and a
    // program that is open for writing cannot be started.
    let mut copy = std::process::Command::new("cp");
    let copied = copy.arg(env!("CARGO_BIN_EXE_staleness")).arg(&program).status();
    assert!(copied.unwrap().success());
    let allow = |path: &Path, mode: u32| {
        if is_root {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for folder in
        [sandbox.root(), sandbox.root().join("data"), sandbox.home.clone(), sandbox.project.clone()]
    {
        allow(&folder, 0o755);
    }
    let forbid = |files: u32, folders: u32| {
        for entry in fs::read_dir(&folder).unwrap() {
            allow(&entry.unwrap().path(), files);
        }
        allow(&folder, folders);
    };
    let run = |args: &[&str]| {
        let mut command = sandbox.command_of(&program);
        command.args(args);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let read_only = |args: &[&str]| Run::of(run(args).output().unwrap());
    forbid(0o400, 0o500);
    let look = read_only(&["tools"]);
    assert_eq!((look.code, look.err.as_str()), (0, ""), "who may read, may look: {look:?}");
    allow(&folder, 0o700);
    for (files, folders) in [(0o400, 0o500), (0o000, 0o700), (0o600, 0o000)] {
        forbid(files, folders);
        let write = read_only(&["record", "x", "--success"]);
        assert_eq!((write.code, write.out.as_str()), (4, ""), "{files:o} {folders:o}: {write:?}");
        assert_eq!(write.err.lines().count(), 1, "{write:?}");
        assert!(write.err.contains("registry.db: "), "{write:?}");
        let payload = crate::common::used("PostToolUse", "x", "t1").to_string();
        let hook = crate::common::fed(run(&["hook"]), payload.as_bytes());
        assert_eq!(hook, Run { code: 0, out: String::new(), err: String::new() });
        allow(&folder, 0o700);
    }
    forbid(0o600, 0o700);
    assert_eq!(sandbox.recorded(), before);
}
