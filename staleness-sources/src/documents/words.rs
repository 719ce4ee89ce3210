//! Words of a text that name things of a project: flags, paths and code identifiers.
//!
//! This looks at shapes only, so that it is quick. Names that are missing from the project are
//! few; whether they are worth a word is asked of them alone, by [`is_telling`].

use staleness_core::knowledge::WordKind;

use super::target::{self, Target};
use super::traps;

/// How long a word may be, in bytes.
const MAX_WORD_BYTES: usize = 120;

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Word {
    pub(super) sort: WordKind,
    /// As it is written, without what stands around it.
    pub(super) text: String,
}

/// Something in a text that can be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A place in the project.
    Path(Target),
    /// A flag or an identifier.
    Word(Word),
}

const SPACE: u8 = 1;
/// In a word with one of these a name may hide.
const MARK: u8 = 2;
const UPPER: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        classes[at] = match at as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            b'_' | b':' | b'/' | b'(' => MARK,
            b'A'..=b'Z' => UPPER,
            _ => 0,
        };
        at += 1;
    }
    classes
};

/// Finds the names in ordinary text, where only an unmistakable shape counts. The offsets are
/// those of the names in `text`.
pub(super) fn in_prose(text: &str, found: &mut impl FnMut(usize, Name)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let class = CLASSES[usize::from(bytes[at])];
        if class & SPACE != 0 {
            at += 1;
            continue;
        }
        let start = at;
        // The first letter of a sentence tells nothing.
        let mut seen = class & MARK;
        at += 1;
        while at < bytes.len() {
            let class = CLASSES[usize::from(bytes[at])];
            if class & SPACE != 0 {
                break;
            }
            seen |= class;
            at += 1;
        }
        let dashes = bytes[start] == b'-' || bytes.get(start + 1) == Some(&b'-');
        if seen != 0 || dashes {
            prose_word(&text[start..at], start, found);
        }
    }
}

fn prose_word(token: &str, at: usize, found: &mut impl FnMut(usize, Name)) {
    if token.len() > MAX_WORD_BYTES || token.contains("://") || token.starts_with("www.") {
        return;
    }
    let head = token.trim_start_matches(['(', '[', '{', '"', '\'', '“', '‘', '«', '<']);
    let at = at + token.len() - head.len();
    let word = head.trim_end_matches([
        ']', '}', '"', '\'', '”', '’', '»', '>', '.', ',', ';', ':', '!', '?', '…',
    ]);
    let call = word.ends_with("()");
    let word = if call { word } else { word.trim_end_matches([')', '.', ',', '"', '\'']) };
    if word.is_empty() || word.starts_with(['@', '$', '#', '%', '<']) || word.contains('@') {
        return;
    }
    if word.starts_with("--") {
        flag(word, at, found);
        return;
    }
    if word.contains('/') {
        if let Some(target) = target::of_word(word) {
            let name = target.path.rsplit('/').next().unwrap_or_default();
            if target::has_extension(name) {
                found(at, Name::Path(target));
            }
        }
        return;
    }
    if let Some(target) = target::of_word(word).filter(|target| target.lines.is_some()) {
        found(at, Name::Path(target));
        return;
    }
    let bare = word.strip_suffix("()").unwrap_or(word);
    if is_unmistakable(bare) || call && is_identifier(bare) {
        push(WordKind::Identifier, bare, at, found);
    }
}

/// Finds the names in a code span.
pub(super) fn in_code(text: &str, found: &mut impl FnMut(usize, Name)) {
    let code = text.trim();
    let at = text.len() - text.trim_start().len();
    if code.is_empty() || code.len() > 2 * MAX_WORD_BYTES || code.contains('\n') {
        return;
    }
    if !code.contains(' ') {
        one(code, at, found);
        return;
    }
    let mut words = code.split(' ').filter(|word| !word.is_empty());
    let first = words.by_ref().find(|word| !matches!(*word, "$" | ">" | "#" | "%"));
    let Some(first) = first else {
        return;
    };
    // `sudo x` is a use of `x`, but of what `x` has on that machine.
    let foreign = traps::is_foreign_tool(first) || first.contains('=') && !first.starts_with('-');
    let alone = first.starts_with("--");
    for word in code.split(' ').filter(|word| !word.is_empty()) {
        let here = at + offset_in(code, word);
        let word = word.trim_matches(['"', '\'', ',', ';', '[', ']']);
        let here = here + code.get(here - at..).map_or(0, |rest| offset_of(rest, word));
        if word.starts_with("--") && (alone || !foreign) {
            flag(word, here, found);
        } else if word.contains('/') {
            if let Some(target) = target::of_word(word) {
                found(here, Name::Path(target));
            }
        } else if !foreign {
            for part in word.split(|c: char| !(c.is_ascii_alphanumeric() || "_:".contains(c))) {
                let part_at = here + offset_in(word, part);
                let part = part.trim_matches(':');
                if is_unmistakable(part) {
                    push(WordKind::Identifier, part, part_at, found);
                }
            }
        }
    }
}

