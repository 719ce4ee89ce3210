//! Finds the lines of a symbol's item.
//!
//! This is a cautious heuristic: an item must have exactly one defining line. It ends with its closing brace, or before
//! the first line that is not indented more deeply.

use std::collections::BTreeMap;
use std::ops::Range;

use super::spot::depth;

/// Keywords that precede the name in a definition.
#[rustfmt::skip]
const DEFINING: [&str; 24] = [
    "fn", "struct", "enum", "trait", "union", "type", "mod", "const", "static", "macro_rules!",
    "def", "class", "function", "interface", "namespace", "func", "var", "let", "module", "fun",
    "object", "val", "protocol", "record",
];
/// The longest item, in lines.
const MAX_LINES: usize = 5_000;
/// The longest name, in bytes.
const MAX_NAME: usize = 256;

/// Returns true if a text contains the symbol as a whole word. All parts of a symbol such as `Router::route` or
/// `Router.route` must be present.
pub(crate) fn holds(text: &[u8], symbol: &str) -> bool {
    let mut parts = parts(symbol).peekable();
    parts.peek().is_some() && parts.all(|part| has_word(text, part.as_bytes()))
}

/// Returns the lines of the symbol's item, counted from 0.
pub(crate) fn extent(text: &[u8], symbol: &str) -> Option<Range<usize>> {
    let (lines, name): (Vec<&[u8]>, _) = (split(text).collect(), last_part(symbol)?);
    let first = (*definitions(&lines, |found| (found == name).then_some(name)).get(name)?)?;
    Some(first..end(&lines, first, &mut { usize::MAX })?)
}

/// Returns the lines of a text without their line endings. A final line feed does not begin another line.
pub(crate) fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let none = bytes.is_empty();
    bytes.split(|byte| *byte == b'\n').filter(move |_| !none)
}

fn end(lines: &[&[u8]], first: usize, room: &mut usize) -> Option<usize> {
    braces(lines, first, room).or_else(|| indented(lines, first, room))
}

/// Returns the item that begins on a line, or only this line if the end of the item is unknown. `room` is the number of
/// bytes that may still be read. `None` once `room` is 0.
pub(super) fn item<'t>(
    lines: &[&'t [u8]],
    first: usize,
    room: &mut usize,
) -> Option<Vec<&'t [u8]>> {
    let end = end(lines, first, room).unwrap_or(first + 1);
    (*room > 0).then(|| lines[first..end].iter().map(|line| line.trim_ascii_end()).collect())
}

/// Subtracts a line from the bytes that may still be read. Returns `None` if none are left.
fn spend(room: &mut usize, line: &[u8]) -> Option<()> {
    *room = room.saturating_sub(line.len() + 1);
    (*room > 0).then_some(())
}

/// Returns the lines that define these names with a keyword directly before the name. `None` if several lines define
/// the name.
pub(super) fn definitions<'n>(
    lines: &[&[u8]],
    wanted: impl Fn(&str) -> Option<&'n str>,
) -> BTreeMap<&'n str, Option<usize>> {
    let mut found = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            let word = &rest[start..];
            let (word, behind) =
                word.split_at(word.find(char::is_whitespace).unwrap_or(word.len()));
            rest = behind;
            if !DEFINING.contains(&word) {
                continue;
            }
            let name = behind.trim_start();
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
            let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
            let ends = name.match_indices(['$', '-']).map(|(end, _)| end).chain([name.len()]);
            let ends = ends.take_while(|end| *end <= MAX_NAME);
            for name in ends.filter_map(|end| wanted(&name[..end])) {
                let place = found.entry(name).or_insert(Some(at));
                *place = place.filter(|known| *known == at);
            }
        }
    }
    found
}

pub(super) fn last_part(symbol: &str) -> Option<&str> {
    parts(symbol).last()
}

