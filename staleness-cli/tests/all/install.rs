//! `init` and `uninstall`: the program in the files of agent clients, and out again.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, used};
use crate::corpus::{Kind, REFUSED, corpus};

const CLIENTS: [&str; 5] = ["claude-code", "codex", "cursor", "vscode", "gemini"];

/// The client of a file, and where it is below a home.
fn place(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::ClaudeSettings => ("claude-code", ".claude/settings.json"),
        Kind::ClaudeServers => ("claude-code", ".claude.json"),
        Kind::CodexHooks => ("codex", ".codex/hooks.json"),
        Kind::CodexToml => ("codex", ".codex/config.toml"),
        Kind::CursorHooks => ("cursor", ".cursor/hooks.json"),
        Kind::CursorServers => ("cursor", ".cursor/mcp.json"),
        Kind::VscodeServers => ("vscode", ".config/Code/User/mcp.json"),
        Kind::GeminiSettings => ("gemini", ".gemini/settings.json"),
    }
}

/// A value of a file that is plain JSON.
fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The program under another path, on which it is found: a link, since a copy that was just written
/// may be busy.
#[cfg(unix)]
fn elsewhere(sandbox: &Sandbox, name: &str) -> PathBuf {
    let link = sandbox.root().join(name);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_staleness"), &link).unwrap();
    link
}

/// Runs it.
#[cfg(unix)]
fn run_there(sandbox: &Sandbox, program: &Path, args: &[&str]) -> Run {
    let mut command = sandbox.command_of(program);
    command.env("PATH", program.parent().unwrap()).args(args);
    Run::of(command.output().unwrap())
}

fn settings(sandbox: &Sandbox) -> PathBuf {
    sandbox.home.join(".claude/settings.json")
}

