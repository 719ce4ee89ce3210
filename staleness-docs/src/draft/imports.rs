//! Imports of files in instruction files: `@path/to/file.md` in ordinary text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::Options;

use super::markdown::{self, BlockView, Sort, Visitor};

/// Longest chain of imports to follow.
pub(crate) const MAX_DEPTH: usize = 5;

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

/// Returns the path that a word imports. Only Markdown files count.
pub(crate) fn import(word: &str) -> Option<&str> {
    let path = word.trim_start_matches(['(', '"', '\'']).strip_prefix('@')?;
    let path = path.trim_end_matches([',', ';', ':', ')', '"', '\'', '!', '?']);
    let path = path.strip_suffix('.').unwrap_or(path);
    let plain = !path.is_empty() && path.len() <= 256 && !path.chars().any(char::is_control);
    (plain && crate::nature::is_markdown(path)).then_some(path)
}

/// Returns the paths that a text imports, in order.
pub(crate) fn of(text: &str, body: usize) -> Vec<&str> {
    if !text.contains('@') {
        return Vec::new();
    }
    let mut paths = Paths { text, found: Vec::new() };
    // Two paths in the home folder (`@~/a.md`) must not be parsed as strikethrough.
    let dialect = markdown::dialect().difference(Options::ENABLE_STRIKETHROUGH);
    markdown::read_as(dialect, text, body, &mut paths);
    paths.found
}

/// Returns the imports that close a cycle, as pairs of importing and imported file.
pub(crate) fn cycles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<(&str, &str)> {
    let mut closing = Vec::new();
    // True for files on the current path, false for finished ones.
    let mut state: BTreeMap<&str, bool> = BTreeMap::new();
    for start in imports.keys() {
        let mut way = vec![];
        let mut next = Some(&**start).filter(|start| !state.contains_key(start));
        loop {
            if let Some(key) = next.take() {
                state.insert(key, true);
                way.push((key, imports.get(key).into_iter().flatten()));
            }
            let Some((key, rest)) = way.last_mut() else { break };
            match rest.next() {
                None => {
                    state.insert(key, false);
                    way.pop();
                }
                Some(to) => match state.get(&**to) {
                    Some(true) => closing.push((*key, &**to)),
                    Some(false) => {}
                    None => next = Some(to),
                },
            }
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_imports_that_lead_back_close_a_circle() {
        let of = |edges: &[(&str, &str)]| {
            let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in edges {
                all.entry((*from).into()).or_default().insert((*to).into());
            }
            cycles(&all).into_iter().map(|(a, b)| format!("{a}{b}")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), [""; 0]);
        assert_eq!(of(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "c")]), ["cb", "cc"]);
    }

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
