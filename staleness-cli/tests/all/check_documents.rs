//! Documents that a check looks at, and its findings, with the real binary.

use serde_json::Value;

use crate::common::Sandbox;

/// The items of an answer, in order: `id kinds-of-signals`.
pub(crate) fn told(document: &Value) -> Vec<String> {
    let item = |item: &Value| {
        let signals = item["verdict"]["signals"].as_array().unwrap().iter();
        let kinds: Vec<&str> = signals.map(|signal| signal["kind"].as_str().unwrap()).collect();
        format!("{} {}", item["id"].as_str().unwrap(), kinds.join(" "))
    };
    document["items"].as_array().unwrap().iter().map(item).collect()
}

/// A document of `text` whose words and links rot, below this front matter.
fn with_front(front: &str) -> Sandbox {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "fn main() { opt(\"--fast-path\"); }\n");
    sandbox.write("project/src/b.rs", "fn b() {}\n");
    sandbox.write("project/CITED.txt", "cited\n");
    let text = "# How\n\nSee [b](src/b.rs), with `--fast-path`, as of now.\n";
    sandbox.write("project/AGENTS.md", format!("---\n{front}\n---\n{text}"));
    sandbox.commit("2026-01-10T00:00:00Z");
    for path in ["src/b.rs", "CITED.txt"] {
        std::fs::remove_file(sandbox.project.join(path)).unwrap();
    }
    sandbox.write("project/src/a.rs", "fn main() {}\n");
    sandbox.write("project/Cargo.toml", "[package]\nname = \"a\"\nversion = \"3.0.0\"\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    sandbox
}

#[test]
fn blocks_that_are_not_listed_are_counted_as_those_that_are_like_them() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/AGENTS.md", "- now\n".repeat(3_000));
    sandbox.commit("2026-01-10T00:00:00Z");
    let heavy = ["check", "--set", "knowledge.weight_temporal_marker=1"];
    for (args, level) in [(&heavy[..1], "fresh"), (&heavy[..], "review")] {
        let found = sandbox.json(args);
        assert_eq!(found["counts"][level], 3_000, "{level}: {}", found["counts"]);
        assert_eq!(found["items"].as_array().unwrap().len(), 1_000, "{level}");
        assert!(found["notes"].to_string().contains("2000 more findings"), "{}", found["notes"]);
    }
}

#[test]
fn an_evergreen_document_hears_of_its_end_alone() {
    let fields = "version_context: 1.0.0\ncite: [CITED.txt]";
    let plain = with_front(fields);
    assert_eq!(told(&plain.json(&["check"])).len(), 2, "its front matter and its text");
    for front in [fields, "cite: [CITED.txt]"] {
        let sandbox = with_front(&format!("evergreen: true\n{front}"));
        for way in ["read", "taken over"] {
            let found = sandbox.check_now();
            assert_eq!(told(&found), [""; 0], "{way}");
            assert_eq!(found["counts"]["fresh"], 2, "{way}: {found:#}");
        }
        assert!(!sandbox.ok(&["review"]).contains("AGENTS.md"));
    }
    let ended = with_front(&format!("evergreen: true\nexpires: 2026-03-01\n{fields}"));
    for way in ["read", "taken over"] {
        assert_eq!(told(&ended.check_now()), ["AGENTS.md:3 expired"], "{way}");
    }
    // Whoever takes the word out hears the rest.
    let text = std::fs::read_to_string(ended.project.join("AGENTS.md")).unwrap();
    ended.write("project/AGENTS.md", text.replace("evergreen: true\n", ""));
    ended.commit("2026-02-11T00:00:00Z");
    assert!(told(&ended.check_now()).iter().any(|each| each.contains("version_drift")));
}