#[test]
fn every_file_of_the_corpus_comes_back_byte_for_byte() {
    let corpus = corpus();
    assert!(corpus.len() >= 60);
    let sandbox = Sandbox::new();
    for (kind, text) in &corpus {
        let (client, path) = place(*kind);
        let file = sandbox.write(&format!("home/{path}"), text);
        let before = sandbox.files();
        let shown = sandbox.json(&["init", client, "--dry-run"]);
        assert_eq!(sandbox.files(), before, "a dry run writes nothing");
        let said = sandbox.json(&["init", client]);
        assert_eq!(
            (&said["files"], &said["changed"]),
            (&shown["files"], &shown["changed"]),
            "{text}"
        );
        let after = sandbox.files();
        let again = sandbox.json(&["init", client]);
        assert_eq!((&again["changed"], &sandbox.files()), (&json!(false), &after), "{text}");
        if said["changed"] == true {
            assert!(after.len() > before.len() || after[&file] != before[&file], "{text}");
        }
        sandbox.json(&["uninstall", client]);
        assert_eq!(sandbox.files(), before, "{client} {path}: {text}");
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn nothing_is_left_of_any_client() {
    let sandbox = Sandbox::new();
    let tree = || {
        let mut found = Vec::new();
        let mut folders = vec![sandbox.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.push(path);
            }
        }
        found.sort();
        found
    };
    let before = tree();
    for level in [&[][..], &["--user"], &["--project"]] {
        for client in CLIENTS {
            let said = sandbox.json(&[&["init", client], level].concat());
            assert_eq!(keys(&said), ["client", "level", "dry_run", "changed", "files", "notes"]);
            assert_eq!(said["level"], if level == ["--project"] { "project" } else { "user" });
            for file in said["files"].as_array().unwrap() {
                assert_eq!((&file["change"], &file["backup"]), (&json!("create"), &Value::Null));
            }
        }
        sandbox.ok(&[&["init", "claude-code", "--skill"], level].concat());
        for client in CLIENTS {
            sandbox.ok(&[&["uninstall", client], level].concat());
            let again = sandbox.ok(&[&["uninstall", client], level].concat());
            assert!(again.starts_with("nothing of `init` is left in "), "{again}");
        }
        assert_eq!(tree(), before);
    }
}

#[test]
fn what_cannot_be_parsed_is_refused_with_file_and_line_and_nothing_changes() {
    for (kind, text, line) in REFUSED {
        let sandbox = Sandbox::new();
        let (client, path) = place(*kind);
        let file = sandbox.write(&format!("home/{path}"), text);
        let before = sandbox.files();
        for verb in [&["init", client][..], &["init", client, "--dry-run"]] {
            let run = sandbox.run(verb);
            assert_eq!(
                (run.code, run.out.as_str(), run.err.lines().count()),
                (3, "", 1),
                "{run:?}"
            );
            assert!(run.err.contains(&format!("{}:{line}: ", file.display())), "{text}: {run:?}");
        }
        // No other file of the client was written either.
        assert_eq!(sandbox.files(), before, "{text}");
    }
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude/settings.json", b"\xff\xfe{\0}\0");
    let run = sandbox.run(&["init", "claude-code"]);
    assert!(run.code == 3 && run.err.contains("it is not UTF-8 text"), "{run:?}");
    sandbox.write("home/.gemini/settings.json/x", "");
    let run = sandbox.run(&["init", "gemini"]);
    assert!(run.code == 3 && run.err.contains("it is a folder"), "{run:?}");
    let large = " ".repeat(16 * 1024 * 1024 + 1);
    sandbox.write("home/.cursor/mcp.json", large);
    let run = sandbox.run(&["init", "cursor"]);
    assert!(run.code == 3 && run.err.contains("larger than 16 MiB"), "{run:?}");
}

#[test]
fn wrong_calls_are_refused() {
    let sandbox = Sandbox::new();
    for (args, code, part) in [
        (&["init"][..], 2, "CLIENT"),
        (&["init", "--project"], 2, "no client is named"),
        (&["init", "vim"], 3, "claude-code, codex, cursor, vscode, gemini"),
        (&["init", "codex", "--skill"], 3, "claude-code alone"),
        (&["--home", "/no/such/home", "init", "codex"], 3, "/no/such/home: not a folder"),
        (&["init", "codex", "--project", "/no/such/project"], 3, "not a folder"),
        (&["uninstall", "codex", "--skill"], 2, "--skill"),
    ] {
        let run = sandbox.run(args);
        assert!(run.code == code && run.err.contains(part), "{args:?}: {run:?}");
        assert_eq!((run.out.as_str(), run.err.lines().count()), ("", 1), "{run:?}");
    }
}

#[test]
fn the_project_is_the_one_that_is_named() {
    let sandbox = Sandbox::new();
    let other = sandbox.second_project();
    let file = other.join(".cursor/mcp.json");
    let named = other.to_str().unwrap();
    for args in [
        &["init", "cursor", "--project", named][..],
        &["--project", named, "init", "cursor"],
        &["--project", named, "init", "cursor", "--project"],
    ] {
        let said = sandbox.json(args);
        assert_eq!(said["level"], "project");
        assert_eq!(said["files"][1]["path"], file.to_str().unwrap(), "{args:?}");
        sandbox.ok(&["uninstall", "cursor", "--project", named]);
        assert!(!file.exists());
    }
    let here = sandbox.json(&["init", "--project", "cursor"]);
    let path = sandbox.project.join(".cursor/mcp.json");
    assert_eq!(here["files"][1]["path"], path.to_str().unwrap(), "a client is no folder");
    let user = sandbox.json(&["--project", named, "init", "cursor", "--user"]);
    assert_eq!(user["level"], "user");
}

#[test]
fn claude_codes_folder_may_be_elsewhere() {
    let sandbox = Sandbox::new();
    let moved = sandbox.root().join("elsewhere");
    let run = |args: &[&str]| {
        let mut command = sandbox.command();
        Run::of(command.env("CLAUDE_CONFIG_DIR", &moved).args(args).output().unwrap())
    };
    assert_eq!(run(&["init", "claude-code", "--skill"]).code, 0);
    for file in ["settings.json", ".claude.json", "skills/staleness/SKILL.md"] {
        assert!(moved.join(file).is_file(), "{file}");
    }
    assert_eq!(run(&["uninstall", "claude-code"]).code, 0);
    assert_eq!(sandbox.files().len(), 0, "{:?}", sandbox.files());
    // The variable is this user's, and says nothing about another home.
    let home = sandbox.root().join("home2");
    fs::create_dir(&home).unwrap();
    assert_eq!(run(&["--home", home.to_str().unwrap(), "init", "claude-code"]).code, 0);
    assert!(home.join(".claude/settings.json").is_file());
}

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
    assert!(said.contains(&format!("{} is left, and yours", backup.display())), "{said}");
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
    std::os::unix::fs::symlink(&target, settings(&sandbox)).unwrap();
    sandbox.ok(&["init", "claude-code"]);
    assert!(settings(&sandbox).is_symlink() && read(&target)["hooks"].is_object());
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(
        (settings(&sandbox).is_symlink(), fs::read(&target).unwrap()),
        (true, b"{}\n".into())
    );
    fs::remove_file(&target).unwrap();
    let lost = sandbox.run(&["init", "claude-code"]);
    assert!(
        lost.code == 3 && lost.err.contains("is a link to a file that is not there"),
        "{lost:?}"
    );
    // A repository must not have other files edited: neither by a file nor by a folder.
    let outside = sandbox.write("outside/mcp.json", "{}\n");
    for link in [".cursor/mcp.json", ".cursor"] {
        let link = sandbox.project.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let to = if link.ends_with(".cursor") { outside.parent().unwrap() } else { &outside };
        std::os::unix::fs::symlink(to, &link).unwrap();
        let run = sandbox.run(&["init", "cursor", "--project"]);
        assert!(run.code == 3 && run.err.contains("leads out of the project"), "{run:?}");
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

#[cfg(unix)]
#[test]
fn what_was_written_runs_whatever_the_programs_path() {
    for name in ["bin/staleness", "with space/o'neil $x/staleness"] {
        let sandbox = Sandbox::scanned();
        let program = elsewhere(&sandbox, name);
        assert_eq!(run_there(&sandbox, &program, &["init", "claude-code"]).code, 0);
        let written = read(&settings(&sandbox));
        let events = keys(&written["hooks"]);
        assert_eq!(
            events,
            [
                "SessionStart",
                "UserPromptSubmit",
                "PostToolUse",
                "PostToolUseFailure",
                "ConfigChange",
                "SessionEnd"
            ]
        );
        for (at, event) in events.into_iter().enumerate() {
            let hook = &written["hooks"][event][0]["hooks"][0];
            let background = matches!(event, "PostToolUse" | "PostToolUseFailure" | "ConfigChange");
            assert_eq!(hook.get("async").is_some(), background, "{event}");
            let mut shell = sandbox.command_of(Path::new("/bin/sh"));
            shell.args(["-c", hook["command"].as_str().unwrap()]);
            let mut payload = used(event, "mcp__github__search", &format!("t{at}"));
            payload["cwd"] = json!(sandbox.project);
            let run = fed(shell, payload.to_string().as_bytes());
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{event}: {run:?}");
        }
        assert_eq!(sandbox.tool("mcp__github__search")["outcomes"], "SF");
        let server = &read(&sandbox.home.join(".claude.json"))["mcpServers"]["staleness"];
        assert_eq!(
            *server,
            json!({ "type": "stdio", "command": program.to_str().unwrap(), "args": ["mcp"] })
        );
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_moved_is_told_by_the_doctor_and_mended_by_init() {
    let sandbox = Sandbox::new();
    let check = |name: &str| {
        let report = sandbox.json(&["doctor"]);
        let checks = report["checks"].as_array().unwrap().clone();
        let check = checks.into_iter().find(|check| check["name"] == name).unwrap();
        (check["state"].clone(), check["detail"].as_str().unwrap().to_owned())
    };
    let (state, detail) = check("hooks");
    assert!(state == "ok" && detail.contains("not set up in any client"), "{detail}");
    let program = elsewhere(&sandbox, "old/staleness");
    for client in ["claude-code", "codex"] {
        assert_eq!(run_there(&sandbox, &program, &["init", client]).code, 0);
    }
    let (state, detail) = check("hooks");
    assert!(state == "ok" && detail.contains("claude-code (user), codex (user)"), "{detail}");
    fs::remove_file(&program).unwrap();
    let (state, detail) = check("hooks");
    assert_eq!(state, "warn");
    for file in ["settings.json", ".claude.json", "hooks.json", "config.toml"] {
        let part = format!("{file} calls {}, which is not there", program.display());
        assert!(detail.contains(&part), "{detail}");
    }
    for client in ["claude-code", "codex"] {
        sandbox.ok(&["init", client]);
    }
    assert_eq!(check("hooks").0, "ok");
    for client in ["claude-code", "codex"] {
        sandbox.ok(&["uninstall", client]);
    }
    assert_eq!(
        sandbox
            .files()
            .keys()
            .filter(|path| !path.starts_with(sandbox.root().join("data")))
            .count(),
        0
    );
}

#[test]
fn our_own_server_is_never_reported_as_a_problem() {
    let sandbox = Sandbox::scanned();
    let here = sandbox.project.clone();
    sandbox.session_start(&here, "s0", "startup");
    sandbox.ok(&["init", "claude-code", "--skill"]);
    assert_eq!(sandbox.session_start(&here, "s1", "startup"), None);
    for at in 0..3 {
        sandbox.hook(&used("PostToolUseFailure", "mcp__staleness__recall", &format!("f{at}")));
    }
    sandbox.ok(&["uninstall", "claude-code"]);
    let scan = sandbox.json(&["scan", "--dry-run"]);
    assert_eq!((&scan["stale"], &scan["added"]), (&json!([]), &json!([])));
    let scan = sandbox.json(&["scan"]);
    assert_eq!(scan["stale"], json!([]));
    assert_eq!(sandbox.session_start(&here, "s2", "startup"), None);
    let overview = sandbox.json(&["--now", "2027-06-01"]);
    let names: Vec<&Value> =
        overview["tools"].as_array().unwrap().iter().map(|t| &t["name"]).collect();
    assert!(names.iter().all(|name| !name.as_str().unwrap().contains("staleness")), "{names:?}");
    let review = sandbox.json(&["review", "--now", "2027-06-01"]).to_string();
    assert!(!review.contains("mcp__staleness"), "{review}");
    assert_eq!(sandbox.tool("mcp__staleness__recall")["status"], "demoted", "who asks is told");
}

#[test]
fn nobodys_secrets_are_shown() {
    let sandbox = Sandbox::new();
    let secret = "hunter2-0123456789";
    let server = format!(
        "{{\n  // {secret}\n  \"mcpServers\": {{\n    \"a\": {{\"command\": \"{secret}\", \"args\": [\"{secret}\"],\n      \
         \"env\": {{\"T\": \"{secret}\"}}}}\n  }}\n}}\n"
    );
    sandbox.write("home/.claude.json", &server);
    sandbox.write("home/.claude/settings.json", format!("{{\"env\":{{\"T\":\"{secret}\"}}}}"));
    sandbox.write("home/.cursor/mcp.json", &server);
    sandbox
        .write("home/.codex/config.toml", format!("# {secret}\na = ['{secret}', \"{secret}\"]\n"));
    let broken = format!("{{\n\"{secret}\": \"{secret}\n}}");
    sandbox.write("home/.gemini/settings.json", broken);
    for client in CLIENTS {
        for verb in ["init", "uninstall"] {
            for more in [&["--dry-run"][..], &["--json", "--dry-run"], &["--verbose"]] {
                let run = sandbox.run(&[&[verb, client], more].concat());
                assert!(!run.out.contains(secret) && !run.err.contains(secret), "{run:?}");
            }
        }
    }
}

#[test]
fn the_store_and_the_policy_that_were_named_are_written_down() {
    let sandbox = Sandbox::new();
    let policy = sandbox.write("own policy.toml", "");
    sandbox.ok(&[
        "--store",
        "sqlite:own.db",
        "--config",
        policy.to_str().unwrap(),
        "init",
        "cursor",
    ]);
    let hooks = read(&sandbox.home.join(".cursor/hooks.json"));
    assert_eq!(hooks["version"], 1);
    let command = hooks["hooks"]["postToolUseFailure"][0]["command"].as_str().unwrap();
    let store = format!("sqlite:{}", sandbox.project.join("own.db").display());
    let tail = format!("hook --client cursor --store {store} --config '{}'", policy.display());
    assert!(command.ends_with(&tail), "{command}");
    let server = read(&sandbox.home.join(".cursor/mcp.json"))["mcpServers"]["staleness"].clone();
    assert_eq!(server["args"], json!(["mcp", "--store", store, "--config", policy]));
    sandbox.ok(&["init", "cursor"]);
    let server = read(&sandbox.home.join(".cursor/mcp.json"))["mcpServers"]["staleness"].clone();
    assert_eq!(server["args"], json!(["mcp"]), "named no more");
}

#[test]
fn the_change_is_shown_first_and_a_person_is_told_what_was_done() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("home/.gemini/settings.json", "{\n  \"theme\": \"x\u{202e}\"\n}\n");
    let said = sandbox.ok(&["init", "gemini"]);
    let path = file.display();
    let head = format!(
        "--- {path}\n+++ {path}\n@@ -1,3 +1,9 @@\n {{\n-  \"theme\": \"…\"\n+  \"theme\": \"…\",\n"
    );
    assert!(said.starts_with(&head), "{said}");
    assert!(said.contains("+    \"staleness\": {\n"), "{said}");
    let done =
        format!("\nchanged {path}; as it was: {path}.before-staleness\nnote: only the server");
    assert!(said.contains(&done), "{said}");
    assert!(said.ends_with("`staleness uninstall gemini` takes it out again\n"), "{said}");
    assert_eq!(
        sandbox.ok(&["init", "gemini"]),
        "gemini is set up already (user): nothing to change\n"
    );
    let dry = sandbox.ok(&["uninstall", "gemini", "--dry-run"]);
    assert!(dry.ends_with("\nnothing was written\n"), "{dry}");
}

#[test]
fn a_skill_of_somebody_else_is_left_alone() {
    let sandbox = Sandbox::new();
    let file = sandbox
        .write("home/.claude/skills/staleness/SKILL.md", "---\nname: staleness\n---\nmine\n");
    let before = sandbox.files();
    let run = sandbox.run(&["init", "claude-code", "--skill"]);
    assert!(run.code == 3 && run.err.contains("SKILL.md:1: is another skill"), "{run:?}");
    assert_eq!(sandbox.files(), before);
    sandbox.ok(&["init", "claude-code"]);
    sandbox.ok(&["uninstall", "claude-code"]);
    assert_eq!(sandbox.files(), before);
    fs::remove_file(&file).unwrap();
    sandbox.ok(&["init", "claude-code", "--skill"]);
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("\nmine\n");
    fs::write(&file, &text).unwrap();
    let said = sandbox.ok(&["uninstall", "claude-code"]);
    assert!(said.contains("the skill was edited, and stays"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
