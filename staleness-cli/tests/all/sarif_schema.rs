//! The output of `check --format sarif` is valid by the published schema.

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::json_schema::faults;

const SCHEMA: &str = include_str!("../fixtures/sarif-schema-2.1.0.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn log(sandbox: &Sandbox) -> Value {
    let run = sandbox.run(&["check", "--format", "sarif", "--verbose"]);
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn what_is_found_is_valid_by_the_published_schema() {
    let schema = schema();
    let rotted = Sandbox::rotted();
    rotted
        .write("project/a b\u{e9}#.md", "As of now it is `--fast-path`; see [x](../../out.md).\n");
    rotted.write("project/broken.md", b"\xff\xfe\n");
    rotted.write(
        "project/memory/ports.md",
        "---\ntype: knowledge\nadded: 2026-01-01\nexpires: 2026-02-01\ncite: src/router.rs:3-5\n---\n\n\
         Planned for 1.2.3.\n",
    );
    rotted.commit("2026-03-10T00:00:00Z");
    let found = log(&rotted);
    let results = found["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 4, "{found:#}");
    assert_eq!(faults(&schema, &found), [""; 0], "{found:#}");
    // Nothing to tell, and no history to ask.
    let empty = Sandbox::new();
    empty.write("project/a.md", "Fine.\n");
    assert_eq!(faults(&schema, &log(&empty)), [""; 0]);
}

#[test]
fn what_is_not_valid_is_noticed() {
    let schema = schema();
    let valid = log(&Sandbox::rotted());
    for (place, wrong) in [
        ("/version", json!("2.0.0")),
        ("/$schema", json!("no uri")),
        ("/runs", json!({})),
        ("/runs/0/tool", json!({})),
        ("/runs/0/columnKind", json!("bytes")),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/message", json!({ "words": "x" })),
        ("/runs/0/results/0/ruleIndex", json!(-2)),
        ("/runs/0/results/0/ruleIndex", json!("1")),
        ("/runs/0/results/0/partialFingerprints", json!({ "staleness/v1": 7 })),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!("a b")),
        ("/runs/0/tool/driver/rules/0/properties/tags", json!(["x", "x"])),
    ] {
        let mut log = valid.clone();
        *log.pointer_mut(place).unwrap_or_else(|| panic!("{place}: {valid:#}")) = wrong;
        assert_ne!(faults(&schema, &log), [""; 0], "{place}");
    }
}
