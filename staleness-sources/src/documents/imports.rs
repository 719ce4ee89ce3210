//! Files that instruction files import: `@path/to/file.md` in ordinary text.

use std::ops::Range;

use pulldown_cmark::Options;

use super::markdown::{self, BlockView, Sort, Visitor};

/// How deep imports are followed.
pub(super) const MAX_DEPTH: usize = 5;

struct Paths<'a> {
    text: &'a str,
    found: Vec<&'a str>,
}

impl<'a> Visitor<'a> for Paths<'a> {
    fn block(&mut self, block: &BlockView<'_, 'a>) {
        for piece in block.pieces.iter().filter(|piece| piece.sort == Sort::Prose) {
            let text = self.text.get(piece.range.clone()).unwrap_or_default();
            self.found.extend(text.split_whitespace().filter_map(import));
        }
    }

    fn html(&mut self, _html: &str, _range: Range<usize>, _inline: bool) {}

    fn element(&mut self, _range: Range<usize>, _heading: Option<u8>) {}
}

/// The path that a word imports: Markdown files only, since others are no documents.
fn import(word: &str) -> Option<&str> {
    let path = word.trim_start_matches(['(', '"', '\'']).strip_prefix('@')?;
    let path = path.trim_end_matches([',', ';', ':', ')', '"', '\'', '!', '?']);
    let path = path.strip_suffix('.').unwrap_or(path);
    let plain = !path.is_empty() && path.len() <= 256 && !path.chars().any(char::is_control);
    (plain && super::nature::is_markdown(path)).then_some(path)
}

/// The paths that a text imports, in the order of the text.
pub(super) fn of(text: &str, body: usize) -> Vec<&str> {
    if !text.contains('@') {
        return Vec::new();
    }
    let mut paths = Paths { text, found: Vec::new() };
    // Two paths in the home folder (`@~/a.md`) are nothing that was struck out.
    let dialect = markdown::dialect().difference(Options::ENABLE_STRIKETHROUGH);
    markdown::read_as(dialect, text, body, &mut paths);
    paths.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_stand_in_ordinary_text() {
        let text = "See @docs/a.md and @~/.claude/b.md.\n\n- @../c.md\n\n`@d.md` @e.rs me@f.md\n\n\
                    ```\n@g.md\n```\n";
        assert_eq!(of(text, 0), ["docs/a.md", "~/.claude/b.md", "../c.md"]);
    }

    #[test]
    fn two_imports_from_home_are_not_struck_out() {
        assert_eq!(of("@~/a.md and\n@~/b.md\n", 0), ["~/a.md", "~/b.md"]);
    }
}
