//! Work that is written down, and what has been lying around for too long.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, line};
use crate::moving;

/// Runs with `--json` as of a day; the document that it printed.
fn on(sandbox: &Sandbox, day: &str, args: &[&str]) -> Value {
    sandbox.json(&[args, &["--now", day]].concat())
}

/// The ids of a list.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap()).collect()
}

/// A line of trouble, and the exit code.
fn refused(sandbox: &Sandbox, args: &[&str]) -> (i32, String) {
    let Run { code, out, err } = sandbox.run(args);
    assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{args:?}: {err}");
    (code, err)
}

/// One item of each kind, all of 1 October.
fn one_of_each() -> Sandbox {
    let sandbox = Sandbox::new();
    for (kind, id, more) in [
        ("plan", "p", &["--status", "in_progress", "--author", "ana", "--ref", "d"][..]),
        ("trap", "t", &["--expires", "2026-10-10"]),
        ("constraint", "c", &["--expires", "2027-01-01"]),
        ("handoff", "h", &["--from", "ana", "--to", "codex"]),
        ("candidate", "k", &["--generated"]),
        ("note", "n", &[]),
        ("decision", "d", &[]),
    ] {
        let text = format!("{kind} of ours");
        let add = [&["work", "add", kind, &text, "--id", id, "--now", "2026-10-01"], more].concat();
        sandbox.ok(&add);
    }
    sandbox
}

#[test]
fn what_is_written_down_is_shown_with_everything_that_was_said() {
    let sandbox = one_of_each();
    let shown = on(&sandbox, "2026-10-02", &["work", "show", "p"]);
    let expected = json!({
        "id": "p", "kind": "plan", "status": "in_progress", "text": "plan of ours",
        "author": "ana", "created_at": "2026-10-01T00:00:00Z",
        "updated_at": "2026-10-01T00:00:00Z", "refs": ["d"], "steps": [],
        "verdict": { "level": "fresh", "freshness": 1.0, "signals": [], "action": "keep" },
    });
    assert_eq!(shown, expected);
    let handoff = on(&sandbox, "2026-10-02", &["work", "show", "h"]);
    assert_eq!((&handoff["from"], &handoff["to"]), (&json!("ana"), &json!("codex")));
    assert_eq!(on(&sandbox, "2026-10-02", &["work", "show", "k"])["generated"], true);
    assert_eq!(on(&sandbox, "2026-10-02", &["work", "show", "n"])["type"], "observation");
    let listed = on(&sandbox, "2026-10-02", &["work", "list"]);
    assert_eq!(keys(&listed), ["items"]);
    assert_eq!(ids(&listed["items"]), ["c", "d", "h", "k", "n", "p", "t"]);
    assert_eq!(on(&sandbox, "2026-10-02", &["work"]), listed);
    let plans = on(&sandbox, "2026-10-02", &["work", "list", "--kind", "plan"]);
    assert_eq!(ids(&plans["items"]), ["p"]);
    let open = on(&sandbox, "2026-10-02", &["work", "list", "--status", "open"]);
    assert_eq!(ids(&open["items"]), ["h"]);
}

#[test]
fn an_id_is_made_of_the_first_words_and_nothing_less_names_an_item() {
    let sandbox = Sandbox::new();
    let add = ["work", "add", "handoff", "Review the router before Friday, please"];
    let one = sandbox.json(&add)["item"]["id"].as_str().unwrap().to_owned();
    assert!(one.starts_with("review-the-router-"), "{one}");
    let again = on(&sandbox, "2026-11-21", &add)["item"]["id"].clone();
    assert_ne!(again, one.as_str(), "the same may be handed over twice");
    assert_eq!(on(&sandbox, "2026-11-21", &["work", "show", &one])["id"], one.as_str());
    let of_no_item = "work show review,work touch review,work set review --status closed,\
                      stale resolve review-the-router";
    for args in of_no_item.split(',') {
        let (code, line) = refused(&sandbox, &line(args));
        assert!(code == 3 && line.contains("no work item named"), "{line}");
    }
    let open = on(&sandbox, "2026-11-21", &["work", "list", "--status", "open"]);
    assert_eq!(open["items"].as_array().unwrap().len(), 2);
}

