//! Parses Markdown into blocks and their pieces.
//!
//! A block is one statement for the reader: a paragraph, a list item, a table row, a heading or a fenced block of
//! commands. Other code blocks are examples and are ignored.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, LinkType, OffsetIter, Options, Parser, Tag, TagEnd,
};

use super::{html, target};
use crate::commands::Language;

/// Maximum number of bytes to read from a fenced block.
const MAX_FENCE_BYTES: usize = 64 * 1024;
/// Initial capacity for the pieces of a block.
const PIECES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Paragraph,
    Item,
    Row,
    /// HTML that contains links.
    Html,
    Heading(u8),
    /// A fenced block that may hold commands.
    Fence(Language),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Prose,
    Code,
    /// Lines of a fenced block.
    Lines,
    /// A link or an image, with the index of its target.
    Target(usize),
    /// Part of a URL, or the text of a link to a URL. Names in it do not belong to the project.
    Foreign,
    /// Text with escapes, such as `&amp;`.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) sort: Sort,
    /// Range in the file. For prose and code, this is exactly the text.
    pub(crate) range: Range<usize>,
}

#[derive(Debug)]
pub(crate) struct BlockView<'b, 'a> {
    pub(crate) form: Form,
    pub(crate) range: Range<usize>,
    pub(crate) pieces: &'b [Piece],
    /// Targets of links and images.
    pub(crate) targets: &'b [CowStr<'a>],
}

/// Receives the parts of a document in order.
pub(crate) trait Visitor<'a> {
    fn block(&mut self, block: &BlockView<'_, 'a>);
    /// Visits HTML. `inline` is true if it is part of a block, which is visited later.
    fn html(&mut self, html: &str, range: Range<usize>, inline: bool);
    /// Visits the start of an element to which a directive may apply.
    fn element(&mut self, range: Range<usize>, heading: Option<u8>);
}

/// Returns the supported extensions of CommonMark.
pub(crate) fn dialect() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

/// Parses the Markdown in `text`, starting at the byte `from`.
pub(crate) fn read<'a>(text: &'a str, from: usize, visitor: &mut impl Visitor<'a>) {
    read_as(dialect(), text, from, visitor);
}

pub(crate) fn read_as<'a>(
    dialect: Options,
    text: &'a str,
    from: usize,
    visitor: &mut impl Visitor<'a>,
) {
    let body = text.get(from..).unwrap_or_default();
    let events = Parser::new_ext(body, dialect).into_offset_iter();
    Reader {
        text,
        from,
        open: None,
        pieces: Vec::with_capacity(PIECES),
        targets: Vec::new(),
        items: 0,
        code: false,
        links: Vec::new(),
        html: false,
    }
    .run(events, visitor);
}

struct Reader<'a> {
    text: &'a str,
    from: usize,
    /// The current block.
    open: Option<(Form, Range<usize>)>,
    pieces: Vec<Piece>,
    targets: Vec<CowStr<'a>>,
    /// Number of open list items.
    items: u32,
    /// True if a code block is open.
    code: bool,
    /// The open links. True for a link that leads outside the project.
    links: Vec<bool>,
    /// True inside HTML that may contain links.
    html: bool,
}

impl<'a> Reader<'a> {
    fn run(mut self, mut events: OffsetIter<'a>, visitor: &mut impl Visitor<'a>) {
        let from = self.from;
        let shifted = |range: Range<usize>| range.start + from..range.end + from;
        // Match on the events in place, because they are large and most of them are short texts.
        loop {
            match events.next() {
                Some((Event::Text(text), range)) => self.text(&text, shifted(range)),
                Some((Event::Code(code), range)) => self.code(&code, shifted(range)),
                Some((Event::SoftBreak, range)) => self.soft_break(shifted(range)),
                Some((Event::Start(tag), range)) => self.start(tag, shifted(range), visitor),
                Some((Event::End(tag), _)) => self.end(tag, visitor),
                Some((Event::Html(_), range)) => {
                    if self.html {
                        self.block_of_html(shifted(range), visitor);
                    }
                }
                Some((Event::InlineHtml(html), range)) => {
                    let range = shifted(range);
                    self.touch(&range);
                    visitor.html(&html, range.clone(), true);
                    self.html_links(range);
                }
                Some((
                    Event::HardBreak | Event::FootnoteReference(_) | Event::TaskListMarker(_),
                    range,
                )) => self.touch(&shifted(range)),
                Some(_) => {}
                None => break,
            }
        }
        self.close(visitor);
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>, visitor: &mut impl Visitor<'a>) {
        let opens = match tag {
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::TableCell => return self.touch(&range),
            Tag::Link { link_type, dest_url, .. } => return self.link(link_type, dest_url, range),
            Tag::Image { dest_url, .. } => return self.link(LinkType::Inline, dest_url, range),
            // An HTML comment applies to the element after it.
            Tag::HtmlBlock => {
                self.close(visitor);
                let html = self.text.get(range.clone()).unwrap_or_default();
                self.html = html::may_link(html);
                // A comment may span several lines, so the HTML is passed as a whole.
                visitor.html(html, range, false);
                return;
            }
            Tag::Paragraph if self.items > 0 => Some(Form::Item),
            Tag::Paragraph => Some(Form::Paragraph),
            Tag::Heading { level, .. } => Some(Form::Heading(level as u8)),
            Tag::TableHead | Tag::TableRow => Some(Form::Row),
            Tag::Item => {
                self.items += 1;
                None
            }
            Tag::CodeBlock(kind) => {
                self.code = true;
                match kind {
                    CodeBlockKind::Fenced(info) => Language::of(&info).map(Form::Fence),
                    CodeBlockKind::Indented => None,
                }
            }
            _ => None,
        };
        self.close(visitor);
        let heading = if let Some(Form::Heading(level)) = opens { Some(level) } else { None };
        visitor.element(range.clone(), heading);
        self.open = opens.map(|form| (form, range));
    }

