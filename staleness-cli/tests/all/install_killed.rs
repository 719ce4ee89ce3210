//! Leftovers of an `init` that was killed, and files that only look like them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use staleness_core::ids::stable_hash;

use crate::common::Sandbox;

const SETTINGS: &str = "{\n  \"model\": \"opus\"\n}\n";

/// The one file beside the settings.
fn backup(sandbox: &Sandbox, settings: &Path) -> PathBuf {
    let mut others: Vec<PathBuf> =
        sandbox.files().into_keys().filter(|path| path.parent() == settings.parent()).collect();
    others.retain(|path| path != settings);
    assert_eq!(others.len(), 1, "{others:?}");
    others.remove(0)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[cfg(unix)]
#[test]
fn a_private_copy_that_was_left_behind_goes_with_the_next_init_or_uninstall() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude/settings.json", SETTINGS);
    let own = sandbox.write("home/.claude/.settings.json.staleness-partial", "own");
    let digest = stable_hash(b"settings.json");
    let name = format!("home/.claude/.staleness-partial-{digest:032x}-killed");
    let leave = || sandbox.write(&name, "secret");
    for verb in [["init", "claude-code"], ["init", "claude-code"], ["uninstall", "claude-code"]] {
        let left = leave();
        sandbox.ok(&[&verb[..], &["--dry-run"]].concat());
        assert!(left.exists(), "a dry run removes nothing");
        sandbox.ok(&verb);
        assert!(!left.exists(), "{verb:?}");
    }
    assert_eq!(text(&own), "own");
    assert_eq!(sandbox.files().len(), 2);
}

#[test]
fn a_backup_of_an_init_that_was_killed_before_its_change_goes_with_uninstall() {
    let sandbox = Sandbox::new();
    let settings = sandbox.write("home/.claude/settings.json", SETTINGS);
    sandbox.ok(&["init", "claude-code"]);
    // As it stands between the backup and the change.
    fs::write(&settings, SETTINGS).unwrap();
    fs::remove_file(sandbox.home.join(".claude.json")).unwrap();
    let left = backup(&sandbox, &settings);
    let said = sandbox.ok(&["uninstall", "claude-code"]);
    let told = format!("removes {}, left by an interrupted `init`", left.display());
    assert!(said.contains(&told), "{said}");
    assert_eq!(sandbox.files().len(), 1);
    assert_eq!(text(&settings), SETTINGS);
    // Where the file is another one by now, nobody else has the text.
    sandbox.ok(&["init", "claude-code"]);
    fs::write(&settings, "{}").unwrap();
    let said = sandbox.ok(&["uninstall", "claude-code"]);
    assert!(
        said.contains(&format!("nothing to remove; the copy {} stays", left.display())),
        "{said}"
    );
    assert_eq!(text(&left), SETTINGS);
}

#[test]
fn a_killed_init_leaves_no_second_backup_to_the_next() {
    let sandbox = Sandbox::new();
    let settings = sandbox.write("home/.claude/settings.json", "{}");
    sandbox.ok(&["init", "claude-code"]);
    fs::write(&settings, SETTINGS).unwrap();
    sandbox.ok(&["init", "claude-code"]);
    assert_eq!(text(&backup(&sandbox, &settings)), SETTINGS);
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(text(&settings), SETTINGS);
    assert_eq!(sandbox.files().len(), 1);
}

#[test]
fn b11_a_file_of_the_user_that_is_called_like_a_backup_is_left_alone() {
    let sandbox = Sandbox::new();
    let settings = sandbox.write("home/.claude/settings.json", SETTINGS);
    let own = ["", "-", "-0123456789abcdef0123456789abcdef"].map(|end| {
        sandbox.write(&format!("home/.claude/settings.json.before-staleness{end}"), "own")
    });
    for verb in ["init", "uninstall"] {
        sandbox.ok(&[verb, "claude-code"]);
        for own in &own {
            assert_eq!(text(own), "own", "{verb}");
        }
    }
    assert_eq!(text(&settings), SETTINGS);
    assert_eq!(sandbox.files().len(), 4);
    // One of ours that somebody wrote into is theirs.
    sandbox.ok(&["init", "claude-code"]);
    let mut there = sandbox.files().into_keys();
    let ours = there.find(|path| text(path) == SETTINGS).unwrap();
    fs::write(&ours, "mine now").unwrap();
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(text(&ours), "mine now");
    let run = sandbox.run(&["init", "claude-code"]);
    assert!(run.code == 0 || text(&ours) == "mine now", "{run:?}");
    assert_eq!(text(&ours), "mine now");
}

#[cfg(unix)]
#[test]
fn b11_a_folder_that_somebody_locks_is_named_and_not_waited_for_without_end() {
    let sandbox = Sandbox::new();
    let held = File::open(&sandbox.home).unwrap();
    held.lock().unwrap();
    let run = sandbox.run(&["init", "gemini"]);
    drop(held);
    assert_eq!(run.code, 0, "another folder: {run:?}");
    let folder = sandbox.home.join(".gemini");
    let held = File::open(&folder).unwrap();
    held.lock().unwrap();
    let run = sandbox.run(&["uninstall", "gemini"]);
    drop(held);
    let told = format!("another program holds a lock on the folder {}", folder.display());
    assert!(run.code == 3 && run.err.contains(&told), "{run:?}");
    assert!(run.err.ends_with("it was not changed\n"), "{run:?}");
    sandbox.ok(&["uninstall", "gemini"]);
}

#[test]
fn a_key_that_stands_twice_is_refused_by_its_line() {
    let sandbox = Sandbox::new();
    let twice = "{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}\n";
    let file = sandbox.write("home/.gemini/settings.json", twice);
    for verb in ["init", "uninstall"] {
        let run = sandbox.run(&[verb, "gemini"]);
        let told = format!("{}:3: has a duplicate key in an object", file.display());
        assert!(run.code == 3 && run.err.contains(&told), "{run:?}");
        assert_eq!(text(&file), twice);
    }
    let deep = "{\"a\": [{\"b\": 1, \"b\": 2}]}";
    fs::write(&file, deep).unwrap();
    assert_eq!(sandbox.run(&["init", "gemini"]).code, 3);
}

/// Only the administrator can own another's file for a while, and for anybody else there is nothing to keep.
#[cfg(unix)]
#[test]
fn a_file_keeps_its_owner_and_group_whoever_sets_a_client_up() {
    use std::os::unix::fs::{MetadataExt, chown};
    let sandbox = Sandbox::new();
    let file = sandbox.write("home/.claude/settings.json", SETTINGS);
    let _ = chown(&file, Some(65_534), Some(65_534));
    let whose = |path: &Path| (path.metadata().unwrap().uid(), path.metadata().unwrap().gid());
    let before = whose(&file);
    sandbox.ok(&["init", "claude-code"]);
    assert_eq!(whose(&file), before);
    assert_eq!(whose(&backup(&sandbox, &file)), before, "its copy too");
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(whose(&file), before);
}
