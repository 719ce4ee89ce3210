//! Parts that a check could not look at, causes that are told once, weak signs, and paths that are named.

use serde_json::Value;

use crate::check_documents::told;
use crate::common::{Run, Sandbox};
use crate::remembered::now;

/// A project whose repository holds its last commit alone.
pub(crate) fn shallow() -> Sandbox {
    let sandbox = Sandbox::rotted();
    let mut git = std::process::Command::new("git");
    let head = git.args(["rev-parse", "HEAD"]).current_dir(&sandbox.project).output().unwrap();
    std::fs::write(sandbox.project.join(".git/shallow"), head.stdout).unwrap();
    sandbox
}

#[test]
fn a_shallow_clone_is_told_with_its_mend_in_every_format() {
    let sandbox = shallow();
    let mend = "run `git fetch --unshallow`; in CI, check out with `fetch-depth: 0`";
    let found = sandbox.json(&["check"]);
    assert_eq!((told(&found).len(), &found["blind"][0]["kind"]), (0, &"shallow".into()));
    assert_eq!(found["blind"][0]["mend"], mend);
    let table = sandbox.ok(&["check"]);
    assert!(table.contains("incomplete\n") && table.contains("; 1 incomplete"), "{table}");
    let github = sandbox.ok(&["check", "--format", "github"]);
    assert!(github.contains("::warning title=incomplete::.git is shallow; "), "{github}");
    let sarif: Value = serde_json::from_str(&sandbox.ok(&["check", "--format", "sarif"])).unwrap();
    let told = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!((&told["level"], &told["descriptor"]["id"]), (&"warning".into(), &"shallow".into()));
    for text in [&table, &github, &told["message"]["text"].to_string()] {
        assert!(text.contains("fetch-depth: 0"), "{text}");
    }
    // What is not seen is not gone from a baseline either.
    sandbox.write(
        "project/known.json",
        "{\"format\": 2, \"findings\": [{\"path\": \"AGENTS.md\", \
        \"kind\": \"reference_drift\", \"block\": \"0\", \"subject\": \"0\"}]}",
    );
    let compared = sandbox.json(&["check", "--baseline", "known.json"]);
    assert_eq!(compared["baseline"]["gone"], 0);
}

#[test]
fn a_policy_says_how_bad_it_is_not_to_look_at_everything() {
    let sandbox = shallow();
    for (level, review, stale) in [("fresh", 0, 0), ("review", 1, 0), ("stale", 1, 1)] {
        let set = format!("documents.blind={level}");
        let code = |least| sandbox.run(&["check", "--set", &set, "--fail-on", least]).code;
        assert_eq!((code("review"), code("stale")), (review, stale), "{level}");
    }
    assert_eq!(sandbox.run(&["check", "--fail-on", "review"]).code, 1);
}

#[test]
fn what_the_last_check_could_not_read_is_told_until_it_can() {
    let sandbox = shallow();
    now(&sandbox, &["check"]);
    let incomplete = "the check is incomplete: the history is shallow; run `git fetch --unshallow`";
    for args in [&[][..], &["doctor"]] {
        let told = sandbox.run(args).out;
        assert!(told.contains(incomplete), "{args:?}: {told}");
    }
    sandbox.ok(&["report", "--html", "r.html"]);
    let page = std::fs::read_to_string(sandbox.project.join("r.html")).unwrap();
    assert!(page.contains(incomplete), "{page}");
    assert!(sandbox.ok(&["statusline"]).contains("check is incomplete"));
    assert_eq!(sandbox.json(&[])["gaps"], serde_json::json!(["shallow"]));
    assert!(!sandbox.ok(&["--set", "documents.blind=fresh"]).contains(incomplete));

    std::fs::remove_file(sandbox.project.join(".git/shallow")).unwrap();
    now(&sandbox, &["check"]);
    assert_eq!(sandbox.json(&[])["gaps"], serde_json::json!([]));
}

#[test]
fn what_went_is_told_once_with_the_places_that_name_it() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "pub fn drain_queue() {}\npub fn other_one() {}\n");
    for at in 0..4 {
        sandbox.write(&format!("project/{at}.md"), "Call `drain_queue()`.\n");
    }
    sandbox.write("project/both.md", "Call `drain_queue()` or `other_one()`.\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    sandbox.write("project/src/a.rs", "\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    let table = sandbox.ok(&["check"]);
    assert_eq!(table.matches("drain_queue").count(), 3, "once, and a block with more: {table}");
    assert!(table.contains("  4 places\n"), "{table}");
    for at in 0..4 {
        assert!(table.contains(&format!("  {at}.md:1  ")), "{table}");
    }
    let found = sandbox.json(&["check"]);
    let causes: Vec<(&str, &Value)> = found["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["id"].as_str().unwrap(), &item["cause"]))
        .collect();
    let same = causes.iter().filter(|(id, cause)| {
        *id != "both.md:1" && cause == &causes.iter().find(|it| it.0 == "0.md:1").unwrap().1
    });
    assert_eq!(same.count(), 4, "{causes:?}");
}

#[test]
fn weak_signs_are_listed_for_other_programs_only_when_asked_for() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/a.md", "A queue is planned.\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    for (args, count) in [(&[][..], 0), (&["--verbose"][..], 1)] {
        let run = |more: &[&str]| {
            let run = sandbox.run(&[&["check"], more, args].concat());
            assert_eq!(run.code, 0, "{run:?}");
            run.out
        };
        let sarif: Value = serde_json::from_str(&run(&["--format", "sarif"])).unwrap();
        assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), count, "{args:?}");
        let github = run(&["--format", "github"]);
        assert_eq!(github.matches("::notice file=a.md").count(), count, "{github}");
        let written: Value =
            serde_json::from_str(&run(&["--write-baseline", "known.json", "--json"])).unwrap();
        assert_eq!(written["baseline"]["findings"], count, "{args:?}");
    }
    // A baseline that lists them holds.
    let compared = sandbox.json(&["check", "--baseline", "known.json"]);
    assert_eq!(compared["baseline"].to_string(), "{\"new\":0,\"known\":0,\"gone\":0}");
}

#[test]
fn a_path_is_found_from_the_folder_where_it_is_typed_and_in_the_project_that_is_named() {
    let sandbox = Sandbox::rotted();
    let project = sandbox.project.to_str().unwrap();
    let documents = |folder: &std::path::Path, path: &str| {
        let mut command = sandbox.command();
        command.current_dir(folder).args(["--project", project, "check", "--json", path]);
        let run = Run::of(command.output().unwrap());
        let found: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        (found["documents"].clone(), found["skipped"].clone())
    };
    let one = (Value::from(1), Value::from(Vec::<Value>::new()));
    assert_eq!(documents(&sandbox.home, "docs/fine.md"), one, "in the project");
    sandbox.write("home/docs/fine.md", "x\n");
    assert_eq!(documents(&sandbox.home, "docs/fine.md"), one, "and not the one of another");
    assert_eq!(documents(&sandbox.project.join("docs"), "fine.md"), one, "as it is typed");
    assert_eq!(documents(&sandbox.project.join("docs"), "../AGENTS.md"), one);
}
