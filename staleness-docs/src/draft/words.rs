//! Finds words of a text that name things of a project: flags, paths and identifiers. [`super::spans`]
//! handles code spans.
//!
//! Only shapes are checked here, which is fast. The slower check by [`is_telling`] is needed only for the few
//! names that the project lacks.

use staleness_core::knowledge::WordKind;

use super::{target, traps};

pub(crate) const MAX_WORD_BYTES: usize = 120;

/// A name in a text: its shape, and the slice of the text without punctuation.
pub(crate) type Named<'a> = (WordKind, &'a str);

/// Finds the names in prose. Only unmistakable shapes count. Returns true if any word contains `@`, which may begin an
/// import.
pub(crate) fn in_prose<'a>(prose: &'a str, found: &mut impl FnMut(Named<'a>)) -> bool {
    let mut at_sign = false;
    for word in prose.split([' ', '\t', '\n', '\r']) {
        if !may_be_name(word.as_bytes()) {
            continue;
        }
        if word.as_bytes().contains(&b'@') {
            at_sign = true;
        } else {
            prose_word(word, found);
        }
    }
    at_sign
}

/// Returns true if a word of prose may be a name: it contains `_`, `/`, `@`, an inner capital, `::`, `:42`,
/// `()` or `--`. Most words are rejected here.
fn may_be_name(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'_' | b'/' | b'@'))
        || word.windows(2).any(|pair| {
            matches!(pair, b"()" | b"--" | [b':', b'0'..=b':'] | [b'a'..=b'z' | b'0'..=b'9', b'A'..=b'Z'])
        })
}

fn prose_word<'a>(token: &'a str, found: &mut impl FnMut(Named<'a>)) {
    if token.len() > MAX_WORD_BYTES {
        return;
    }
    let head = token.trim_start_matches(['(', '[', '{', '"', '\'', '“', '‘', '«', '<']);
    let word = head.trim_end_matches([
        ']', '}', '"', '\'', '”', '’', '»', '>', '.', ',', ';', ':', '!', '?', '…',
    ]);
    let call = word.ends_with("()");
    let word = if call { word } else { word.trim_end_matches([')', '.', ',', '"', '\'']) };
    if word.is_empty() || word.starts_with(['$', '#', '%', '<']) {
        return;
    }
    if word.starts_with("--") {
        flag(word, found);
        return;
    }
    let slash = word.bytes().any(|byte| byte == b'/');
    // Other URLs are outside the project.
    if slash && word.contains("://") || word.starts_with("www.") {
        if target::of_address(word).is_some() {
            found((WordKind::Path, word));
        }
        return;
    }
    if slash || word.contains(':') {
        let is_file = |path: &str| target::has_extension(path.rsplit('/').next().unwrap_or(path));
        let is_path =
            |target: target::Target<'_>| slash && is_file(&target.path) || target.lines.is_some();
        if target::of_word(word).is_some_and(is_path) {
            found((WordKind::Path, word));
            return;
        }
        if slash {
            return;
        }
    }
    let bare = word.strip_suffix("()").unwrap_or(word);
    if is_unmistakable(bare) || call && is_identifier(bare) {
        push(WordKind::Identifier, bare, found);
    }
}

pub(crate) fn flag<'a>(word: &'a str, found: &mut impl FnMut(Named<'a>)) {
    let end = word[2..]
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
        .map_or(word.len(), |end| end + 2);
    let name = word[..end].trim_end_matches(['-', '_']);
    let rest = &word[end..];
    let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
    let fits = name.as_bytes().get(2).is_some_and(u8::is_ascii_lowercase) && letters > 1;
    // `--no-<thing>` and `--a/b` are not flags, but `--color=auto` and `--color[=WHEN]` begin with one.
    let goes_on = rest.starts_with(['<', '{', '*', '/', '.', '$']);
    if fits && !goes_on && (!rest.starts_with('[') || rest.starts_with("[=")) {
        push(WordKind::Flag, name, found);
    }
}

pub(crate) fn push<'a>(shape: WordKind, text: &'a str, found: &mut impl FnMut(Named<'a>)) {
    if text.len() > 2 && text.len() <= MAX_WORD_BYTES {
        found((shape, text));
    }
}

fn is_identifier(word: &str) -> bool {
    word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns true for identifiers joined by `::`, `.` or `->`.
pub(crate) fn is_dotted(word: &str) -> bool {
    let mut rest = word.as_bytes();
    while matches!(rest, [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) {
        let ends = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        rest = match &rest[end..] {
            [] => return true,
            [b'.', rest @ ..] | [b':', b':', rest @ ..] | [b'-', b'>', rest @ ..] => rest,
            _ => return false,
        };
    }
    false
}

/// Returns true if a word is code by its shape alone: `snake_case`, `CamelCase` with two humps,
/// `SCREAMING_CASE`, `a::b`.
pub(crate) fn is_unmistakable(word: &str) -> bool {
    if word.as_bytes().contains(&b':') {
        return word.contains("::") && word.split("::").all(is_identifier);
    }
    if !is_identifier(word) {
        return false;
    }
    let inner = word.trim_matches('_');
    if inner.contains('_') {
        return inner.len() > 4 && inner.bytes().any(|b| b.is_ascii_alphabetic());
    }
    humps(word) >= 2
}

/// Counts the capitals that precede a lower-case letter, if the first letter is a capital: `ReadMe` has two, `macOS`
/// and `APIs` have none.
fn humps(word: &str) -> usize {
    if !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return 0;
    }
    let pairs = word.as_bytes().windows(2);
    pairs.filter(|pair| pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()).count()
}

/// Returns true if the absence of this name from the project is meaningful.
pub(crate) fn is_telling(shape: WordKind, text: &str) -> bool {
    if traps::is_stand_in(text) {
        return false;
    }
    match shape {
        WordKind::Path | WordKind::Command => return true,
        // Libraries add the first two flags to every program. The others are placeholders.
        WordKind::Flag => {
            return !matches!(
                text,
                "--help" | "--version" | "--flag" | "--flags" | "--option" | "--options"
            );
        }
        WordKind::Identifier => {}
    }
    let mut parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    match (parts.next(), parts.next()) {
        (Some(word), None) => word.len() > 3 && !traps::is_common(word) && !traps::is_product(word),
        // These prefixes belong to standard libraries.
        (Some(first), _) => {
            !matches!(first, "std" | "core" | "alloc" | "process" | "window" | "console")
                && !traps::is_usual_file(text)
        }
        (None, _) => false,
    }
}

#[cfg(test)]
pub(crate) mod tests;