#[test]
fn a_dry_run_shows_the_item_and_writes_nothing() {
    let sandbox = one_of_each();
    let before = sandbox.ok(&["export"]);
    let item = &sandbox.json(&["work", "add", "plan", "x", "--id", "new", "--dry-run"])["item"];
    assert_eq!((&item["id"], &item["status"]), (&json!("new"), &json!("todo")));
    let (code, line) = refused(&sandbox, &["work", "add", "plan", "x", "--id", "p", "--dry-run"]);
    assert!(code == 3 && line.contains("\"p\" already"), "{line}");
    assert_eq!(sandbox.ok(&["export"]), before);
}

#[test]
fn every_verb_changes_what_it_says_and_nothing_else() {
    let sandbox = one_of_each();
    let set =
        ["work", "set", "p", "--status", "blocked", "--text", "new", "--expires", "2027-01-01"];
    let item = &on(&sandbox, "2026-10-03", &set)["item"];
    assert_eq!(
        (&item["status"], &item["text"], &item["author"], &item["refs"]),
        (&json!("blocked"), &json!("new"), &json!("ana"), &json!(["d"]))
    );
    assert_eq!(item["updated_at"], "2026-10-03T00:00:00Z");
    let step = on(&sandbox, "2026-10-04", &["work", "step", "p", "wrote the trie"]);
    let done = json!([{ "text": "wrote the trie", "at": "2026-10-04T00:00:00Z" }]);
    assert_eq!(step["item"]["steps"], done);
    let touched = on(&sandbox, "2026-10-05", &["work", "touch", "p"]);
    assert_eq!(touched["item"]["updated_at"], "2026-10-05T00:00:00Z");
    let late = on(&sandbox, "2026-10-01", &["work", "touch", "p"]);
    assert_eq!(late["item"]["updated_at"], "2026-10-05T00:00:00Z", "time only moves forward");
    let none = ["work", "set", "p", "--ref", "none", "--expires", "none", "--status", "done"];
    let item = &on(&sandbox, "2026-10-06", &none)["item"];
    assert_eq!((&item["refs"], &item["expires_at"]), (&json!([]), &Value::Null));
    let (code, line) = refused(&sandbox, &["work", "set", "p", "--status", "todo"]);
    assert!(code == 3 && line.contains("reopen it first"), "{line}");
    assert!(!line.contains("there is nothing more to do"), "{line}");
    let back = on(&sandbox, "2026-10-07", &["work", "reopen", "p"]);
    assert_eq!(back["item"]["status"], "blocked", "the state before");
    assert_eq!(back["item"]["steps"], done);
}

