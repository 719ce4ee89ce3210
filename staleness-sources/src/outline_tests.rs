//! Compares outlines with the parsed whole text.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::json::parse;

/// Keys that readers use and keys that they ignore, one of them empty.
const KEYS: &str = "mcpServers mcpServers servers projects /PROJECT /elsewhere plugins kit@market \
                    commands skills agents mcp allowed excluded disabledMcpServers \
                    disabledMcpjsonServers enabledPlugins disabled enabled description scope \
                    installPath projectPath cwd command args type http $schema a b \\u0061 nul\\u0000 ";

fn keys() -> Vec<&'static str> {
    KEYS.split(' ').collect()
}

fn gap() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", " ", "\n", "\r\n", "// } \" \n", "/* [\n\" */", "\u{a0}"])
}

fn key() -> impl Strategy<Value = String> {
    (gap(), select(keys())).prop_map(|(gap, key)| format!("{gap}\"{key}\""))
}

/// Joins members or elements, with or without a trailing comma.
fn row(items: Vec<String>, more: bool) -> String {
    items.join(",") + if more && !items.is_empty() { "," } else { "" }
}

/// Generates values, including ones that no client writes.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(keys()).prop_map(|key| format!("\"{key}\"")),
        select(vec![
            "null",
            "true",
            "false",
            "1",
            "-2.5e7",
            "\"two\nlines\"",
            "\"a \\\"b\\\"\\n\""
        ])
        .prop_map(str::to_owned),
        Just("{\"disabled\": true, \"description\": \"What it does\"}".to_owned()),
    ];
    let leaf =
        (gap(), leaf, gap()).prop_map(|(before, leaf, after)| [before, &leaf, after].concat());
    leaf.prop_recursive(5, 60, 6, |inner| {
        let member = (key(), gap(), inner.clone())
            .prop_map(|(key, gap, value)| format!("{key}{gap}:{value}"));
        let members = (prop::collection::vec(member, 0..6), any::<bool>(), gap());
        let elements = (prop::collection::vec(inner, 0..4), any::<bool>(), gap());
        prop_oneof![
            3 => members.prop_map(|(all, more, gap)| format!("{{{}{gap}}}", row(all, more))),
            1 => elements.prop_map(|(all, more, gap)| format!("[{}{gap}]", row(all, more))),
        ]
    })
}

/// Generates the text of a file: complete, truncated, or with an error.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let member = (select(keys()[..17].to_vec()), gap(), value())
        .prop_map(|(key, gap, value)| format!("{gap}\"{key}\":{value}"));
    let object = (prop::collection::vec(member, 0..8), any::<bool>())
        .prop_map(|(members, more)| format!("{{{}}}\n", row(members, more)));
    let whole = prop_oneof![8 => object, 1 => value()];
    let pieces =
        vec!["", "}", "]", "{", "[", ",", ":", "\"", "x", "/*", "//", "'", "1", "\\", "\n"];
    let broken = (whole.clone(), any::<prop::sample::Index>(), 0..3_usize, select(pieces))
        .prop_map(|(mut text, at, removed, piece)| {
            let floor =
                |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let from = floor(at.index(text.len() + 1));
            let to = floor((from + removed).min(text.len())).max(from);
            text.replace_range(from..to, piece);
            text
        });
    let cut = (whole.clone(), any::<prop::sample::Index>()).prop_map(|(text, at)| {
        String::from_utf8_lossy(&text.as_bytes()[..at.index(text.len() + 1)]).into_owned()
    });
    prop_oneof![6 => whole, 2 => broken, 1 => cut]
}

static EVERYTHING: Shape =
    Shape { text: true, others: Some(&EVERYTHING), elements: Some(&EVERYTHING), ..Shape::PLAIN };

/// Returns the non-empty lines with their numbers, without whitespace and commas.
fn lines(text: &str) -> Vec<(usize, String)> {
    let bare = |line: &str| line.replace([' ', ',', '\r'], "");
    let lines = text.split('\n').enumerate().map(|(number, line)| (number, bare(line)));
    lines.filter(|(_, line)| !line.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_text_has_an_outline_where_the_parser_reads_it_and_the_same_fault_elsewhere(text in text()) {
        for shape in [&EVERYTHING, &Shape::PLAIN] {
            prop_assert_eq!(outline(&text, shape, false).map(drop), parse(&text).map(drop));
        }
    }

    #[test]
    fn an_outline_of_an_outline_is_the_same(text in text()) {
        if let Ok(once) = outline(&text, &EVERYTHING, false) {
            let twice = outline(&once.0, &EVERYTHING, false).unwrap();
            prop_assert_eq!(once.0, twice.0);
        }
    }
}

#[test]
fn what_is_kept_stands_in_its_line() {
    static DESCRIPTION: Shape = Shape { text: true, ..Shape::PLAIN };
    static ROOT: Shape = Shape { members: &[("b", &DESCRIPTION)], ..Shape::PLAIN };
    let text = "// 1\n{\"a\": [1,\n2], /*\n*/ \"b\":\n\"x\ny\", \"c\": 1,\n\"b\": [\"z\"]\n}";
    let (outlined, liberties) = outline(text, &ROOT, false).unwrap();
    // Strict JSON does not allow strings that span lines.
    let taken = (liberties.comment, liberties.comma, liberties.character);
    assert_eq!(taken, (Some(1), None, Some(5)));
    assert_eq!(
        lines(&outlined),
        [(1, "{"), (3, "\"b\":"), (4, "\"x"), (5, "y\""), (6, "\"b\":[]}")]
            .map(|(number, line)| (number, line.to_owned()))
    );
}

#[test]
fn depth_is_bounded_as_the_parser_bounds_it() {
    for depth in [250, 255, 256, 257, 258, 300, 510, 511, 512, 513, 514, 600, 200_000] {
        let lists = "[\n".repeat(depth) + &"]".repeat(depth);
        let objects = "{\n\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        for text in [lists, objects] {
            let parsed = parse(&text).map(drop);
            assert_eq!(outline(&text, &EVERYTHING, false).map(drop), parsed, "{depth}");
            assert_eq!(outline(&text, &Shape::PLAIN, false).map(drop), parsed, "{depth}");
        }
    }
}

#[test]
fn more_values_than_are_read_are_a_fault_before_they_take_memory() {
    let servers: String = (0..MAX_VALUES).map(|at| format!("\"s{at}\":\n1,")).collect();
    let text = format!("{{{servers}}}");
    let fault = outline(&text, &EVERYTHING, false).unwrap_err();
    assert_eq!(fault, (MAX_VALUES + 1, "more than 50000 values"));
    // Values that are not needed are ignored.
    assert_eq!(outline(&text, &Shape::PLAIN, false).unwrap().0, "{}");
}

#[test]
fn more_text_and_lines_than_are_read_are_a_fault() {
    let (long, lines) = ("x".repeat(MAX_BYTES), "\n".repeat(MAX_BYTES));
    for text in [
        format!("{{\"a\": \"{long}\"}}"),
        format!("{{\"{long}\": 1}}"),
        format!("{{{lines}\"a\": 1}}"),
    ] {
        let (line, what) = outline(&text, &EVERYTHING, false).unwrap_err();
        assert_eq!(line, text.lines().count());
        assert_eq!(what, "more than 2 MiB of text and lines");
    }
    // Values that are not needed are ignored.
    assert_eq!(
        outline(&format!("{{\"a\": \"{long}\"{lines}}}{lines}"), &Shape::PLAIN, false).unwrap().0,
        "{}"
    );
}
