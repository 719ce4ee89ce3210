//! Telling if the thing that a word names differs between two versions of a file.

use staleness_core::knowledge::WordKind;

use super::defined::declares_option;
use super::extent::item;
use super::meaning::Word;
use super::offered::is_offered;

/// Most occurrences of a flag in one file that are looked at.
const MAX_LOOKS: u32 = 500;

/// Returns true if two versions of a file define an item differently, or offer a flag on other lines; one that
/// lacks it counts. False where several lines of one version define the item.
pub(crate) fn differs(word: &Word, before: &[u8], after: &[u8]) -> bool {
    match word.kind {
        WordKind::Identifier => match (item(before, &word.text), item(after, &word.text)) {
            (Some(old), Some(new)) => old != new,
            _ => false,
        },
        WordKind::Flag => offers(before, &word.text) != offers(after, &word.text),
        WordKind::Path | WordKind::Command => false,
    }
}

/// The forms in which code writes a flag: as it is typed, and as a name.
pub(crate) fn forms(flag: &str) -> [String; 3] {
    let name = flag.trim_start_matches('-');
    [flag.to_owned(), name.to_owned(), name.replace('-', "_")]
}

/// The lines that offer a flag.
fn offers<'t>(text: &'t [u8], flag: &str) -> Vec<&'t [u8]> {
    let forms = forms(flag);
    let mut looks = MAX_LOOKS;
    let mut lines = Vec::new();
    let joins = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut start = 0;
    while let Some(from) = text[start..].iter().position(joins).map(|at| start + at) {
        let end =
            text[from..].iter().position(|byte| !joins(byte)).map_or(text.len(), |at| from + at);
        let (run, range) = (&text[from..end], from..end);
        let is_named = || forms[1..].iter().any(|form| form.as_bytes() == run);
        if run == forms[0].as_bytes() && is_offered(text, &range, &mut looks)
            || is_named() && declares_option(text, &range)
        {
            let first = text[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let rest = &text[first..];
            lines.push(rest.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii());
        }
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_differs_where_its_lines_do() {
        let (kind, flag) = (WordKind::Identifier, WordKind::Flag);
        for (kind, text, before, after, is_other) in [
            (kind, "load_all", "fn load_all() {\n    a\n}\n", "fn load_all() {\n    b\n}\n", true),
            (kind, "load_all", "fn load_all() {}\n", "\nfn load_all() {}  \nfn b() {}\n", false),
            (kind, "load_all", "fn load_all() {}\n", "fn load() {\n    load_all()\n}\n", true),
            (kind, "MAX_SIZE", "const MAX_SIZE: u8 = 1;\n", "const MAX_SIZE: u8 = 2;\n", true),
            (kind, "load_all", "a(load_all);\n", "b(load_all);\n", false),
            (kind, "load", "fn load() {}\nfn load() {}\n", "fn load() { a }\n", false),
            (flag, "--fast", "a == \"--fast\"\n", "b == \"--fast\"\n", true),
            (flag, "--fast", "run([\"cargo\", \"--fast\"])\n", "\n", false),
            (flag, "--fast", "#[arg(long)]\nfast: bool,\n", "#[arg(long)]\nfaster: bool,\n", true),
            (flag, "--fast", "x(\"--fast-path\")\n", "\n", false),
        ] {
            let word = Word { kind, text: text.into() };
            let found = differs(&word, before.as_bytes(), after.as_bytes());
            assert_eq!(found, is_other, "{text}: {before} {after}");
        }
    }
}
