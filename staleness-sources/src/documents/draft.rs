//! A document that was read: its blocks, and the names in them that can be looked up.

use std::ops::Range;

use staleness_core::ids::stable_hash;
use staleness_core::knowledge::SignalKind;
use staleness_core::time::Timestamp;

use super::directive::{self, Directive, Kinds, Reach};
use super::front::{self, Fields};
use super::markdown::{self, BlockView, Sort, Visitor};
use super::marks;
use super::place::{Lines, title};
use super::target;
use super::words::{self, Name};

/// Where in a block a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The target of a link or an image.
    Link,
    /// A code span.
    Code,
    /// Ordinary text.
    Prose,
    /// A citation of the front matter.
    Cite,
}

/// A name in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) name: Name,
    pub(super) origin: Origin,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A word that was true at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) word: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A block in which something can be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftBlock {
    pub(super) line: u32,
    pub(super) last_line: u32,
    pub(super) title: String,
    pub(super) digest: u64,
    pub(super) mentions: Vec<Mention>,
    pub(super) marks: Vec<Mark>,
    /// When a directive says that it was verified.
    pub(super) verified: Option<Timestamp>,
}

/// A document that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) fields: Fields,
    /// The last line of the front matter; 0 without.
    pub(super) front_end: u32,
    /// Those in which something can be looked up.
    pub(super) blocks: Vec<DraftBlock>,
    /// How many blocks it has.
    pub(super) count: u32,
    /// The first heading, else the first block.
    pub(super) title: String,
    /// When a directive for the whole says that it was verified.
    pub(super) verified: Option<Timestamp>,
    /// The signals that are left aside for the whole; all of them when empty.
    pub(super) ignored: Option<Kinds>,
    /// How much was left aside because of directives.
    pub(super) left_aside: usize,
    /// How many lines it has.
    pub(super) lines: u32,
    /// What was noticed: a line, and what.
    pub(super) faults: Vec<(u32, String)>,
}

/// Reads a document.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(text: &str) -> Result<Draft, &'static str> {
    let front = front::read(text)?;
    let mut maker = Maker {
        text,
        lines: Lines::new(text),
        draft: Draft::default(),
        waiting: Vec::new(),
        inline: Vec::new(),
        ranges: Vec::new(),
        section: None,
        level: 6,
        has_heading: false,
    };
    let mut body = text.len() - text.trim_start_matches('\u{feff}').len();
    if let Some(front) = front {
        maker.draft.fields = front::fields(&front);
        maker.draft.front_end = maker.lines.line(front.body.saturating_sub(1));
        body = front.body;
    }
    markdown::read(text, body, &mut maker);
    maker.draft.lines = maker.lines.line(text.trim_end().len());
    let mut draft = maker.draft;
    let faults = std::mem::take(&mut draft.fields.faults);
    draft.faults.extend(faults);
    if let Some(kinds) = draft.ignored.clone() {
        let before = size(&draft.blocks);
        for block in &mut draft.blocks {
            block.leave_aside(&kinds);
        }
        draft.left_aside += before - size(&draft.blocks);
    }
    draft.blocks.retain(|block| !block.mentions.is_empty() || !block.marks.is_empty());
    Ok(draft)
}

/// How much of what can be looked up a text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Its blocks.
    pub blocks: usize,
    /// Names in them.
    pub names: usize,
    /// Words that were true at a time.
    pub markers: usize,
}

/// Reads a text as a check does, and counts what it would look up: the part of a check that needs
/// no project.
///
/// # Errors
/// Why the text cannot be read.
pub fn survey(text: &str) -> Result<Survey, &'static str> {
    let draft = read(text)?;
    Ok(Survey {
        blocks: draft.count as usize,
        names: draft.blocks.iter().map(|block| block.mentions.len()).sum(),
        markers: draft.blocks.iter().map(|block| block.marks.len()).sum(),
    })
}

fn size(blocks: &[DraftBlock]) -> usize {
    blocks.iter().map(|block| block.mentions.len() + block.marks.len()).sum()
}

impl DraftBlock {
    /// Drops what could become evidence of these kinds; everything when there are none.
    fn leave_aside(&mut self, kinds: &Kinds) {
        let all = kinds.is_empty();
        if all || kinds.contains(&SignalKind::TemporalMarker) {
            self.marks.clear();
        }
        let path = [SignalKind::SourceMissing, SignalKind::SourceChanged];
        let word = SignalKind::ReferenceDrift;
        self.mentions.retain(|mention| match &mention.name {
            _ if all => false,
            Name::Word(_) => !kinds.contains(&word),
            // A path may become evidence of several kinds, which are told apart later.
            Name::Path(_) => !path.iter().all(|kind| kinds.contains(kind)),
        });
    }
}

struct Maker<'a> {
    text: &'a str,
    lines: Lines<'a>,
    draft: Draft,
    /// Directives for the next element.
    waiting: Vec<Directive>,
    /// Directives within the block that is being read.
    inline: Vec<Directive>,
    /// Elements that a directive is about.
    ranges: Vec<(Range<usize>, Directive)>,
    /// A section that is left aside, and the level of its heading.
    section: Option<(u8, Kinds)>,
    /// The level of the last heading.
    level: u8,
    has_heading: bool,
}

