//! Finds names in code spans.
//!
//! A span without spaces is a name, perhaps with arguments. A span with spaces is a command line or a fragment of code,
//! where most words are variables, types and values of an example. In such a span, a name counts only if it is called
//! (`load_all(`), qualified (`Router::new`), preceded by its kind (`struct Router`), or assigned (`max_width = 100`).
//! Text in brackets is an argument.

use staleness_core::knowledge::WordKind;

use super::words::{MAX_WORD_BYTES, Named, flag, is_dotted, is_unmistakable, push};
use super::{target, traps};
use crate::commands::own_from;

/// Keywords that precede a name and state its kind.
#[rustfmt::skip]
const KINDS: [&str; 16] = [
    "class", "const", "def", "enum", "fn", "func", "function", "interface", "macro", "mod",
    "module", "namespace", "static", "struct", "trait", "type",
];

pub(crate) fn in_code<'a>(text: &'a str, found: &mut impl FnMut(Named<'a>)) {
    let code = text.trim_ascii();
    let is_plain = code.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b' '));
    if is_plain || code.len() > 2 * MAX_WORD_BYTES || code.contains('\n') {
        return;
    }
    if !code.contains(' ') || is_one(code) { one(code, found) } else { several(code, found) }
}

/// Returns true if a span is one word, perhaps followed by brackets: `load(a, b)`, `#[allow(a, b)]`.
fn is_one(code: &str) -> bool {
    let mut open = 0_usize;
    // Brackets around the whole span hold alternatives, not arguments.
    let mut before = b' ';
    for byte in code.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' if before == b' ' && open == 0 => return false,
            b'(' | b'[' | b'{' | b'<' => open += 1,
            b'>' if matches!(before, b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => open = open.saturating_sub(1),
            b' ' if open == 0 => return false,
            _ => {}
        }
        before = byte;
    }
    open == 0
}

/// Finds the name in a span of one word.
fn one<'a>(code: &'a str, found: &mut impl FnMut(Named<'a>)) {
    if code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        if !code.as_bytes()[0].is_ascii_digit() {
            push(WordKind::Identifier, code, found);
        }
        return;
    }
    if code.starts_with("--") {
        flag(code, found);
        return;
    }
    // A path that begins with `/` starts at the root of the project.
    if let Some(path) = code.strip_prefix('/')
        && path.trim_end_matches('/').contains('/')
        && (path.ends_with('/') || target::has_extension(path))
        && target::of_path(code).is_some()
    {
        found((WordKind::Path, code));
        return;
    }
    if code.starts_with(['-', '@', '$', '~', '%', '"', '\'', '<', '{', '=', '#', '/']) {
        return;
    }
    let path = !code.ends_with(')') || code.contains('/');
    if path && target::of_word(code).is_some() {
        found((WordKind::Path, code));
        return;
    }
    let head = code.trim_start_matches(['&', '*', '.', '!']);
    // Text in brackets is an argument.
    let ends = |byte: &u8| matches!(byte, b'(' | b'<' | b'[' | b'{' | b'=' | b'!' | b'?' | b'+');
    let end = head.as_bytes().iter().position(ends).unwrap_or(head.len());
    let name = head[..end].trim_end_matches(['.', ':', ',', ';']);
    let called = head[end..].starts_with(['(', '!']);
    if is_dotted(name) && (!is_plain(name) || called) {
        push(WordKind::Identifier, name, found);
    }
}

/// Finds the names in a command line or a fragment of code.
fn several<'a>(code: &'a str, found: &mut impl FnMut(Named<'a>)) {
    let words: Vec<&str> = code.split(' ').filter(|word| !word.is_empty()).collect();
    let is_prompt = |word: &&str| matches!(*word, "$" | ">" | "#" | "%");
    let Some(first) = words.iter().position(|word| !is_prompt(word)) else { return };
    let own = own_from(&words[first..]).map(|own| own + first);
    let foreign = own != Some(first);
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(['"', '\'', ',', ';', '[', ']']);
        if word.starts_with("--") {
            if own.is_some_and(|own| at >= own) {
                flag(word, found);
            }
        } else if word.contains('/') {
            // In `node lib/index.js`, the argument of a foreign program is usually the reader's own file.
            let name = word.rsplit('/').next().unwrap_or(word);
            let own = foreign && traps::is_usual_file(name);
            if !own && target::of_word(word).is_some() {
                found((WordKind::Path, word));
            }
        }
    }
    if !foreign {
        fragment(code, found);
    }
}

