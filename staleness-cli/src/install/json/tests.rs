use serde_json::json;

use super::*;

fn inserted(text: &str) -> String {
    let mut doc = Doc::new(text).unwrap();
    doc.insert(&[], "new", &json!({ "a": ["x", "y"], "b": {} })).unwrap();
    doc.finish()
}

#[test]
fn a_member_is_written_as_its_neighbours_are() {
    for (before, after) in [
        ("{}", "{\n  \"new\": {\n    \"a\": [\"x\", \"y\"],\n    \"b\": {}\n  }\n}"),
        ("{\"a\":1}", "{\"a\":1,\"new\":{\"a\":[\"x\",\"y\"],\"b\":{}}}"),
        ("{ \"a\": 1 }", "{ \"a\": 1, \"new\": { \"a\": [\"x\", \"y\"], \"b\": {} } }"),
        (
            "{\r\n\t\"a\": 1\r\n}",
            "{\r\n\t\"a\": 1,\r\n\t\"new\": {\r\n\t\t\"a\": [\"x\", \"y\"],\r\n\t\t\"b\": {}\r\n\t}\r\n}",
        ),
        (
            "{\n    \"a\": 1, // one\n    // two\n}",
            "{\n    \"a\": 1, // one\n    // two\n    \"new\": {\n        \"a\": [\"x\", \"y\"],\n        \"b\": {}\n    },\n}",
        ),
        (
            "{\"a\":1// c\n}",
            "{\"a\":1,// c\n  \"new\":{\n    \"a\":[\"x\",\"y\"],\n    \"b\":{}\n  }\n}",
        ),
    ] {
        assert_eq!(inserted(before), after, "{before:?}");
        let mut doc = Doc::new(after).unwrap();
        doc.remove(&[Step::Key("new")]).unwrap();
        assert_eq!(doc.finish(), before);
    }
}

#[test]
fn an_item_goes_with_its_comma_and_without_the_comments_around_it() {
    for (before, path, after) in [
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[1]", 0, "[]"),
        ("[ 1, ]", 0, "[]"),
        ("[/* a */ 1 /* b */]", 0, "[/* a */ /* b */]"),
        ("[\n  1, // one\n  2, // two\n]", 1, "[\n  1, // one // two\n]"),
        (
            "[\n  1, // one\n  2 /* two */, // too\n  3\n]",
            1,
            "[\n  1, // one /* two */ // too\n  3\n]",
        ),
        ("[\n  1 // one\n  , 2\n]", 1, "[\n  1 // one\n]"),
    ] {
        let mut doc = Doc::new(&format!("{{\"l\": {before}}}")).unwrap();
        doc.remove(&[Step::Key("l"), Step::At(path)]).unwrap();
        assert_eq!(doc.finish(), format!("{{\"l\": {after}}}"), "{before}");
    }
}

#[test]
fn a_value_takes_the_place_of_another() {
    let mut doc = Doc::new("{\n  \"a\": null, // why\n  \"b\": 1\n}").unwrap();
    doc.replace(&[Step::Key("a")], &json!({ "c": 1 })).unwrap();
    assert_eq!(doc.finish(), "{\n  \"a\": {\n    \"c\": 1\n  }, // why\n  \"b\": 1\n}");
}

#[test]
fn a_depth_bomb_is_refused() {
    let text = "{\"a\":".repeat(100_000);
    assert_eq!(Doc::new(&text).unwrap_err().line, 1);
}
