use serde_json::json;

use super::super::tests::{takes, told, version};
use super::*;

#[test]
fn each_change_of_a_schema_has_its_class() {
    let base = || json!({ "repo": { "type": "string" }, "sort": { "enum": ["a", "b"] } });
    let old = takes(base(), json!(["repo"]));
    let with = |name: &str, value: Value| {
        let mut all = base();
        all[name] = value;
        all
    };
    let mut lost = base();
    lost.as_object_mut().map(|all| all.remove("repo"));
    for (properties, required, expected) in [
        (base(), json!(["repo"]), &[][..]),
        (lost, json!([]), &["narrowed: lost repo"]),
        (base(), json!(["sort", "repo"]), &["narrowed: now requires sort"]),
        (base(), json!(["repo", "new"]), &["narrowed: now requires new"]),
        (base(), json!([]), &["widened: no longer requires repo"]),
        (with("new", json!({})), json!(["repo"]), &["widened: also takes new"]),
        (with("new", json!({})), json!(["repo", "new"]), &["narrowed: now requires new"]),
        (
            with("sort", json!({ "enum": ["a"] })),
            json!(["repo"]),
            &["narrowed: takes fewer values for sort"],
        ),
        (
            with("sort", json!({ "enum": ["c", "b", "a"] })),
            json!(["repo"]),
            &["widened: takes more values for sort"],
        ),
        (
            with("repo", json!({ "type": ["string", "null"] })),
            json!(["repo"]),
            &["widened: takes more values for repo"],
        ),
        (
            with("repo", json!({ "type": "integer" })),
            json!(["repo"]),
            &["narrowed: takes fewer values for repo"],
        ),
        (
            with("repo", json!({ "type": "string", "pattern": "x" })),
            json!(["repo"]),
            &["narrowed: has a new rule for repo"],
        ),
        (
            with("repo", json!({ "type": "string", "minLength": 1 })),
            json!(["repo"]),
            &["narrowed: raises the minimum for repo"],
        ),
        (
            with("repo", json!({ "type": "string", "title": "Repository" })),
            json!(["repo"]),
            &["wording: changed schema, with the same rules"],
        ),
        (
            with("repo", json!({ "type": "string", "description": "y" })),
            json!(["repo"]),
            &["wording: changed parameter descriptions"],
        ),
        (
            with("repo", json!({ "type": "string", "properties": { "a": {} } })),
            json!(["repo"]),
            &["widened: also takes repo.a"],
        ),
    ] {
        assert_eq!(told(Some(&old), &takes(properties, required)), expected);
    }
    // Of what no property describes as well.
    let bare = takes(json!({}), json!(["repo"]));
    assert_eq!(
        told(Some(&bare), &takes(json!({}), json!([]))),
        ["widened: no longer requires repo"]
    );
    assert_eq!(
        told(Some(&bare), &takes(base(), json!(["repo"]))),
        ["widened: also takes sort", "widened: also takes repo"]
    );
    let closed = |rule: Value| {
        version(&json!({ "inputSchema": { "type": "object", "additionalProperties": rule } }))
    };
    let (open, shut) = (closed(json!(true)), closed(json!(false)));
    assert_eq!(told(Some(&shut), &open), ["widened: now allows unknown fields in input"]);
    assert_eq!(told(Some(&open), &shut), ["narrowed: no longer allows unknown fields in input"]);
    let output = |names: &[&str]| {
        let all: Map<String, Value> =
            names.iter().map(|name| ((*name).into(), json!({}))).collect();
        version(&json!({ "outputSchema": { "properties": all } }))
    };
    assert_eq!(told(Some(&output(&["a", "b"])), &output(&["a"])), ["narrowed: lost output:b"]);
    assert_eq!(told(Some(&output(&["a"])), &output(&["a", "b"])), ["wording: also takes output:b"]);
    let none = version(&json!({}));
    assert_eq!(told(Some(&none), &output(&["a"])), ["wording: now has a schema for output"]);
    assert_eq!(told(Some(&output(&["a"])), &none), ["narrowed: lost output"]);
}

#[test]
fn a_difference_is_told_as_what_it_is() {
    let limits = |rules: Value| takes(json!({ "files": rules }), json!([]));
    for (before, now, expected) in [
        (
            json!({ "minItems": 2 }),
            json!({ "minItems": 1 }),
            "widened: lowers the minimum for files",
        ),
        (json!({ "minItems": 2 }), json!({}), "widened: lowers the minimum for files"),
        (
            json!({ "maxItems": 2 }),
            json!({ "maxItems": 3 }),
            "widened: raises the maximum for files",
        ),
        (json!({}), json!({ "exclusiveMaximum": 0.5 }), "narrowed: lowers the maximum for files"),
        (json!({ "minItems": 2 }), json!({ "minItems": "x" }), "narrowed: changed rule for files"),
        (json!({ "pattern": "a" }), json!({ "pattern": "b" }), "narrowed: changed rule for files"),
        (json!({ "pattern": "a" }), json!({}), "widened: drops a rule for files"),
    ] {
        assert_eq!(told(Some(&limits(before)), &limits(now)), [expected]);
    }
    // What a server says in other words is the same.
    let bare = version(&json!({ "inputSchema": { "required": [] } }));
    let typed = version(&json!({ "inputSchema": { "type": "object" } }));
    let same = ["wording: changed schema, with the same rules"];
    assert_eq!(
        (told(Some(&bare), &typed), told(Some(&typed), &bare)),
        (same.map(String::from).into(), same.map(String::from).into())
    );
    let hints = version(&json!({ "annotations": { "readOnlyHint": false } }));
    let none = version(&json!({}));
    assert_eq!(told(Some(&none), &hints), ["wording: now has hints"]);
    assert_eq!(told(Some(&hints), &none), ["wording: no longer has hints"]);
    let says = |text: &str, names: &[&str]| {
        let all: Map<String, Value> =
            names.iter().map(|name| ((*name).into(), json!({}))).collect();
        version(&json!({ "description": text, "inputSchema": { "properties": all } }))
    };
    let old = says("Reads", &["a"]);
    let deprecated = says("DEPRECATED: use read_text", &[]);
    assert_eq!(
        told(Some(&old), &deprecated),
        [
            "wording: now says that it is deprecated",
            "narrowed: lost a",
            "wording: changed description"
        ]
    );
}
