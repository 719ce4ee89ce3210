//! Tests of the reader.

use proptest::prelude::*;

use super::item::fields;
use super::read::{LOOKED_AT, Value, read};

fn of(open: &str, lines: &str) -> Vec<(String, Value)> {
    let front = read(&format!("{open}\n{lines}{open}\n")).unwrap().unwrap();
    front.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|&item| item.to_owned()).collect())
}

#[test]
fn what_stands_in_quotes_is_no_comment_and_swallows_no_field() {
    for (open, sign) in [("---", ":"), ("+++", " =")] {
        for (written, items) in [
            ("[\"issue #1\", \"b\"]", vec!["issue #1", "b"]),
            ("[\"a\", 'c #'] # [why", vec!["a", "c #"]),
            ("[ \"a # \\\" # b\" ] # \"", vec!["a # \" # b"]),
        ] {
            let found = of(open, &format!("x{sign} {written}\nverified{sign} 2026-01-01\n"));
            let day = Value::Text("2026-01-01".into());
            let wanted = [("x".to_owned(), list(&items)), ("verified".to_owned(), day)];
            assert_eq!(found, wanted, "{open} {written}");
        }
    }
    let yaml = of("---", "x: [don't, it # y]\n  b]\n");
    assert_eq!(yaml, [("x".to_owned(), list(&["don't", "it b"]))]);
    let toml = of("+++", "x = [\"a\",# \"z\", ]\n  'b #', # ]\n]\ny = 1\n");
    assert_eq!(toml[0], ("x".to_owned(), list(&["a", "b #"])));
    assert_eq!(toml[1], ("y".to_owned(), Value::Text("1".into())));
}

#[test]
fn a_comment_of_toml_needs_no_space() {
    assert_eq!(of("+++", "x = 1# y\n"), [("x".to_owned(), Value::Text("1".into()))]);
    assert_eq!(of("---", "x: a# y\n"), [("x".to_owned(), Value::Text("a# y".into()))]);
}

#[test]
fn a_list_between_brackets_may_begin_below_its_key() {
    for lines in ["x:\n  [b, 'c']\n", "x: # why\n\n  # what\n  [\"b\", # [\n   c ]\n"] {
        let found = of("---", &format!("{lines}y: 1\n"));
        let wanted =
            [("x".to_owned(), list(&["b", "c"])), ("y".to_owned(), Value::Text("1".into()))];
        assert_eq!(found, wanted, "{lines}");
    }
}

#[test]
fn a_list_that_cannot_be_read_is_told() {
    let faults = |lines: &str| {
        let front = read(&format!("---\n{lines}---\n")).unwrap().unwrap();
        fields(&front).faults
    };
    for field in ["keywords", "cite", "supersedes", "related"] {
        let told = faults(&format!("id: a\n{field}:\n  a: b\n"));
        assert_eq!(told, [(3, format!("`{field}` is not a list of values"))]);
        assert_eq!(faults(&format!("{field}: [a, b]\n")), []);
    }
}

#[test]
fn a_text_between_two_rules_is_no_front_matter() {
    for text in ["---\n\nAn introduction.\n\n---\n\nMore.\n", "---\n- a\n---\n"] {
        assert_eq!(read(text), Ok(None), "{text}");
    }
    for text in ["---\n---\n", "---\n# nothing yet\n\n---\n", "+++\n[params]\n+++\n"] {
        assert!(read(text).unwrap().is_some(), "{text}");
    }
}

#[test]
fn a_comment_behind_a_key_hides_no_list_below_it() {
    for lines in ["x: # why\n- b\n- 'c'\n", "x: # why\n  - b\n  - 'c'\n", "x:\n- b # why\n- 'c'\n"]
    {
        let found = of("---", &format!("{lines}y: 1\n"));
        let wanted =
            [("x".to_owned(), list(&["b", "c"])), ("y".to_owned(), Value::Text("1".into()))];
        assert_eq!(found, wanted, "{lines}");
    }
}

/// Generates text from letters and characters with a special meaning in TOML.
const ANY: &str = "[ab ,#=\\[\\]{}'\"\\\\é.-]{0,8}";

/// Generates a TOML value on one line.
fn value() -> impl Strategy<Value = String> {
    let basic = ANY.prop_map(|text| format!("{:?}", text));
    let literal = ANY.prop_map(|text| format!("'{}'", text.replace('\'', "")));
    let text = prop_oneof![basic, literal];
    let space = prop_oneof![Just(""), Just(" "), Just("\t")];
    let list = prop::collection::vec((text.clone(), space.clone()), 0..4).prop_map(|items| {
        let items: Vec<String> =
            items.into_iter().map(|(text, space)| format!("{space}{text}{space}")).collect();
        format!("[{}]", items.join(","))
    });
    prop_oneof![text, list, "[1-9][0-9]{0,2}", Just("true".into()), Just("2026-01-01".into())]
}

/// Generates a list on several lines, with comments.
fn long() -> impl Strategy<Value = String> {
    let item = (ANY, prop_oneof![Just(""), Just(" # ]"), Just("# 'x")]);
    prop::collection::vec(item, 1..4).prop_map(|items| {
        let lines: String =
            items.into_iter().map(|(text, why)| format!("  {text:?},{why}\n")).collect();
        format!("[\n{lines}]")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn front_matter_in_toml_says_what_a_parser_of_toml_says(
        values in prop::collection::vec((prop_oneof![3 => value().boxed(), 1 => long().boxed()],
            prop_oneof![Just(""), Just(" # why"), Just("# ]"), Just("\t#\"")]), 1..5),
    ) {
        let lines: String = values
            .iter()
            .enumerate()
            .map(|(at, (value, why))| format!("k{at} = {value}{why}\n"))
            .collect();
        let wanted: toml::Table = lines.parse().unwrap();
        let found = of("+++", &lines);
        prop_assert_eq!(found.len(), wanted.len(), "{}", lines);
        for (key, value) in found {
            match (&wanted[&key], value) {
                (toml::Value::Array(items), Value::List(found)) => {
                    // Empty items are omitted.
                    let items: Vec<&str> =
                        items.iter().filter_map(|item| item.as_str()).filter(|item| !item.is_empty()).collect();
                    prop_assert_eq!(items, found, "{}", lines);
                }
                (toml::Value::String(text), Value::Text(found)) => prop_assert_eq!(text, &found),
                (other, Value::Text(found)) => prop_assert_eq!(other.to_string(), found),
                (other, found) => prop_assert!(false, "{other:?} {found:?} in {lines}"),
            }
        }
    }
}

#[test]
fn a_long_list_that_goes_on_for_many_lines_is_looked_at_once() {
    for (open, sign, line) in [("---", ":", "]\n"), ("+++", " =", "1,\n")] {
        let lines = format!("id{sign} [{}\n{}", "[\"a\",".repeat(5_000), line.repeat(10_000));
        LOOKED_AT.set(0);
        assert_eq!(of(open, &lines).len(), 1);
        assert!(LOOKED_AT.get() < 4 * lines.len(), "{}", LOOKED_AT.get());
    }
}