/// Where `part`, which was cut out of `whole`, begins in it.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

fn offset_of(whole: &str, part: &str) -> usize {
    whole.find(part).unwrap_or(0)
}

/// A code span of one word.
fn one(code: &str, at: usize, found: &mut impl FnMut(usize, Name)) {
    if code.starts_with("--") {
        flag(code, at, found);
        return;
    }
    if code.starts_with(['-', '@', '$', '~', '%', '"', '\'', '<', '{', '=', '#', '/']) {
        return;
    }
    let path = !code.ends_with(')') || code.contains('/');
    if let Some(target) = path.then(|| target::of_word(code)).flatten() {
        found(at, Name::Path(target));
        return;
    }
    let head = code.trim_start_matches(['&', '*', '.', '!']);
    let at = at + code.len() - head.len();
    // What stands in brackets is an argument.
    let end = head.find(['(', '<', '[', '{', '=', '!', '?', '+']).unwrap_or(head.len());
    let name = head[..end].trim_end_matches(['.', ':', ',', ';']);
    if is_dotted(name) {
        push(WordKind::Identifier, name, at, found);
    }
}

fn flag(word: &str, at: usize, found: &mut impl FnMut(usize, Name)) {
    let end = word[2..]
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
        .map_or(word.len(), |end| end + 2);
    let name = word[..end].trim_end_matches(['-', '_']);
    let rest = &word[end..];
    let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
    let fits = name.as_bytes().get(2).is_some_and(u8::is_ascii_lowercase);
    // `--no-<thing>` and `--a/b` are no flags; `--color=auto` and `--[no-]color` begin like one.
    if fits && letters > 1 && !rest.starts_with(['<', '{', '*', '/', '.', '$', '[']) {
        push(WordKind::Flag, name, at, found);
    } else if fits && letters > 1 && rest.starts_with("[=") {
        push(WordKind::Flag, name, at, found);
    }
}

fn push(sort: WordKind, text: &str, at: usize, found: &mut impl FnMut(usize, Name)) {
    if text.len() > 2 && text.len() <= MAX_WORD_BYTES {
        found(at, Name::Word(Word { sort, text: text.to_owned() }));
    }
}