#[test]
fn what_is_overdue_is_listed_oldest_first_with_a_command_that_settles_it() {
    let sandbox = one_of_each();
    let fresh = on(&sandbox, "2026-10-07", &["stale"]);
    assert_eq!((&fresh["warnings"], &fresh["summary"]), (&json!([]), &json!("nothing overdue")));
    let report = on(&sandbox, "2026-11-05", &["stale"]);
    assert_eq!(keys(&report), ["warnings", "counts", "summary"]);
    assert_eq!(ids(&report["warnings"]), ["p", "h", "k", "n", "t"]);
    let expected = json!({
        "id": "t", "kind": "trap", "level": "stale", "text": "trap of ours", "age_days": 26,
        "reason": "expired 26 days ago", "suggested_action": "staleness stale resolve t",
    });
    assert_eq!(report["warnings"][4], expected);
    assert_eq!(report["summary"], "1 plan, 1 expired trap, 1 handoff, 1 candidate, 1 note");
    assert_eq!(report["counts"]["total"], 5);
    assert_eq!(on(&sandbox, "2026-11-05", &["stale", "list"]), report);
    // The command that is suggested settles it, and its undoing brings the state back.
    for (id, from, to) in [
        ("p", "in_progress", "dropped"),
        ("t", "active", "resolved"),
        ("h", "open", "closed"),
        ("k", "pending", "rejected"),
        ("n", "visible", "archived"),
    ] {
        let kind = on(&sandbox, "2026-11-05", &["work", "show", id])["kind"].clone();
        let done = on(&sandbox, "2026-11-05", &["stale", "resolve", id]);
        assert_eq!(done, json!({ "id": id, "kind": kind, "from": from, "to": to }));
        let shown = on(&sandbox, "2026-11-05", &["work", "show", id]);
        assert_eq!((&shown["status"], &shown["verdict"]["level"]), (&json!(to), &json!("fresh")));
        let (code, line) = refused(&sandbox, &["stale", "resolve", id, "--now", "2026-11-05"]);
        assert!(code == 3 && line.contains("not overdue"), "{line}");
    }
    let hidden = on(&sandbox, "2026-11-05", &["work", "list"]);
    assert!(!ids(&hidden["items"]).contains(&"n"), "what is archived is kept and hidden");
    let archived = on(&sandbox, "2026-11-05", &["work", "list", "--status", "archived"]);
    assert_eq!(ids(&archived["items"]), ["n"]);
    let back = on(&sandbox, "2026-11-05", &["work", "reopen", "p"]);
    assert_eq!(back["item"]["status"], "in_progress");
}

#[test]
fn what_fresh_work_still_refers_to_is_reported_one_level_softer() {
    let sandbox = one_of_each();
    let day = "2026-11-05";
    on(&sandbox, day, &["work", "add", "plan", "new", "--id", "new", "--ref", "p"]);
    let report = on(&sandbox, day, &["stale"]);
    let plan = &report["warnings"][0];
    assert_eq!((&plan["id"], &plan["softened_by"]), (&json!("p"), &json!("new")));
    assert!(plan["reason"].as_str().unwrap().ends_with("new still refers to it"), "{plan}");
    let verdict = &on(&sandbox, day, &["work", "show", "p"])["verdict"];
    assert_eq!((&verdict["level"], &verdict["freshness"]), (&json!("review"), &json!(0.5)));
    let code = |args: &[&str]| sandbox.run(&[args, &["--now", day]].concat()).code;
    assert_eq!(code(&["stale", "--fail-on", "stale"]), 1);
    for id in ["h", "k", "n", "t"] {
        on(&sandbox, day, &["stale", "resolve", id]);
    }
    assert_eq!(code(&["stale", "--fail-on", "stale"]), 0);
    assert_eq!(code(&["stale", "list", "--fail-on", "review"]), 1);
    assert_eq!(code(&["--fail-on", "review"]), 1, "the overview knows it too");
    assert_eq!(code(&["--fail-on", "stale"]), 0);
}

#[test]
fn every_surface_gives_the_level_of_the_verdict() {
    let sandbox = one_of_each();
    let on = |level: &str, args: &[&str]| {
        let set = format!("work.freshness_flagged={level}");
        sandbox.run(&[args, &["--now", "2026-11-05", "--set", &set]].concat())
    };
    for (freshness, level, codes) in
        [("0.3", "stale", [1, 1]), ("0.5", "review", [0, 1]), ("0.9", "fresh", [0, 0])]
    {
        let listed: Value = serde_json::from_str(&on(freshness, &["stale", "--json"]).out).unwrap();
        assert_eq!(listed["warnings"][0]["level"], level);
        let shown: Value =
            serde_json::from_str(&on(freshness, &["work", "show", "p", "--json"]).out).unwrap();
        assert_eq!(shown["verdict"]["level"], level);
        let fail = |on_level| on(freshness, &["stale", "--fail-on", on_level]).code;
        assert_eq!([fail("stale"), fail("review")], codes, "{freshness}");
    }
}

