//! `check --impact`: the documents that a diff touches and breaks.

use serde_json::Value;

use crate::check_documents::told;
use crate::common::Sandbox;

const README: &str = "\
# Shop

The routes are in [the router](src/router.rs).

Run it with `--fast-path`, or wait for `drain_queue()`.

See [how to set it up](guide.md#setup), then `make html`.

Write `src/never.rs` and `never_was()` yourself.
";
const MAIN: &str =
    "fn main() {\n    opt(\"--fast-path\");\n}\n\nfn drain_queue() {\n    one();\n}\n";

/// A project whose last commit is of 2026-01-10.
fn shop() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let router: String = (1..=40).map(|at| format!("pub fn route_{at}() {{}}\n")).collect();
    sandbox.write("project/src/router.rs", router);
    sandbox.write("project/src/main.rs", MAIN);
    sandbox.write("project/Makefile", "html:\n\tmkdocs\n");
    sandbox.write("project/guide.md", "# Guide\n\n## Setup\n\nInstall all of it.\n");
    sandbox.write("project/README.md", README);
    sandbox.commit("2026-01-10T00:00:00Z");
    sandbox
}

/// `PATH:LINE NAME FILE` of what is touched.
fn touched(told: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |document: &Value| {
        let path = text(&document["path"]);
        let names = document["names"].as_array().unwrap().clone();
        names.into_iter().map(move |name| {
            format!("{path}:{} {} {}", name["line"], text(&name["name"]), text(&name["file"]))
        })
    };
    told["impact"]["touched"].as_array().unwrap().iter().flat_map(of).collect()
}