impl<'a> Visitor<'a> for Maker<'a> {
    fn element(&mut self, range: Range<usize>, heading: Option<u8>) {
        if let Some(level) = heading {
            if self.section.as_ref().is_some_and(|(of, _)| level <= *of) {
                self.section = None;
            }
            self.level = level;
        }
        for directive in self.waiting.drain(..) {
            match directive {
                Directive::Ignore(Reach::Section, kinds) => {
                    self.section = Some((self.level, kinds))
                }
                other => self.ranges.push((range.clone(), other)),
            }
        }
    }

    fn html(&mut self, html: &str, range: Range<usize>, inline: bool) {
        // Comments are rare, and most say nothing to us.
        if !html.contains("staleness:") {
            return;
        }
        for (at, found) in directive::find(html) {
            match found {
                Err(why) => {
                    let line = self.lines.line(range.start + at);
                    self.draft.faults.push((line, format!("a directive {why}")));
                }
                Ok(Directive::Ignore(Reach::File, kinds)) => {
                    let whole = self.draft.ignored.get_or_insert_with(|| kinds.clone());
                    // All signals are more than some.
                    if whole.is_empty() || kinds.is_empty() {
                        whole.clear();
                    } else {
                        whole.extend(kinds);
                    }
                }
                Ok(Directive::Verified(at)) if !inline && self.draft.count == 0 => {
                    self.draft.verified = Some(at);
                }
                Ok(directive) if inline => self.inline.push(directive),
                Ok(directive) => self.waiting.push(directive),
            }
        }
    }

    fn block(&mut self, view: &BlockView<'_, 'a>) {
        self.draft.count += 1;
        let is_heading = matches!(view.shape, markdown::Shape::Heading(_));
        if self.draft.count == 1 || is_heading && !self.has_heading {
            self.draft.title = title(self.shown(view));
        }
        self.has_heading |= is_heading;
        let mut mentions = Vec::new();
        let mut marks = Vec::new();
        for (at, piece) in view.pieces.iter().enumerate() {
            let text = self.text.get(piece.range.clone()).unwrap_or_default();
            let from = piece.range.start;
            let mut origin = Origin::Prose;
            let lines = &mut self.lines;
            let mut found = |offset: usize, name: Name, origin: Origin| {
                let (line, column) = lines.place(from + offset);
                mentions.push(Mention { name, origin, line, column });
            };
            match &piece.sort {
                Sort::Prose => {
                    let cut = is_cut(self.text, view.pieces, at);
                    let (text, skipped) = whole_words(text, cut);
                    words::in_prose(text, &mut |at, name| found(skipped + at, name, origin));
                    marks::in_prose(text, &mut |at, word| {
                        let (line, column) = self.lines.place(from + skipped + at);
                        marks.push(Mark { word: word.to_owned(), line, column });
                    });
                }
                Sort::Code => {
                    origin = Origin::Code;
                    words::in_code(text, &mut |at, name| found(at, name, origin));
                }
                Sort::Target => {
                    if let Some(target) = piece.target.as_deref().and_then(target::of_link) {
                        found(0, Name::Path(target), Origin::Link);
                    }
                }
                Sort::Foreign | Sort::Other(_) => {}
            }
        }
        self.finish(view, mentions, marks);
    }
}

impl<'a> Maker<'a> {
    fn finish(&mut self, view: &BlockView<'_, 'a>, mentions: Vec<Mention>, marks: Vec<Mark>) {
        let inline = std::mem::take(&mut self.inline);
        self.ranges.retain(|(range, _)| range.end > view.range.start);
        if mentions.is_empty() && marks.is_empty() {
            return;
        }
        let (line, last_line) = self.lines.span(&view.range);
        let text = self.text.get(view.range.clone()).unwrap_or_default();
        let mut block = DraftBlock {
            line,
            last_line,
            title: title(self.shown(view)),
            digest: digest(text),
            mentions,
            marks,
            verified: None,
        };
        let about = self.ranges.iter().filter(|(range, _)| range.contains(&view.range.start));
        let directives = about.map(|(_, directive)| directive).chain(&inline);
        let before = size(std::slice::from_ref(&block));
        for directive in directives {
            match directive {
                Directive::Ignore(_, kinds) => block.leave_aside(kinds),
                Directive::Verified(at) => block.verified = Some(*at),
            }
        }
        if let Some((_, kinds)) = &self.section {
            block.leave_aside(kinds);
        }
        self.draft.left_aside += before - size(std::slice::from_ref(&block));
        self.draft.blocks.push(block);
    }

    /// The text of a block as a person reads it.
    fn shown<'v>(&self, view: &'v BlockView<'_, 'a>) -> impl Iterator<Item = &'v str>
    where
        'a: 'v,
    {
        let text = self.text;
        view.pieces.iter().filter_map(move |piece| match &piece.sort {
            Sort::Target => None,
            Sort::Other(text) => Some(&**text),
            _ => text.get(piece.range.clone()),
        })
    }
}

/// A hash of a block's text that does not depend on where its lines break.
fn digest(text: &str) -> u64 {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        folded.push_str(word);
        folded.push(' ');
    }
    stable_hash(folded.as_bytes()) as u64
}

/// Whether the word at either end of a piece goes on in something that was written in another way.
fn is_cut(text: &str, pieces: &[markdown::Piece<'_>], at: usize) -> (bool, bool) {
    let range = &pieces[at].range;
    let other = |at: Option<usize>| {
        at.and_then(|at| pieces.get(at)).is_some_and(|piece| matches!(piece.sort, Sort::Other(_)))
    };
    let bytes = text.as_bytes();
    let escaped = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b'\\');
    let before = range.start.checked_sub(1);
    (escaped(before) || other(at.checked_sub(1)), escaped(Some(range.end)) || other(Some(at + 1)))
}

/// The text without the words at its ends that are only part of one, and how much was cut off
/// before it.
fn whole_words(text: &str, cut: (bool, bool)) -> (&str, usize) {
    let from = if cut.0 { text.find(char::is_whitespace).unwrap_or(text.len()) } else { 0 };
    let to = if cut.1 { text.rfind(char::is_whitespace).unwrap_or(0) } else { text.len() };
    (&text[from..to.max(from)], from)
}