#[test]
fn what_has_ended_hides_no_overdue_item_of_every_project() {
    let sandbox = Sandbox::new();
    let add = |more: &[&str]| {
        sandbox.ok(&[&["work", "add", "trap", "x", "--id", "t", "--now", "2026-01-01"], more].concat());
    };
    add(&["--global", "--expires", "2026-02-01"]);
    add(&[]);
    sandbox.ok(&["work", "set", "t", "--status", "resolved"]);
    let action = sandbox.json(&["stale"])["warnings"][0]["suggested_action"].clone();
    assert_eq!(action, "staleness stale resolve global:t");
    assert_eq!(sandbox.json(&["stale", "resolve", "t"])["to"], "resolved");
    assert_eq!(sandbox.json(&["stale"])["warnings"], json!([]));
}

#[test]
fn unknown_kinds_states_and_ids_come_with_what_there_is() {
    let sandbox = one_of_each();
    for (args, part) in [
        (&["work", "add", "wish", "x"][..], "use one of: plan, trap, constraint, handoff"),
        (&["work", "add", "plan", "x", "--status", "pending"], "use one of: todo, in_progress"),
        (&["work", "add", "plan", "x", "--type", "observation"], "a plan has no type"),
        (
            &["work", "add", "note", "x", "--type", "rumour"],
            "use one of: observation, session_start",
        ),
        (&["work", "add", "plan", " "], "text is missing"),
        (&["work", "add", "plan", "x", "--id", "p"], "already"),
        (&["work", "add", "plan", "x", "--expires", "soon"], "try 2026-11-20"),
        (&["work", "set", "h", "--status", "done"], "use one of: open, accepted, closed"),
        (&["work", "list", "--kind", "wish"], "use one of: plan"),
        (&["work", "list", "--status", "wished"], "use one of: todo"),
        (&["work", "show", "zzz"], "see `staleness work list`"),
        (&["work", "reopen", "p"], "there is nothing to reopen"),
        (&["stale", "resolve", "nothing"], "no work item named"),
    ] {
        let (code, line) = refused(&sandbox, args);
        assert!(code == 3 && line.contains(part), "{args:?}: {line}");
    }
    for args in [&["work", "set", "p"][..], &["work", "add", "plan"], &["work", "step", "p"]] {
        assert_eq!(refused(&sandbox, args).0, 2, "{args:?}");
    }
    sandbox.ok(&["work", "add", "plan", "x", "--id", "review-router"]);
    let (_, line) = refused(&sandbox, &["work", "show", "reveiw-router"]);
    assert!(line.contains("did you mean review-router?"), "{line}");
}

#[test]
fn a_reference_to_a_missing_item_is_allowed_and_shown_as_dangling() {
    let sandbox = one_of_each();
    sandbox.ok(&["work", "add", "plan", "x", "--id", "x", "--ref", "gone", "--ref", "d"]);
    let shown = sandbox.ok(&["work", "show", "x"]);
    let line = |id: &str| shown.lines().find(|line| line.contains(id)).unwrap().to_owned();
    assert!(line("gone").contains("unknown id"), "{shown}");
    assert!(!line("refers to  d").contains("unknown"), "{shown}");
}

#[test]
fn what_has_expired_when_it_is_written_down_is_reported_from_the_beginning() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["work", "add", "trap", "x", "--id", "x", "--expires", "-3d"]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("the item has already expired"), "{run:?}");
    assert_eq!(sandbox.json(&["stale"])["warnings"][0]["age_days"], 3);
}

#[test]
fn a_text_comes_from_stdin_and_keeps_its_lines() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.args(["work", "add", "plan", "-", "--id", "x", "--quiet"]);
    assert_eq!(fed(command, b"one\ntwo\n").code, 0);
    assert_eq!(sandbox.json(&["work", "show", "x"])["text"], "one\ntwo");
}

