//! A registry in Postgres, from the command line.

use crate::common::{Run, Sandbox, fed, used};
use crate::postgres_server::{PASSWORD, Server};

/// Looks whose answers do not name the store.
const LOOKS: [&[&str]; 12] = [
    &[],
    &["tools", "list", "--all-projects"],
    &["tools", "rank"],
    &["tools", "discover", "search", "--explain"],
    &["tools", "history", "mcp__github__search"],
    &["project", "list"],
    &["prune", "--dry-run"],
    &["knowledge", "list"],
    &["review"],
    &["board"],
    &["session", "list"],
    &["resume", "--agent", "codex", "--peek"],
];

/// A machine on which something has happened.
fn laptop() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github", "slack"]);
    sandbox.ok(&["scan"]);
    for id in ["a", "b", "c"] {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__search", id));
    }
    sandbox.ok(&["tools", "pin", "slack", "--reason", "needed \u{1f680}\n\"soon\""]);
    sandbox.ok(&["knowledge", "add", "--id", "style", "--body", "Short names."]);
    sandbox.ok(&["work", "add", "plan", "Ship it", "--id", "ship"]);
    sandbox.session_start(&sandbox.project, "s1", "startup");
    sandbox
}

/// A workspace of its own on a server, for as long as that lives.
fn workspace(server: &Server, name: &str) -> String {
    let url = server.url();
    let sign = if url.contains('?') { '&' } else { '?' };
    format!("{url}{sign}workspace={name}-{}", std::process::id())
}

fn import(sandbox: &Sandbox, store: &str, text: &str) -> Run {
    let mut command = sandbox.command();
    command.args(["--store", store, "import"]);
    fed(command, text.as_bytes())
}

#[test]
fn a_laptop_is_copied_to_postgres_and_back_byte_for_byte() {
    let Some(server) = Server::shared() else { return };
    let sandbox = laptop();
    let exported = sandbox.ok(&["export"]);
    let team = workspace(&server, "team");
    let run = import(&sandbox, &team, &exported);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(sandbox.ok(&["--store", &team, "export"]), exported);
    for look in LOOKS {
        let there = sandbox.ok(&[&["--json", "--store", &team], look].concat());
        assert_eq!(there, sandbox.ok(&[&["--json"], look].concat()), "{look:?}");
    }
    let back = format!("sqlite:{}", sandbox.root().join("back.db").display());
    let run = import(&sandbox, &back, &sandbox.ok(&["--store", &team, "export"]));
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(sandbox.ok(&["--store", &back, "export"]), exported);
}

#[test]
fn what_happens_to_both_is_the_same() {
    let Some(server) = Server::shared() else { return };
    let sandbox = Sandbox::new();
    sandbox.claude(&["github", "slack"]);
    let team = workspace(&server, "life");
    let both = |args: &[&str]| {
        let [one, other] = [None, Some(team.as_str())].map(|store| {
            let store = store.map(|url| ["--store", url]);
            let mut words: Vec<&str> = store.iter().flatten().copied().collect();
            words.extend(args);
            sandbox.run(&words)
        });
        assert_eq!(one, other, "{args:?}");
    };
    both(&["scan"]);
    for id in ["a", "b", "c", "c"] {
        both(&["record", "mcp__github__search", "--failure", "--id", id]);
    }
    both(&["--json"]);
    // What is done by hand from here on carries an op id of its own.
    both(&["export"]);
    both(&["tools", "restore", "mcp__github__search"]);
    both(&["tools", "pin", "slack"]);
    sandbox.claude(&["github"]);
    both(&["scan", "--json"]);
    both(&["tools", "history", "slack", "--json"]);
    both(&["tools", "forget", "slack", "--yes"]);
    both(&["tools", "list", "--all-projects", "--json"]);
}

#[test]
fn trouble_with_a_server_names_it_and_no_password() {
    let sandbox = Sandbox::new();
    sandbox.claude(&["github"]);
    for url in [
        "postgres://me:hunter2@127.0.0.1:1/team?workspace=w",
        "postgres://me:hunter2@x@127.0.0.1/team",
        "postgres://127.0.0.1:1/team?user=me&password=hunter2@x",
        "postgress://me:hunter2@127.0.0.1/team",
        "postgres://me:hunter2@127.0.0.1/team?workspace=a/b",
    ] {
        for args in [&["scan"][..], &["scan", "--verbose"], &["doctor"], &["doctor", "--json"]] {
            let run = sandbox.run(&[&["--store", url], args].concat());
            assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{run:?}");
        }
        let run = sandbox.run(&["--store", url, "scan"]);
        assert!([3, 4].contains(&run.code), "{run:?}");
        assert_eq!(run.err.lines().filter(|line| line.starts_with("error")).count(), 1, "{run:?}");
    }
}

#[test]
fn a_password_does_not_get_into_a_clients_configuration() {
    let Some(server) = Server::shared() else { return };
    let sandbox = Sandbox::new();
    let team = workspace(&server, "init");
    let run = sandbox.run(&["--store", &team, "init", "claude-code"]);
    assert!(run.code == 3 && run.err.contains("PGPASSWORD"), "{run:?}");
    let without = team.replacen(&format!(":{PASSWORD}@"), "@", 1);
    sandbox.ok(&["--store", &without, "init", "claude-code"]);
    let held = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(PASSWORD);
    assert!(!sandbox.files().values().any(held));
    let mut command = sandbox.command();
    command.args(["--store", &without, "scan"]).env("PGPASSWORD", PASSWORD);
    let run = fed(command, b"");
    assert_eq!(run.code, 0, "{run:?}");
}
