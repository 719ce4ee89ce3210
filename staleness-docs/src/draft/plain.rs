//! Converts other markups to Markdown, and maps positions back to the document.

use std::borrow::Cow;
use std::ops::Range;

use super::{Draft, adoc, mdx, rst};

/// The markup of a document, by its file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Markdown,
    Mdx,
    Rst,
    AsciiDoc,
}

impl Markup {
    pub(crate) fn of(path: &str) -> Self {
        let end = path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        match end.as_deref() {
            Some("mdx") => Self::Mdx,
            Some("rst") => Self::Rst,
            Some("adoc" | "asciidoc") => Self::AsciiDoc,
            _ => Self::Markdown,
        }
    }
}

/// Markdown converted from a document.
#[derive(Debug)]
pub(crate) struct Plain<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Pairs of an offset in the Markdown and the corresponding offset in the document, sorted. Empty if all offsets
    /// are the same.
    places: Vec<(usize, usize)>,
}

impl<'t> Plain<'t> {
    /// Converts a document to Markdown. The file extension in `path` selects the markup. In MDX, all other syntax
    /// becomes blank, so that offsets stay the same.
    pub(crate) fn of(path: &str, text: &'t str) -> Self {
        let (text, places) = match Markup::of(path) {
            Markup::Markdown => (text.into(), Vec::new()),
            Markup::Mdx => (mdx::plain(text).into(), Vec::new()),
            Markup::Rst => rst::plain(text).end(),
            Markup::AsciiDoc => adoc::plain(text).end(),
        };
        Self { text, places }
    }

    /// Returns the document offset for an offset in the Markdown.
    fn place(&self, at: usize) -> usize {
        let next = self.places.partition_point(|(out, _)| *out <= at);
        let Some((out, from)) = next.checked_sub(1).map(|last| self.places[last]) else {
            return at;
        };
        let end = self.places.get(next).map_or(usize::MAX, |(_, from)| *from);
        (from + at - out).min(end)
    }

    fn range(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    /// Maps all positions in a draft back to the document.
    pub(super) fn put_back(&self, draft: &mut Draft) {
        if self.places.is_empty() {
            return;
        }
        for block in &mut draft.blocks {
            block.range = self.range(&block.range);
        }
        draft.mentions.iter_mut().for_each(|mention| mention.at = self.place(mention.at));
        draft.marks.iter_mut().for_each(|mark| *mark = self.range(mark));
        draft.faults.iter_mut().for_each(|(at, _)| *at = self.place(*at));
        draft.clones.iter_mut().for_each(|(at, _)| *at = self.place(*at));
        draft.days.iter_mut().for_each(|(at, _)| *at = self.place(*at));
        (draft.titled, draft.body) = (self.range(&draft.titled), self.place(draft.body));
    }
}

/// Writes Markdown from consecutive slices of a document, with text between them.
#[derive(Debug)]
pub(super) struct Writer<'t> {
    text: &'t str,
    out: String,
    places: Vec<(usize, usize)>,
    /// The end of the last written slice.
    end: usize,
}

