//! Formats of a check for other programs: SARIF, and annotations of GitHub Actions.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{Sandbox, keys};

fn sarif(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.ok(&["check", "--format", "sarif"])).unwrap()
}

#[test]
fn sarif_has_the_form_of_its_specification() {
    let sandbox = Sandbox::rotted();
    let log = sarif(&sandbox);
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&"2.1.0".into(), 1));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "staleness");
    let rules = driver["rules"].as_array().unwrap();
    let pages = include_str!("../../../docs/findings.md");
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        assert!(rule["helpUri"].as_str().unwrap().ends_with(&format!("/docs/findings.md#{id}")));
        assert!(pages.contains(&format!("\n## {id}\n")), "{id} has no section");
        for key in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[key]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level), "{rule}");
    }
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let location = &place["artifactLocation"];
        let base = location["uriBaseId"].as_str().unwrap();
        assert!(run["originalUriBaseIds"].as_object().unwrap().contains_key(base));
        assert!(!location["uri"].as_str().unwrap().starts_with('/'));
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        if let Some(end) = place["region"]["endColumn"].as_u64() {
            assert!(end > place["region"]["startColumn"].as_u64().unwrap());
        }
        assert!(keys(&result["partialFingerprints"]).len() == 1);
    }
    let drift = results.iter().find(|result| result["ruleId"] == "reference_drift").unwrap();
    let region = &drift["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"]),
        (&5.into(), &14.into()),
        "{drift:#}"
    );
    assert_eq!(region["endColumn"], 14 + "--fast-path".len());
}

