//! `copy`.

use serde_json::json;

use crate::common::{Run, Sandbox, fed, line, used};
use crate::store_trouble::set_format;

/// A machine on which something has happened in every collection.
pub(crate) fn laptop() -> Sandbox {
    let sandbox = Sandbox::with_servers(&["github", "slack"]);
    // Of some years, and pruned.
    sandbox.ok(&["--now", "2024-06-01", "scan"]);
    for (day, verb) in [(2, "pin"), (3, "restore"), (4, "pin"), (5, "restore")] {
        sandbox.ok(&line(&format!("--now 2024-06-0{day} tools {verb} github")));
    }
    assert_eq!(sandbox.json(&["prune"])["journal"]["removed"], 1);
    sandbox.ok(&["scan"]);
    for id in ["a", "b", "c"] {
        sandbox.hook(&used("PostToolUseFailure", "mcp__github__search", id));
    }
    sandbox.ok(&["tools", "pin", "slack", "--reason", "needed \u{1f680}\n\"soon\""]);
    sandbox.ok(&["knowledge", "add", "--id", "style", "--body", "Short names."]);
    sandbox.ok(&["work", "add", "plan", "Ship it", "--id", "ship"]);
    let vector = sandbox.write("vector.json", "[1.0, 0.5]");
    let learn = ["routes", "learn", "--query", "find issues", "--tool", "mcp__github__search"];
    let with = ["--vector", vector.to_str().unwrap(), "--model", "m"];
    sandbox.ok(&[&learn[..], &with].concat());
    let list = r#"{"tools": [{"name": "send", "description": "Sends.", "inputSchema": {"type": "object"}}]}"#;
    sandbox.lists("slack", list);
    sandbox.session_start(&sandbox.project, "s1", "startup");
    sandbox
}

fn here(sandbox: &Sandbox, scheme: &str, name: &str) -> String {
    format!("{scheme}:{}", sandbox.root().join(name).display())
}

/// The registry that the machine uses.
pub(crate) fn own(sandbox: &Sandbox) -> String {
    format!("sqlite:{}", sandbox.store().display())
}

#[test]
fn a_registry_is_copied_through_both_backends_byte_for_byte() {
    let sandbox = laptop();
    let exported = sandbox.ok(&["export"]);
    let last = if cfg!(feature = "redb") { "redb" } else { "sqlite" };
    let places =
        [own(&sandbox), here(&sandbox, last, "deep/er/two"), here(&sandbox, "sqlite", "3")];
    for pair in places.windows(2) {
        let [from, to] = pair else { unreachable!() };
        let before = sandbox.files();
        let would = sandbox.json(&["copy", from, to, "--dry-run"]);
        assert_eq!(sandbox.files(), before, "a dry run creates nothing");
        assert_eq!((&would["same"], &would["dry_run"]), (&json!(false), &json!(true)));
        let did = sandbox.json(&["copy", from, to]);
        assert_eq!(did["copied"], would["copied"]);
        let told = [&did["from"], &did["to"], &did["same"]];
        assert_eq!(told, [&json!(from), &json!(to), &json!(true)]);
        let copied = did["copied"].as_object().unwrap();
        assert_eq!(copied.len(), 12);
        let none: Vec<_> = copied.keys().filter(|name| copied[*name] == 0).collect();
        assert!(none.is_empty() || none == ["cursors"], "{none:?}");
        assert_eq!(sandbox.ok(&["--store", to, "export"]), exported);
        for more in [&[][..], &["--dry-run"]] {
            let again = sandbox.json(&[&["copy", from, to], more].concat());
            assert_eq!((&again["copied"]["tools"], &again["same"]), (&json!(0), &json!(true)));
        }
    }
    let said = sandbox.ok(&["copy", &places[0], &places[2]]);
    assert_eq!(said, "copied: nothing\nboth hold the same records\n");
    assert_eq!(sandbox.ok(&["copy", "--quiet", &places[0], &places[2]]), "");
}