#[test]
fn the_board_fits_one_screen_of_eighty_columns() {
    use unicode_width::UnicodeWidthStr;
    let sandbox = one_of_each();
    for (at, tool) in ["/1", "/2", "/3", "/4", "/5", "/6", "/7"].iter().enumerate() {
        for fail in 0..3 {
            sandbox.ok(&["record", tool, "--failure", "--id", &format!("{at}-{fail}")]);
        }
    }
    for at in 0..30 {
        let id = format!("a-rather-long-id-that-somebody-chose-{at:02}");
        let text = "何か長いもの ".repeat(20);
        let kind = ["plan", "handoff", "candidate"][at % 3];
        let status = if at % 2 == 0 && kind == "plan" { "in_progress" } else { "" };
        let add = ["work", "add", kind, &text, "--id", &id, "--now", "2026-10-02"];
        let status: &[&str] = if status.is_empty() { &[] } else { &["--status", status] };
        sandbox.ok(&[&add[..], status].concat());
    }
    let board = sandbox.json(&["board"]);
    assert_eq!(keys(&board), ["in_progress", "waiting", "warnings", "tools"]);
    let count = |section: &str| board[section].as_array().unwrap().len();
    assert_eq!((count("in_progress"), count("waiting"), count("tools")), (6, 27, 7));
    let shown = sandbox.ok(&["board"]);
    assert!(shown.lines().all(|line| line.width() <= 80), "{shown}");
    assert!(shown.lines().count() < 24, "{shown}");
    for part in ["in progress", "waiting", "overdue", "tools that need", " more; `staleness stale`"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let empty = Sandbox::new().ok(&["board"]);
    assert!(empty.contains("no work is in progress"), "{empty}");
}

#[test]
fn an_option_before_its_command_is_refused_and_never_ignored() {
    let sandbox = one_of_each();
    let commands = "stale --fail-on stale list,stale --input x list,work --kind trap list,\
                    work --open show p,tools --status stale list,knowledge --level stale list";
    for args in commands.split(',').map(line) {
        let (code, line) = refused(&sandbox, &args);
        assert!(code == 2 && line.contains("put it after"), "{args:?}: {line}");
    }
    sandbox.ok(&["work", "--json", "list"]);
    sandbox.ok(&["stale", "--now", "2026-10-02", "list"]);
}

#[test]
fn none_stands_alone() {
    let sandbox = one_of_each();
    let (code, line) = refused(&sandbox, &["work", "set", "p", "--ref", "none", "--ref", "h"]);
    assert!(code == 3 && line.contains("cannot be combined"), "{line}");
}

#[test]
fn every_surface_tells_what_is_stuck() {
    let sandbox = one_of_each();
    let day = "2026-11-05";
    let overview = on(&sandbox, day, &[]);
    assert_eq!(overview["work"], on(&sandbox, day, &["stale"])["warnings"]);
    assert_eq!(overview["counts"]["work"], 5);
    let shown = sandbox.ok(&["--now", day]);
    assert!(shown.contains("overdue work: 1 plan, 1 expired trap"), "{shown}");
    let review = on(&sandbox, day, &["review"]);
    let plan = review["items"].as_array().unwrap().iter().find(|each| each["id"] == "p").unwrap();
    assert_eq!((&plan["kind"], &plan["verdict"]["level"]), (&json!("plan"), &json!("stale")));
    assert_eq!(plan["suggested_action"], "staleness stale resolve p");
    let doctor = on(&sandbox, day, &["doctor"]);
    let mut checks = doctor["checks"].as_array().unwrap().iter();
    let memory = checks.find(|each| each["name"] == "stale_memory").unwrap();
    assert_eq!((&doctor["ok"], &memory["state"]), (&json!(true), &json!("warn")));
    assert!(memory["detail"].as_str().unwrap().contains("overdue: 1 plan"), "{memory}");
}

/// Lines of another system's memory.
const FOREIGN: &str = r#"{"type":"work","id":"w1","kind":"plan","status":"in_progress","text":"Move to the new host","created":"2026-09-01","author":"ana","steps":[{"text":"began","at":"2026-09-02"}]}
{"type":"work","id":"w2","kind":"handoff","text":"Take over","created":"2026-10-01T08:00:00Z","refs":["w1"]}
{"type":"knowledge","id":"k1","body":"passed over","added":"2026-01-01"}
"#;

#[test]
fn a_file_of_another_system_is_judged_and_nothing_is_stored() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("work.jsonl", FOREIGN);
    let before = sandbox.files();
    let report = sandbox.json(&["stale", "list", "--input", file.to_str().unwrap()]);
    assert_eq!(ids(&report["warnings"]), ["w1", "w2"]);
    assert_eq!(report["warnings"][0]["age_days"], 79, "its last step counts");
    let mut command = sandbox.command();
    command.args(["stale", "--input", "-", "--json"]);
    let piped = fed(command, FOREIGN.as_bytes());
    assert_eq!(serde_json::from_str::<Value>(&piped.out).unwrap(), report);
    assert!(sandbox.files() == before);
    // Bug: knowledge was passed over. It is judged as after an import.
    let todo = json!({ "type": "knowledge", "id": "k2", "kind": "todo", "body": "t", "added": "2024-01-01" });
    let file = sandbox.write("todo.jsonl", todo.to_string());
    let judge = ["stale", "--input", file.to_str().unwrap()];
    let judged = &sandbox.json(&judge)["knowledge"];
    assert!(sandbox.ok(&judge).contains("in its own system, complete it"));
    assert_eq!(sandbox.run(&[&judge[..], &["--fail-on", "stale"]].concat()).code, 1);
    let other = Sandbox::new();
    other.ok(&["import", "--from", "jsonl", file.to_str().unwrap()]);
    let review = &other.json(&["review"])["items"];
    assert_eq!(judged[0]["verdict"], review[0]["verdict"], "{review}");
    assert_eq!((&judged[0]["id"], &judged[1]), (&json!("k2"), &Value::Null));
    let line =
        json!({ "type": "work", "id": "x", "kind": "plan", "text": "t", "created": "2026-01-01" });
    for (key, value, part) in [
        ("kind", json!("wish"), "unknown kind"),
        ("status", json!("open"), "a plan cannot be"),
        ("created", json!("yesterday"), "as a time"),
        ("colour", json!(1), "unknown field `colour`"),
        ("id", json!("w1"), "\"w1\" appears twice"),
    ] {
        let mut line = line.clone();
        line[key] = value;
        let file = sandbox.write("bad.jsonl", format!("{FOREIGN}{line}\n"));
        let (code, err) = refused(&sandbox, &["stale", "--input", file.to_str().unwrap()]);
        assert!(code == 3 && err.contains("bad.jsonl:4:") && err.contains(part), "{err}");
        let (code, err) = refused(&sandbox, &["import", "--from", "jsonl", file.to_str().unwrap()]);
        assert!(code == 3 && err.contains(part) && err.contains("nothing was imported"), "{err}");
    }
    assert_eq!(sandbox.json(&["work"])["items"], json!([]));
}

