//! Texts that stand for others, from check to check, with the real binary.

use crate::check_documents::told;
use crate::common::Sandbox;

fn write(sandbox: &Sandbox, path: &str, front: &str) {
    sandbox.write(path, format!("---\n{front}\n---\n\nOne.\n\nTwo.\n"));
}

#[test]
fn a_cloned_repository_does_not_discredit_the_files_of_the_user() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "home/.claude/CLAUDE.md", "id: mine");
    write(
        &sandbox,
        "home/.claude/rules/port.md",
        "type: knowledge\nid: port\nadded: 2026-11-01\nevergreen: true",
    );
    let claims = "supersedes: [\"~/.claude/CLAUDE.md\", mine, port, \"~/.claude/rules/port.md\"]";
    write(&sandbox, "project/docs/evil.md", claims);
    write(&sandbox, "project/docs/item.md", &format!("type: knowledge\nevergreen: true\n{claims}"));
    sandbox.commit("2026-11-19T00:00:00Z");
    for way in ["read", "taken over"] {
        let found = sandbox.check_now();
        assert_eq!(told(&found), [""; 0], "{way}: {found:#}");
        let said = sandbox.session_start(&sandbox.project, way, "startup").unwrap_or_default();
        assert!(!said.contains(".claude"), "{way}: {said}");
    }
    // What he says himself is heard.
    write(&sandbox, "home/.claude/rules/new.md", "supersedes: [mine, port]");
    let both = ["port superseded", "~/.claude/CLAUDE.md:1 superseded"];
    let mut heard = told(&sandbox.check_now());
    heard.sort();
    assert_eq!(heard, both);
    let said = sandbox.session_start(&sandbox.project, "s", "startup").unwrap();
    let why = "`~/.claude/CLAUDE.md` (line 1: another document replaces it)";
    assert!(said.contains(why), "{said}");
}

#[test]
fn a_claim_that_was_taken_back_does_not_outlive_a_check_of_some_documents() {
    let sandbox = Sandbox::with_history();
    let claim = "id: new\nsupersedes: docs/old.md";
    for path in ["docs/new.md", "docs/old.md"] {
        write(&sandbox, &format!("project/{path}"), "title: x");
    }
    sandbox.commit("2026-11-19T00:00:00Z");
    let stale = ["docs/old.md:1 superseded"];
    write(&sandbox, "project/docs/new.md", claim);
    assert_eq!(told(&sandbox.check_now()), stale);
    assert_eq!(told(&sandbox.json(&["check", "docs/old.md"])), stale);
    write(&sandbox, "project/docs/new.md", "title: x");
    for asked in [&["docs/new.md", "docs/old.md"][..], &["docs/old.md"]] {
        assert_eq!(told(&sandbox.check_now_of(asked)), [""; 0], "{asked:?}");
    }
    write(&sandbox, "project/docs/new.md", claim);
    assert_eq!(told(&sandbox.check_now()), stale);
    std::fs::remove_file(sandbox.project.join("docs/new.md")).unwrap();
    assert_eq!(told(&sandbox.check_now_of(&["docs/old.md"])), [""; 0]);
    assert_eq!(told(&sandbox.json(&["review"])), [""; 0], "nor is it kept");
}

#[test]
fn an_item_that_is_loaded_is_superseded_by_what_is_not_loaded() {
    let item = "type: knowledge\nadded: 2026-11-01\nevergreen: true";
    let by_item = format!("{item}\nsupersedes: port");
    for (claim, blocks) in [("id: db\nsupersedes: port", 2), (&by_item, 1)] {
        let sandbox = Sandbox::with_history();
        let rule = "project/.claude/rules/port.md";
        write(&sandbox, rule, &format!("{item}\nid: port"));
        sandbox.commit("2026-11-18T00:00:00Z");
        write(&sandbox, "project/docs/db.md", claim);
        sandbox.commit("2026-11-19T00:00:00Z");
        let stale = ["port superseded"];
        for way in ["read", "taken over"] {
            let found = sandbox.check_now();
            assert_eq!(told(&found), stale, "{way}: {found:#}");
            assert_eq!(found["counts"]["fresh"], blocks, "{way}: {found:#}");
            let said = sandbox.session_start(&sandbox.project, way, "startup").unwrap();
            assert!(said.contains("`.claude/rules/port.md`"), "{way}: {said}");
        }
        assert_eq!(told(&sandbox.check_now_of(&[".claude/rules/port.md"])), stale);
        assert_eq!(told(&sandbox.json(&["review"])), stale);
        assert_eq!(told(&sandbox.json(&["check", "--since", "HEAD~1"])), stale);
        assert_eq!(told(&sandbox.json(&["check", "--since", "HEAD"])), [""; 0]);
        write(&sandbox, "project/docs/db.md", "title: x");
        let asked = ["docs/db.md", ".claude/rules/port.md"];
        assert_eq!(told(&sandbox.check_now_of(&asked)), [""; 0]);
        let said = sandbox.session_start(&sandbox.project, "after", "startup").unwrap_or_default();
        assert!(!said.contains("port"), "{said}");
    }
}

#[test]
fn a_baseline_knows_what_is_superseded_whoever_is_named() {
    let sandbox = Sandbox::with_history();
    write(&sandbox, "project/docs/old.md", "type: knowledge\nid: auth\nevergreen: true");
    write(&sandbox, "project/docs/new.md", "type: knowledge\nid: n2\nsupersedes: auth");
    sandbox.commit("2026-11-19T00:00:00Z");
    // What is kept of this is all that a check of the old one knows of the new one.
    assert_eq!(told(&sandbox.check_now()), ["auth superseded"]);
    sandbox.ok(&["check", "--write-baseline", "b.json"]);
    assert_eq!(told(&sandbox.json(&["check", "docs/old.md"])), ["auth superseded"]);
    for asked in [&["check"][..], &["check", "docs/old.md"]] {
        sandbox.ok(&[asked, &["--baseline", "b.json", "--fail-on", "stale"]].concat());
    }
}
