//! Headings of a document, by their GitHub anchors.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use staleness_core::ids::stable_hash;
use unicode_normalization::char::is_combining_mark;

use super::{html, markdown, target};
use crate::front;
use crate::git::Part;

/// Maximum number of anchors per document. Further ones are ignored.
const MAX_ANCHORS: usize = 20_000;
/// The longest anchor, in bytes. A longer heading has no anchor.
const MAX_SLUG: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// The anchor as written in links.
    pub(crate) slug: String,
    /// Digest of the section's text. `None` if the section is empty or the anchor is not a heading.
    pub(crate) section: Option<u128>,
}

/// Returns the anchor for a link fragment. `None` if the fragment names no heading, for example lines, the top of the
/// page, a footnote or a route of a site.
pub(crate) fn of_fragment(fragment: &str) -> Option<String> {
    let fragment = target::decoded(fragment)?;
    let name = fragment.strip_prefix("user-content-").unwrap_or(&fragment);
    let is_word = |c: char| is_word(c) || matches!(c, '-' | '\u{200d}') || is_symbol(c);
    let is_page = |name: &str| {
        let name = name.to_ascii_lowercase();
        matches!(&*name, "top" | "readme" | "readme-ov-file" | "start-of-content")
            || name.starts_with("fn") && name.ends_with(|c: char| c.is_ascii_digit())
    };
    let plain = name.len() <= MAX_SLUG && name.chars().all(is_word) && !is_page(name);
    (plain && target::lines_of_fragment(name).is_none() && !key(name).is_empty())
        .then(|| name.to_owned())
}

/// Normalises an anchor, so that anchors of GitHub and of common site generators compare equal: letters and digits,
/// with one hyphen between runs.
pub(crate) fn key(slug: &str) -> String {
    let mut key = String::with_capacity(slug.len());
    for c in slug.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            key.push(c);
        } else if matches!(c, '-' | '_' | ' ') && !key.is_empty() && !key.ends_with('-') {
            key.push('-');
        }
    }
    key.truncate(key.trim_end_matches('-').len());
    key
}

/// Returns the anchors of one version of a document as parts, named by their keys.
pub(crate) fn parts(path: &str, text: &[u8]) -> Vec<Part> {
    let part = |anchor: Anchor| Part { name: key(&anchor.slug), digest: anchor.section };
    let text = String::from_utf8_lossy(text);
    anchors(&super::plain::Plain::of(path, &text).text).into_iter().map(part).collect()
}

/// Returns the anchors of a document, from its headings and its HTML.
pub(crate) fn anchors(text: &str) -> Vec<Anchor> {
    let body = match front::read(text) {
        Ok(Some(front)) => front.body,
        _ => text.len() - text.trim_start_matches('\u{feff}').len(),
    };
    let text = text.get(body..).unwrap_or_default();
    let mut reader = Reader::default();
    // Tables must be parsed, because a code span cannot extend beyond its table cell.
    for (event, range) in Parser::new_ext(text, markdown::dialect()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => reader.open(level as u8, range.start),
            Event::End(TagEnd::Heading(_)) => reader.close(range.end),
            Event::Start(Tag::Image { .. }) => reader.images += 1,
            Event::End(TagEnd::Image) => reader.images = reader.images.saturating_sub(1),
            Event::Start(Tag::HtmlBlock) => {
                reader.html(text.get(range.clone()).unwrap_or_default(), &range);
            }
            Event::InlineHtml(html) => reader.html(&html, &range),
            Event::Text(text) | Event::Code(text) => reader.text(&text),
            Event::SoftBreak | Event::HardBreak => reader.text("\n"),
            _ => {}
        }
        if reader.anchors.len() >= MAX_ANCHORS {
            break;
        }
    }
    // Skip ids that are already anchors of headings.
    let known: HashSet<String> = reader.anchors.iter().map(|anchor| anchor.slug.clone()).collect();
    let left = MAX_ANCHORS.saturating_sub(reader.anchors.len());
    ids(text).filter(|id| !known.contains(*id)).take(left).for_each(|id| reader.name(id));
    reader.end(text)
}

