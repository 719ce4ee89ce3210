//! Files that `init` and `uninstall` write: whole or not at all, with a backup, and nobody else's.

use std::fs;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::thread;

use serde_json::json;

use crate::common::Sandbox;
#[cfg(unix)]
use crate::common::read_json;

#[test]
fn what_others_wrote_later_stays_and_the_backup_goes() {
    let sandbox = Sandbox::new();
    let text = "{\n  // mine\n  \"model\": \"opus\",\n}\n";
    let file = sandbox.write("home/.claude/settings.json", text);
    let said = sandbox.json(&["init", "claude-code"]);
    let backup = PathBuf::from(said["files"][0]["backup"].as_str().unwrap());
    assert_eq!(fs::read_to_string(&backup).unwrap(), text);
    let edited = fs::read_to_string(&file).unwrap().replace("opus", "sonnet");
    fs::write(&file, &edited).unwrap();
    let again = sandbox.json(&["init", "claude-code"]);
    assert_eq!(again["changed"], false);
    assert_eq!(fs::read_to_string(&backup).unwrap(), text, "it holds what was before `init`");
    let gone = sandbox.ok(&["uninstall", "claude-code"]);
    assert!(gone.contains(&format!("changed {}", file.display())), "{gone}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text.replace("opus", "sonnet"));
    assert!(!backup.exists());
    assert!(!sandbox.home.join(".claude.json").exists(), "it was made by `init`");
}

#[test]
fn a_file_that_cannot_be_written_takes_the_others_back() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude/settings.json", "{}\n");
    let second = sandbox.write("home/.claude.json", "{\"numStartups\": 1}\n");
    let before = sandbox.files();
    let mut permissions = fs::metadata(&second).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&second, permissions.clone()).unwrap();
    let run = sandbox.run(&["init", "claude-code"]);
    assert!(run.code == 3 && run.err.contains(".claude.json: it is read-only"), "{run:?}");
    assert_eq!(sandbox.files(), before);
}