#[test]
fn work_of_another_system_is_imported_once_and_loses_nothing_that_is_known() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("work.jsonl", FOREIGN);
    let import = ["import", "--from", "jsonl", file.to_str().unwrap()];
    assert_eq!(sandbox.json(&import)["imported"]["work"], 2);
    let again = sandbox.json(&import);
    assert_eq!((&again["imported"]["work"], &again["skipped"]["work"]), (&json!(0), &json!(2)));
    sandbox.ok(&["work", "step", "w1", "packed", "--now", "2026-09-05"]);
    sandbox.ok(&["work", "set", "w1", "--ref", "w2", "--now", "2026-09-05"]);
    // A later line that says less: what it leaves out stays.
    let line = r#"{"type":"work","id":"w1","kind":"plan","text":"Move, by November","created":"2026-09-01","updated":"2026-09-10"}"#;
    let file = sandbox.write("more.jsonl", line);
    sandbox.ok(&["import", "--from", "jsonl", file.to_str().unwrap()]);
    let item = sandbox.json(&["work", "show", "w1"]);
    assert_eq!(
        (&item["text"], &item["status"], &item["author"], &item["refs"]),
        (&json!("Move, by November"), &json!("in_progress"), &json!("ana"), &json!(["w2"]))
    );
    assert_eq!(item["steps"].as_array().unwrap().len(), 2);
    let other = r#"{"type":"knowledge","id":"k2","body":"b","added":"2026-01-01"}
{"type":"work","id":"w1","kind":"trap","text":"x","created":"2026-09-01","updated":"2026-12-10"}"#;
    let file = sandbox.write("other.jsonl", other);
    let (code, line) = refused(&sandbox, &["import", "--from", "jsonl", file.to_str().unwrap()]);
    assert!(code == 3 && line.contains("an id can have only one kind"), "{line}");
    assert!(line.contains("other.jsonl") && line.contains("nothing was imported"), "{line}");
    assert_eq!(ids(&sandbox.json(&["knowledge"])["items"]), ["k1"], "nothing of the whole file");
}

