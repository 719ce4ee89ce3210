use proptest::prelude::*;

use super::*;

pub(crate) fn shown((shape, text): Named<'_>) -> String {
    let shape = match shape {
        WordKind::Path => "path",
        WordKind::Flag => "flag",
        WordKind::Identifier => "name",
        WordKind::Command => "command",
    };
    format!("{shape} {text}")
}

fn prose(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    in_prose(text, &mut |name| all.push(shown(name)));
    all
}

#[test]
fn in_prose_only_unmistakable_shapes_count() {
    assert_eq!(
        prose("Call run_all(), then ToolKey (see src/a.rs:42, docs/b.md) with --dry-run."),
        ["name run_all", "name ToolKey", "path src/a.rs:42", "path docs/b.md", "flag --dry-run"]
    );
    let names = prose("use a::b::Cee and MAX_BYTES; load().");
    assert_eq!(names, ["name a::b::Cee", "name MAX_BYTES", "name load"]);
    for text in [
        "Read/write and/or 1/2 at 10:30, APIs on macOS: well-known -- or not?",
        "https://a/b_c/d.rs a@b_c.de @scope/a_b.js $HOME/x_y.rs www.a_b.c",
        "Plain words. Another Sentence (in brackets).",
    ] {
        assert!(prose(text).is_empty(), "{text}");
    }
}

#[test]
fn what_languages_and_products_are_called_tells_nothing() {
    for text in ["HashMap", "JavaScript", "std::fs", "my_thing", "foo_bar", "data", "PyTorch"] {
        assert!(!is_telling(WordKind::Identifier, text), "{text}");
    }
    for text in ["ToolKey", "run_all", "router", "a.b"] {
        assert!(is_telling(WordKind::Identifier, text), "{text}");
    }
    assert!(!is_telling(WordKind::Flag, "--help") && !is_telling(WordKind::Flag, "--version"));
    assert!(is_telling(WordKind::Flag, "--help-all"));
}

proptest! {
    #[test]
    fn no_name_is_overlooked(text in "([a-cX_:/().-]|[a-z]{2}[A-Z][a-z]|:[0-9]|\\.rs|--[a-z]{3}|[ \n]|é){0,40}") {
        let mut all = Vec::new();
        for word in text.split([' ', '\n']) {
            prose_word(word, &mut |name| all.push(shown(name)));
        }
        prop_assert_eq!(prose(&text), all);
    }

    #[test]
    fn no_text_makes_it_panic(
        text in "(?s).{0,100}",
        code in "[a-zA-Z_:./()<>é\\- =\"#L0-9$]{0,60}",
    ) {
        for text in [&text, &code] {
            in_prose(text, &mut |(_, name)| assert!(text.contains(name)));
        }
    }
}
