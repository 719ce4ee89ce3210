//! A hook does not wait long for a store that others hold, and loses nothing that it was told.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, used};

/// A registry with one tool, in each backend that is a file.
struct Place {
    sandbox: Sandbox,
    url: String,
    file: PathBuf,
}

fn places() -> Vec<Place> {
    let backends: &[&str] = if cfg!(feature = "redb") { &["sqlite", "redb"] } else { &["sqlite"] };
    let place = |scheme: &&str| {
        let sandbox = Sandbox::new();
        let file = sandbox.root().join(format!("registry.{scheme}"));
        let place = Place { url: format!("{scheme}:{}", file.display()), file, sandbox };
        place.hook(&used("PostToolUse", "mcp__a__b", "t0"));
        place
    };
    backends.iter().map(place).collect()
}

impl Place {
    fn hook(&self, payload: &Value) {
        let mut command = self.sandbox.command();
        command.args(["--store", &self.url, "hook"]);
        let run = fed(command, payload.to_string().as_bytes());
        assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() });
    }

    fn json(&self, args: &[&str]) -> Value {
        self.sandbox.json(&[&["--store", &self.url], args].concat())
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.file.clone().into_os_string();
        path.push(suffix);
        path.into()
    }

    /// Keeps every other process from writing.
    fn hold(&self) -> File {
        let lock = File::options().write(true).open(self.beside(".lock")).unwrap();
        lock.lock().unwrap();
        lock
    }

    /// Makes the store hold these bytes, with no log beside it.
    fn lay_out(&self, bytes: &[u8]) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(self.beside(suffix));
        }
        fs::write(&self.file, bytes).unwrap();
    }

    fn outcomes(&self) -> Value {
        self.json(&["tools", "show", "mcp__a__b"])["outcomes"].clone()
    }
}

#[test]
fn b7_uses_that_cannot_be_recorded_at_once_are_recorded_later_in_their_order() {
    for place in places() {
        let held = place.hold();
        for (event, id) in [("PostToolUseFailure", "t1"), ("PostToolUse", "t2")] {
            place.hook(&used(event, "mcp__a__b", id));
        }
        // A client that repeats itself.
        place.hook(&used("PostToolUse", "mcp__a__b", "t2"));
        drop(held);
        assert_eq!(place.outcomes(), "S", "{}: recorded under a held lock", place.url);
        let doctor = place.json(&["doctor"])["checks"].to_string();
        assert!(doctor.contains("3 uses or sessions wait to be recorded"), "{doctor}");
        place.hook(&used("PostToolUseFailure", "mcp__a__b", "t3"));
        // On a busy machine a hook leaves the rest, and its own, to the next one that writes.
        place.json(&["record", "mcp__a__b", "--success"]);
        assert_eq!(place.outcomes(), "SFSFS", "{}", place.url);
        assert!(!place.beside(".spool").exists(), "{}", place.url);
        assert!(!place.json(&["doctor"])["checks"].to_string().contains("to be recorded"));
    }
}

#[test]
fn what_waits_to_be_recorded_holds_nothing_of_inputs_and_outputs() {
    let secret = "s3cr3t";
    for place in places() {
        let held = place.hold();
        let mut failure = used("PostToolUseFailure", "mcp__a__b", "t1");
        for field in ["error", "transcript_path", "prompt"] {
            failure[field] = json!(format!("401 with {secret}"));
        }
        failure["tool_input"] = json!({ "token": secret, "command": secret });
        failure["tool_response"] = json!({ "error": secret });
        place.hook(&failure);
        drop(held);
        let waiting = std::fs::read_dir(place.beside(".spool")).unwrap();
        let texts = waiting.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let texts: Vec<String> = texts.collect();
        assert_eq!(texts.len(), 1, "{}", place.url);
        assert!(texts[0].contains("mcp__a__b") && !texts[0].contains(secret), "{texts:?}");
    }
}

#[test]
fn the_end_of_a_session_does_not_overtake_its_start() {
    for place in places() {
        let of = |event: &str| json!({ "session_id": "s7", "hook_event_name": event });
        let held = place.hold();
        place.hook(&of("SessionStart"));
        drop(held);
        place.hook(&of("SessionEnd"));
        let sessions = place.json(&["session", "list"])["sessions"].clone();
        assert!(sessions[0]["ended_at"].is_string(), "{}: {sessions}", place.url);
    }
}

