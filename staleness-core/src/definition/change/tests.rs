use serde_json::json;

use super::super::tests::{takes, told, version};
use super::*;

#[test]
fn each_change_of_a_schema_has_its_class() {
    let base = || json!({ "repo": { "type": "string" }, "sort": { "enum": ["a", "b"] } });
    let old = takes(base(), json!(["repo"]));
    assert!(told(Some(&old), &old).is_empty());
    for (required, expected) in [
        (json!(["sort", "repo"]), "narrowed: now requires sort"),
        (json!(["repo", "new"]), "narrowed: now requires new"),
        (json!([]), "widened: no longer requires repo"),
    ] {
        assert_eq!(told(Some(&old), &takes(base(), required)), [expected]);
    }
    assert_eq!(
        told(Some(&old), &takes(json!({ "sort": base()["sort"] }), json!([]))),
        ["narrowed: lost repo"]
    );
    let new = json!({ "repo": { "type": "string" }, "sort": base()["sort"], "new": {} });
    assert_eq!(
        told(Some(&old), &takes(new, json!(["repo", "new"]))),
        ["narrowed: now requires new"]
    );
    for (name, value, expected) in [
        ("new", "{}", "widened: also takes new"),
        ("sort", r#"{"enum": ["a"]}"#, "narrowed: takes fewer values for sort"),
        ("sort", r#"{"enum": ["c", "b", "a"]}"#, "widened: takes more values for sort"),
        ("repo", r#"{"type": ["string", "null"]}"#, "widened: takes more values for repo"),
        ("repo", r#"{"type": "integer"}"#, "narrowed: takes fewer values for repo"),
        ("repo", r#"{"type": "string", "pattern": ""}"#, "narrowed: has a new rule for repo"),
        ("repo", r#"{"type": "string", "minLength": 1}"#, "narrowed: raises the minimum for repo"),
        (
            "repo",
            r#"{"type": "string", "title": ""}"#,
            "wording: changed schema, with the same rules",
        ),
        (
            "repo",
            r#"{"type": "string", "description": ""}"#,
            "wording: changed parameter descriptions",
        ),
        ("repo", r#"{"type": "string", "properties": {"a": {}}}"#, "widened: also takes repo.a"),
    ] {
        let mut properties = base();
        properties[name] = serde_json::from_str(value).unwrap();
        assert_eq!(told(Some(&old), &takes(properties, json!(["repo"]))), [expected]);
    }
    // The same applies to parameters that no property describes.
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
    assert_eq!(told(Some(&shut), &open), ["widened: now allows unknown fields at the top level"]);
    assert_eq!(
        told(Some(&open), &shut),
        ["narrowed: no longer allows unknown fields at the top level"]
    );
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
    let limits = |rules: &str| {
        let rules: Value = serde_json::from_str(rules).unwrap();
        takes(json!({ "files": rules }), json!([]))
    };
    for (before, now, expected) in [
        (r#"{"minItems": 2}"#, r#"{"minItems": 1}"#, "widened: lowers the minimum for files"),
        (r#"{"minItems": 2}"#, "{}", "widened: lowers the minimum for files"),
        (r#"{"maxItems": 2}"#, r#"{"maxItems": 3}"#, "widened: raises the maximum for files"),
        ("{}", r#"{"exclusiveMaximum": 0.5}"#, "narrowed: lowers the maximum for files"),
        (r#"{"minItems": 2}"#, r#"{"minItems": "x"}"#, "narrowed: changed rule for files"),
        (r#"{"pattern": "a"}"#, r#"{"pattern": "b"}"#, "narrowed: changed rule for files"),
        (r#"{"pattern": "a"}"#, "{}", "widened: drops a rule for files"),
    ] {
        assert_eq!(told(Some(&limits(before)), &limits(now)), [expected]);
    }
    // A call without the parameter now does something else.
    for (before, now, expected) in [
        ("true", "false", "narrowed: changed the default of files"),
        ("3", "null", "narrowed: changed the default of files"),
        ("null", "3", "wording: changed schema, with the same rules"),
    ] {
        let [before, now] = [before, now].map(|it| limits(&format!(r#"{{"default": {it}}}"#)));
        assert_eq!(told(Some(&before), &now), [expected]);
    }
    let list = |rules: &str| limits(&format!(r#"{{"items": {rules}}}"#));
    let (some, more) = (list("{}"), list(r#"{"properties": {"q": {}}, "required": ["q"]}"#));
    assert_eq!(told(Some(&some), &more), ["narrowed: now requires files.q"]);
    // Both notations for types are equal.
    let types =
        [r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, r#"{"type": ["null", "string"]}"#];
    let same = "wording: changed schema, with the same rules";
    for [before, now] in [types, [types[1], types[0]]] {
        assert_eq!(told(Some(&limits(before)), &limits(now)), [same]);
    }
    // The same schema in different words is unchanged.
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
