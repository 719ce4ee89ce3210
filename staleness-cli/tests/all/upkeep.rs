//! `prune` and `backup`.

use serde_json::Value;

use crate::common::{Sandbox, names};

fn outcomes(report: &Value) -> (u64, u64) {
    let outcomes = &report["outcomes"];
    (outcomes["removed"].as_u64().unwrap(), outcomes["kept"].as_u64().unwrap())
}

#[test]
fn a_dry_prune_tells_what_a_real_one_does() {
    let sandbox = Sandbox::scanned();
    for at in 0..6 {
        let id = format!("o{at}");
        let now = if at < 4 { "2026-06-01" } else { "2026-11-19" };
        sandbox.ok(&["--now", now, "record", "mcp__github__search", "--failure", "--id", &id]);
    }
    let few = ["--set", "outcomes.keep_newest=1", "prune"];
    let dry = [&few[..], &["--dry-run"]].concat();
    assert_eq!(outcomes(&sandbox.json(&["prune", "--dry-run"])), (0, 6), "the newest are kept");
    assert_eq!(outcomes(&sandbox.json(&dry)), (4, 2));
    assert_eq!(outcomes(&sandbox.json(&dry)), (4, 2), "a dry run removes nothing");
    let doctor = || sandbox.run(&["--set", "outcomes.keep_newest=1", "doctor"]).out;
    assert!(doctor().contains("`staleness prune` would remove 4 outcomes\n"), "{}", doctor());
    let before = sandbox.json(&["tools"]);
    assert_eq!(outcomes(&sandbox.json(&few)), (4, 2));
    assert!(!doctor().contains("staleness prune"));
    assert_eq!(outcomes(&sandbox.json(&few)), (0, 2));
    assert_eq!(sandbox.json(&["tools"]), before, "nothing that is known of a tool goes with them");
}

#[test]
fn pruning_what_is_not_there_creates_nothing() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(&["prune"]), "0 routes removed, 0 kept\n0 outcomes removed, 0 kept\n");
    assert!(!sandbox.root().join("data").exists());
}

#[test]
fn a_backup_is_a_store() {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["record", "mcp__github__search", "--success"]);
    let copy = sandbox.root().join("deep/copy.db");
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    let said = sandbox.ok(&["backup", copy.to_str().unwrap()]);
    assert!(said.contains("copy.db: ") && said.ends_with(" bytes\n"), "{said}");
    let url = format!("sqlite:{}", copy.display());
    let from_copy = |args: &[&str]| sandbox.json(&[&["--store", &url], args].concat());
    assert_eq!(from_copy(&["tools"]), sandbox.json(&["tools"]));
    assert_eq!(from_copy(&["doctor"])["ok"], true);
    from_copy(&["record", "Later", "--success"]);
    assert!(!names(&sandbox.json(&["tools"])["tools"]).contains(&"Later"), "it is a copy");
}

/// The bytes of the copy that was begun last, 0 before there is one.
fn growing(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let partial = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "partial"));
    partial.filter_map(|entry| Some(entry.metadata().ok()?.len())).max().unwrap_or(0)
}

#[test]
fn a_killed_backup_leaves_nothing_under_the_name_that_was_asked_for() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..3_000).map(|at| format!("server-{at}")).collect();
    sandbox.claude(&names.iter().map(String::as_str).collect::<Vec<_>>());
    sandbox.ok(&["scan"]);
    for at in 0..30 {
        let copy = sandbox.root().join(format!("copy-{at}.db"));
        let mut child = sandbox
            .command()
            .arg("backup")
            .arg(&copy)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Killed as soon as the copy has grown so far; a small one may be finished before.
        while child.try_wait().unwrap().is_none() && growing(&sandbox.root()) <= at * 16 * 1024 {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        for entry in std::fs::read_dir(sandbox.root()).unwrap().flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "partial") {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
        if copy.exists() {
            let url = format!("sqlite:{}", copy.display());
            let listed = sandbox.json(&["--store", &url, "tools"]);
            assert_eq!(listed["tools"].as_array().unwrap().len(), 3_000, "copy {at}");
        }
    }
    let copy = sandbox.root().join("whole.db");
    sandbox.ok(&["backup", copy.to_str().unwrap()]);
    let left: Vec<_> = std::fs::read_dir(sandbox.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("whole.db"))
        .collect();
    assert_eq!(left, ["whole.db"]);
}

#[test]
fn a_backup_overwrites_nothing() {
    let sandbox = Sandbox::scanned();
    let taken = sandbox.write("taken.txt", "mine");
    for (target, part) in [
        (taken.to_str().unwrap(), "already exists"),
        (sandbox.store().to_str().unwrap(), "already exists"),
        (sandbox.home.to_str().unwrap(), "home"),
        (sandbox.root().join("no/such/folder/copy.db").to_str().unwrap(), "no such file or folder"),
    ] {
        let run = sandbox.run(&["backup", target]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{target}: {run:?}");
        assert!(run.err.contains(target) && run.err.contains(part), "{run:?}");
    }
    assert_eq!(std::fs::read_to_string(taken).unwrap(), "mine");
    assert_eq!(sandbox.status("github"), "active");
}

#[test]
fn there_is_nothing_to_back_up_before_the_first_scan() {
    let sandbox = Sandbox::new();
    let copy = sandbox.root().join("copy.db");
    let run = sandbox.run(&["backup", copy.to_str().unwrap()]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("staleness scan"), "{run:?}");
    assert!(!copy.exists() && !sandbox.root().join("data").exists());
}