#[test]
fn a_signal_of_sarif_has_the_level_that_the_policy_gives_it_alone_and_beside_others() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "pub fn drain_queue() {}\n");
    sandbox.write("project/a.md", "Call `drain_queue()` for now.\n\nA queue is planned.\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    sandbox.write("project/src/a.rs", "\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    let levels = |args: &[&str]| {
        let all = [&["check", "--format", "sarif"], args].concat();
        let log: Value = serde_json::from_str(&sandbox.run(&all).out).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().iter();
        let marks = results.filter(|each| each["ruleId"] == "temporal_marker");
        marks.map(|each| each["level"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((levels(&[]), levels(&["--verbose"])), (vec![], vec!["note".into(), "note".into()]));
    sandbox.write("project/staleness.toml", "[knowledge]\nfresh_from = 0.95\n");
    assert_eq!(levels(&[]), ["warning", "warning"]);
}

#[test]
fn one_sentence_is_told_once_of_a_block_in_every_format() {
    let sandbox = Sandbox::with_history();
    let router = "pub fn a() {}\npub fn b() {}\npub fn c() {}\n";
    sandbox.write("project/src/router.rs", router);
    sandbox.write("project/a.md", "In [the router](src/router.rs) and `src/router.rs:1-2`.\n");
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::rename(sandbox.project.join("src/router.rs"), sandbox.project.join("src/route.rs"))
        .unwrap();
    sandbox.commit("2026-02-10T00:00:00Z");
    for format in ["table", "github", "json", "sarif"] {
        let told = sandbox.ok(&["check", "--format", format]);
        assert_eq!(told.matches("src/router.rs is now src/route.rs").count(), 1, "{told}");
    }
}

#[test]
fn each_finding_names_its_kind_and_its_page() {
    let sandbox = Sandbox::rotted();
    let told = sandbox.json(&["check"]);
    let signals = told["items"].as_array().unwrap().iter();
    let signals = signals.flat_map(|it| it["verdict"]["signals"].as_array().unwrap());
    let kinds: BTreeSet<&str> = signals.map(|it| it["kind"].as_str().unwrap()).collect();
    sandbox.check_now();
    sandbox.ok(&["report", "--html", "r.html"]);
    let page = std::fs::read_to_string(sandbox.project.join("r.html")).unwrap();
    let table = sandbox.run(&["check", "--verbose"]).out;
    let github = sandbox.run(&["check", "--verbose", "--format", "github"]).out;
    assert!(kinds.len() > 1, "{kinds:?}");
    for kind in kinds {
        for text in [&table, &github, &page] {
            assert!(text.contains(&format!("/docs/findings.md#{kind}")), "{kind}: {text}");
        }
    }
}

#[test]
fn a_finding_that_moves_keeps_its_fingerprint() {
    let sandbox = Sandbox::rotted();
    let prints = |log: &Value| -> Vec<String> {
        let results = log["runs"][0]["results"].as_array().unwrap();
        let drifted = results.iter().filter(|each| each["ruleId"] == "reference_drift");
        drifted.map(|each| each["partialFingerprints"].to_string()).collect()
    };
    let before = prints(&sarif(&sandbox));
    sandbox.write("project/AGENTS.md", format!("Above.\n\n{}", crate::repo::AGENTS));
    sandbox.commit("2026-03-10T00:00:00Z");
    assert_eq!(prints(&sarif(&sandbox)), before);
    assert!(!before.is_empty());
}

#[test]
fn two_findings_of_one_block_have_two_fingerprints() {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "pub fn drain_queue() {}\npub fn fill_queue() {}\n");
    sandbox.write("project/src/b.rs", "pub fn b() {}\n");
    let text = "Call `drain_queue()`, `fill_queue()` as of now and now; see [a](src/b.rs).\n";
    sandbox.write("project/AGENTS.md", text);
    sandbox.commit("2026-01-10T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("src/a.rs")).unwrap();
    std::fs::remove_file(sandbox.project.join("src/b.rs")).unwrap();
    sandbox.write("project/src/c.rs", "pub fn c() {}\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    let run = sandbox.run(&["check", "--format", "sarif", "--verbose"]);
    let log: Value = serde_json::from_str(&run.out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let prints: std::collections::BTreeSet<String> =
        results.iter().map(|each| each["partialFingerprints"].to_string()).collect();
    assert!(results.len() >= 4, "{log:#}");
    assert_eq!(prints.len(), results.len(), "{log:#}");
}

#[test]
fn github_shows_each_finding_where_it_is() {
    let sandbox = Sandbox::rotted();
    let text = sandbox.ok(&["check", "--format", "github"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    let renamed = lines.iter().find(|line| line.contains("line=3,")).unwrap();
    assert!(
        renamed.starts_with(
            "::error file=AGENTS.md,line=3,endLine=3,title=stale%3A update::src/router.rs is now"
        ),
        "{renamed}"
    );
    assert!(!text.lines().last().unwrap().starts_with("::"), "{text}");
}

#[test]
fn what_was_not_checked_and_why_is_told_in_every_format() {
    let sandbox = Sandbox::rotted();
    sandbox.write("project/huge.md", "x\n".repeat(200));
    std::fs::remove_dir_all(sandbox.project.join(".git")).unwrap();
    std::fs::create_dir(sandbox.project.join(".git")).unwrap();
    let with = |format: &str| {
        let small = "documents.max_file_bytes=200";
        sandbox.ok(&["check", "--set", small, "--format", format])
    };
    let document: Value = serde_json::from_str(&with("json")).unwrap();
    let notes = document["notes"].as_array().unwrap();
    let whole: Vec<&str> = notes
        .iter()
        .filter(|note| note["path"].is_null())
        .map(|note| note["text"].as_str().unwrap())
        .collect();
    assert!(!whole.is_empty(), "{document:#}");
    let skipped = document["skipped"].as_array().unwrap();
    assert!(skipped.iter().any(|each| each["path"] == "huge.md"), "{document:#}");

    let text = with("github");
    for note in &whole {
        assert!(text.contains(&format!("::notice title=staleness check::{note}\n")), "{text}");
    }
    let huge = "::warning file=huge.md,title=not checked::huge.md: ";
    assert!(text.contains(huge), "{text}");

    let log: Value = serde_json::from_str(&with("sarif")).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let told = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(told.len(), notes.len() + skipped.len(), "{told:#?}");
    for note in &whole {
        assert!(told.iter().any(|each| each["message"]["text"] == **note), "{told:#?}");
    }
    let of_huge = |each: &&Value| {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "huge.md"
    };
    assert_eq!(told.iter().find(of_huge).unwrap()["level"], "warning");
}

#[cfg(unix)]
#[test]
fn a_file_whose_name_no_log_can_show_is_named_in_the_text_alone() {
    let sandbox = Sandbox::rotted();
    sandbox.write("project/odd \u{202e}\u{1b}[2J.md", "See [the program](src/main.rs).\n");
    sandbox.commit("2026-03-01T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("src/main.rs")).unwrap();
    sandbox.commit("2026-03-02T00:00:00Z");
    let text = sandbox.ok(&["check", "--format", "github"]);
    let line = text.lines().find(|line| line.contains("odd ")).unwrap();
    assert!(line.starts_with("::error title="), "{line}");
    assert!(line.contains("::odd \\u{202e}\\u{1b}[2J.md:1%0A"), "{line}");
    assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text:?}");
}
