//! `init` and `uninstall`: the program in the files of agent clients, and out again. How these files are
//! written is in `install_files.rs`, what they then do in `install_runs.rs`.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, keys};
use crate::corpus::{Kind, corpus};

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

/// Found by a session: comments were kept, and Claude Code passed over the whole file, our hooks with it.
#[test]
fn init_says_that_the_client_refuses_the_file_as_it_is() {
    let sandbox = Sandbox::new();
    let files = [
        ("claude-code", ".claude/settings.json", "{\n  // mine\n  \"model\": \"opus\"\n}\n"),
        ("claude-code", ".claude.json", "{\n  \"numStartups\": 1,\n}\n"),
        ("gemini", ".gemini/settings.json", "{ // mine\n  \"ui\": {},\n}\n"),
    ];
    for (client, path, text) in files {
        let file = sandbox.write(&format!("home/{path}"), text);
        let said = sandbox.ok(&["init", client, "--dry-run"]);
        let why = format!("note: {}:2: ", file.display());
        for part in
            [&*why, " rejects this file: ", "; until this is fixed, the client ignores the file"]
        {
            assert!(said.contains(part), "{said}");
        }
        for _ in 0..2 {
            let said = sandbox.ok(&["init", client]);
            assert!(said.contains("rejects this file"), "{said}");
        }
        assert!(!sandbox.ok(&["uninstall", client]).contains("rejects this file"));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::remove_file(file).unwrap();
    }
    sandbox.write("home/.gemini/settings.json", "{ /* it reads comments */ }\n");
    sandbox.write("home/.cursor/mcp.json", "{ /* and so does it */ \"mcpServers\": {}, }\n");
    for client in CLIENTS {
        assert!(!sandbox.ok(&["init", client]).contains("rejects this file"), "{client}");
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
            assert!(again.ends_with("): nothing to remove\n"), "{again}");
        }
        assert_eq!(tree(), before);
    }
}

/// Texts that nothing can be put into, with the line that is named.
const REFUSED: &[(Kind, &str, usize)] = &[
    (Kind::ClaudeSettings, "{\n  \"hooks\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", 3),
    (Kind::ClaudeSettings, "{\n  \"hooks\": {\n", 2),
    (Kind::ClaudeSettings, "{\n  \"a\": 1\n  \"b\": 2\n}\n", 2),
    (Kind::ClaudeSettings, "[]\n", 1),
    (Kind::ClaudeSettings, "null", 1),
    (Kind::ClaudeSettings, "{\n  \"hooks\": []\n}\n", 2),
    (Kind::ClaudeSettings, "{\n  \"hooks\": {\n    \"PostToolUse\": {}\n  }\n}\n", 3),
    (Kind::ClaudeSettings, "{a: 1}", 1),
    (Kind::ClaudeSettings, "{'a': 1}", 1),
    (
        Kind::ClaudeServers,
        "{\n  \"mcpServers\": {\"a\": {}},\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n",
        3,
    ),
    (Kind::ClaudeServers, "{\n  \"mcpServers\": []\n}\n", 2),
    (
        Kind::ClaudeServers,
        "{\n  \"mcpServers\": {\n    \"staleness\": {\"command\": \"node\"}\n  }\n}\n",
        3,
    ),
    (Kind::ClaudeServers, "{\"mcpServers\": {\"staleness\": null}}", 1),
    (Kind::ClaudeServers, "{\"mcpServers\": {\"a\": {}}, \"mcpServers\": {}} x", 1),
    (Kind::CursorHooks, "{\"version\": 1, \"hooks\": {\"sessionStart\": \"x\"}}", 1),
    (Kind::VscodeServers, "{\n  // comment\n  \"servers\": 7\n}\n", 3),
    (Kind::CodexToml, "[mcp_servers.a\n", 1),
    (Kind::CodexToml, "model = \"x\"\nmcp_servers = {}\n", 2),
    (Kind::CodexToml, "model = \"x\"\nmcp_servers = 7\n", 2),
    (Kind::CodexToml, "[mcp_servers.staleness]\nurl = \"https://example.org\"\n", 1),
    (Kind::CodexHooks, "\u{0}\u{0}\u{0}", 1),
];

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

