//! Configuration files and payloads are full of secrets; none of them goes anywhere.

use std::fs;

use serde_json::json;

use crate::common::{Sandbox, used};

const SECRET: &str = "s3cr3t";

/// Every place in which clients keep secrets, some of them in files that cannot be parsed.
fn planted() -> Sandbox {
    let sandbox = Sandbox::new();
    let server = json!({
        "command": format!("/opt/{SECRET}/run"),
        "args": ["--token", SECRET, format!("--key={SECRET}")],
        "env": { "TOKEN": SECRET },
        "headers": { "Authorization": format!("Bearer {SECRET}") },
        "url": format!("https://user:{SECRET}@host/{SECRET}?key={SECRET}"),
    });
    let project = sandbox.project.to_str().unwrap();
    let claude = json!({ "mcpServers": { "github": server, "odd": [SECRET], "worse": SECRET },
        "projects": { project: { "mcpServers": { "local": server } } }, "oauth": SECRET });
    sandbox.write("home/.claude.json", claude.to_string());
    let cut = |text: String| text[..text.len() - 3].to_owned();
    sandbox
        .write("home/.cursor/mcp.json", cut(json!({ "mcpServers": { "c": server } }).to_string()));
    sandbox.write(
        "home/.codex/config.toml",
        format!("[mcp_servers.d]\nurl = 'u'\n[mcp_servers.d.env]\nKEY = {SECRET}\n"),
    );
    sandbox.write("home/.gemini/settings.json", format!("{{\"mcpServers\": {SECRET}}}"));
    sandbox.write("project/.mcp.json", format!("{{\"mcpServers\": {{\"p\": \"{SECRET}\n\"}}}}"));
    sandbox.write(
        "project/.vscode/mcp.json",
        format!("{{\"servers\": {{\"v\": {{\"env\": {SECRET}}}}}}}"),
    );
    sandbox
}

#[test]
fn no_secret_is_printed_or_stored() {
    let sandbox = planted();
    let mut said = String::new();
    let mut keep = |args: &[&str]| {
        for form in [&[][..], &["--json"], &["--verbose"]] {
            let run = sandbox.run(&[args, form].concat());
            said.push_str(&format!("{args:?}\n{}\n{}\n", run.out, run.err));
        }
    };
    keep(&[]);
    keep(&["scan", "--dry-run"]);
    keep(&["scan"]);
    let mut failure = used("PostToolUseFailure", "mcp__github__search", "t1");
    failure["error"] = json!(format!("401 with {SECRET}"));
    failure["tool_input"] = json!({ "token": SECRET, "command": SECRET, "skill": SECRET });
    failure["tool_response"] = json!({ "error": SECRET });
    failure["transcript_path"] = json!(SECRET);
    failure["prompt"] = json!(SECRET);
    let payload = failure.to_string();
    for args in [&[][..], &["--verbose"], &["--explain"]] {
        let run = sandbox.hook_with(args, payload.as_bytes());
        keep(&["tools"]);
        assert!(!run.out.contains(SECRET) && !run.err.contains(SECRET), "{run:?}");
    }
    for bad in [
        payload[..payload.len() - 2].to_owned(),
        payload.replace("\"t1\"", SECRET),
        format!("{{\"hook_event_name\": {SECRET}}}"),
    ] {
        let run = sandbox.hook_with(&["--verbose"], bad.as_bytes());
        assert!(!run.out.contains(SECRET) && !run.err.contains(SECRET), "{run:?}");
    }
    keep(&["doctor"]);
    keep(&["tools", "show", "github"]);
    keep(&["tools", "history", "github"]);
    keep(&["tools", "discover", "github"]);
    keep(&["tools", "suggest"]);
    keep(&["project", "list"]);
    keep(&["config", "show"]);
    keep(&["export"]);
    assert!(said.contains("github") && said.contains("mcp__local__*"), "{said}");
    assert!(said.contains("staleness-export"), "{said}");
    if let Some(at) = said.find(SECRET) {
        panic!("a secret was printed: {}", &said[at.saturating_sub(300)..at + 20]);
    }
    let told = sandbox.session_start(&sandbox.project, "s", "startup");
    assert!(told.is_none_or(|text| !text.contains(SECRET)));
    stores_hold_no_secret(&sandbox);
}

#[cfg(unix)]
#[test]
fn no_command_of_a_configuration_is_started() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    let sandbox = Sandbox::new();
    let (script, trace) = (sandbox.root().join("server"), sandbox.root().join("trace"));
    fs::write(&script, format!("#!/bin/sh\n: > '{}'\n", trace.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let servers = json!({ "mcpServers": { "eager": { "command": script, "args": [] } } });
    for path in ["home/.claude.json", "home/.cursor/mcp.json", "project/.mcp.json"] {
        sandbox.write(path, servers.to_string());
    }
    for args in
        [&[][..], &["scan"], &["tools"], &["tools", "show", "eager"], &["doctor"], &["check"]]
    {
        assert!(!sandbox.run(args).out.is_empty(), "{args:?}");
    }
    sandbox.hook_with(&[], used("PostToolUse", "mcp__eager__look", "t1").to_string().as_bytes());
    assert!(sandbox.run(&["tools"]).out.contains("eager"));
    assert!(!trace.exists(), "a command of a configuration was started");
    // It would have been seen.
    assert!(Command::new("sh").arg(&script).status().unwrap().success() && trace.exists());
}

fn stores_hold_no_secret(sandbox: &Sandbox) {
    let copy = sandbox.root().join("data/copy.db");
    sandbox.ok(&["backup", copy.to_str().unwrap()]);
    let mut seen = 0;
    for (path, _) in
        sandbox.files().iter().filter(|(path, _)| path.starts_with(sandbox.root().join("data")))
    {
        let bytes = fs::read(path).unwrap();
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "a secret is in {}", path.display());
        seen += 1;
    }
    assert!(seen >= 2, "store and copy are looked at");
}

#[cfg(unix)]
#[test]
fn what_is_stored_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["record", "Tool", "--success"]);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = sandbox.store().parent().unwrap().to_owned();
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let copy = sandbox.root().join("copy.db");
    sandbox.ok(&["backup", copy.to_str().unwrap()]);
    assert_eq!(mode(&copy), 0o600);
    let from = format!("sqlite:{}", sandbox.store().display());
    let backends: &[&str] = if cfg!(feature = "redb") { &["sqlite", "redb"] } else { &["sqlite"] };
    for backend in backends {
        let to = sandbox.root().join("copies").join(backend);
        sandbox.ok(&["copy", &from, &format!("{backend}:{}", to.display())]);
        assert_eq!((mode(&to), mode(to.parent().unwrap())), (0o600, 0o700), "{backend}");
    }
}