#[test]
fn what_is_about_to_be_committed_is_told_with_what_it_breaks() {
    let sandbox = shop();
    std::fs::rename(sandbox.project.join("src/router.rs"), sandbox.project.join("src/routing.rs"))
        .unwrap();
    sandbox.write("project/src/main.rs", MAIN.replace("fast-path", "quick").replace("one", "two"));
    sandbox.write("project/Makefile", "html:\n\tzensical\n");
    sandbox.write("project/guide.md", "# Guide\n\n## Set it up\n\nInstall all of it.\n");
    let before = sandbox.files();
    let all = sandbox.json(&["check", "--impact"]);
    assert_eq!(
        touched(&all),
        [
            "README.md:3 src/router.rs src/routing.rs",
            "README.md:5 --fast-path src/main.rs",
            "README.md:5 drain_queue src/main.rs",
            "README.md:7 guide.md#setup guide.md",
            "README.md:7 make html Makefile",
        ]
    );
    let broken =
        ["README.md:3 source_missing", "README.md:5 reference_drift", "README.md:7 source_missing"];
    let mut found = told(&all);
    found.sort();
    assert_eq!(found, broken);
    assert_eq!((&all["impact"]["to"], &all["impact"]["files"]), (&Value::Null, &4.into()));
    let text = all.to_string();
    assert!(text.contains("src/router.rs is now src/routing.rs\""), "no commit is named: {text}");
    assert!(text.contains("guide.md#setup is now #set-it-up"), "{text}");
    let run = sandbox.run(&["check", "--impact", "--fail-on", "stale"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.starts_with("1 document touched by 4 changed files\n"), "{}", run.out);
    assert_eq!(sandbox.files(), before, "nothing is written, not even to the repository");
    assert!(told(&sandbox.json(&["check"])).is_empty(), "a plain check waits for the commit");
}

#[test]
fn in_a_clean_tree_it_is_the_last_commit_and_else_what_was_asked() {
    let sandbox = shop();
    let refused = sandbox.run(&["check", "--impact"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("nothing was changed"), "{refused:?}");
    sandbox.write("project/src/main.rs", "fn drain_queue() {\n    one();\n}\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    assert_eq!(
        told(&sandbox.json(&["check"])),
        ["README.md:5 reference_drift"],
        "and is remembered"
    );
    for args in [&["check", "--impact"][..], &["check", "--impact", "HEAD~1"]] {
        let all = sandbox.json(args);
        assert_eq!(touched(&all), ["README.md:5 --fast-path src/main.rs"], "{args:?}");
        assert_eq!(told(&all), ["README.md:5 reference_drift"], "{args:?}");
        assert_eq!(all["impact"]["to"], all["head"], "{args:?}");
    }
    sandbox.write("project/CHANGES.txt", "x\n");
    assert!(touched(&sandbox.json(&["check", "--impact"])).is_empty(), "HEAD to the files on disk");
    for (args, code, why) in [
        (&["check", "--impact", "nowhere"][..], 3, "no commit has this name"),
        (&["check", "--impact", "--since", "HEAD"], 2, "cannot be used with"),
        (&["check", "--impact", "--fix"], 2, "cannot be used with"),
    ] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
        assert!(run.err.contains(why), "{run:?}");
    }
    let bare = Sandbox::new();
    assert_eq!(bare.run(&["check", "--impact"]).code, 3);
}

#[test]
fn what_was_mended_moved_or_means_something_else_is_not_broken() {
    let sandbox = shop();
    sandbox.write("project/.gitignore", "built/\n");
    sandbox.commit("2026-01-11T00:00:00Z");
    // The flag moved to a file that git does not know yet, and the item has two homes now.
    sandbox.write("project/src/main.rs", "fn main() {}\nfn drain_queue() { a }\n");
    sandbox.write(
        "project/src/more.rs",
        "fn a() {\n    opt(\"--fast-path\");\n}\nfn drain_queue() {}\n",
    );
    sandbox.write("project/built/main.rs", "fn main() {\n    opt(\"--slow-path\");\n}\n");
    std::fs::remove_file(sandbox.project.join("src/router.rs")).unwrap();
    let routes = "The routes are in [the program](src/main.rs).";
    sandbox.write(
        "project/README.md",
        README.replace("The routes are in [the router](src/router.rs).", routes),
    );
    let all = sandbox.json(&["check", "--impact"]);
    assert_eq!(told(&all), [""; 0], "{all:#}");
    assert_eq!(all["impact"]["touched"][0]["edited"], true);
    let names = touched(&all);
    assert!(!names.iter().any(|name| name.contains("drain_queue")), "{names:?}");
}

#[cfg(unix)]
#[test]
fn nothing_of_a_repository_runs_and_odd_files_are_passed_by() {
    let sandbox = shop();
    let mark = sandbox.root().join("ran");
    let run = format!("touch {}; cat", mark.display());
    for (key, value) in [
        ("filter.own.clean", run.as_str()),
        ("filter.own.required", "true"),
        ("filter.two.words.process", run.as_str()),
        // Hooks of git 2.54 and later.
        ("hook.a.b.command", run.as_str()),
        ("hook.a.b.event", "post-index-change"),
        ("core.fsmonitor", run.as_str()),
        ("core.splitIndex", "true"),
        ("core.safecrlf", "true"),
    ] {
        sandbox.git("2026-01-10T00:00:00Z", &["config", key, value]);
    }
    sandbox.write("project/.git/info/attributes", "* filter=own\n*.md filter=two.words text\n");
    sandbox.write("project/guide.md", "# Guide\r\n\r\n## Other\r\n");
    // A link in the place of a folder, a folder in the place of a file, and a pipe.
    std::fs::rename(sandbox.project.join("src"), sandbox.root().join("aside")).unwrap();
    std::os::unix::fs::symlink(sandbox.root().join("aside"), sandbox.project.join("src")).unwrap();
    std::fs::remove_file(sandbox.project.join("Makefile")).unwrap();
    sandbox.write("project/Makefile/a.txt", "x\n");
    let before = sandbox.files();
    let pipe = sandbox.project.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let all = sandbox.json(&["check", "--impact"]);
    assert!(touched(&all).contains(&"README.md:7 guide.md#setup guide.md".into()), "{all:#}");
    assert!(!mark.exists(), "a filter or hook ran");
    std::fs::remove_file(pipe).unwrap();
    assert_eq!(sandbox.files(), before);
}

#[test]
fn what_git_cannot_read_is_told_and_stops_nothing() {
    let sandbox = shop();
    sandbox.write("project/.gitattributes", "*.odd working-tree-encoding=UTF-16\n");
    std::fs::rename(sandbox.project.join("src/router.rs"), sandbox.project.join("src/routing.rs"))
        .unwrap();
    sandbox.write("project/new.odd", "no UTF-16");
    let all = sandbox.json(&["check", "--impact"]);
    assert_eq!(touched(&all), ["README.md:3 src/router.rs src/routing.rs"]);
    assert_eq!(all["skipped"].as_array().unwrap().len(), 1, "{all:#}");
    assert_eq!(all["skipped"][0]["path"], "new.odd");
    let text = sandbox.run(&["check", "--impact"]).out;
    assert!(text.contains("not checked") && text.contains("new.odd"), "{text}");
}

#[test]
fn before_the_first_commit_one_is_asked_for() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/README.md", README);
    let run = sandbox.run(&["check", "--impact"]);
    assert!(run.code == 3 && run.err.contains("has no commit yet"), "{run:?}");
    assert!(run.err.contains("commit once first") && !run.err.contains("needs"), "{run:?}");
}

#[test]
fn a_revision_that_is_unknown_is_named_with_its_option() {
    let sandbox = shop();
    for (args, told) in [
        (&["check", "--impact", "nope"][..], "--impact \"nope\": "),
        (&["check", "--since", "nope"], "since \"nope\": "),
    ] {
        let run = sandbox.run(args);
        assert!(run.code == 3 && run.err.contains(told), "{run:?}");
    }
}
