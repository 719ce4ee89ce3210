//! Front matter: the fields at the beginning of a file.
//!
//! This is a line reader, not a parser of YAML or TOML. People write things that strict parsers reject, and
//! without anchors, tags and nesting the input cannot expand. The reader sees only top-level fields, and
//! remembers their positions so that one can be changed in place.

mod field;
mod item;
mod quoted;
mod read;
#[cfg(test)]
mod read_tests;
mod write;

pub use field::Field;
pub(crate) use item::{Fields, fields};
pub use quoted::unquote;
pub(crate) use read::{Front, Value, in_braces, read};
pub use write::{Change, FieldValue, SetError, set_fields};

/// The value of a field of any program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontValue {
    /// A single value without its quotes.
    Text(String),
    /// A list of values.
    List(Vec<String>),
    /// The lines of nested fields, or of a text of several lines.
    Nested(String),
}

/// Returns the top-level fields of a text's front matter, and the text after it. If there is no front matter, or it
/// cannot be read, there are no fields and everything is the text.
#[must_use]
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

#[cfg(test)]
mod tests {
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
}
