//! Finds file names in string literals. A program reads or writes such files, even if the project does not contain
//! them.

use std::ops::Range;

use super::naming::is_data;
use super::spot::holds;

/// The longest path to read around a name, in bytes.
const MAX_PATH: usize = 256;

/// Maximum distance from the start of a name to its first word, in bytes.
const MAX_SIGNS: usize = 32;

/// Returns the first run of letters, digits, `_` and `-` in a file name.
pub(super) fn run_of(name: &[u8]) -> &[u8] {
    let is_in = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let start = name.iter().position(is_in).unwrap_or(name.len());
    let end = name[start..].iter().position(|byte| !is_in(byte));
    &name[start..end.map_or(name.len(), |end| start + end)]
}

/// Returns the file name or path around this run, if it is a whole string literal or the end of a path in such a
/// literal.
pub(super) fn name_at<'a>(text: &'a [u8], run: &Range<usize>) -> Option<&'a [u8]> {
    let signs = &text[run.start.saturating_sub(MAX_SIGNS)..run.start];
    let is_before = |byte: &u8| b"\"'/\\".contains(byte) || byte.is_ascii_whitespace();
    let start = run.start + signs.iter().rposition(is_before)? + 1 - signs.len();
    let rest = &text[run.end..text.len().min(run.end + MAX_PATH)];
    let end = run.end + rest.iter().position(|byte| b"\"'\n".contains(byte))?;
    let (name, quote) = (&text[start..end], text[end]);
    let before = &text[start.saturating_sub(MAX_PATH)..start];
    let before = before.strip_suffix(b"./").unwrap_or(before);
    let is_there = match before {
        [.., last] if *last == quote => true,
        // The path of a source file means only that file. `"src/a.rs"` in a test says nothing about another `a.rs`.
        [.., b'/' | b'\\'] if is_data(name) => {
            let sign = |byte: &u8| b"\"'`\n".contains(byte);
            let open = before.iter().rposition(sign);
            open.is_some_and(|open| before[open] == quote && is_path(&before[open + 1..]))
        }
        _ => false,
    };
    is_there.then_some(name)
}

/// Returns true if the text has no white space and is not a URL.
fn is_path(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_whitespace) && !holds(text, b"://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_found_between_quotation_marks_and_at_the_end_of_a_path() {
        assert_eq!(run_of(b"site-map.old.yml"), b"site-map");
        let is = |text: &str| {
            let at = text.find("site-map").unwrap();
            let name = name_at(text.as_bytes(), &(at..at + "site-map".len()));
            name == Some(b"site-map.old.yml")
        };
        for text in [
            "open(\"site-map.old.yml\")",
            "folder / 'site-map.old.yml'",
            "'conf/site-map.old.yml'",
            "f\"{folder}/site-map.old.yml\"",
            "\"..\\\\site-map.old.yml\"",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "open(site-map.old.yml)",
            "`site-map.old.yml`",
            "\"see site-map.old.yml\"",
            "\"see conf/site-map.old.yml\"",
            "\"https://x.org/site-map.old.yml\"",
            "\"site-map.yml\"",
            "\"site-map.old.yml.bak\"",
            "\"site-map.old.yml'",
            "\"site-map.old.yml",
            "\"site-map",
        ] {
            assert!(!is(text), "{text}");
        }
        let page = Some(&b"[id].tsx"[..]);
        assert_eq!((name_at(b"'[id].tsx'", &(2..4)), run_of(b"[id].tsx")), (page, &b"id"[..]));
        assert_eq!((name_at(b"id", &(0..2)), name_at(b"'id", &(1..3))), (None, None));
        assert_eq!(name_at(b"'app/[id].tsx'", &(6..8)), None, "a source");
        assert_eq!(run_of("é".as_bytes()), b"");
    }
}
