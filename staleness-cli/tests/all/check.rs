//! `check` from end to end: what documents say that no longer holds.

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, keys, line};

/// The finding on a line of a document.
fn at<'a>(document: &'a Value, id: &str) -> &'a Value {
    let items = document["items"].as_array().unwrap();
    items.iter().find(|item| item["id"] == id).unwrap_or_else(|| panic!("no {id}: {document:#}"))
}

/// The reasons of one sort against an item.
fn reasons(item: &Value, kind: &str) -> Vec<String> {
    let signals = item["verdict"]["signals"].as_array().unwrap();
    let of_kind = signals.iter().filter(|signal| signal["kind"] == kind);
    of_kind.map(|signal| signal["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_renamed_file_and_a_flag_that_went_are_found() {
    let sandbox = Sandbox::rotted();
    let document = sandbox.json(&["check"]);
    let must = ["items", "counts", "skipped"];
    assert!(must.iter().all(|key| keys(&document).contains(key)), "{document}");
    assert_eq!(keys(&document["counts"]), ["fresh", "review", "stale"]);
    let renamed = reasons(at(&document, "AGENTS.md:3"), "source_missing");
    assert!(renamed[0].contains("src/router.rs is now src/routing.rs"), "{renamed:?}");
    let gone = reasons(at(&document, "AGENTS.md:5"), "reference_drift");
    assert!(gone[0].starts_with("--fast-path no longer exists"), "{gone:?}");
    let paths: Vec<&Value> =
        document["items"].as_array().unwrap().iter().map(|i| &i["path"]).collect();
    assert!(paths.iter().all(|path| **path == "AGENTS.md"), "{paths:?}");
    assert_eq!(document["head"].as_str().unwrap().len(), 40);
}

#[test]
fn what_is_printed_is_read_with_pleasure() {
    let sandbox = Sandbox::rotted();
    let text = sandbox.ok(&["check"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("stale  AGENTS.md  2 of 4 blocks"), "{text}");
    for part in [
        "  AGENTS.md:3  stale 0.",
        "    - src/router.rs is now src/routing.rs",
        "    The routes are listed in the router.",
        "  AGENTS.md:5  ",
        "    - --fast-path no longer exists in the project",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // The last line says that nothing is recorded at a time of one's own.
    assert!(text.lines().nth_back(1).unwrap().ends_with(" documents"), "{text}");
    assert_eq!(text, sandbox.ok(&["check"]), "twice the same");
    let quiet = sandbox.ok(&["check", "--quiet", "docs"]);
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
}

#[test]
fn fail_on_decides_the_exit_code() {
    let sandbox = Sandbox::rotted();
    for (code, commands) in [
        (0, "check,check docs --fail-on review"),
        (1, "check --fail-on stale,check --fail-on review"),
        (2, "--fail-on stale check,check --since --output=x,check --json --format table"),
        (2, "check --write-baseline x --baseline y,check --write-baseline x docs"),
        (3, "check --fail-on nonsense,check nowhere.md,check --since nowhere"),
        (3, "check --baseline nowhere.json"),
    ] {
        for args in commands.split(',') {
            assert_eq!(sandbox.run(&line(args)).code, code, "{args}");
        }
    }
}

#[test]
fn a_baseline_leaves_only_what_is_new() {
    let sandbox = Sandbox::rotted();
    let written = sandbox.json(&["check", "--write-baseline", "known.json"]);
    assert_eq!(written["baseline"]["written"], "known.json");
    let text = std::fs::read_to_string(sandbox.project.join("known.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(keys(&file), ["format", "findings"]);
    let findings = file["findings"].as_array().unwrap();
    assert!(findings.iter().is_sorted_by_key(|each| each.to_string()), "{text}");
    assert!(!text.contains("\"line\""), "{text}");
    let args = ["check", "--baseline", "known.json", "--fail-on", "review"];
    assert_eq!(sandbox.run(&args).code, 0);
    let known = sandbox.json(&["check", "--baseline", "known.json"]);
    assert_eq!(known["items"], json!([]));
    let count = findings.len();
    assert_eq!(known["baseline"], json!({ "new": 0, "known": count, "gone": 0 }));

    // The known findings move, one of them is mended, and a new one comes.
    let moved = crate::repo::AGENTS.replace("(src/router.rs)", "(src/routing.rs)");
    let moved = format!("# First\n\n{moved}");
    sandbox.write("project/AGENTS.md", format!("{moved}\nSee [the map](src/main.rs#L400).\n"));
    sandbox.commit("2026-03-10T00:00:00Z");
    let now = sandbox.json(&["check", "--baseline", "known.json"]);
    assert_eq!(now["baseline"]["gone"], 1, "{now:#}");
    assert!(now["items"].as_array().unwrap().iter().all(|item| item["line"] != 7), "{now:#}");
    assert!(sandbox.ok(&args[..3]).contains("gone since the baseline"));
}

#[cfg(unix)]
#[test]
fn a_baseline_says_nothing_of_a_file_elsewhere() {
    let sandbox = Sandbox::rotted();
    let secret = sandbox.write("elsewhere", r#"{"format": "hunter2"}"#);
    let link = sandbox.project.join("known.json");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let run = sandbox.run(&["check", "--baseline", "known.json"]);
    assert!(run.code == 3 && run.err.contains("points outside the project"), "{run:?}");
    std::fs::remove_file(&link).unwrap();
    std::fs::copy(&secret, &link).unwrap();
    let run = sandbox.run(&["check", "--baseline", "known.json"]);
    assert!(run.code == 3 && run.err.contains("not a baseline (line 1, column 20)"), "{run:?}");
    assert!(!run.err.contains("hunter2"), "{run:?}");
}

#[test]
fn a_baseline_tells_one_missing_file_from_another() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/a.rs", "fn a() {}\n");
    sandbox.write("project/b.rs", "fn b() { return; }\n");
    sandbox.write("project/AGENTS.md", "See [one](a.rs) and [two](b.rs).\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("a.rs")).unwrap();
    sandbox.commit("2026-02-10T00:00:00Z");
    sandbox.ok(&["check", "--write-baseline", "known.json"]);
    let args = ["check", "--baseline", "known.json"];
    assert_eq!(sandbox.json(&args)["items"], json!([]));
    std::fs::remove_file(sandbox.project.join("b.rs")).unwrap();
    sandbox.commit("2026-02-11T00:00:00Z");
    let now = sandbox.json(&args);
    assert_eq!(now["baseline"], json!({ "new": 1, "known": 1, "gone": 0 }), "{now:#}");
    let told = reasons(at(&now, "AGENTS.md:1"), "source_missing");
    assert!(told.len() == 1 && told[0].contains("b.rs"), "{told:?}");
}

#[test]
fn what_is_known_of_an_item_stays_known_when_it_ages_and_is_counted() {
    let sandbox = Sandbox::with_history();
    let text = |more: &str, body: &str| {
        let front = "type: knowledge\nid: ports\nadded: 2026-10-01\nexpires: 2026-10-05\n";
        sandbox.write("project/memory/ports.md", format!("---\n{front}{more}---\n\n{body}\n"));
    };
    text("", "The database runs on port 5432.");
    sandbox.commit("2026-10-01T00:00:00Z");
    let written = sandbox.json(&["check", "--write-baseline", "known.json"]);
    assert_eq!(reasons(&written["items"][0], "expired").len(), 1, "{written:#}");
    assert_eq!(written["baseline"]["findings"], 1, "{written:#}");
    let args = ["check", "--baseline", "known.json"];
    let later = [&args[..], &["--now", "2027-11-20"]].concat();
    text("recall_count: 3\n", "The database\nruns on port 5432.");
    sandbox.commit("2026-10-03T00:00:00Z");
    for args in [&args[..], &later] {
        let now = sandbox.json(args);
        assert_eq!(now["items"], json!([]), "{args:?}: {now:#}");
        assert_eq!(now["baseline"], json!({ "new": 0, "known": 1, "gone": 0 }), "{args:?}");
    }
    let all = sandbox.json(&[&later[..1], &later[3..]].concat());
    assert!(!reasons(&all["items"][0], "age").is_empty());
    sandbox.ok(&["knowledge", "contradict", "ports", "--by", "me", "--reason", "it moved"]);
    let now = sandbox.json(&args);
    let item = &now["items"][0];
    assert_eq!(reasons(item, "contradicted").len(), 1, "{now:#}");
    assert!(reasons(item, "expired").is_empty(), "{now:#}");
}

#[test]
fn since_lists_what_is_new_and_counts_every_block() {
    let sandbox = Sandbox::rotted();
    let all = sandbox.json(&["check"])["counts"].clone();
    assert!(all["stale"].as_u64() > Some(0), "{all}");
    for revision in ["HEAD", "HEAD~1"] {
        let since = sandbox.json(&["check", "--since", revision]);
        assert_eq!(since["counts"], all, "{revision}");
    }
    let run = sandbox.run(&["check", "--since", "HEAD", "--fail-on", "review"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("; 0 stale and 0 review are new\n"), "{run:?}");
    assert_eq!(sandbox.run(&["check", "--since", "HEAD~1", "--fail-on", "stale"]).code, 1);
}

#[test]
fn a_check_works_without_a_store_and_without_git() {
    let sandbox = Sandbox::rotted();
    std::fs::write(sandbox.root().join("data"), "a file where a folder should be").unwrap();
    let run = sandbox.run(&["check", "--json", "--fail-on", "stale"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{run:?}");
    let mut command = sandbox.command();
    command.env("PATH", "/nowhere").args(["check", "--json"]);
    let run = Run::of(command.output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(document["head"], Value::Null);
    assert!(!document["notes"].as_array().unwrap().is_empty(), "it says that git is missing");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_checked() {
    let sandbox = Sandbox::rotted();
    sandbox.write("project/broken.md", b"\xff\xfe\x00not text\xff");
    let args = ["check", "--set", "documents.max_file_bytes=200", "--json"];
    let document: Value = serde_json::from_str(&sandbox.ok(&args)).unwrap();
    sandbox.write("project/huge.md", "x\n".repeat(200));
    sandbox.commit("2026-03-01T00:00:00Z");
    let after: Value = serde_json::from_str(&sandbox.ok(&args)).unwrap();
    let skipped = after["skipped"].as_array().unwrap();
    let huge = skipped.iter().find(|each| each["path"] == "huge.md").unwrap();
    assert_eq!(keys(huge), ["path", "reason"]);
    assert!(document["skipped"].as_array().unwrap().len() < skipped.len());
    at(&after, "AGENTS.md:3");
    assert!(sandbox.ok(&args[..3]).contains("not checked"));
}

#[test]
fn hostile_documents_never_reach_the_terminal_raw() {
    let sandbox = Sandbox::rotted();
    let text = "# Red \u{1b}[31m\u{202e}\u{2066}\n\nSee `src/router.rs` \u{1b}]0;title\u{7}\u{200b}.\n\
                \n::error file=x::injected `src/router.rs`\n";
    sandbox.write("project/odd \u{202e}\u{1b}[2J.md", text);
    sandbox.write("project/::warning::x.md", text);
    sandbox.write("project/bomb.md", "[".repeat(100_000) + &"> ".repeat(50_000));
    sandbox.commit("2026-01-05T00:00:00Z");
    let commands = "check,check --verbose --now 2026-11-20,check --format github,review --limit 99";
    for args in commands.split(',').map(line) {
        let args = &args[..];
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {run:?}");
        for text in [&run.out, &run.err] {
            let raw = |c: char| {
                c != '\n'
                    && (c.is_control()
                        || ('\u{200b}'..='\u{2069}').contains(&c)
                            && !['…', '–', '—', '’'].contains(&c)
                            && !('\u{2010}'..='\u{2027}').contains(&c))
            };
            assert!(!text.contains(raw), "{args:?}: {text:?}");
        }
        let commands = run.out.lines().filter(|line| line.trim_start().starts_with("::"));
        for line in commands {
            assert!(args.contains(&"github") && !line.contains("injected"), "{args:?}: {line}");
        }
    }
}
