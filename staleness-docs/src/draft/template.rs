//! Recognises documents that are templates or include others.

use super::place::near;
use super::plain::Fence;

/// The longest path of an included document, in bytes.
const MAX_PATH: usize = 1_024;
/// Markers directly before the path of an included file.
const INCLUDES: [&str; 6] =
    ["--8<--", "{!", "!!!include(", "```{include}", "{{#include", "{% include"];

/// Attributes that contain the title of a component.
const TITLES: [&str; 2] = ["title=", "label="];

/// Returns true if a document may have headings that are not in its text, because it is a template or
/// includes other files.
pub(crate) fn is_template(text: &str) -> bool {
    let text = &without_examples(text);
    // `style={{ … }}` is an attribute.
    let is_filled = || text.match_indices("{{").any(|(at, _)| !text[..at].ends_with('='));
    // mkdocstrings writes `::: module`. Other tools put `:::` before and after a note.
    let is_closed = || text.lines().any(|line| line.trim() == ":::");
    let is_import =
        |line: &str| line.starts_with("import ") && !line.contains('{') && line.contains(".md");
    ["{%", ":::{"].iter().chain(&INCLUDES).any(|sign| text.contains(sign))
        || is_filled()
        || text.contains(":::") && !is_closed()
        || included(text).next().is_some()
        || text.lines().any(is_import)
        || has_component(text)
}

/// Returns true if a text has a component without contents and without a title, which may produce headings.
fn has_component(text: &str) -> bool {
    let begins_line = |at: usize| text[..at].trim_end_matches([' ', '\t']).ends_with('\n');
    let tags = text.match_indices('<').filter(|(at, _)| *at == 0 || begins_line(*at));
    let tags = tags.filter_map(|(at, _)| near(text, at + 1).split_once('>'));
    let mut empty = tags.filter_map(|(tag, _)| tag.strip_suffix('/'));
    empty.any(|tag| {
        tag.starts_with(|c: char| c.is_ascii_uppercase())
            && !TITLES.iter().any(|title| tag.contains(title))
    })
}

/// Returns the titles of the components, which may appear as headings.
pub(crate) fn titles(text: &str) -> impl Iterator<Item = &str> {
    let titles = TITLES.into_iter().flat_map(move |title| text.match_indices(title));
    titles.filter_map(|(at, title)| near(text, at + title.len()).split(['"', '\'']).nth(1))
}

/// Returns a text without the lines of its fenced blocks, except those of directives (```` ```{note} ````).
fn without_examples(text: &str) -> String {
    let mut fence: Option<Fence> = None;
    let is_kept = |line: &&str| {
        let is_inside = fence.is_some();
        if is_inside {
            fence = fence.filter(|open| !open.is_closed_by(line));
        } else {
            let is_directive = line.trim_start().trim_start_matches(['`', '~']).starts_with('{');
            fence = Fence::opened_by(line).filter(|_| !is_directive);
        }
        !is_inside
    };
    text.split_inclusive('\n').filter(is_kept).collect()
}

/// Returns the paths that a document includes, as written: `<!-- include: a/b.md -->`, `--8<-- "a/b.md"`.
pub(crate) fn included(text: &str) -> impl Iterator<Item = &str> {
    let behind = move |sign: &'static str| {
        text.match_indices(sign).map(move |(at, _)| &text[at + sign.len()..])
    };
    let comments = behind("<!--")
        .filter_map(|rest| rest.trim_start_matches([' ', '#', '@']).strip_prefix("include"));
    comments.chain(INCLUDES.into_iter().flat_map(behind)).filter_map(|rest| {
        let rest = rest.trim_start_matches([':', ' ', '=', '"', '\'']);
        let named = ["virtual=\"", "file=\""].iter().find_map(|sign| rest.strip_prefix(sign));
        let rest = named.unwrap_or(rest);
        let is_end = |byte: u8| byte.is_ascii_whitespace() || b"\"'{}>)".contains(&byte);
        let end = rest.bytes().take(MAX_PATH).position(is_end)?;
        Some(rest[..end].trim_end_matches('!')).filter(|path| path.contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_includes_the_path_that_it_names() {
        for (text, expected) in [
            ("<!-- include: a/b.md -->", &["a/b.md"][..]),
            ("<!--@include: ./b.md{3,}-->", &["./b.md"]),
            (
                "<!--#include virtual=\"/a.md\" --> <!-- #include file=\"b.md\" -->",
                &["/a.md", "b.md"],
            ),
            ("--8<-- \"docs/a.md\"\n{!b.md!}\n{{#include c.md}}\n", &["docs/a.md", "b.md", "c.md"]),
            ("<!-- included since 2.0 --> <!-- includes much --> <!-- a.md -->", &[]),
        ] {
            assert_eq!(included(text).collect::<Vec<_>>(), expected, "{text}");
            assert_eq!(is_template(text), !expected.is_empty(), "{text}");
        }
        // A comment that never ends is read once.
        let hostile = "<!--include a.md".replace(' ', "").repeat(1 << 14);
        assert_eq!(included(&hostile).count(), 0);
    }

    #[test]
    fn what_a_fenced_block_shows_is_no_template() {
        for sign in [
            "<Button id=\"x\" />",
            "<Api\n  level={3}\n/>",
            "import Shared from './a.md'",
            "{{ more }}",
            "<!-- include: a.md -->",
            "--8<-- \"a\"",
            "!!!include(a.md)!!!",
        ] {
            assert!(is_template(&format!("# A\n\n{sign}\n")), "{sign}");
            assert!(!is_template(&format!("# A\n\n```html\n{sign}\n```\n")), "{sign}");
            assert!(is_template(&format!("```\nx\n```\n{sign}\n")), "{sign}");
        }
        for text in [
            "```yaml\nopenapi: 3\n```\n",
            "import { Note } from 'a.mdx'\n\n<Note>\nx\n</Note>\n",
            "<Card\n  title=\"x\"\n/>\n",
            "<Image\n  sizes={{ a: 1 }}\n>\n",
        ] {
            assert!(!is_template(&format!("# A\n\n{text}")), "{text}");
        }
        assert!(is_template("````{note}\n```{include} a.md\n```\n````\n"));
    }
}
