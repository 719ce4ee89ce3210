//! Reading Markdown: the blocks of a text, and the pieces that each consists of.
//!
//! Blocks are what a person sees as one statement: a paragraph, the text of a list item, a row of a
//! table, a heading, a fenced block of commands. Other code blocks are none: what stands in them is an example.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, LinkType, OffsetIter, Options, Parser, Tag, TagEnd,
};

use super::{html, target};
use crate::commands::Language;

/// Most bytes of a fenced block that are read.
const MAX_FENCE_BYTES: usize = 64 * 1024;
/// Pieces of a block for which there is room at first.
const PIECES: usize = 64;

/// Sort of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Paragraph,
    Item,
    Row,
    /// HTML that links to something.
    Html,
    /// A heading of this level.
    Heading(u8),
    /// A fenced block that may hold commands.
    Fence(Language),
}

/// Sort of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Prose,
    Code,
    /// Lines of a fenced block.
    Lines,
    /// A link or an image; with the place of its target among those of the block.
    Target(usize),
    /// A part of a URL, or what stands in a link to one: a name of something outside.
    Foreign,
    /// Text that was written in another way than it reads, such as `&amp;`.
    Other,
}

/// A piece of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) sort: Sort,
    /// Place in the file. For prose and code this is the text itself.
    pub(crate) range: Range<usize>,
}

/// A block that was read.
#[derive(Debug)]
pub(crate) struct BlockView<'b, 'a> {
    pub(crate) form: Form,
    pub(crate) range: Range<usize>,
    pub(crate) pieces: &'b [Piece],
    /// Targets of links and images.
    pub(crate) targets: &'b [CowStr<'a>],
}

/// Receives the parts of a document in the order of the text.
pub(crate) trait Visitor<'a> {
    fn block(&mut self, block: &BlockView<'_, 'a>);
    /// HTML stands here; `inline` within a block, which is told later.
    fn html(&mut self, html: &str, range: Range<usize>, inline: bool);
    /// An element begins: something that directives can be about.
    fn element(&mut self, range: Range<usize>, heading: Option<u8>);
}

/// The extensions of CommonMark that are understood.
pub(crate) fn dialect() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

/// Reads the Markdown that begins at the byte `from` of `text`.
pub(crate) fn read<'a>(text: &'a str, from: usize, visitor: &mut impl Visitor<'a>) {
    read_as(dialect(), text, from, visitor);
}

/// Reads Markdown with other extensions.
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
    /// The block that is being read.
    open: Option<(Form, Range<usize>)>,
    pieces: Vec<Piece>,
    targets: Vec<CowStr<'a>>,
    /// Number of open list items.
    items: u32,
    /// True if a code block is open.
    code: bool,
    /// The links that are open, and whether each leads to the outside.
    links: Vec<bool>,
    /// True if HTML is open in which links are looked for.
    html: bool,
}

impl<'a> Reader<'a> {
    fn run(mut self, mut events: OffsetIter<'a>, visitor: &mut impl Visitor<'a>) {
        let from = self.from;
        let shifted = |range: Range<usize>| range.start + from..range.end + from;
        // Events are taken apart where they are: they are large, and most are a short text.
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
            // What a comment is about is what follows it.
            Tag::HtmlBlock => {
                self.close(visitor);
                let html = self.text.get(range.clone()).unwrap_or_default();
                self.html = html::may_link(html);
                // As a whole: a comment may go on over its lines.
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

    /// A piece of a block is here. The text of a list item without blank lines opens its block.
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

    /// Returns true if a text reads as it is written: it is a part of the file.
    fn is_verbatim(&self, text: &str, range: &Range<usize>) -> bool {
        let source = self.text.get(range.clone()).unwrap_or_default();
        source.len() == text.len() && std::ptr::eq(source.as_ptr(), text.as_ptr())
    }

    /// Adds a piece to the last one of its sort, if it goes on there: the parser ends a text at every character
    /// that might have meant something.
    fn extend(&mut self, sort: Sort, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(last) if last.sort == sort && last.range.end == range.start => {
                last.range.end = range.end;
                self.touch(&range);
            }
            _ => self.push(sort, range),
        }
    }

    /// Text of a code block: of one that is too long whole lines of its beginning.
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

    /// The end of a line within a block: what follows goes on with the text.
    fn soft_break(&mut self, range: Range<usize>) {
        if let Some(Piece { sort: Sort::Prose, range: before, .. }) = self.pieces.last_mut()
            && before.end == range.start
        {
            before.end = range.end;
        }
        self.touch(&range);
    }

    fn code(&mut self, code: &str, range: Range<usize>) {
        // A block holds the marks, too.
        self.touch(&range);
        let source = self.text.get(range.clone()).unwrap_or_default();
        // The text is what stands between the marks, without one space on either side: a part of
        // the file, unless it stands on several lines.
        let found = offset_in(source, code).or_else(|| source.find(code)).unwrap_or(0);
        let inner = range.start + found..range.start + (found + code.len()).min(source.len());
        let sort = if self.outside() { Sort::Foreign } else { Sort::Code };
        self.push(sort, inner);
    }

    fn link(&mut self, link_type: LinkType, dest: CowStr<'a>, range: Range<usize>) {
        let is_text = matches!(link_type, LinkType::Autolink | LinkType::Email);
        // What stands in a link to the outside is named by the outside.
        let outside = self.outside() || is_text || has_scheme(&dest);
        if outside && target::of_address(&dest).is_none() {
            self.touch(&range);
        } else {
            self.push_target(dest, range);
        }
        self.links.push(outside);
    }

    /// Links in a line of HTML that is no part of a block: one of its own.
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
            if !has_scheme(target) || target::of_address(target).is_some() {
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

/// Returns the offset of `part`, if it was cut out of `whole`.
fn offset_in(whole: &str, part: &str) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (at + part.len() <= whole.len()).then_some(at)
}

/// Returns true if a target is a URL of its own rather than a path.
pub(crate) fn has_scheme(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        // `a.rs:42` is a place in a file.
        && !scheme.contains('.')
}