fn parts(symbol: &str) -> impl Iterator<Item = &str> {
    let symbol = symbol.strip_suffix("()").or_else(|| symbol.strip_suffix('!')).unwrap_or(symbol);
    symbol
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '-'))
        .filter(|part| !part.is_empty())
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn has_word(text: &[u8], word: &[u8]) -> bool {
    let mut from = 0;
    // Each search starts after the last match of the first byte, so short words take linear time.
    while let Some(found) = text[from..].windows(word.len()).position(|window| window == word) {
        let (start, end) = (from + found, from + found + word.len());
        let before = start == 0 || !is_word(text[start - 1]);
        let after = end == text.len() || !is_word(text[end]);
        if before && after {
            return true;
        }
        from = start + 1;
    }
    false
}

/// Returns the end of an item in braces, if a brace opens on its first lines.
fn braces(lines: &[&[u8]], first: usize, room: &mut usize) -> Option<usize> {
    let mut depth = 0_i64;
    let mut opened = false;
    for (at, line) in lines.iter().enumerate().skip(first).take(MAX_LINES) {
        spend(room, line)?;
        for byte in code(line) {
            match byte {
                b'{' => {
                    depth += 1;
                    opened = true;
                }
                b'}' => depth -= 1,
                // A declaration without a body ends before any brace.
                b';' if !opened && depth == 0 => return Some(at + 1),
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        if opened && depth == 0 {
            return Some(at + 1);
        }
        if !opened && at >= first + 20 {
            return None;
        }
    }
    None
}

/// Returns the bytes of a line outside strings and comments, approximately.
fn code(line: &[u8]) -> impl Iterator<Item = u8> {
    let end = line.windows(2).position(|pair| pair == b"//").unwrap_or(line.len());
    let mut quoted = false;
    let mut last = 0;
    line[..end].iter().copied().filter(move |byte| {
        if *byte == b'"' && last != b'\\' {
            quoted = !quoted;
        }
        last = *byte;
        !quoted
    })
}

/// Returns the end of an item with an indented body, as in Python: its first line, or the line on which its parameters
/// end, ends with a colon.
fn indented(lines: &[&[u8]], first: usize, room: &mut usize) -> Option<usize> {
    let mut open = 0_i64;
    let head = lines[first..].iter().take(20).position(|line| {
        open += code(line).filter(|byte| *byte == b'(').count() as i64;
        open -= code(line).filter(|byte| *byte == b')').count() as i64;
        open <= 0
    });
    let head = first + head?;
    if !lines[head].trim_ascii_end().ends_with(b":") {
        return None;
    }
    let own = depth(lines[first]);
    let mut end = head + 1;
    for (at, line) in lines.iter().enumerate().skip(head + 1).take(MAX_LINES) {
        spend(room, line)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if depth(line) <= own {
            break;
        }
        end = at + 1;
    }
    (end > head + 1).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_ends_with_its_braces_or_its_indentation() {
        let rust = b"use a;\n\npub fn run(a: u8) -> u8 {\n    if a { \"}\" }\n    a // }\n}\n\nfn other() {}\n";
        assert_eq!(extent(rust, "run"), Some(2..6));
        assert_eq!(extent(rust, "other()"), Some(7..8));
        assert_eq!(extent(rust, "absent"), None);
        let python = b"class A:\n    def run(self):\n        pass\n\n    def stop(self):\n        pass\nx = 1\n";
        assert_eq!(extent(python, "A.run"), Some(1..3));
        assert_eq!(extent(python, "A"), Some(0..6));
        let split = b"def run(a: int,\n        b: int) -> int:\n    return a\n\ndef stop(\n    a):\nx = 1\n";
        assert_eq!((extent(split, "run"), extent(split, "stop")), (Some(0..3), None));
        assert_eq!(extent(b"const MAX: u8 = 3;\nfn x() {}\n", "MAX"), Some(0..1));
    }

    #[test]
    fn an_item_that_cannot_be_told_from_another_has_no_end() {
        assert_eq!(extent(b"fn new() {}\nfn new() {}\n", "new"), None);
        assert_eq!(extent(b"fn open() {\n  {\n", "open"), None);
        assert_eq!(extent(b"call(open)\n", "open"), None);
        assert!(holds(b"call(open)\n", "open"));
        assert!(!holds(b"reopen opened", "open"));
        assert!(!holds(b"", "open") && !holds(b"x", ""));
    }
}
