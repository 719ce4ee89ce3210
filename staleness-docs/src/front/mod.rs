//! Front matter: the fields at the beginning of a file.
//!
//! This is a line reader, not a parser of YAML or TOML. People write fields that strict parsers reject. Without
//! anchors, tags and nesting the input cannot expand. The reader sees only top-level fields, and remembers their
//! positions so that a single field can be changed in place.

mod field;
mod item;
mod quoted;
mod read;
#[cfg(test)]
mod read_tests;
mod write;

pub use field::Field;
pub(crate) use item::{Fields, fields};
use quoted::unquote;
pub(crate) use read::{Front, Value, in_braces, read};
use read::{Style, strip_comment};
pub use write::{Change, FieldValue, SetError, set_fields};

/// The value of a field, which may belong to any program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontValue {
    /// A single value without its quotes.
    Text(String),
    /// A list of values.
    List(Vec<String>),
    /// The lines of nested fields, or of a multi-line text.
    Nested(String),
}

/// Returns the top-level fields of a text's front matter, and the text after it. If there is no front matter, or it
/// cannot be read, returns no fields and the whole input.
pub fn front_matter(text: &str) -> (Vec<(String, FrontValue)>, &str) {
    let Ok(Some(front)) = read(text) else { return (Vec::new(), text) };
    let value = |entry: &read::Entry| match &entry.value {
        Value::Text(text) => FrontValue::Text(text.clone()),
        Value::List(items) => FrontValue::List(items.clone()),
        Value::Other => {
            let lines = text[entry.place.start..entry.lines.end].trim();
            FrontValue::Nested(lines.trim_start_matches(['|', '>', '-', '+']).trim().to_owned())
        }
    };
    let fields = front.entries.iter().map(|entry| (entry.key.clone(), value(entry))).collect();
    (fields, &text[front.body..])
}

/// Returns the value of a field in YAML front matter on one line, without quotes and comments. `None` if the value is
/// missing or empty. The front matter may be cut off.
pub fn front_text(text: &str, key: &str) -> Option<String> {
    let text = format!("{text}\n---\n");
    let front = read(&text).ok()?.filter(|front| front.style == Style::Yaml)?;
    let entry = front.entries.iter().find(|entry| entry.key == key)?;
    let lines = &text[entry.place.start..entry.lines.end];
    let value = match (&entry.value, lines.chars().next()) {
        (Value::Text(value), _) => value.clone(),
        (_, Some(quote @ ('"' | '\''))) => {
            let open = &text[entry.place.start..front.end];
            // Without a closing quote, only the first line counts.
            let first = || open[1..].lines().next().map(str::to_owned);
            unquote(open, quote).map(|(text, _)| text).or_else(first)?
        }
        (_, Some('|' | '>')) => lines.split_once('\n')?.1.to_owned(),
        (Value::List(_), Some('-')) => return None,
        _ => {
            let lines = lines.lines().map(|line| strip_comment(line.trim(), Style::Yaml));
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    let words: Vec<&str> = value.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_of_other_programs_are_read() {
        let text = "---\nname: a\ntags: [x, y]\nmetadata:\n  type: user\nsaid: >\n  one\n  two\n---\nbody\n";
        let (fields, body) = front_matter(text);
        let named = |name: &str, value| (name.to_owned(), value);
        let expected = [
            named("name", FrontValue::Text("a".into())),
            named("tags", FrontValue::List(vec!["x".into(), "y".into()])),
            named("metadata", FrontValue::Nested("type: user".into())),
            named("said", FrontValue::Nested("one\n  two".into())),
        ];
        assert_eq!((fields.as_slice(), body), (&expected[..], "body\n"));
        assert_eq!(front_matter("no fields\n"), (Vec::new(), "no fields\n"));
    }

    fn front_description(text: &str) -> Option<String> {
        front_text(text, "description")
    }

    fn of(yaml: &str) -> Option<String> {
        front_description(&format!("---\nname: x\n{yaml}\nmodel: y\n---\nbody\n"))
    }

    #[test]
    fn every_style_of_scalar_is_read() {
        for (yaml, text) in [
            ("description: Reviews code", "Reviews code"),
            ("description:   Reviews code   # why", "Reviews code"),
            ("description: Use this when: x", "Use this when: x"),
            ("description: \"Say \\\"hi\\\" \\u00e9\"", "Say \"hi\" é"),
            ("description: 'It''s here' # c", "It's here"),
            ("description: \"two\n  lines\"", "two lines"),
            ("description: >\n  folded\n  text\n\n  more", "folded text more"),
            ("description: |-\n  literal\n   text", "literal text"),
            ("description:\n  on the\n  next line", "on the next line"),
            ("description: first\n  second", "first second"),
            ("\"description\" : x", "x"),
            ("description: \"open end", "open end"),
            ("description: a#b", "a#b"),
            ("description: *alias", "*alias"),
            ("description: [x, y] # z", "[x, y]"),
            ("description: \"two\nlines\"", "two lines"),
            ("description: one # why\n  # what\n  two", "one two"),
        ] {
            assert_eq!(of(yaml).as_deref(), Some(text), "{yaml}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        for yaml in ["", "descriptions: x", "  description: x", "description:", "description: ~"] {
            assert_eq!(of(yaml), None, "{yaml}");
        }
        assert_eq!(front_description("description: x"), None);
        assert_eq!(front_description(""), None);
        assert_eq!(front_description("---\n---\ndescription: x"), None);
    }

    #[test]
    fn line_ends_may_be_crlf() {
        assert_eq!(front_description("---\r\ndescription: x\r\n---\r\n").as_deref(), Some("x"));
    }

    proptest! {
        #[test]
        fn no_description_makes_it_panic(text in ".*", tail in "(?s).{0,200}") {
            let _ = front_description(&text);
            let _ = front_description(&format!("---\ndescription: {tail}"));
            let _ = front_description(&format!("---\ndescription: \"{tail}"));
            let _ = front_description(&format!("---\ndescription: '{tail}"));
        }
    }
}