#[test]
fn an_uninstall_that_is_taken_back_loses_no_backup() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude/settings.json", "{\n  \"hooks\": {}\n}\n");
    let second = sandbox.write("home/.claude.json", "{\"numStartups\": 1}\n");
    let before = sandbox.files();
    sandbox.ok(&["init", "claude-code"]);
    let installed = sandbox.files();
    let writable = fs::metadata(&second).unwrap().permissions();
    let mut locked = writable.clone();
    locked.set_readonly(true);
    fs::set_permissions(&second, locked).unwrap();
    let run = sandbox.run(&["uninstall", "claude-code"]);
    assert!(run.code == 3 && run.err.contains(".claude.json: it is read-only"), "{run:?}");
    assert_eq!(sandbox.files(), installed, "backups included");
    fs::set_permissions(&second, writable).unwrap();
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn a_backup_is_written_whenever_there_is_none_and_told_when_it_is_left() {
    let sandbox = Sandbox::new();
    let entry = json!({ "mcpServers": { "staleness":
        { "type": "stdio", "command": "/old/staleness", "args": ["mcp"] } } });
    let file = sandbox.write("project/.mcp.json", entry.to_string());
    let said = sandbox.json(&["init", "claude-code", "--project"]);
    let backup = PathBuf::from(said["files"][1]["backup"].as_str().unwrap());
    assert_eq!(fs::read_to_string(&backup).unwrap(), entry.to_string());
    assert!(said["notes"].to_string().contains("keep it out of version control"), "{said}");
    fs::remove_file(&file).unwrap();
    let said = sandbox.ok(&["uninstall", "claude-code", "--project"]);
    assert!(
        said.contains(&format!("nothing to remove; the copy {} stays", backup.display())),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_new_files_of_the_user_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = sandbox.write("home/.claude/settings.json", "{}\n");
    for bits in [0o640, 0o600, 0o664] {
        fs::set_permissions(&file, fs::Permissions::from_mode(bits)).unwrap();
        let said = sandbox.json(&["init", "claude-code"]);
        let backup = said["files"][0]["backup"].as_str().unwrap();
        assert_eq!((mode(&file), mode(Path::new(backup))), (bits, bits));
        assert_eq!(mode(&sandbox.home.join(".claude.json")), 0o600);
        sandbox.ok(&["uninstall", "claude-code"]);
        assert_eq!(mode(&file), bits);
    }
    sandbox.ok(&["init", "cursor", "--project"]);
    assert_ne!(mode(&sandbox.project.join(".cursor/mcp.json")) & 0o044, 0, "others work on it too");
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through_unless_it_leads_out_of_the_project() {
    let sandbox = Sandbox::new();
    let target = sandbox.write("dotfiles/claude.json", "{}\n");
    fs::create_dir(sandbox.home.join(".claude")).unwrap();
    std::os::unix::fs::symlink(&target, sandbox.claude_settings()).unwrap();
    sandbox.ok(&["init", "claude-code"]);
    assert!(sandbox.claude_settings().is_symlink() && read_json(&target)["hooks"].is_object());
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(
        (sandbox.claude_settings().is_symlink(), fs::read(&target).unwrap()),
        (true, b"{}\n".into())
    );
    fs::remove_file(&target).unwrap();
    let lost = sandbox.run(&["init", "claude-code"]);
    assert!(lost.code == 3 && lost.err.contains("is a broken link"), "{lost:?}");
    // A repository must not have other files edited: neither by a file nor by a folder.
    let outside = sandbox.write("outside/mcp.json", "{}\n");
    for link in [".cursor/mcp.json", ".cursor"] {
        let link = sandbox.project.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let to = if link.ends_with(".cursor") { outside.parent().unwrap() } else { &outside };
        std::os::unix::fs::symlink(to, &link).unwrap();
        let run = sandbox.run(&["init", "cursor", "--project"]);
        assert!(run.code == 3 && run.err.contains("points outside the project"), "{run:?}");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "{}\n");
        fs::remove_dir_all(sandbox.project.join(".cursor"))
            .or_else(|_| fs::remove_file(&link))
            .unwrap();
    }
}

#[test]
fn many_at_once_write_one_set_of_hooks() {
    let sandbox = Sandbox::new();
    let before = "{\n  \"model\": \"opus\"\n}\n";
    let file = sandbox.write("home/.claude/settings.json", before);
    sandbox.ok(&["init", "claude-code"]);
    let once = fs::read(&file).unwrap();
    sandbox.ok(&["uninstall", "claude-code"]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sandbox.ok(&["init", "claude-code"]));
        }
    });
    assert_eq!(fs::read(&file).unwrap(), once);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sandbox.ok(&["uninstall", "claude-code"]));
        }
    });
    assert_eq!(sandbox.files().keys().collect::<Vec<_>>(), [&file]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

/// Bug: a program that cuts a text within a character leaves half of it, as an escape, and the whole file went unseen.
#[test]
fn half_a_character_hides_no_server_and_stays_where_it_is() {
    let sandbox = Sandbox::new();
    let text = "{\n  \"history\": [\"cut \\ud83d\"],\n  \"mcpServers\": {\n    \"gh\": {\"command\": \"x\"}\n  }\n}\n";
    let file = sandbox.write("home/.claude.json", text);
    sandbox.ok(&["scan"]);
    assert_eq!(sandbox.status("mcp__gh__*"), "active");
    let shown = sandbox.ok(&["init", "claude-code", "--dry-run"]);
    assert!(shown.contains("+    \"staleness\": {\n"), "{shown}");
    sandbox.ok(&["init", "claude-code"]);
    let set_up = fs::read_to_string(&file).unwrap();
    assert!(set_up.contains("cut \\ud83d") && set_up.contains("\"staleness\""), "{set_up}");
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
