//! A registry in Postgres, from the command line.

use crate::common::{Sandbox, fed, line};
use crate::copying::{laptop, own};
use crate::postgres_places::Places;
use crate::postgres_server::PASSWORD;

/// Looks whose answers do not name the store.
const LOOKS: &str = ",tools list --all-projects,tools rank,tools discover search --explain,\
                     tools history mcp__github__search,project list,prune --dry-run,knowledge list,\
                     review,board,session list,resume --agent codex --peek";

#[test]
#[ignore = "needs a Postgres server"]
fn a_laptop_is_copied_to_postgres_and_back_byte_for_byte() {
    let places = Places::shared();
    let sandbox = laptop();
    let (from, team) = (own(&sandbox), places.url("team"));
    let back = format!("sqlite:{}", sandbox.root().join("back.db").display());
    let exported = sandbox.ok(&["export"]);
    for (from, to) in [(&from, &team), (&team, &back)] {
        let copied = sandbox.json(&["copy", from, to]);
        assert_eq!(copied["same"], true, "{copied}");
        assert!(!copied.to_string().contains(PASSWORD), "{copied}");
        assert_eq!(sandbox.ok(&["--store", to, "export"]), exported);
    }
    for look in LOOKS.split(',').map(line) {
        let there = sandbox.ok(&[&["--json", "--store", &team], &look[..]].concat());
        assert_eq!(there, sandbox.ok(&[&["--json"], &look[..]].concat()), "{look:?}");
    }
    let same = sandbox.run(&["copy", &team, &team]);
    assert!(same.code == 3 && same.err.contains("the same registry"), "{same:?}");
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_happens_to_both_is_the_same() {
    let places = Places::shared();
    let sandbox = Sandbox::with_servers(&["github", "slack"]);
    let team = places.url("life");
    let both = |args: &str| {
        let words = line(args);
        let there = [&["--store", &team], &words[..]].concat();
        assert_eq!(sandbox.run(&words), sandbox.run(&there), "{args}");
    };
    both("scan");
    for id in ["a", "b", "c", "c"] {
        both(&format!("record mcp__github__search --failure --id {id}"));
    }
    // What is done by hand from the third one on carries an op id of its own.
    for args in ["--json", "export", "tools restore mcp__github__search", "tools pin slack"] {
        both(args);
    }
    sandbox.claude(&["github"]);
    both("scan --json");
    both("tools history slack --json");
    both("tools forget slack --yes");
    both("tools list --all-projects --json");
}

/// Text on a server may have been typed at another machine: nobody knows by whom.
#[cfg(unix)]
#[test]
#[ignore = "needs a Postgres server"]
fn what_a_person_typed_is_not_quoted_from_a_server() {
    let places = Places::shared();
    let sandbox = Sandbox::new();
    let (team, copied, rule) = (places.url("typed"), places.url("copied"), "Never edit src/gen");
    let add = ["work", "add", "trap", rule, "--id", "rule"];
    let shown = sandbox.shown(&[&["--store", &team], &add[..]].concat());
    assert!(shown.contains("its id, but not its text, is shown to each agent"), "{shown}");
    // One that was typed into a file here, and copied.
    assert!(sandbox.shown(&add).contains("its first words are quoted"));
    sandbox.ok(&["copy", &own(&sandbox), &copied]);
    let start = serde_json::json!({ "session_id": "s", "hook_event_name": "SessionStart" });
    for store in [&team, &copied] {
        let item = sandbox.json(&["--store", store, "work", "show", "rule"]);
        assert!(item.get("by_person").is_none(), "{item}");
        let told = sandbox.hook_with(&["--store", store], start.to_string().as_bytes()).out;
        assert!(told.contains("trap `rule`") && !told.contains("src/gen"), "{told}");
    }
}

#[test]
fn trouble_with_a_server_names_it_and_no_password() {
    let sandbox = Sandbox::with_servers(&["github"]);
    for url in [
        "postgres://me:hunter2@127.0.0.1:1/team?workspace=w",
        "postgres://me:hunter2@x@127.0.0.1/team",
        "postgres://127.0.0.1:1/team?user=me&password=hunter2@x",
        "postgress://me:hunter2@127.0.0.1/team",
        "postgres://me:hunter2@127.0.0.1/team?workspace=a/b",
        "postgres:me:hunter2@127.0.0.1/team",
        "postgres:/me:hunter2@127.0.0.1/team",
        "postgres:127.0.0.1/team?user=me&password=hunter2",
        "me:hunter2@127.0.0.1/team",
        "jdbc:postgresql://me:hunter2@127.0.0.1/team",
        "host=127.0.0.1 user=me password=hunter2",
        "host=127.0.0.1 user=me PASS=hunter2",
        "postgres:me:hunter2",
    ] {
        let named = format!("--store={url}");
        // The last ones are no option, nor an argument.
        let commands = "scan,scan --json,scan --verbose,doctor,doctor --json,--json,config show --json,\
                        export,mcp,copy 'URL' sqlite:nowhere,copy sqlite:nowhere 'URL' --json,\
                        scan 'URL',scan --stor 'URL',scan --color 'URL',scan '--json=URL'";
        for args in commands.split(',').map(|args| args.replace("URL", url)) {
            let args = &line(&args)[..];
            let run = sandbox.run(&[&[named.as_str()], args].concat());
            assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{run:?}");
            let mut command = sandbox.command();
            command.args(args).env("STALENESS_STORE", url);
            let run = fed(command, b"");
            assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{run:?}");
        }
        let run = sandbox.run(&["--store", url, "scan"]);
        assert!([3, 4].contains(&run.code), "{run:?}");
        assert_eq!(run.err.lines().filter(|line| line.starts_with("error")).count(), 1, "{run:?}");
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_password_does_not_get_into_a_clients_configuration() {
    let places = Places::shared();
    let sandbox = Sandbox::new();
    let team = places.url("init");
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
