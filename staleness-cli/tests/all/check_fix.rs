//! `check --fix`: what it writes, what it leaves, and what others are told of it.

use std::path::Path;

use serde_json::Value;

use crate::common::Sandbox;
use crate::json_schema::faults;

/// A router that was renamed, and these documents about it, written before that.
pub(crate) fn renamed(documents: &[(&str, &[u8])]) -> Sandbox {
    let sandbox = Sandbox::with_history();
    let router: String = (1..=40).map(|at| format!("pub fn route_{at}() {{}}\n")).collect();
    sandbox.write("project/src/router.rs", &router);
    for (path, text) in documents {
        sandbox.write(&format!("project/{path}"), text);
    }
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("src/router.rs")).unwrap();
    sandbox.write("project/src/net/routing.rs", &router);
    sandbox.commit("2026-02-10T00:00:00Z");
    sandbox
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.project.join(path)).unwrap()
}

/// `path: reason` of what was left.
fn left(fix: &Value) -> Vec<String> {
    let told = |it: &Value| {
        format!("{}: {}", it["path"].as_str().unwrap(), it["reason"].as_str().unwrap())
    };
    fix["left"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn a_newcomer_sees_each_change_before_it_is_made() {
    let text = "# A\n\nSee [it](../src/router.rs#L3), `src/router.rs:12-40`.\n\nAnd more.\n";
    let sandbox = renamed(&[("docs/a.md", text.as_bytes())]);
    let refused = sandbox.run(&["check", "--fix"]);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{refused:?}");
    assert!(refused.err.contains("--dry-run"), "{refused:?}");
    let shown = sandbox.ok(&["check", "--fix", "--dry-run"]);
    assert_eq!(
        shown,
        "--- docs/a.md\n+++ docs/a.md\n@@ -1,5 +1,5 @@\n # A\n \n\
         -See [it](../src/router.rs#L3), `src/router.rs:12-40`.\n\
         +See [it](../src/net/routing.rs#L3), `src/net/routing.rs:12-40`.\n \n And more.\n\
         1 line in 1 document can be fixed\n"
    );
    assert_eq!(read(&sandbox, "docs/a.md"), text);
    let run = sandbox.run(&["check", "--fix", "--yes", "--fail-on", "stale"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.ends_with("\n1 line in 1 document fixed\n"), "{}", run.out);
    let expected = text.replace("../src/router.rs", "../src/net/routing.rs");
    assert_eq!(
        read(&sandbox, "docs/a.md"),
        expected.replace("`src/router.rs", "`src/net/routing.rs")
    );
    sandbox.commit("2026-02-11T00:00:00Z");
    assert_eq!(sandbox.json(&["check"])["items"], Value::Array(Vec::new()));
    assert_eq!(sandbox.ok(&["check", "--fix"]), "0 lines in 0 documents fixed\n");
    assert_eq!(sandbox.ok(&["check", "--fix", "--yes"]), "0 lines in 0 documents fixed\n");
    let dry = sandbox.ok(&["check", "--fix", "--dry-run"]);
    assert_eq!(dry, "0 lines in 0 documents can be fixed\n");
}

#[test]
fn all_but_the_name_stays_byte_for_byte() {
    let text = "\u{feff}# \u{c4}\r\n\r\nIn `src/router.rs`\tand  \r\n\r\nno end";
    let sandbox = renamed(&[("a.md", text.as_bytes())]);
    let path = sandbox.project.join("a.md");
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    let told = sandbox.json(&["check", "--fix", "--yes"]);
    assert_eq!(read(&sandbox, "a.md"), text.replace("router", "net/routing"));
    let edits = told["fix"]["edits"].as_array().unwrap();
    let place = ["line", "column", "end_column", "old", "new"].map(|key| edits[0][key].clone());
    let expected = serde_json::json!([3, 5, 18, "src/router.rs", "src/net/routing.rs"]);
    assert_eq!((Value::from(place.to_vec()), edits.len()), (expected, 1));
    assert_eq!(told["fix"]["written"], true);
    assert_eq!(told["items"], Value::Array(Vec::new()), "what is left of it");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o640);
    }
}

#[cfg(unix)]
#[test]
fn what_is_quoted_foreign_or_closed_is_left() {
    let line = b"In `src/router.rs`.\n";
    let sandbox = renamed(&[
        ("quote.md", b"> In `src/router.rs`.\n"),
        ("CHANGELOG.md", b"---\ncite: src/router.rs\n---\n\nIn `src/router.rs`.\n"),
        ("told.md", b"<!-- staleness: ignore -->\nIn `src/router.rs`.\n"),
        ("closed.md", line),
        ("both.md", b"`src/router.rs` became `src/net/routing.rs`.\n"),
        ("docs/linked.md", line),
    ]);
    let outside = sandbox.write("outside/linked.md", line);
    std::fs::remove_dir_all(sandbox.project.join("docs")).unwrap();
    std::os::unix::fs::symlink(outside.parent().unwrap(), sandbox.project.join("docs")).unwrap();
    let closed = sandbox.project.join("closed.md");
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    sandbox.write("project/untracked.md", "---\nadded: 2026-01-15\n---\n\nIn `src/router.rs`.\n");
    let before = sandbox.files();
    let told = sandbox.json(&["check", ".", "--fix", "--yes"]);
    assert_eq!(
        left(&told["fix"]),
        [
            "CHANGELOG.md: is named in a file that describes the past",
            "both.md: is next to its new name, as in a sentence about the change",
            "closed.md: is named in a file that is read-only",
            "quote.md: is in a quotation",
            "untracked.md: is named in a file that git does not track",
        ]
    );
    assert_eq!(told["fix"]["edits"], Value::Array(Vec::new()));
    let of_project = |path: &Path| path.starts_with(&sandbox.project) || path.starts_with(&outside);
    for (path, bytes) in
        before.iter().filter(|(path, _)| of_project(path) && !path.iter().any(|it| it == ".git"))
    {
        assert_eq!(&std::fs::read(path).unwrap(), bytes, "{}", path.display());
    }
}

#[test]
fn editors_and_code_review_get_the_replacement() {
    let text = b"\xc3\x84h, [it](src/router.rs), `src/router.rs`.\n\nRun `x`.\n";
    let sandbox = renamed(&[("a.md", text)]);
    let log = sandbox.json(&["check", "--format", "sarif"]);
    let schema = serde_json::from_str(include_str!("../fixtures/sarif-schema-2.1.0.json")).unwrap();
    assert_eq!(faults(&schema, &log), [""; 0], "{log:#}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let regions: Vec<String> = results
        .iter()
        .flat_map(|result| result["fixes"].as_array().unwrap())
        .flat_map(|fix| fix["artifactChanges"][0]["replacements"].as_array().unwrap())
        .map(|it| {
            let at = |key: &str| it["deletedRegion"][key].as_u64().unwrap();
            let new = it["insertedContent"]["text"].as_str().unwrap();
            format!(
                "{}:{}-{}:{} {new}",
                at("startLine"),
                at("startColumn"),
                at("endLine"),
                at("endColumn")
            )
        })
        .collect();
    let expected = ["1:10-1:23 src/net/routing.rs", "1:27-1:40 src/net/routing.rs"];
    assert_eq!(regions, expected, "one finding, two places");
    let annotations = sandbox.ok(&["check", "--format", "github"]);
    let first = annotations.lines().next().unwrap();
    assert!(first.ends_with("replace with src/net/routing.rs"), "{first}");
}

/// Bug: a dry run kept what it had found, and later sessions were told of it.
#[test]
fn a_dry_run_writes_nothing_into_the_store() {
    let sandbox = renamed(&[("a.md", b"See `src/router.rs`.\n")]);
    let told = sandbox.check_now_of(&["--fix", "--dry-run"]);
    assert_eq!((&told["fix"]["lines"], &told["fix"]["written"]), (&1.into(), &false.into()));
    assert!(!sandbox.store().exists());
}