#[cfg(unix)]
#[test]
fn init_asks_for_each_client_that_is_here() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.claude.json", "{}");
    std::fs::create_dir_all(sandbox.root().join("home/.codex")).unwrap();
    let run = sandbox.run(&["init"]);
    assert!(run.code == 2 && run.err.contains("found: claude-code, codex"), "{run:?}");
    assert!(run.err.contains("or --yes"), "{run:?}");
    let before = sandbox.files();
    let shown = sandbox.shown(&["init", "--dry-run"]);
    assert!(shown.contains(".claude.json") && shown.contains(".codex/hooks.json"), "{shown}");
    assert_eq!(sandbox.files(), before);
    let shown = sandbox.answered(&["init"], "n\ny\n");
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(at("+++") < at("Set up claude-code? [y/N]"), "the change is shown first: {shown}");
    assert!(at("hooks.json") < at("Set up codex?"), "a new file too: {shown}");
    let changed: Vec<_> =
        sandbox.files().into_keys().filter(|it| !before.contains_key(it)).collect();
    assert!(changed.iter().all(|it| it.to_string_lossy().contains(".codex/")), "{changed:?}");
    assert!(!changed.is_empty());
    sandbox.write("home/.claude.json", "{");
    std::fs::remove_dir_all(sandbox.root().join("home/.codex")).unwrap();
    std::fs::create_dir(sandbox.root().join("home/.codex")).unwrap();
    let (shown, code) = sandbox.typing(&["init"], "y\ny\n");
    assert!(code != 0 && shown.contains("claude-code is not set up"), "{shown}");
    assert!(sandbox.root().join("home/.codex/hooks.json").is_file(), "{shown}");
}

#[test]
fn wrong_calls_are_refused() {
    let sandbox = Sandbox::new();
    for (args, code, part) in [
        (&["init"][..], 2, "CLIENT"),
        (&["init", "--project"], 2, "no client given"),
        (&["init", "vim"], 3, "claude-code, codex, cursor, vscode, gemini"),
        (&["init", "codex", "--skill"], 3, "only works with claude-code"),
        (&["--home", "/no/such/home", "init", "codex"], 3, "/no/such/home is not a folder"),
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
fn the_change_is_shown_first_and_a_person_is_told_what_was_done() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("home/.gemini/settings.json", "{\n  \"theme\": \"x\u{202e}\"\n}\n");
    let said = sandbox.ok(&["init", "gemini"]);
    let path = file.display();
    let head = format!(
        "--- {path}\n+++ {path}\n@@ -1,3 +1,51 @@\n {{\n-  \"theme\": \"…\"\n+  \"theme\": \"…\",\n"
    );
    assert!(said.starts_with(&head), "{said}");
    assert!(said.contains("+    \"staleness\": {\n"), "{said}");
    let done = format!("\nchanged {path}; backup: {path}.before-staleness-");
    assert!(said.contains(&done), "{said}");
    assert!(sandbox.ok(&["init", "vscode"]).contains("\nnote: only the MCP server"));
    assert!(said.ends_with("to undo: `staleness uninstall gemini`\n"), "{said}");
    assert_eq!(sandbox.ok(&["init", "gemini"]), "gemini (user): already set up\n");
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
    assert!(said.contains("the skill was edited, so it stays"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

/// The plugin calls the program by its name, and says nothing where that is not there.
#[cfg(unix)]
#[test]
fn the_plugin_of_claude_code_holds_what_init_writes() {
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/claude-code/");
    let sandbox = Sandbox::new();
    sandbox.ok(&["init", "claude-code"]);
    for (file, name, call) in [
        (
            ".claude/settings.json",
            "hooks/hooks.json",
            "command -v staleness >/dev/null || exit 0; staleness",
        ),
        (".claude.json", ".mcp.json", "staleness"),
    ] {
        let written = fs::read_to_string(sandbox.home.join(file)).unwrap();
        let written = written.replace(env!("CARGO_BIN_EXE_staleness"), call);
        let written: Value = serde_json::from_str(&written).unwrap();
        let held = fs::read_to_string(format!("{plugin}{name}")).unwrap();
        let held: Value = serde_json::from_str(&held).unwrap();
        assert_eq!(held, written, "{name}");
    }
}

#[test]
fn all_clients_that_are_here_are_set_up_without_a_terminal() {
    for word in ["--all", "--yes"] {
        let sandbox = Sandbox::new();
        sandbox.write("home/.claude.json", "{}");
        sandbox.write("home/.codex/config.toml", "");
        let shown = sandbox.ok(&["init", word]);
        assert!(shown.contains(".claude.json") && shown.contains(".codex/hooks.json"), "{shown}");
        assert!(sandbox.home.join(".codex/hooks.json").is_file());
        assert!(!sandbox.home.join(".gemini").exists());
    }
    let run = Sandbox::new().run(&["init", "codex", "--all"]);
    assert!(run.code == 2 && run.err.contains("cannot be used with"), "{run:?}");
}
