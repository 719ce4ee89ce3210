//! Entries that `init` wrote, when the client runs them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, read_json, used};

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

#[cfg(unix)]
#[test]
fn what_was_written_runs_whatever_the_programs_path() {
    for name in ["bin/staleness", "with space/o'neil $x/staleness"] {
        let sandbox = Sandbox::scanned();
        let program = elsewhere(&sandbox, name);
        assert_eq!(run_there(&sandbox, &program, &["init", "claude-code"]).code, 0);
        let written = read_json(&sandbox.claude_settings());
        let events = keys(&written["hooks"]);
        let expected = [
            "SessionStart",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "PostToolUse",
            "PostToolUseFailure",
            "ConfigChange",
            "SessionEnd",
        ];
        assert_eq!(events, expected);
        for (at, event) in events.into_iter().enumerate() {
            let hook = &written["hooks"][event][0]["hooks"][0];
            assert_eq!(
                hook.get("async"),
                None,
                "{event}: what runs in the background may be killed"
            );
            let mut shell = sandbox.command_of(Path::new("/bin/sh"));
            shell.args(["-c", hook["command"].as_str().unwrap()]);
            let mut payload = used(event, "mcp__github__search", &format!("t{at}"));
            payload["cwd"] = json!(sandbox.project);
            let run = fed(shell, payload.to_string().as_bytes());
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{event}: {run:?}");
        }
        assert_eq!(sandbox.tool("mcp__github__search")["outcomes"], "SF");
        let server = &read_json(&sandbox.home.join(".claude.json"))["mcpServers"]["staleness"];
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
    let hooks = sandbox.home.join(".codex/hooks.json");
    let written = fs::read(&hooks).unwrap();
    fs::remove_file(&hooks).unwrap();
    let (state, detail) = check("hooks");
    assert!(state == "warn" && detail.starts_with("codex: the MCP server is set up"), "{detail}");
    fs::write(&hooks, written).unwrap();
    fs::remove_file(&program).unwrap();
    let (state, detail) = check("hooks");
    assert_eq!(state, "warn");
    for file in ["settings.json", ".claude.json", "hooks.json", "config.toml"] {
        let part = format!("{file} calls {}, which does not exist", program.display());
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
    let hooks = read_json(&sandbox.home.join(".cursor/hooks.json"));
    assert_eq!(hooks["version"], 1);
    let command = hooks["hooks"]["postToolUseFailure"][0]["command"].as_str().unwrap();
    let store = format!("sqlite:{}", sandbox.project.join("own.db").display());
    let tail = format!("hook --client cursor --store {store} --config '{}'", policy.display());
    assert!(command.ends_with(&tail), "{command}");
    let server =
        read_json(&sandbox.home.join(".cursor/mcp.json"))["mcpServers"]["staleness"].clone();
    assert_eq!(server["args"], json!(["mcp", "--store", store, "--config", policy]));
    sandbox.ok(&["init", "cursor"]);
    let server =
        read_json(&sandbox.home.join(".cursor/mcp.json"))["mcpServers"]["staleness"].clone();
    assert_eq!(server["args"], json!(["mcp"]), "named no more");
}

#[cfg(unix)]
#[test]
fn a_program_that_npx_or_uvx_fetched_for_one_run_is_written_to_no_file() {
    for name in
        ["npm/_npx/5f/node_modules/staleness-linux-x64/staleness", "uv/archive-v0/x/staleness"]
    {
        let sandbox = Sandbox::new();
        let program = elsewhere(&sandbox, name);
        let before = sandbox.files();
        let run = run_there(&sandbox, &program, &["init", "claude-code"]);
        assert!(run.code == 3 && run.err.contains("`uv tool install staleness-cli`"), "{run:?}");
        assert_eq!(sandbox.files(), before);
        assert_eq!(run_there(&sandbox, &program, &["uninstall", "claude-code"]).code, 0);
    }
}