#[cfg(unix)]
#[test]
fn a_file_that_never_ends_is_refused() {
    let sandbox = Sandbox::new();
    for args in [&["stale", "--input", "/dev/zero"][..], &["import", "/dev/zero"]] {
        let (code, line) = refused(&sandbox, args);
        assert!(code == 3 && line.contains("/dev/zero:1: longer than"), "{line}");
    }
}

/// Bug: work that waited for other work came out as ready.
#[test]
fn work_that_waits_there_waits_here() {
    let sandbox = Sandbox::new();
    let issue = |id: &str, at: &str, waits: &[(&str, &str)]| {
        let waits =
            waits.iter().map(|(of, on)| json!({"issue_id": id, "depends_on_id": on, "type": of}));
        let issue = json!({
            "id": id, "title": id, "status": "open", "issue_type": "task", "created_at": "2026-03-01T00:00:00Z",
            "updated_at": at, "dependencies": waits.collect::<Vec<_>>(),
        });
        format!("{issue}\n")
    };
    let early = "2026-03-02T00:00:00Z";
    let with = |second: &str| {
        let others = [
            issue("b-1", early, &[]),
            issue("b-3", early, &[("parent-child", "b-1"), ("waits-for", "b-1")]),
            // No program should write such a circle.
            issue("b-4", early, &[("blocks", "b-5")]),
            issue("b-5", "2026-03-03T00:00:00Z", &[("blocks", "b-4"), ("blocks", "b-5")]),
        ];
        sandbox.write("issues.jsonl", [&others.concat(), second].concat())
    };
    let ready = || {
        let items = sandbox.json(&["work", "ready"])["items"].clone();
        let ids = items.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned());
        ids.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    let path = with(&issue("b-2", early, &[]));
    let report = moving::import(&sandbox, "beads", &path, &[]);
    let left =
        json!({"issue.dependencies.type=parent-child": 1, "issue.dependencies.type=waits-for": 1});
    assert_eq!(report["left"], left);
    assert_eq!(report["untied"], 2);
    assert_eq!(ready(), ["b-1", "b-2", "b-3", "b-5"]);
    let later = issue("b-2", "2026-03-04T00:00:00Z", &[("blocks", "b-1")]);
    moving::import(&sandbox, "beads", &with(&later), &[]);
    assert_eq!(ready(), ["b-1", "b-3", "b-5"], "what is told later counts");
    sandbox.ok(&["work", "set", "b-1", "--status", "done"]);
    assert_eq!(ready(), ["b-2", "b-3", "b-5"]);
}