/// Finds the identifiers in a fragment of code.
fn fragment<'a>(code: &'a str, found: &mut impl FnMut(Named<'a>)) {
    if let Some((first, rest)) = code.split_once(' ') {
        let plain = rest.bytes().all(|byte| byte.is_ascii_lowercase());
        if KINDS.contains(&first) && !plain && is_dotted(rest) {
            push(WordKind::Identifier, rest, found);
            return;
        }
        let value = rest.trim_ascii_start().strip_prefix('=');
        let given = value.is_some_and(|value| !value.starts_with(['=', '>', '~']));
        if given && is_unmistakable(first) {
            push(WordKind::Identifier, first, found);
        }
    }
    let bytes = code.as_bytes();
    let (mut at, mut open) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' | b'`' => {
                let end = bytes[at + 1..].iter().position(|other| other == byte);
                at += end.map_or(0, |end| end + 1);
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {
                let end = end_of_name(bytes, at);
                let before = at.checked_sub(1).map(|at| bytes[at]);
                // `@name`, `#name`, `<name`, `a/name` and similar forms are not identifiers.
                let begins = before.is_none_or(|b| b.is_ascii() && !b"@#$%-/<~\\".contains(&b));
                let name = code[at..end].trim_end_matches(['.', ':']);
                let rest = &code[end..];
                if open == 0 && begins && is_named(name, rest) {
                    push(WordKind::Identifier, name, found);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the end of the name that begins here, including all its parts.
fn end_of_name(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        at += match bytes[at..] {
            [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b':', ..] => 1,
            [b'-', b'>', b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => 2,
            _ => return at,
        };
    }
}

/// Returns true if a name in a fragment belongs to the project, because it is called or qualified.
fn is_named(name: &str, rest: &str) -> bool {
    let called = rest.starts_with('(') || rest.starts_with("!(");
    if !name.contains(['.', ':', '-']) {
        return called && is_unmistakable(name);
    }
    is_dotted(name) && (called || !is_plain(name) && !target::has_extension(name))
}

/// Returns true for a lower-case word such as `fast` or `network.host`. It may be a name, but also a program,
/// a search term, a value or a setting.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words::tests::shown;
    use super::*;

    fn code(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        in_code(text, &mut |name| all.push(shown(name)));
        all
    }

    #[test]
    fn a_code_span_of_one_word_is_a_name() {
        for (text, name) in [
            ("Router", "name Router"),
            ("run()", "name run"),
            ("ToolKey::global()", "name ToolKey::global"),
            ("Vec<Item>", "name Vec"),
            (".each()", "name each"),
            ("println!", "name println"),
            ("hooks.tell_all", "name hooks.tell_all"),
            ("hooks.tell(x)", "name hooks.tell"),
            ("src/a.rs:42", "path src/a.rs:42"),
            ("a.rs", "path a.rs"),
            ("/src/a.rs", "path /src/a.rs"),
            ("/src/b/", "path /src/b/"),
            ("--color=auto", "flag --color"),
            ("load_all(path)", "name load_all"),
        ] {
            assert_eq!(code(text), [name], "{text}");
        }
        let others = "-v|--|--no-<x>|@a/b|$X|1.2.3|~/.x|<a>|a-b|\"x\"|fast|network.host|\
                      /src/a|/a.rs|/b/|";
        for text in others.split('|') {
            assert!(code(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn flags_of_other_tools_are_not_the_projects() {
        assert!(code("cargo build --features full").is_empty());
        assert!(code("pre-commit run --files={your files}").is_empty());
        assert!(code("git commit --amend").is_empty());
        assert!(code("fzf --exact").is_empty());
        assert!(code("node lib/index.js").is_empty());
        assert!(code("RUST_LOG=debug prog --trace-all").is_empty());
        assert_eq!(code("staleness check --fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("python -m shop --fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("cargo run --release -- --fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("--fail-on stale"), ["flag --fail-on"]);
        assert_eq!(code("git add docs/a.md"), ["path docs/a.md"]);
        assert_eq!(code("let x = sum_all(y);"), ["name sum_all"]);
    }

    #[test]
    fn what_stands_in_brackets_is_an_argument_with_blanks_and_without() {
        for (text, name) in [
            ("load_all(a_path,b_path)", "name load_all"),
            ("load_all(a_path, b_path)", "name load_all"),
            ("load(a_path, b_path)", "name load"),
            ("remote_names([name_pattern], [[remote=]remote_pattern])", "name remote_names"),
            ("Pool<KeyType, ItemType>", "name Pool"),
            ("let x = sum_all(first_one, Second::new());", "name sum_all"),
            ("fn run_all(first: FirstType) -> LastType", "name run_all"),
        ] {
            assert_eq!(code(text), [name], "{text}");
        }
        for text in [
            "#[crate_type = \"cdylib\"]",
            "#![crate_type=\"cdylib\"]",
            "@some_rule(first_one, second_one)",
            "(first_one, SecondOne)",
            "if (first_one && SecondOne)",
        ] {
            assert!(code(text).is_empty(), "{text}");
        }
        assert_eq!(code("shop run [--fast | --slow]"), ["flag --fast", "flag --slow"]);
        assert_eq!(code("[--fast | --slow]"), ["flag --fast", "flag --slow"]);
    }

    #[test]
    fn a_word_in_a_fragment_of_code_is_an_illustration() {
        for text in [
            "source_tree: SourceTree",
            "[in] async_context",
            "impl ItemSource for SourceTree",
            "let first_one = SecondOne;",
            "if first_one == SecondOne",
            "print \"Router::new is read_all()\"",
            "x: network.host",
            "see main.rs or LICENSE.txt",
            "class name",
            "@Input() old_name",
        ] {
            assert!(code(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_called_or_qualified_or_of_a_kind_or_given_a_value_is_a_name() {
        for (text, name) in [
            ("let x = Router::new_one;", "name Router::new_one"),
            ("return this.allItems + 1", "name this.allItems"),
            ("self->read_all(x) + 1", "name self->read_all"),
            ("x = y + hooks.tell(z)", "name hooks.tell"),
            ("render_all!(a, b) or so", "name render_all"),
            ("struct Router", "name Router"),
            ("fn read_all", "name read_all"),
            ("trait shop::Source", "name shop::Source"),
            ("max_width = 100", "name max_width"),
            ("MAX_WIDTH = 1", "name MAX_WIDTH"),
        ] {
            assert_eq!(code(text), [name], "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            text in "(?s).{0,100}",
            code in "[a-zA-Z_:./()<>é\\- =\"'#L0-9$!]{0,60}",
        ) {
            for text in [&text, &code] {
                in_code(text, &mut |(_, name)| assert!(text.contains(name)));
            }
        }
    }
}
