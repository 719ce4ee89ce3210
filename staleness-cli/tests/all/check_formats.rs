//! What other programs read of a check: SARIF, and annotations of GitHub Actions.

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
    for rule in rules {
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
fn github_shows_each_finding_where_it_is() {
    let sandbox = Sandbox::rotted();
    let text = sandbox.ok(&["check", "--format", "github"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    let renamed = lines.iter().find(|line| line.contains("line=3,")).unwrap();
    assert!(
        renamed.starts_with(
            "::error file=AGENTS.md,line=3,endLine=3,title=stale%3A update::src/router.rs was renamed"
        ),
        "{renamed}"
    );
    assert!(!text.lines().last().unwrap().starts_with("::"), "{text}");
}