/// Returns the ids in attribute lists: `{#id}`, `{: #id .class}`, `{id="id"}`, `{/*id*/}`.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split('{').skip(1).filter_map(|rest| {
        let list = rest.split(['}', '\n']).next()?;
        rest[list.len()..].starts_with('}').then_some(list)
    });
    lists.flat_map(str::split_whitespace).filter_map(|word| {
        let quoted = word.strip_prefix("id=\"").and_then(|id| id.strip_suffix('"'));
        let commented = || word.strip_prefix("/*").and_then(|id| id.strip_suffix("*/"));
        quoted.or_else(|| word.strip_prefix('#')).or_else(commented)
    })
}

/// A heading and the range of its section.
struct Heading {
    level: u8,
    range: Range<usize>,
    /// Index of its anchor, if it has one.
    anchor: Option<usize>,
}

#[derive(Default)]
struct Reader {
    anchors: Vec<Anchor>,
    headings: Vec<Heading>,
    /// The level, start and text of the current heading.
    heading: Option<(u8, usize, String)>,
    /// The length of the text of the current heading before its first `<span>`.
    html_at: Option<usize>,
    /// Number of open images. Their text is not part of the heading.
    images: usize,
    slugs: Slugs,
}

impl Reader {
    fn open(&mut self, level: u8, start: usize) {
        self.heading = Some((level, start, String::new()));
        self.html_at = None;
    }

    fn text(&mut self, text: &str) {
        if self.images > 0 {
            return;
        }
        if let Some((.., heading)) = &mut self.heading
            && heading.len() <= 2 * MAX_SLUG
        {
            heading.push_str(text);
        }
    }

    fn close(&mut self, end: usize) {
        let Some((level, start, text)) = self.heading.take() else { return };
        let mut anchor = None;
        if text.len() <= 2 * MAX_SLUG {
            let slug = self.slugs.of(&text);
            if !slug.is_empty() && slug.len() <= MAX_SLUG {
                anchor = Some(self.anchors.len());
                self.anchors.push(Anchor { slug, section: None });
            }
            // Sites omit decorations at the end of a title.
            let (title, rest) = text.split_at(self.html_at.unwrap_or(0));
            let title = title.trim();
            if !title.is_empty() && !rest.trim().is_empty() {
                self.name(&slug_of(title));
            }
            // `title [badge]`
            if let Some((title, _)) =
                text.trim_end().strip_suffix(']').and_then(|it| it.rsplit_once('['))
                && !title.trim().is_empty()
            {
                self.name(&slug_of(title.trim()));
            }
            // `Title#id`, without a space before the `#`.
            if let Some((title, id)) = text.rsplit_once('#')
                && !title.ends_with([' ', '#'])
                && !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            {
                self.name(id);
                self.name(&slug_of(title));
            }
            if let Some((title, attributes)) = text.rsplit_once('{')
                && let Some(id) = ids(&format!("{{{attributes}")).next()
            {
                self.name(id);
                self.name(&slug_of(title.trim_end()));
            }
        }
        self.headings.push(Heading { level, range: start..end, anchor });
    }

    fn name(&mut self, id: &str) {
        if !id.is_empty() && id.len() <= MAX_SLUG {
            let slug = id.strip_prefix("user-content-").unwrap_or(id).to_owned();
            self.anchors.push(Anchor { slug, section: None });
        }
    }

    /// Reads the ids in a piece of HTML and the headings that it opens or closes.
    fn html(&mut self, html: &str, range: &Range<usize>) {
        for (at, piece) in html::pieces(html) {
            match piece {
                html::Piece::Text(text) => self.text(text),
                html::Piece::Tag(tag) => {
                    if let Some((.., heading)) = &self.heading
                        && tag.starts_with("<span")
                    {
                        self.html_at.get_or_insert(heading.len());
                    }
                    for id in html::ids(tag) {
                        self.name(id);
                    }
                    match html::heading(tag) {
                        Some((level, true)) => self.open(level, range.start + at),
                        Some((_, false)) => self.close(range.start + at + tag.len()),
                        None => {}
                    }
                }
            }
        }
    }