#[test]
fn what_cannot_be_copied_is_refused_and_nothing_is_written() {
    let sandbox = laptop();
    let other = here(&sandbox, "sqlite", "other");
    sandbox.ok(&["--store", &other, "work", "add", "plan", "Another", "--id", "another"]);
    sandbox.write("text", "not a registry");
    let from = own(&sandbox);
    let nowhere = here(&sandbox, "sqlite", "nowhere");
    let secret = "postgres://me:hunter2@127.0.0.1:1/x";
    let held = || {
        let names: Vec<_> = sandbox.files().into_keys().collect();
        (sandbox.ok(&["export"]), sandbox.ok(&["--store", &other, "export"]), names)
    };
    let before = held();
    let dotted = here(&sandbox, "sqlite", "data/./staleness/../staleness/registry.db");
    for (args, code, part) in [
        (&[from.as_str(), &from][..], 3, "the same registry"),
        (&[&from, &dotted], 3, "the same registry"),
        (&[&nowhere, &other], 4, "no such registry"),
        (&[&from, &other], 3, "other is not empty, and not a copy of"),
        (&[&from, "memory:"], 3, "TO `memory:` is lost"),
        (&["memory:", &from], 3, "FROM `memory:` is lost"),
        (&[&from, "other.db"], 3, "try sqlite:other.db"),
        (&[&from, "~/other.db"], 3, "try sqlite:$HOME/other.db"),
        (&[&from, ""], 3, "use sqlite:PATH"),
        (&["mysql:x", &from], 3, "FROM \"mysql:x\": there is no mysql backend"),
        (&[&from, &here(&sandbox, "sqlite", "text")], 4, "text: "),
        (&[&from, &here(&sandbox, "sqlite", "home")], 4, "home: "),
        (&[secret, &from], 4, "postgres://me@127.0.0.1:1/x: "),
        (&[&from, secret], 4, "postgres://me@127.0.0.1:1/x: "),
        (&[&from, &other, secret], 2, "postgres://…@127.0.0.1:1/x"),
        (&[&from], 2, "<TO>"),
        (&[], 2, "<FROM>"),
    ] {
        for more in [&[][..], &["--dry-run"], &["--json"]] {
            let Run { code: ended, out, err } = sandbox.run(&[&["copy"], args, more].concat());
            assert_eq!((ended, out.as_str()), (code, ""), "{args:?}: {err}");
            assert_eq!(err.lines().count(), 1, "{err}");
            assert!(err.replace("\\\"", "\"").contains(part), "{part}: {err}");
            assert!(!err.contains("hunter2"), "{err}");
        }
    }
    assert_eq!(held(), before);
    assert_eq!(sandbox.files()[&sandbox.root().join("text")], b"not a registry");
}

#[test]
fn an_empty_registry_is_copied_too() {
    let sandbox = Sandbox::new();
    let (from, to) = (here(&sandbox, "sqlite", "from"), here(&sandbox, "sqlite", "to"));
    sandbox.ok(&["--store", &from, "scan"]);
    let project = sandbox.project.to_str().unwrap();
    sandbox.ok(&["--store", &from, "project", "forget", project, "--yes"]);
    let did = sandbox.json(&["copy", &from, &to]);
    assert_eq!(did["same"], true, "{did}");
}

#[test]
fn a_registry_without_a_single_record_is_copied_too() {
    let sandbox = Sandbox::new();
    let (from, to) = (here(&sandbox, "sqlite", "from"), here(&sandbox, "sqlite", "to"));
    let mut command = sandbox.command();
    command.args(["--store", &from, "import"]);
    assert_eq!(fed(command, b"{\"kind\":\"staleness-export\",\"version\":2}\n").code, 0);
    assert_eq!(sandbox.ok(&["--store", &from, "export"]).lines().count(), 1);
    sandbox.ok(&["copy", &from, &to, "--dry-run"]);
    assert!(!sandbox.root().join("to").exists());
    assert_eq!(sandbox.json(&["copy", &from, &to])["same"], true);
    assert!(sandbox.root().join("to").is_file());
}

#[test]
fn a_store_of_an_older_format_is_neither_copied_nor_copied_to() {
    let sandbox = laptop();
    let (old, new) = (here(&sandbox, "sqlite", "old"), here(&sandbox, "sqlite", "new"));
    let path = sandbox.root().join("old");
    sandbox.ok(&["backup", path.to_str().unwrap()]);
    let mut bytes = std::fs::read(&path).unwrap();
    set_format(&mut bytes, 4);
    std::fs::write(&path, bytes).unwrap();
    let before = sandbox.files();
    for (from, to) in [(&old, &new), (&own(&sandbox), &old)] {
        let refused = sandbox.run(&["copy", from, to]);
        assert_eq!((refused.code, refused.out.as_str()), (4, ""), "{refused:?}");
        let said = &refused.err;
        assert!(said.contains(&old) && said.contains("format 4"), "{said}");
        assert!(
            said.contains("`staleness export` with the version that wrote the store"),
            "{said}"
        );
    }
    assert_eq!(sandbox.files(), before);
}