    fn end(&mut self, tag: TagEnd, visitor: &mut impl Visitor<'a>) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                self.links.pop();
            }
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::TableCell => {}
            TagEnd::Item => {
                self.close(visitor);
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.close(visitor);
            }
            _ => self.close(visitor),
        }
    }

    /// Extends the current block. In a list item without blank lines, text opens the block.
    fn touch(&mut self, range: &Range<usize>) {
        match &mut self.open {
            Some((_, open)) => open.end = open.end.max(range.end),
            None if self.items > 0 => self.open = Some((Form::Item, range.clone())),
            None => {}
        }
    }

    fn push(&mut self, sort: Sort, range: Range<usize>) {
        self.touch(&range);
        if self.open.is_some() {
            self.pieces.push(Piece { sort, range });
        }
    }

    fn push_target(&mut self, target: CowStr<'a>, range: Range<usize>) {
        self.push(Sort::Target(self.targets.len()), range);
        self.targets.push(target);
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.code {
            self.line(text, range);
            return;
        }
        if self.outside() {
            self.push(Sort::Foreign, range);
            return;
        }
        if self.is_verbatim(text, &range) {
            self.extend(Sort::Prose, range);
        } else {
            self.push(Sort::Other, range);
        }
    }

    /// Returns true if the text has no escapes and thus appears verbatim in the file.
    fn is_verbatim(&self, text: &str, range: &Range<usize>) -> bool {
        let source = self.text.get(range.clone()).unwrap_or_default();
        source.len() == text.len() && std::ptr::eq(source.as_ptr(), text.as_ptr())
    }

    /// Adds a piece, or extends the last one of its sort. The parser splits text at every character that could be
    /// markup.
    fn extend(&mut self, sort: Sort, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(last) if last.sort == sort && last.range.end == range.start => {
                last.range.end = range.end;
                self.touch(&range);
            }
            _ => self.push(sort, range),
        }
    }

    /// Adds the text of a code block. A long block is cut after a whole line.
    fn line(&mut self, text: &str, range: Range<usize>) {
        let Some((Form::Fence(_), open)) = &self.open else { return };
        let most = (open.start + MAX_FENCE_BYTES).saturating_sub(range.start);
        if !self.is_verbatim(text, &range) {
            return;
        }
        let end = match text.as_bytes().get(..most) {
            Some(begin) => begin.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1),
            None => text.len(),
        };
        if end > 0 {
            self.extend(Sort::Lines, range.start..range.start + end);
        }
    }

    /// Handles a line break inside a block, after which the text continues.
    fn soft_break(&mut self, range: Range<usize>) {
        if let Some(Piece { sort: Sort::Prose, range: before, .. }) = self.pieces.last_mut()
            && before.end == range.start
        {
            before.end = range.end;
        }
        self.touch(&range);
    }

    fn code(&mut self, code: &str, range: Range<usize>) {
        // The block includes the backticks.
        self.touch(&range);
        let source = self.text.get(range.clone()).unwrap_or_default();
        // The text is between the backticks, without one space on each side. It is verbatim in the file unless it spans
        // several lines.
        let found = offset_in(source, code).or_else(|| source.find(code)).unwrap_or(0);
        let inner = range.start + found..range.start + (found + code.len()).min(source.len());
        let sort = if self.outside() { Sort::Foreign } else { Sort::Code };
        self.push(sort, inner);
    }

    fn link(&mut self, link_type: LinkType, dest: CowStr<'a>, range: Range<usize>) {
        let is_text = matches!(link_type, LinkType::Autolink | LinkType::Email);
        // Names in the text of an external link belong to the link's target.
        let outside = self.outside() || is_text || target::has_scheme(&dest);
        if outside && target::of_address(&dest).is_none() {
            self.touch(&range);
        } else {
            self.push_target(dest, range);
        }
        self.links.push(outside);
    }

    /// Emits a block for the links in a line of HTML outside other blocks.
    fn block_of_html(&mut self, range: Range<usize>, visitor: &mut impl Visitor<'a>) {
        let opens = self.open.is_none();
        if opens {
            self.open = Some((Form::Html, range.clone()));
        }
        self.html_links(range.clone());
        if opens && self.pieces.is_empty() {
            self.open = None;
        } else if opens {
            visitor.element(range, None);
        }
    }

    fn html_links(&mut self, range: Range<usize>) {
        let html = self.text.get(range.clone()).unwrap_or_default();
        for place in html::links(html) {
            let target = &html[place.clone()];
            if !target::has_scheme(target) || target::of_address(target).is_some() {
                let place = range.start + place.start..range.start + place.end;
                self.push_target(CowStr::Borrowed(target), place);
            }
        }
    }

    fn outside(&self) -> bool {
        self.links.last() == Some(&true)
    }

    fn close(&mut self, visitor: &mut impl Visitor<'a>) {
        if let Some((form, range)) = self.open.take() {
            let (pieces, targets) = (&self.pieces, &self.targets);
            visitor.block(&BlockView { form, range, pieces, targets });
        }
        self.pieces.clear();
        self.targets.clear();
        self.links.clear();
    }
}

/// Returns the offset of `part` if it is a slice of `whole`.
fn offset_in(whole: &str, part: &str) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (at + part.len() <= whole.len()).then_some(at)
}
