//! Items of knowledge: every verb, on the store and on files.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, keys, line};

/// A project with one fact that cites lines of a committed file.
fn citing() -> Sandbox {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"2.4.0\"\n");
    let router: String = (1..=40).map(|at| format!("pub fn route_{at}() {{}}\n")).collect();
    sandbox.write("project/src/router.rs", router);
    sandbox.commit("2026-01-10T00:00:00Z");
    sandbox.ok(&line(
        "--now 2026-11-01 knowledge add --id routes --body 'Routes match the longest prefix' \
         --cite src/router.rs:3-5 --keyword routing",
    ));
    sandbox
}

fn level(item: &Value) -> &str {
    item["verdict"]["level"].as_str().unwrap()
}

fn signals(item: &Value) -> Vec<&str> {
    let signals = item["verdict"]["signals"].as_array().unwrap();
    signals.iter().map(|signal| signal["kind"].as_str().unwrap()).collect()
}

#[test]
fn what_is_added_is_told_with_everything_that_was_said() {
    let sandbox = Sandbox::new();
    sandbox.write("project/VERSION", "2.4.0\n");
    sandbox.ok(&["knowledge", "add", "--id", "old", "--body", "Deploys run on Fridays"]);
    let document = sandbox.json(&line(
        "knowledge add --body 'Deploys run on Mondays' --keyword deploy --keyword release \
         --expires 2027-01-01 --supersedes old",
    ));
    assert_eq!(keys(&document), ["item"]);
    let item = &document["item"];
    let id = item["id"].as_str().unwrap();
    assert!(id.starts_with("deploys-run-on-mondays-"), "{id}");
    assert_eq!(item["kind"], "knowledge");
    assert_eq!(item["keywords"], json!(["deploy", "release"]));
    assert_eq!(item["expires_at"], "2027-01-01T00:00:00Z");
    assert_eq!(item["version_context"], "2.4.0");
    assert_eq!((&item["supersedes"], &item["recalls"]), (&json!(["old"]), &json!(0)));
    assert_eq!(level(item), "fresh");
    assert_eq!(sandbox.json(&["knowledge", "show", id]), *item);
    let old = sandbox.json(&["knowledge", "show", "old"]);
    assert_eq!((level(&old), &old["superseded_by"]), ("stale", &json!([id])));
    let without = sandbox.json(&["knowledge", "add", "--body", "x", "--version", "none"]);
    assert_eq!(without["item"]["version_context"], Value::Null);
    let todo = sandbox.json(&["knowledge", "add", "--body", "y", "--kind", "todo", "--due", "+3d"]);
    assert_eq!(todo["item"]["version_context"], Value::Null);
    assert_eq!(todo["item"]["due"], "2026-11-23T12:00:00Z");
    let listed = sandbox.json(&["knowledge", "list"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 4);
    assert_eq!(sandbox.json(&["knowledge"]), listed);
    // As with work, an item of all projects may be named by its scope.
    sandbox.ok(&["knowledge", "add", "--body", "z", "--id", "all", "--global"]);
    assert_eq!(sandbox.json(&["knowledge", "show", "global:all"])["scope"], "global");
    sandbox.ok(&["knowledge", "remove", "all", "--yes"]);
    for (args, count) in [("--kind todo", 1), ("--level stale", 1), ("--kind reference", 0)] {
        let listed = sandbox.json(&[&["knowledge", "list"], &line(args)[..]].concat());
        assert_eq!(listed["items"].as_array().unwrap().len(), count, "{args}");
    }
}

#[test]
fn stdin_is_a_text_and_bounded() {
    let sandbox = Sandbox::new();
    let add = |input: &[u8]| {
        let mut command = sandbox.command();
        command.args(["knowledge", "add", "--id", "x", "--body", "-", "--json"]);
        fed(command, input)
    };
    for refused in [&b""[..], b" \n\n", b"\xff\xfe", &[b'x'; (1 << 20) + 9]] {
        let run = add(refused);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    }
    let run = add(b"First line\nsecond\n\n");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(document["item"]["body"], "First line\nsecond");
    assert_eq!(document["item"]["title"], "First line");
}

#[test]
fn what_is_cited_is_watched_until_it_is_verified() {
    let sandbox = citing();
    assert_eq!(level(&sandbox.json(&["knowledge", "show", "routes"])), "fresh");
    let changed: String = (1..=40).map(|at| format!("pub fn path_{at}() {{}}\n")).collect();
    sandbox.write("project/src/router.rs", changed);
    let open = sandbox.json(&["knowledge", "show", "routes"]);
    assert_eq!(signals(&open), [""; 0], "somebody is still working");
    sandbox.commit("2026-11-13T00:00:00Z");
    let item = sandbox.json(&["knowledge", "show", "routes"]);
    assert_eq!(signals(&item)[0], "source_changed", "{item:#}");
    let reason = item["verdict"]["signals"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("src/router.rs:3-5 was changed in "), "{reason}");
    assert!(reason.contains("12 days after this was written"), "{reason}");
    let review = sandbox.json(&["review"]);
    let first = &review["items"][0];
    assert_eq!(keys(first), ["kind", "id", "title", "verdict", "suggested_action"]);
    assert_eq!(first["suggested_action"], "staleness knowledge verify routes");

    let verified = sandbox.json(&["knowledge", "verify", "routes"]);
    assert_eq!(keys(&verified), ["item", "items"]);
    assert_eq!((level(&verified["item"]), signals(&verified["item"])), ("fresh", vec![]));
    assert_eq!(verified["item"]["verified_at"], "2026-11-20T12:00:00Z");
    sandbox.ok(&["check"]);
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
}

#[test]
fn a_version_ahead_is_told() {
    let sandbox = citing();
    let item = sandbox.json(&["knowledge", "show", "routes", "--current-version", "3.0.0"]);
    let reason = item["verdict"]["signals"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "written for 2.4.0, project is at 3.0.0");
}

#[test]
fn set_changes_what_is_named_and_none_empties() {
    let sandbox = citing();
    sandbox.ok(&["knowledge", "add", "--id", "other", "--body", "Other"]);
    let set = ["knowledge", "set", "routes", "other", "--keyword", "paths", "--evergreen"];
    let document = sandbox.json(&set);
    let items = document["items"].as_array().unwrap();
    assert_eq!((items.len(), &document["item"]), (2, &items[0]));
    for item in items {
        assert_eq!((&item["keywords"], &item["evergreen"]), (&json!(["paths"]), &json!(true)));
    }
    assert_eq!(items[0]["citations"], json!(["src/router.rs:3-5"]));
    let back = "knowledge set routes --keyword none --evergreen=false --version none --cite none \
                --related other";
    let item = &sandbox.json(&line(back))["item"];
    assert_eq!((&item["keywords"], &item["related"]), (&json!([]), &json!(["other"])));
    for gone in ["evergreen", "version_context", "citations"] {
        assert_eq!(item[gone], Value::Null, "{gone}");
    }
    assert_eq!(item["body"], "Routes match the longest prefix");
}

#[test]
fn a_todo_is_done_and_then_left_alone() {
    let sandbox = Sandbox::new();
    let add = ["--now", "2026-09-01", "knowledge", "add", "--kind", "todo", "--id", "t", "--body"];
    sandbox.ok(&[&add[..], &["Write the migration guide"]].concat());
    let open = sandbox.json(&["knowledge", "show", "t"]);
    assert_ne!(level(&open), "fresh");
    assert!(!sandbox.json(&["review"])["items"].as_array().unwrap().is_empty());
    let done = sandbox.json(&["knowledge", "done", "t"]);
    assert_eq!((level(&done["item"]), signals(&done["item"])), ("fresh", vec![]));
    assert_eq!(done["item"]["done_at"], "2026-11-20T12:00:00Z");
    assert_eq!(sandbox.json(&["knowledge", "recall", "migration guide"])["items"], json!([]));
}

#[test]
fn recall_finds_by_words_marks_and_counts() {
    let sandbox = Sandbox::new();
    let add = |id: &str, body: &str, kind: &str| {
        sandbox.ok(&["knowledge", "add", "--id", id, "--body", body, "--kind", kind]);
    };
    add("db", "The database runs on port 5432", "knowledge");
    add("tabs", "Indent with tabs", "preference");
    add("deploy", "Deploys run on Mondays", "knowledge");
    sandbox.ok(&["knowledge", "contradict", "deploy", "--by", "ops", "--reason", "Tuesdays"]);
    let peeked = sandbox.json(&["knowledge", "recall", "database port", "--peek"]);
    assert_eq!(peeked["items"][0]["recalls"], 0);
    for _ in 0..2 {
        let found = sandbox.json(&["knowledge", "recall", "database port"]);
        let items = found["items"].as_array().unwrap();
        assert_eq!((items.len(), &items[0]["id"]), (1, &json!("db")), "{found:#}");
        assert!(items[0]["score"].as_f64().unwrap() >= 0.7);
    }
    assert_eq!(sandbox.json(&["knowledge", "show", "db"])["recalls"], 2);
    let stale = sandbox.json(&["knowledge", "recall", "deploys mondays"]);
    assert_eq!(stale["items"][0]["mark"], "[stale]");
    let text = sandbox.ok(&["knowledge", "recall", "deploys mondays"]);
    assert!(text.contains("[stale] deploy") && text.contains("ops marked it as wrong"), "{text}");
    assert_eq!(sandbox.json(&["knowledge", "recall", "nothing of the kind"])["items"], json!([]));
}

#[test]
fn supersede_contradict_and_remove() {
    let sandbox = Sandbox::new();
    for id in ["a", "b"] {
        sandbox.ok(&["knowledge", "add", "--id", id, "--body", id]);
    }
    let both = sandbox.json(&["knowledge", "supersede", "a", "--by", "b"]);
    assert_eq!((&both["item"]["id"], level(&both["item"])), (&json!("a"), "stale"));
    assert_eq!(both["by"]["supersedes"], json!(["a"]));
    let said = sandbox.json(&["knowledge", "contradict", "b", "--by", "me", "--reason", "no"]);
    assert_eq!(signals(&said["item"]), ["contradicted"]);
    assert_eq!(sandbox.run(&["knowledge", "remove", "b"]).code, 3);
    let removed = sandbox.json(&["knowledge", "remove", "b", "--yes"]);
    assert_eq!(removed["item"]["id"], "b");
    assert_eq!(sandbox.run(&["knowledge", "show", "b"]).code, 3);
    assert_eq!(level(&sandbox.json(&["knowledge", "show", "a"])), "fresh");
}

#[test]
fn what_is_refused_says_what_to_do_and_changes_nothing() {
    let sandbox = citing();
    sandbox.write("outside.txt", "x\n");
    let add = ["knowledge", "add", "--body", "x"];
    let with = |more: &[&'static str]| [&add[..], more].concat();
    for (args, code, part) in [
        (vec!["knowledge", "show", "rotues"], 3, "did you mean routes?"),
        (vec!["knowledge", "verify", "routes", "zzz"], 3, "staleness knowledge list"),
        (vec!["knowledge", "add"], 2, "--body"),
        (with(&["--due", "someday"]), 3, "try 2026-11-20"),
        (with(&["--expires", "2026-13-01"]), 3, "try 2026-11-20"),
        (with(&["--due", "--expires"]), 2, "--due needs a time"),
        (with(&["--kind", "fact"]), 3, "use one of: knowledge"),
        (with(&["--id", ""]), 3, "empty"),
        (with(&["--id", "routes"]), 3, "already"),
        (with(&["--id", "routes", "--dry-run"]), 3, "already"),
        (with(&["--cite", "../outside.txt"]), 3, "points outside the project"),
        (with(&["--cite", "src/gone.rs"]), 3, "does not exist in the project"),
        (with(&["--cite", "src/router.rs:41"]), 3, "has 40 lines"),
        (with(&["--cite", "src/router.rs:5-3"]), 3, "lines count from 1"),
        (with(&["--related", "rotues"]), 3, "did you mean routes?"),
        (with(&["--supersedes", "nope"]), 3, "no item named"),
        (vec!["knowledge", "set", "routes"], 2, "no change was given"),
        (vec!["knowledge", "done", "routes"], 3, "only a to-do"),
        (vec!["knowledge", "supersede", "routes", "--by", "routes"], 3, "itself"),
        (vec!["knowledge", "contradict", "routes", "--by", "", "--reason", "x"], 3, "empty"),
        (vec!["knowledge", "recall", " "], 3, "query is empty"),
        (vec!["knowledge", "list", "--level", "old"], 3, "use one of: fresh"),
    ] {
        let before = sandbox.json(&["knowledge", "list"]);
        let Run { code: found, out, err } = sandbox.run(&args);
        assert_eq!((found, out.as_str()), (code, ""), "{args:?}: {err}");
        assert!(
            err.contains(part) && err.lines().count() == 1,
            "{args:?}: {part:?} is not in {err}"
        );
        assert_eq!(sandbox.json(&["knowledge", "list"]), before, "{args:?}");
    }
    #[cfg(unix)]
    {
        let link = sandbox.project.join("link");
        std::os::unix::fs::symlink(sandbox.root().join("outside.txt"), link).unwrap();
        assert_eq!(sandbox.run(&with(&["--cite", "link"])).code, 3);
    }
}

#[test]
fn an_item_in_a_file_is_one_like_the_others() {
    let sandbox = Sandbox::with_history();
    let text = "---\ntype: knowledge\nid: ports\nadded: 2026-10-01   # when it was read\n---\n\nThe \
                database runs on port 5432.\n";
    let file = sandbox.write("project/memory/ports.md", text);
    sandbox.write(
        "project/memory/later.md",
        "---\ntype: todo\nid: later\nadded: 2026-11-10\n---\nDo it.\n",
    );
    sandbox.commit("2026-10-01T00:00:00Z");
    let item = sandbox.json(&["knowledge", "show", "ports"]);
    assert_eq!((&item["path"], &item["kind"]), (&json!("memory/ports.md"), &json!("knowledge")));
    assert_eq!(item["added_at"], "2026-10-01T00:00:00Z");
    assert_eq!(sandbox.json(&["knowledge", "list"])["items"].as_array().unwrap().len(), 2);

    let set = sandbox.json(&["knowledge", "set", "ports", "--expires", "2026-11-01"]);
    assert_eq!(signals(&set["item"])[0], "expired");
    let now = std::fs::read_to_string(&file).unwrap();
    assert!(now.contains("added: 2026-10-01   # when it was read\n"), "{now}");
    assert!(now.contains("expires: 2026-11-01"), "{now}");
    sandbox.ok(&["knowledge", "set", "ports", "--expires", "none"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "nothing else was touched");

    sandbox.ok(&["knowledge", "done", "later"]);
    let done = std::fs::read_to_string(sandbox.project.join("memory/later.md")).unwrap();
    assert!(done.contains("status: done"), "{done}");
    let verified = sandbox.json(&["knowledge", "verify", "ports"]);
    assert_eq!(verified["item"]["verified_at"], "2026-11-20T12:00:00Z");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "the store knows that");
    let found = sandbox.json(&["knowledge", "recall", "database port"]);
    assert_eq!(found["items"][0]["id"], "ports", "{found:#}");
    assert_eq!(sandbox.json(&["knowledge", "show", "ports"])["recalls"], 1);
    let run = sandbox.run(&["knowledge", "remove", "ports", "--yes"]);
    assert!(run.code == 3 && run.err.contains("delete the file"), "{run:?}");
    let run = sandbox.run(&["knowledge", "set", "ports", "--body", "x"]);
    assert!(run.code == 3 && run.err.contains("edit its text in the file"), "{run:?}");
}

#[test]
fn a_suggested_command_can_be_pasted_whatever_the_id() {
    let sandbox = Sandbox::new();
    let add = ["knowledge", "add", "--id=-old", "--body", "It is hot", "--expires", "2026-11-01"];
    sandbox.ok(&add);
    let review = sandbox.json(&["review"]);
    let command = review["items"][0]["suggested_action"].as_str().unwrap();
    assert_eq!(command, "staleness knowledge done -- -old");
    sandbox.ok(&command.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(sandbox.json(&["review"])["items"], json!([]));
}

#[test]
fn what_is_changed_after_an_item_in_a_file_was_verified_is_told() {
    let sandbox = Sandbox::with_history();
    let router: String = (1..=40).map(|at| format!("pub fn route_{at}() {{}}\n")).collect();
    let text = "---\ntype: reference\nid: routes\nadded: 2026-10-01\ncite: src/router.rs:3-5\n---\n\n\
                Longest first.\n";
    sandbox.write("project/src/router.rs", &router);
    sandbox.write("project/memory/routes.md", text);
    sandbox.commit("2026-10-01T00:00:00Z");
    sandbox.write("project/src/router.rs", router.replace("route", "path"));
    sandbox.commit("2026-10-10T00:00:00Z");
    sandbox.ok(&["--now", "2026-10-12", "knowledge", "verify", "routes"]);
    let show = ["knowledge", "show", "routes"];
    let list = ["knowledge", "list"];
    let check = ["check"];
    let quiet = |sandbox: &Sandbox| {
        assert!(!signals(&sandbox.json(&show)).contains(&"source_changed"));
        assert!(!sandbox.ok(&check).contains("was changed"));
    };
    quiet(&sandbox);
    sandbox.write("project/src/router.rs", router.replace("route", "way"));
    sandbox.commit("2026-10-20T00:00:00Z");
    for told in [
        &sandbox.json(&show),
        &sandbox.json(&list)["items"][0],
        &sandbox.json(&check)["items"][0],
        &sandbox.json(&["knowledge", "recall", "longest first routes"])["items"][0],
    ] {
        assert_eq!(signals(told)[0], "source_changed", "{told:#}");
        let reason = told["verdict"]["signals"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("8 days after"), "{reason}");
    }
    sandbox.ok(&["knowledge", "verify", "routes"]);
    quiet(&sandbox);
}

#[test]
fn recall_and_show_agree_on_what_was_changed() {
    let sandbox = citing();
    std::fs::remove_file(sandbox.project.join("src/router.rs")).unwrap();
    sandbox.commit("2026-11-10T00:00:00Z");
    let shown = sandbox.json(&["knowledge", "show", "routes"]);
    assert_eq!((level(&shown), signals(&shown)[0]), ("stale", "source_missing"));
    let found = sandbox.json(&["knowledge", "recall", "longest prefix routes", "--peek"]);
    assert_eq!(found["items"][0]["verdict"], shown["verdict"], "{found:#}");
}

#[test]
fn texts_of_unknown_origin_cannot_move_the_cursor() {
    let sandbox = Sandbox::new();
    let body = "red \u{1b}[31m\u{202e}text\r\nsecond \u{200b}line";
    sandbox.ok(&["knowledge", "add", "--id", "x\u{202e}", "--body", body, "--keyword", "red"]);
    let reason = "because \u{1b}[2J";
    sandbox.ok(&["knowledge", "contradict", "x\u{202e}", "--by", "a\u{202e}", "--reason", reason]);
    let commands = "list,show x\u{202e},recall 'red text',verify x\u{202e}";
    let commands = commands.split(',').map(|rest| [&["knowledge"], &line(rest)[..]].concat());
    for args in commands.chain([vec!["review"]]) {
        let args = &args[..];
        let text = sandbox.ok(args);
        let raw = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}' || c == '\u{200b}');
        assert!(!text.contains(raw), "{args:?}: {text:?}");
    }
}

#[test]
fn an_item_of_the_store_can_stand_for_one_in_a_file() {
    let sandbox = Sandbox::with_history();
    let text = "---\ntype: knowledge\nid: ports\nadded: 2026-10-01\n---\n\nPort 5432.\n";
    sandbox.write("project/memory/ports.md", text);
    sandbox.commit("2026-10-01T00:00:00Z");
    sandbox.ok(&["knowledge", "add", "--id", "new", "--body", "Port 6432."]);
    let set = sandbox.json(&["knowledge", "set", "new", "--supersedes", "ports"]);
    assert_eq!(set["item"]["supersedes"], json!(["ports"]));
    let old = sandbox.json(&["knowledge", "show", "ports"]);
    assert_eq!((level(&old), &old["superseded_by"]), ("stale", &json!(["new"])));
}

/// Bug: the expiry of a preference was stored and shown, and had no effect.
#[test]
fn a_preference_does_not_expire() {
    let sandbox = Sandbox::new();
    let refused = |args: &str| {
        let run = sandbox.run(&line(args));
        let is_said = run.err.contains("a preference does not expire");
        assert!(run.code != 0 && is_said, "{args}: {run:?}");
    };
    refused("knowledge add --kind preference --expires +30d --body Tabs");
    sandbox.ok(&line("knowledge add --id tabs --expires +30d --body Tabs"));
    refused("knowledge set --kind preference tabs");
    sandbox.ok(&line("knowledge set --kind preference --expires none tabs"));
    refused("knowledge set --expires +30d tabs");
}

/// Bug: an agent superseded a person's global preference by the id of an item of the project, and freed one that a
/// person had replaced.
#[test]
fn an_agent_ends_and_frees_no_preference_of_a_person_through_links() {
    let sandbox = Sandbox::new();
    let add = "knowledge add --kind preference --body B --id";
    sandbox.ok(&line(&format!("{add} indent --global")));
    sandbox.ok(&line(&format!("{add} before")));
    sandbox.ok(&line(&format!("{add} after --supersedes before")));
    sandbox.ok(&line("knowledge add --id mine --body B --global --agent codex"));
    // Whatever the person's item is called in the project.
    sandbox.write("project/docs/indent.md", "---\ntype: knowledge\nid: indent\n---\n\nB\n");
    for refused in [
        "knowledge add --id new --body B --global --supersedes indent --agent codex",
        "knowledge set mine --scope global --supersedes indent --agent codex",
        "knowledge set after --supersedes none --agent codex",
    ] {
        let run = sandbox.run(&line(refused));
        assert!(run.code == 3 && run.err.contains("only a person"), "{refused}: {run:?}");
    }
    sandbox.ok(&line("knowledge set after --supersedes none"));
}