#[test]
fn a_folder_that_is_named_is_read_under_the_ignore_files_above_it_in_the_project() {
    let sandbox = Sandbox::with_history();
    let broken = "See [it](gone.md).\n";
    for path in ["docs/kept.md", "docs/gen/a.md", "docs/sub/b.tmp.md", "docs/sub/back.tmp.md"] {
        sandbox.write(&format!("project/{path}"), broken);
    }
    sandbox.write("project/docs/forced/c.md", broken);
    sandbox.write("project/.gitignore", "/docs/gen/\n*.tmp.md\nforced/\n");
    sandbox.write("project/docs/sub/.gitignore", "!back.tmp.md\n");
    // Files above the project are nobody's here.
    for name in [".gitignore", ".ignore"] {
        sandbox.write(name, "*.md\ndocs/\n");
    }
    let paths = |args: &[&str]| -> Vec<String> {
        let found = sandbox.json(&[&["check"], args].concat());
        let items = found["items"].as_array().unwrap().iter();
        items.map(|item| item["path"].as_str().unwrap().to_owned()).collect()
    };
    // Without a commit nothing is known but what lies there.
    assert_eq!(paths(&["docs"]), ["docs/kept.md", "docs/sub/back.tmp.md"]);
    assert_eq!(paths(&["docs/sub"]), ["docs/sub/back.tmp.md"]);
    assert_eq!(paths(&["docs/gen"]), ["docs/gen/a.md"], "one that is named is meant");
    assert_eq!(paths(&["docs/gen/a.md"]), ["docs/gen/a.md"]);
    sandbox.write("project/.notes/d.md", broken);
    sandbox.write("project/.notes/d.tmp.md", broken);
    assert_eq!(paths(&[".notes"]), [".notes/d.md"]);
    // What git tracks is not ignored, whatever a pattern says.
    sandbox.write("project/docs/forced/gone.md", "x\n");
    sandbox.git("2026-01-10T00:00:00Z", &["add", "--force", "docs/forced"]);
    sandbox.git("2026-01-10T00:00:00Z", &["commit", "--quiet", "--message", "x"]);
    std::fs::remove_file(sandbox.project.join("docs/forced/gone.md")).unwrap();
    sandbox.git("2026-01-11T00:00:00Z", &["commit", "--quiet", "--all", "--message", "y"]);
    assert_eq!(paths(&["docs"]), ["docs/forced/c.md"]);
    assert_eq!(paths(&["docs/sub"]), [""; 0]);
}

#[test]
fn an_import_whose_file_went_is_told_and_one_that_never_was_is_a_word() {
    let sandbox = Sandbox::with_history();
    let text = "# Rules\n\nFollow @docs/rules.md, @docs/style.md and @docs/never.md.\n\n\
                Ask me@docs/style.md about `@docs/style.md`.\n";
    sandbox.write("project/CLAUDE.md", text);
    sandbox.write("project/notes/other.md", "Follow @../docs/rules.md.\n");
    let rules: String = (0..30).map(|at| format!("Rule {at} of the house.\n")).collect();
    sandbox.write("project/docs/rules.md", &rules);
    sandbox.write("project/docs/style.md", "Be brief.\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    assert_eq!(told(&sandbox.json(&["check"])), [""; 0]);
    std::fs::remove_file(sandbox.project.join("docs/style.md")).unwrap();
    sandbox.git("2026-02-10T00:00:00Z", &["mv", "docs/rules.md", "docs/guide.md"]);
    sandbox.commit("2026-02-10T00:00:00Z");
    let found = sandbox.json(&["check"]);
    assert_eq!(told(&found), ["CLAUDE.md:3 source_missing source_missing"], "{found:#}");
    let reasons = found["items"][0]["verdict"]["signals"].to_string();
    assert!(reasons.contains("docs/rules.md is now docs/guide.md"), "{reasons}");
    assert!(reasons.contains("docs/style.md no longer exists"), "{reasons}");
    assert!(!reasons.contains("never"), "{reasons}");
    let github = sandbox.ok(&["check", "--format", "github"]);
    assert!(github.contains("::error file=CLAUDE.md,line=3,"), "{github}");
    // Whoever edited the line since has seen it.
    sandbox.write("project/CLAUDE.md", text.replace("Follow", "Do follow"));
    sandbox.commit("2026-03-10T00:00:00Z");
    assert_eq!(told(&sandbox.json(&["check"])), [""; 0]);
}

#[test]
fn what_is_left_of_an_item_beside_a_baseline_is_judged_as_that_item() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/CITED.txt", "cited\n");
    let front = "type: knowledge\nid: ports\nadded: 2026-01-01\nevergreen: true\n\
                 expires: 2026-05-01\ncite: [CITED.txt]\n";
    sandbox.write("project/memory/ports.md", format!("---\n{front}---\n\nThe port is 5432.\n"));
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("CITED.txt")).unwrap();
    sandbox.commit("2026-02-10T00:00:00Z");
    let written = sandbox.json(&["check", "--write-baseline", "known.json"]);
    assert_eq!(told(&written), ["ports expired"]);
    sandbox.ok(&["knowledge", "contradict", "ports", "--by", "me", "--reason", "it moved"]);
    let now = sandbox.json(&["check", "--baseline", "known.json"]);
    assert_eq!(told(&now), ["ports contradicted"], "{now:#}");
    assert_eq!(now["items"][0]["verdict"]["freshness"], 0.1);
}