#[test]
fn a_spool_that_others_may_write_to_keeps_no_use_from_being_recorded() {
    for place in places() {
        std::fs::create_dir(place.beside(".spool")).unwrap();
        place.hook(&used("PostToolUseFailure", "mcp__a__b", "t1"));
        assert_eq!(place.outcomes(), "SF", "{}", place.url);
    }
}

#[test]
fn a_command_that_writes_records_what_waits_first() {
    for place in places() {
        let held = place.hold();
        place.hook(&used("PostToolUseFailure", "mcp__a__b", "t1"));
        drop(held);
        place.json(&["record", "mcp__a__b", "--success"]);
        assert_eq!(place.outcomes(), "SFS", "{}", place.url);
    }
}

#[test]
fn a_use_that_finds_no_room_in_the_spool_is_told_by_the_doctor() {
    for place in places() {
        let held = place.hold();
        place.hook(&used("PostToolUse", "mcp__a__b", "t1"));
        for number in 0..10_000 {
            let entry = place.beside(".spool").join(format!("9{number}.json"));
            std::fs::hard_link(&place.file, entry).unwrap();
        }
        place.hook(&used("PostToolUse", "mcp__a__b", "t2"));
        drop(held);
        let run = place.sandbox.run(&["--store", &place.url, "doctor", "--json"]);
        assert!(run.code != 0 && run.out.contains("1 uses or sessions were lost"), "{run:?}");
    }
}

#[test]
fn a_session_that_starts_and_ends_under_a_held_lock_is_known_later() {
    for place in places() {
        let held = place.hold();
        let of = |event: &str| json!({ "session_id": "s7", "hook_event_name": event });
        place.hook(&of("SessionStart"));
        place.hook(&of("SessionEnd"));
        drop(held);
        place.json(&["record", "mcp__a__b", "--success"]);
        let sessions = place.json(&["session", "list"])["sessions"].clone();
        assert_eq!((&sessions[0]["id"], sessions[0]["ended_at"].is_string()), (&json!("s7"), true));
    }
}

/// On redb the lock is waited for before what waits is looked at.
#[test]
fn a_command_that_waited_for_a_lock_does_not_overtake_what_waits() {
    let place = places().remove(0);
    let held = place.hold();
    place.hook(&used("PostToolUseFailure", "mcp__a__b", "t1"));
    place.hook(&used("PostToolUseFailure", "mcp__a__b", "t2"));
    let record = ["record", "mcp__a__b", "--success"];
    let mut command = place.sandbox.command();
    command.args(["--store", &place.url]).args(record).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let (to, ended) = channel();
    std::thread::spawn(move || to.send(errors.read_to_end(&mut Vec::new())));
    // It waits once, for five seconds. Twice would be ten.
    let _ = ended.recv_timeout(Duration::from_secs(8));
    drop(held);
    let ended = child.wait().unwrap();
    if !ended.success() {
        assert_eq!(ended.code(), Some(4));
        place.json(&record);
    }
    assert_eq!(place.outcomes(), "SFFS");
}

#[test]
fn uses_that_meet_a_damaged_store_are_recorded_once_when_it_is_mended_or_replaced() {
    for place in places() {
        let copy = place.sandbox.root().join("copy");
        place.sandbox.ok(&["--store", &place.url, "backup", copy.to_str().unwrap()]);
        for id in ["t1", "t2", "t2"] {
            place.lay_out(b"");
            place.hook(&used("PostToolUseFailure", "mcp__a__b", id));
            assert!(fs::read(&place.file).unwrap().is_empty(), "{}", place.url);
        }
        place.lay_out(&fs::read(&copy).unwrap());
        for expected in ["SFFS", "SFFSS"] {
            place.json(&["record", "mcp__a__b", "--success"]);
            assert_eq!(place.outcomes(), expected, "{}", place.url);
        }
        place.lay_out(b"");
        place.hook(&used("PostToolUseFailure", "mcp__a__b", "t3"));
        fs::remove_file(&place.file).unwrap();
        place.json(&["record", "mcp__a__b", "--success"]);
        assert_eq!(place.outcomes(), "FS", "{}", place.url);
        assert!(!place.beside(".spool").exists(), "{}", place.url);
        place.lay_out(&b"another program's file ".repeat(400));
        place.hook(&used("PostToolUse", "mcp__a__b", "t4"));
        assert!(!place.beside(".spool").exists(), "{}: beside what is no store", place.url);
    }
}