fn is_identifier(word: &str) -> bool {
    word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Identifiers with `::`, `.` or `->` between them.
fn is_dotted(word: &str) -> bool {
    !word.is_empty()
        && word
            .split("::")
            .flat_map(|part| part.split("->"))
            .flat_map(|part| part.split('.'))
            .all(is_identifier)
}

/// Whether a word is code by its shape alone: `snake_case`, `CamelCase` with two humps,
/// `SCREAMING_CASE`, `a::b`.
fn is_unmistakable(word: &str) -> bool {
    if word.contains("::") {
        return word.split("::").all(is_identifier);
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

/// How many capitals are followed by a small letter, if the first letter is a capital and two
/// small letters stand together: `ReadMe` has two, `macOS` and `APIs` have none.
fn humps(word: &str) -> usize {
    if !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return 0;
    }
    let pairs = word.as_bytes().windows(2);
    pairs.filter(|pair| pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()).count()
}

/// The parts of an identifier that can be looked up on their own.
pub(super) fn tokens(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|part| part.len() > 1 && !part.bytes().all(|b| b.is_ascii_digit() || b == b'_'))
}

/// Whether it would mean something that this word is nowhere in the project.
pub(super) fn is_telling(word: &Word) -> bool {
    if traps::is_stand_in(&word.text) {
        return false;
    }
    match word.sort {
        WordKind::Flag | WordKind::Path => true,
        WordKind::Identifier => {
            let mut parts = tokens(&word.text);
            let single = !word.text.contains("::") && !word.text.contains('.');
            if single {
                word.text.len() > 3
                    && !traps::is_common(&word.text)
                    && !traps::is_product(&word.text)
            } else {
                // `std::fs` and `serde_json::Value` are defined elsewhere.
                !matches!(
                    parts.next(),
                    Some("std" | "core" | "alloc" | "process" | "window" | "console")
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(name: Name) -> String {
        match name {
            Name::Path(target) => format!("path {}", target.path),
            Name::Word(word) => match word.sort {
                WordKind::Flag => format!("flag {}", word.text),
                _ => format!("name {}", word.text),
            },
        }
    }

    fn prose(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        in_prose(text, &mut |_, name| all.push(shown(name)));
        all
    }

    fn code(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        in_code(text, &mut |_, name| all.push(shown(name)));
        all
    }

    #[test]
    fn in_prose_only_unmistakable_shapes_count() {
        assert_eq!(
            prose("Call run_all(), then ToolKey (see src/a.rs:42, docs/b.md) with --dry-run."),
            ["name run_all", "name ToolKey", "path src/a.rs", "path docs/b.md", "flag --dry-run"]
        );
        assert_eq!(
            prose("use a::b::Cee and MAX_BYTES; load()."),
            ["name a::b::Cee", "name MAX_BYTES", "name load"]
        );
        assert!(
            prose("Read/write and/or 1/2 at 10:30, APIs on macOS: well-known -- or not?")
                .is_empty()
        );
        assert!(
            prose("https://a/b_c/d.rs a@b_c.de @scope/a_b.js $HOME/x_y.rs www.a_b.c").is_empty()
        );
        assert!(prose("Plain words. Another Sentence (in brackets).").is_empty());
    }

    #[test]
    fn a_code_span_of_one_word_is_a_name() {
        for (text, name) in [
            ("run", "name run"),
            ("ToolKey::global()", "name ToolKey::global"),
            ("Vec<Item>", "name Vec"),
            (".each()", "name each"),
            ("println!", "name println"),
            ("hooks.tell", "name hooks.tell"),
            ("src/a.rs:42", "path src/a.rs"),
            ("a.rs", "path a.rs"),
            ("--color=auto", "flag --color"),
            ("load(path)", "name load"),
        ] {
            assert_eq!(code(text), [name], "{text}");
        }
        for text in
            ["-v", "--", "--no-<x>", "@a/b", "$X", "1.2.3", "~/.x", "<a>", "a-b", "\"x\"", ""]
        {
            assert!(code(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn flags_of_other_tools_are_not_the_projects() {
        assert!(code("cargo build --features full").is_empty());
        assert!(code("git commit --amend").is_empty());
        assert!(code("RUST_LOG=debug prog --trace-all").is_empty());
        assert_eq!(code("staleness check --fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("--fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("git add docs/a.md"), ["path docs/a.md"]);
        assert_eq!(code("let x = sum_all(y);"), ["name sum_all"]);
    }

    #[test]
    fn what_languages_and_products_are_called_tells_nothing() {
        let telling =
            |text: &str| is_telling(&Word { sort: WordKind::Identifier, text: text.to_owned() });
        for text in ["HashMap", "JavaScript", "std::fs", "my_thing", "foo_bar", "data", "PyTorch"] {
            assert!(!telling(text), "{text}");
        }
        for text in ["ToolKey", "run_all", "router", "a.b"] {
            assert!(telling(text), "{text}");
        }
    }

    #[test]
    fn offsets_are_those_of_the_names() {
        for text in ["x (run_all) --dry-run, `é` a::bee", "let é = sum_all(y_z_q);  \"a_long_b\""]
        {
            let mut check = |at: usize, name: Name| {
                let shown = shown(name);
                assert!(text[at..].starts_with(shown.split_once(' ').unwrap().1), "{shown} {at}");
            };
            in_prose(text, &mut check);
            in_code(text, &mut check);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,100}", code in "[a-zA-Z_:./()<>é\\- =\"#L0-9$]{0,60}") {
            for text in [&text, &code] {
                in_prose(text, &mut |at, _| assert!(text.is_char_boundary(at)));
                in_code(text, &mut |at, _| assert!(text.is_char_boundary(at)));
            }
        }
    }
}