#[test]
fn of_equal_findings_the_older_one_comes_first_everywhere() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "fn a() {}\n");
    let line = "See [it](src/a.rs).\n";
    let edits = [
        ("z.md", line),
        ("m.md", line),
        ("AGENTS.md", line),
        ("m.md", "# M\n\nOf [it](src/a.rs).\n"),
    ];
    for (at, (path, text)) in edits.into_iter().enumerate() {
        let before = std::fs::read_to_string(sandbox.project.join(path)).unwrap_or_default();
        sandbox.write(&format!("project/{path}"), format!("{text}\n{before}"));
        sandbox.commit(&format!("2026-01-{:02}T00:00:00Z", at + 1));
    }
    std::fs::remove_file(sandbox.project.join("src/a.rs")).unwrap();
    sandbox.commit("2026-02-10T00:00:00Z");
    let ids = |args: &[&str], key: &str| -> Vec<String> {
        let list = sandbox.json(args)[key].as_array().unwrap().clone();
        list.iter().map(|each| each["id"].as_str().unwrap().to_owned()).collect()
    };
    sandbox.check_now();
    let expected = ["z.md:1", "m.md:5", "AGENTS.md:1", "m.md:3"];
    assert_eq!(ids(&["check"], "items"), expected);
    assert_eq!(ids(&["review"], "items"), expected);
    assert_eq!(ids(&[], "documents"), expected);
    // By document; what is to be mended there, the same way.
    let table = sandbox.ok(&["check"]);
    let lines = table.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  stale "));
    let places: Vec<&str> = lines.map(|(id, _)| id).collect();
    assert_eq!(places, ["z.md:1", "m.md:5", "m.md:3", "AGENTS.md:1"], "{table}");
    // An agent is told of the documents that it loads.
    let mut documents = vec!["AGENTS.md"];
    for (path, day) in [("b.md", 11), ("a.md", 12)] {
        sandbox.write("project/src/a.rs", "fn a() {}\n");
        sandbox.write(&format!("project/{path}"), line);
        documents.push(path);
        sandbox.write("project/CLAUDE.md", format!("@{}\n", documents.join(" @")));
        sandbox.commit(&format!("2026-02-{day}T00:00:00Z"));
    }
    std::fs::remove_file(sandbox.project.join("src/a.rs")).unwrap();
    sandbox.commit("2026-02-20T00:00:00Z");
    sandbox.check_now();
    assert_eq!(ids(&[], "documents")[..2], expected[..2]);
    let said = sandbox.session_start(&sandbox.project, "s1", "startup").unwrap();
    let place = |path: &str| said.find(path).unwrap_or_else(|| panic!("{path}: {said}"));
    assert!(place("AGENTS.md") < place("b.md") && place("b.md") < place("a.md"), "{said}");
}

