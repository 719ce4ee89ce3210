//! Finding the lines of a symbol's item.
//!
//! A guess that would rather say nothing: an item has one line that defines it, and ends with the
//! brace that closes it or before the first line that is indented no deeper.

use std::ops::Range;

use super::spot::depth;
use crate::git::lines::split;

/// The words that stand before the name of an item where it is defined.
#[rustfmt::skip]
const DEFINING: [&str; 24] = [
    "fn", "struct", "enum", "trait", "union", "type", "mod", "const", "static", "macro_rules!",
    "def", "class", "function", "interface", "namespace", "func", "var", "let", "module", "fun",
    "object", "val", "protocol", "record",
];
/// The longest item, in lines.
const MAX_LINES: usize = 5_000;

/// Returns true if a text holds the symbol as a whole word. Of a symbol with parts, such as `Router::route`
/// or `Router.route`, each must be there.
pub(crate) fn holds(text: &[u8], symbol: &str) -> bool {
    let mut parts = parts(symbol).peekable();
    parts.peek().is_some() && parts.all(|part| has_word(text, part.as_bytes()))
}

/// The lines of the symbol's item, counted from 0.
pub(crate) fn extent(text: &[u8], symbol: &str) -> Option<Range<usize>> {
    let lines: Vec<&[u8]> = split(text).collect();
    let first = definition(&lines, symbol)??;
    let end = braces(&lines, first).or_else(|| indented(&lines, first))?;
    Some(first..end)
}

/// The text of the symbol's item, line by line: of one whose end is not known its first line, and nothing where
/// no line defines it. `None` where several do.
pub(crate) fn item<'t>(text: &'t [u8], symbol: &str) -> Option<Vec<&'t [u8]>> {
    let lines: Vec<&[u8]> = split(text).collect();
    let Some(first) = definition(&lines, symbol)? else { return Some(Vec::new()) };
    let end = braces(&lines, first).or_else(|| indented(&lines, first)).unwrap_or(first + 1);
    Some(lines[first..end].iter().map(|line| line.trim_ascii_end()).collect())
}

/// The line that defines the symbol, if there is one. `None` where several do: it is not known which is meant.
fn definition(lines: &[&[u8]], symbol: &str) -> Option<Option<usize>> {
    let name = parts(symbol).last()?;
    let mut defining = (0..lines.len()).filter(|at| defines(lines[*at], name));
    let first = defining.next();
    defining.next().is_none().then_some(first)
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
    // Every search begins behind the last place where the first byte stands: linear for short words.
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

/// Returns true if a line defines the name: a word that defines things comes right before it.
fn defines(line: &[u8], name: &str) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    line.match_indices(name).any(|(at, _)| {
        let after = line[at + name.len()..].chars().next();
        let before = line[..at].trim_end();
        before.len() < at
            && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && before
                .rsplit(|c: char| c.is_whitespace())
                .next()
                .is_some_and(|word| DEFINING.contains(&word))
    })
}

/// The end of an item in braces, if one opens on its first lines.
fn braces(lines: &[&[u8]], first: usize) -> Option<usize> {
    let mut depth = 0_i64;
    let mut opened = false;
    for (at, line) in lines.iter().enumerate().skip(first).take(MAX_LINES) {
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

/// The bytes of a line that are no string and no comment, roughly.
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

/// The end of an item whose body is indented, as in Python: its first line ends with a colon.
fn indented(lines: &[&[u8]], first: usize) -> Option<usize> {
    if !lines[first].trim_ascii_end().ends_with(b":") {
        return None;
    }
    let own = depth(lines[first]);
    let mut end = first + 1;
    for (at, line) in lines.iter().enumerate().skip(first + 1).take(MAX_LINES) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        if depth(line) <= own {
            break;
        }
        end = at + 1;
    }
    (end > first + 1).then_some(end)
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