    /// Returns the anchors with the digests of their sections. A section ends at the next heading of the same or a
    /// higher level. The digest does not cover the headings inside the section.
    fn end(mut self, text: &str) -> Vec<Anchor> {
        let mut open: Vec<(u8, Option<usize>, Vec<u8>)> = Vec::new();
        let mut close = |(_, anchor, digests): (u8, Option<usize>, Vec<u8>)| {
            if let Some(anchor) = anchor
                && !digests.is_empty()
            {
                self.anchors[anchor].section = Some(stable_hash(&digests));
            }
        };
        for (at, heading) in self.headings.iter().enumerate() {
            while open.last().is_some_and(|(level, ..)| *level >= heading.level) {
                open.pop().into_iter().for_each(&mut close);
            }
            open.push((heading.level, heading.anchor, Vec::new()));
            let end = self.headings.get(at + 1).map_or(text.len(), |next| next.range.start);
            let section = text.get(heading.range.end..end).unwrap_or_default().trim();
            if !section.is_empty() {
                let digest = stable_hash(section.as_bytes()).to_le_bytes();
                open.iter_mut().for_each(|(.., digests)| digests.extend(digest));
            }
        }
        open.into_iter().for_each(close);
        self.anchors
    }
}

/// The heading anchors assigned so far. A repeated anchor gets a number.
#[derive(Debug, Default)]
struct Slugs {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl Slugs {
    fn of(&mut self, heading: &str) -> String {
        let plain = slug_of(heading);
        let mut slug = plain.clone();
        while self.taken.contains(&slug) {
            let count = self.counts.entry(plain.clone()).or_default();
            *count += 1;
            slug = format!("{plain}-{count}");
        }
        self.taken.insert(slug.clone());
        slug
    }
}

/// Returns the GitHub anchor of a heading: lower case, hyphens for spaces, no punctuation.
fn slug_of(heading: &str) -> String {
    let lower = heading.chars().flat_map(char::to_lowercase);
    let kept = lower.filter(|c| is_word(*c) || matches!(c, '-' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns true for a letter, mark, decimal digit or connector.
fn is_word(c: char) -> bool {
    // Other digits are superscripts, fractions and circled numbers.
    let other_number = matches!(
        c,
        '²' | '³' | '¹' | '¼'..='¾' | '\u{2070}'..='\u{215f}' | '\u{2460}'..='\u{2793}'
            | '\u{3192}'..='\u{32ff}'
    );
    c.is_alphabetic()
        || c.is_numeric() && !other_number
        || is_combining_mark(c)
        || matches!(
            c,
            '_' | '\u{203f}' | '\u{2040}' | '\u{2054}' | '\u{fe33}' | '\u{fe34}' | '\u{fe4d}'
                ..='\u{fe4f}' | '\u{ff3f}'
        )
}

/// Returns true for emoji and similar symbols, which some links include.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(text: &str) -> Vec<String> {
        anchors(text).into_iter().map(|anchor| anchor.slug).collect()
    }

    #[test]
    fn anchors_are_those_of_github() {
        for (text, expected) in [
            ("# Hello, World!", &["hello-world"][..]),
            ("## C++ & C#: a/b (v1.2)", &["c--c-ab-v12"]),
            ("# a  b - c_d", &["a--b---c_d"]),
            ("# `run_all()` and *all* [the `rest`](x.md#y)!", &["run_all-and-all-the-rest"]),
            ("# Über Ñandú Straße", &["über-ñandú-straße"]),
            (
                "# Профили пользователей\n# 日本語 の見出し",
                &["профили-пользователей", "日本語-の見出し"],
            ),
            (
                "# 🚀 Start\n# ❤\u{fe0f} Love\n# :ok: No underscore",
                &["-start", "\u{fe0f}-love", "ok-no-underscore"],
            ),
            ("# A\n# A\n# a\n# A-1", &["a", "a-1", "a-2", "a-1-1"]),
            ("Set\n===\n\nText\nhere\n---", &["set", "texthere"]),
            ("- # In a list\n\n> ## Quoted", &["in-a-list", "quoted"]),
            ("# ![logo](a.png) Name", &["-name"]),
            ("# A &amp; B &lt;T&gt;", &["a--b-t"]),
            ("# T <a name=\"t-old\"></a>\n\n<a id='x'/>", &["t-old", "t-", "x"]),
            ("<h1 align=\"center\">\n  My <b>Tool</b>\n</h1>", &["--my-tool"]),
            ("# All <span>([a](b))</span>", &["all-a", "all"]),
            ("<h2 id=\"user-content-z\">Zed</h2>\n", &["z", "zed"]),
            ("|`a|b|\n|-|-|\n|`c|d|\n|<a id=\"e\">|`f`|\n|`g|<i id=h>|", &["e", "h"]),
            ("# T {#own-id}", &["t-own-id", "own-id", "t"]),
            ("# T {/*own-id*/}", &["t-own-id", "own-id"]),
            ("# T {id=\"own-id\"}", &["t-idown-id", "own-id", "t"]),
            ("# key [~SQ]\n# key", &["key-sq", "key", "key"]),
            ("```\n# no\n```\n\n    # no\n\n<!--\n# no <a name=\"n\">\n-->\n", &[]),
            ("---\ntitle: a\n---\n# B ²x", &["b-x"]),
        ] {
            assert_eq!(slugs(text), expected, "{text}");
        }
    }

    #[test]
    fn a_fragment_names_a_heading_lines_or_nothing() {
        for (fragment, expected) in [
            ("usage", Some("usage")),
            ("user-content-usage", Some("usage")),
            ("%D0%B4%D0%B0", Some("да")),
            ("-%EF%B8%8F-love", Some("-\u{fe0f}-love")),
            ("L10", None),
            ("L10-L20", None),
            ("/route", None),
            ("a=b", None),
            (":~:text=x", None),
            ("mod.Class", None),
            ("top", None),
            ("readme", None),
            ("fn1", None),
            ("", None),
            ("-", None),
            ("%ff", None),
        ] {
            assert_eq!(of_fragment(fragment).as_deref(), expected, "{fragment}");
        }
        assert_eq!(of_fragment(&"x".repeat(MAX_SLUG + 1)), None);
    }

    #[test]
    fn anchors_of_site_generators_are_the_same() {
        for (one, other) in [("a--b", "a-b"), ("Foo_1", "foo-1"), ("-start-", "start")] {
            assert_eq!(key(one), key(other));
        }
        assert_ne!(key("a-b"), key("ab"));
    }

    #[test]
    fn a_section_is_known_by_its_text_whatever_its_headings_are() {
        let sections = |text: &str| -> Vec<Option<u128>> {
            anchors(text).into_iter().map(|anchor| anchor.section).collect()
        };
        let one = sections("# A\n\n## B\n\nText.\n\n# C\n\nMore.\n\n# D\n");
        let other = sections("# X\n## Y\nText.\n# C\nLess.\n\nD\n=\n");
        assert_eq!(one[..2], other[..2]);
        assert!(one[0].is_some() && one[2].is_some() && one[2] != other[2]);
        assert_eq!((one[3], other[3]), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([#<>=\"'{}&!/\n é-]|<h1>|</h1>|<!--|-->|id=|\\{#a\\}){0,40}") {
            for anchor in anchors(&text) {
                proptest::prop_assert!(of_fragment(&anchor.slug).is_none_or(|slug| key(&slug) == key(&anchor.slug)));
            }
        }
    }

    #[test]
    fn anchors_are_bounded() {
        assert_eq!(slugs(&format!("# {}\n\n# B", "x y ".repeat(300_000))), ["b"]);
        assert_eq!(slugs(&"# A\n".repeat(MAX_ANCHORS + 9)).len(), MAX_ANCHORS);
        let nested: String =
            (0..MAX_ANCHORS).map(|at| format!("{} A\n\nx\n\n", "#".repeat(1 + at % 6))).collect();
        assert_eq!(
            anchors(&nested).iter().filter(|anchor| anchor.section.is_some()).count(),
            MAX_ANCHORS
        );
    }
}