#[test]
fn a_document_that_another_one_stands_for_is_superseded_until_that_is_taken_back() {
    let sandbox = Sandbox::with_history();
    let write = |path: &str, front: &str| {
        sandbox.write(&format!("project/{path}"), format!("---\n{front}\n---\n\nA text.\n"));
    };
    sandbox.write("project/docs/old.md", "# Old\n\nA text.\n");
    write("docs/guide.md", "id: guide-1\nevergreen: true");
    write("docs/new.md", "supersedes: [docs/old.md, guide-1, docs/new.md, nobody]");
    write("docs/third.md", "title: x");
    write("memory/note.md", "type: knowledge\nid: note\nsupersedes: docs/third.md");
    // Decisions that were replaced are history.
    write("docs/adr/0001.md", "id: adr-1");
    write("docs/adr/0002.md", "supersedes: adr-1");
    sandbox.commit("2026-11-10T00:00:00Z");
    let all =
        ["docs/guide.md:1 superseded", "docs/old.md:1 superseded", "docs/third.md:1 superseded"];
    for way in ["read", "taken over"] {
        let found = sandbox.check_now();
        assert_eq!(told(&found), all, "{way}");
        assert_eq!(found["counts"]["stale"], 3, "{way}: {found:#}");
        assert_eq!(found["counts"]["fresh"], 8, "{way}: {found:#}");
        let verdict = &found["items"][1]["verdict"];
        assert_eq!(verdict["action"], "drop");
        assert_eq!(verdict["signals"][0]["reason"], "superseded by docs/new.md");
    }
    assert_eq!(told(&sandbox.json(&["check", "docs/old.md"])), all[1..2]);
    write("docs/new.md", "supersedes: [guide-1]");
    assert_eq!(told(&sandbox.check_now()), [all[0], all[2]]);
    assert_eq!(told(&sandbox.json(&["review"])), [all[0], all[2]]);
    std::fs::remove_file(sandbox.project.join("docs/new.md")).unwrap();
    assert_eq!(told(&sandbox.check_now()), all[2..]);
}

#[test]
fn an_item_in_a_file_that_a_document_stands_for_is_superseded() {
    let sandbox = Sandbox::with_history();
    let item = "---\ntype: knowledge\nid: port\nadded: 2026-11-01\n---\n\nThe port is 5432.\n";
    sandbox.write("project/memory/port.md", item);
    sandbox.write("project/docs/db.md", "---\nsupersedes: port\n---\n\nThe port is 6432.\n");
    sandbox.commit("2026-11-10T00:00:00Z");
    assert_eq!(told(&sandbox.json(&["check"])), ["port superseded age"]);
    let shown = sandbox.json(&["knowledge", "show", "port"]);
    assert_eq!(shown["superseded_by"][0], "docs/db.md", "{shown:#}");
    assert_eq!(shown["verdict"]["level"], "stale");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_told_wherever_it_is_met() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"docs/caf\xe9.md");
    let sandbox = Sandbox::with_history();
    let path = sandbox.project.join(name);
    sandbox.write("project/docs/a.md", "See it.\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    // A file system may not take such a name.
    if std::fs::write(&path, "See `src/b.py`.\n").is_err() {
        return;
    }
    let skipped = |args: &[&std::ffi::OsStr]| {
        let run = sandbox.run(&[&["check", "--json"].map(std::ffi::OsStr::new), args].concat());
        let document: Value = serde_json::from_str(&run.out).unwrap();
        document["skipped"].clone()
    };
    let told = serde_json::json!([
        { "path": "docs/caf\\xE9.md", "reason": "has a name that is not UTF-8" },
    ]);
    let docs = std::ffi::OsStr::new("docs");
    assert_eq!(skipped(&[]), serde_json::json!([]), "what is not tracked is named or left out");
    assert_eq!((skipped(&[docs]), skipped(&[name])), (told.clone(), told.clone()));
    let rule = std::ffi::OsStr::from_bytes(b".claude/rules/r\xe9.md");
    sandbox.write("project/.claude/rules/a.md", "Be brief.\n");
    std::fs::write(sandbox.project.join(rule), "Be kind.\n").unwrap();
    let reasons = skipped(&[]);
    assert_eq!(
        (reasons[0]["reason"].as_str(), reasons[1].as_str()),
        (told[0]["reason"].as_str(), None)
    );
    std::fs::remove_dir_all(sandbox.project.join(".claude")).unwrap();
    sandbox.commit("2026-02-11T00:00:00Z");
    for args in [&[][..], &[docs], &[name]] {
        assert_eq!(skipped(args), told, "{args:?}");
    }
    sandbox.write("project/staleness.toml", "[documents]\nignore = [\"docs/**\"]\n");
    assert_eq!(skipped(&[]), serde_json::json!([]), "what is left out is not told");
}

