//! Reads the description from the front matter of a Markdown file.
//!
//! This is not a YAML parser. People write `description: Use this when: x`, which is invalid YAML, and
//! without aliases there is no expansion attack.

use staleness_docs::unquote;

/// Returns the value of `description:` as one line, or `None` if it is missing or empty.
pub(crate) fn description(text: &str) -> Option<String> {
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let block: Vec<&str> =
        lines.by_ref().take_while(|line| !matches!(line.trim_end(), "---" | "...")).collect();
    let (at, value) =
        block.iter().enumerate().find_map(|(at, line)| Some((at, after_key(line)?)))?;
    let value = value.trim();
    let rest = &block[at + 1..];
    let text = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted(value, rest, quote),
        Some('|' | '>') => indented(rest).collect::<Vec<_>>().join("\n"),
        _ => plain(value, rest),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_null = value == text && matches!(value, "~" | "null");
    (!text.is_empty() && !is_null).then_some(text)
}

/// Returns the rest of a line that begins with `description:`.
fn after_key(line: &str) -> Option<&str> {
    ["description", "\"description\"", "'description'"]
        .iter()
        .find_map(|key| line.strip_prefix(key))
        .and_then(|rest| rest.trim_start_matches([' ', '\t']).strip_prefix(':'))
        .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Returns the indented lines that continue the value above them.
fn indented<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    lines.iter().copied().take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']))
}

fn plain(value: &str, rest: &[&str]) -> String {
    let mut text = without_comment(value).to_owned();
    for line in indented(rest) {
        text.push('\n');
        text.push_str(without_comment(line.trim()));
    }
    text
}

fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    text.find(" #").map_or(text, |at| &text[..at])
}

/// Returns the text between quotes, which may span lines. Without a closing quote, only the first line
/// counts.
fn quoted(value: &str, rest: &[&str], quote: char) -> String {
    let mut whole = value[1..].to_owned();
    for line in rest {
        whole.push('\n');
        whole.push_str(line);
    }
    unquote(&whole, quote).unwrap_or_else(|| value[1..].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(yaml: &str) -> Option<String> {
        description(&format!("---\nname: x\n{yaml}\nmodel: y\n---\nbody\n"))
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
        ] {
            assert_eq!(of(yaml).as_deref(), Some(text), "{yaml}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        for yaml in ["", "descriptions: x", "  description: x", "description:", "description: ~"] {
            assert_eq!(of(yaml), None, "{yaml}");
        }
        assert_eq!(description("description: x"), None);
        assert_eq!(description(""), None);
        assert_eq!(description("---\n---\ndescription: x"), None);
    }

    #[test]
    fn line_ends_may_be_crlf() {
        assert_eq!(description("---\r\ndescription: x\r\n---\r\n").as_deref(), Some("x"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", tail in "(?s).{0,200}") {
            let _ = description(&text);
            let _ = description(&format!("---\ndescription: {tail}"));
            let _ = description(&format!("---\ndescription: \"{tail}"));
            let _ = description(&format!("---\ndescription: '{tail}"));
        }
    }
}