impl<'t> Writer<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, out: String::new(), places: Vec::new(), end: 0 }
    }

    /// Copies a slice of the document. Adds a space if the slice does not directly follow the last one.
    pub(super) fn keep(&mut self, part: &str) {
        let at = self.offset(part);
        let joins = |c: char| !c.is_whitespace() && !"`(".contains(c);
        let goes_on = self.end == at || part.starts_with(['.', ',', ';', ')']);
        if !goes_on && self.out.ends_with(joins) && part.starts_with(joins) {
            self.out.push(' ');
        }
        self.places.push((self.out.len(), at));
        self.out.push_str(part);
        self.end = at + part.len();
    }

    pub(super) const fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn offset(&self, part: &str) -> usize {
        let at = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        at.min(self.text.len())
    }

    /// Writes text in place of a slice of the document.
    pub(super) fn before(&mut self, part: &str, text: &str) {
        self.places.push((self.out.len(), self.offset(part)));
        self.out.push_str(text);
    }

    /// Writes text that is not in the document.
    pub(super) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a link to a slice of the document, followed by more text.
    pub(super) fn link(&mut self, target: &str, more: &str) {
        let is_plain = !target.contains(['<', '>', '(', ')', ' ', '\\']);
        if is_plain && !target.is_empty() {
            self.before(target, "[](");
            self.keep(target);
            self.write(more);
            self.write(")");
        }
    }

    pub(super) fn code(&mut self, code: &str) {
        if !code.is_empty() && !code.contains('`') {
            self.before(code, "`");
            self.keep(code);
            self.write("`");
        }
    }

    /// Writes lines as a fenced block, with a longer fence than any line in it.
    pub(super) fn fence(&mut self, lines: &[&'t str], language: &str) {
        let language = language.split_whitespace().next().unwrap_or_default().replace('`', "");
        let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max();
        let fence = Fence { sign: b'`', count: longest.map_or(3, |longest| 3.max(longest + 1)) };
        let mark = "`".repeat(fence.count);
        self.write("\n");
        let first = lines.first().copied().unwrap_or(&self.text[self.end..self.end]);
        self.before(first, &format!("{mark}{language}\n"));
        lines.iter().for_each(|line| self.keep(line.trim_start_matches([' ', '\t'])));
        self.write(&format!("\n{mark}\n\n"));
    }

    fn end(mut self) -> (Cow<'t, str>, Vec<(usize, usize)>) {
        self.places.push((self.out.len(), self.text.len()));
        (self.out.into(), self.places)
    }
}

/// The line that opens a fenced block of Markdown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    sign: u8,
    count: usize,
}

impl Fence {
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let text = line.trim();
        let sign = text.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let count = text.bytes().take_while(|byte| *byte == sign).count();
        (count > 2 && !(sign == b'`' && text[count..].contains('`')))
            .then_some(Self { sign, count })
    }

    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.count && text.bytes().all(|byte| byte == self.sign)
    }
}

/// Splits a text into lines, including their line ends.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The deepest indentation at which a line may contain other lines.
pub(super) const MAX_DEPTH: usize = 64;

/// Counts the spaces at the start of a line, up to a limit.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take(MAX_DEPTH + 1).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the end of the lines, starting at `at`, that are blank or indented more deeply than `than`. Trailing blank
/// lines do not count.
pub(super) fn indented(lines: &[&str], at: usize, than: usize) -> usize {
    let is_in = |line: &&&str| indent(line) > than || line.trim().is_empty();
    let end = at + lines[at..].iter().take_while(is_in).count();
    let last = lines[at..end].iter().rposition(|line| !line.trim().is_empty());
    last.map_or(at, |last| at + last + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::draft::names::Names;
    use crate::draft::{self, MAX_PLACES, Origin};

    /// Fragments of documents in both markups.
    const PARTS: &str = r"(``|`|src/a\.rs|--fast|a_b\(\)|é| |   |\n|\n\n|====|----|\.\. |::|:doc:|include::|code-block:: sh|toctree::|link:|xref:|\[source,sh\]|\[|\]|<<|>>|<|>|_|\*|- |npm run x|```|\|){0,40}";

    proptest! {
        #[test]
        fn names_stand_where_the_draft_says(text in PARTS) {
            for path in ["a.rst", "a.adoc"] {
                let mut names = Names::default();
                let draft = draft::read(path, &text, &mut names, &mut { MAX_PLACES });
                let draft = draft.unwrap_or_default();
                for block in &draft.blocks {
                    prop_assert!(text.get(block.range.clone()).is_some(), "{:?} of {:?}", block.range, text);
                }
                for mention in draft.mentions.iter().filter(|it| it.origin == Origin::Prose) {
                    let (_, name) = names.get(mention.name);
                    let there = text.get(mention.at..).unwrap_or_default();
                    prop_assert!(there.starts_with(name), "{} at {} of {:?}", name, mention.at, text);
                }
            }
        }
    }
}