#[test]
fn a_path_in_code_that_was_gone_before_it_was_edited_is_to_be_reviewed() {
    let sandbox = Sandbox::with_history();
    let body: String = (1..=40).map(|at| format!("pub fn one_{at}() {{}}\n")).collect();
    sandbox.write("project/src/old/gone.rs", "fn a() {}\n");
    sandbox.write("project/src/old/moved.rs", &body);
    let named = "It is in `src/old/gone.rs`.\n\nOr `src/old/moved.rs`.\n";
    for path in ["first.md", "docs/TEMPLATE.md", "vendor/a/guide.md"] {
        sandbox.write(&format!("project/{path}"), named);
    }
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_dir_all(sandbox.project.join("src/old")).unwrap();
    sandbox.write("project/src/new/moved.rs", &body);
    sandbox.commit("2026-02-10T00:00:00Z");
    let guide = "Write it in `src/old/gone.rs`.\n\nOr in `src/old/moved.rs`.\n\n\
                 We no longer have `src/old/gone.rs`.\n\nMake `src/never/was.rs` or `gone.rs` yourself.\n\n\
                 Not in src/old/gone.rs either.\n\n<!-- staleness: verified 2026-03-11 -->\nIn `src/old/gone.rs`.\n";
    std::fs::rename(sandbox.project.join("first.md"), sandbox.project.join("guide.md")).unwrap();
    sandbox.commit("2026-02-11T00:00:00Z");
    // One that names them for the first time after they were gone gives an example.
    for path in ["guide.md", "docs/TEMPLATE.md", "vendor/a/guide.md", "new.md"] {
        sandbox.write(&format!("project/{path}"), guide);
    }
    sandbox.commit("2026-03-10T00:00:00Z");
    let found = sandbox.json(&["check"]);
    assert_eq!(told(&found), ["guide.md:1 broken_link", "guide.md:3 broken_link"]);
    assert_eq!(found["counts"]["review"], 2);
    let reason =
        |at: usize| found["items"][at]["verdict"]["signals"][0]["reason"].as_str().unwrap();
    assert!(reason(0).starts_with("src/old/gone.rs was already gone when this was last edited"));
    assert!(reason(1).ends_with("; the nearest is src/new/moved.rs"), "{}", reason(1));
    assert_eq!(sandbox.run(&["check", "--fail-on", "stale"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_link_is_told_by_what_becomes_of_its_target() {
    let sandbox = Sandbox::with_history();
    let outside = sandbox.write("elsewhere/a.md", "# A\n");
    sandbox.write("project/own.md", "# Own\n");
    std::os::unix::fs::symlink(outside, sandbox.project.join("out.md")).unwrap();
    std::os::unix::fs::symlink("own.md", sandbox.project.join("in.md")).unwrap();
    sandbox.commit("2026-01-10T00:00:00Z");
    let report = sandbox.json(&["check"]);
    let skipped = report["skipped"].as_array().unwrap().iter();
    let skipped: Vec<[&str; 2]> =
        skipped.map(|each| ["path", "reason"].map(|key| each[key].as_str().unwrap())).collect();
    let expected = [
        ["in.md", "is a link; its target is checked instead"],
        ["out.md", "is a link that points outside its folder"],
    ];
    assert_eq!(skipped, expected);
}
