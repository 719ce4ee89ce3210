//! A parsed document: its blocks, and the names in them.
//!
//! Each name is stored as a number and an offset. Details for the report, such as lines and titles, are
//! computed only for the few blocks that need them.

mod adoc;
mod aside;
mod commands;
mod directive;
pub(crate) mod headings;
pub(crate) mod html;
pub(crate) mod imports;
pub(crate) mod markdown;
mod mdx;
pub(crate) mod names;
pub(crate) mod place;
pub(crate) mod plain;
mod rst;
pub(crate) mod spans;
pub(crate) mod target;
pub(crate) mod template;
mod traps;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::ops::Range;

use staleness_core::knowledge::{Marker, WordKind};
use staleness_core::time::Timestamp;
use staleness_core::verdict::SignalKind;

use crate::commands::{Language, Shell};
use crate::front::{self, Fields, Front};
use crate::nature::is_of_the_past;
use aside::{Directions, has_all_of};
use directive::{Directive, Kinds, Reach};
use markdown::{BlockView, Sort, Visitor};
use names::{NameId, NameSort, Names};
use plain::{Markup, Plain};

/// The syntax in which a name occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The target of a link or an image.
    Link,
    Code,
    Prose,
}

/// A name in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) name: NameId,
    pub(crate) origin: Origin,
    /// Byte offset in the document.
    pub(crate) at: usize,
}

/// A block with names or temporal words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DraftBlock {
    pub(crate) range: Range<usize>,
    /// Range of the block's names in [`Draft::mentions`].
    pub(crate) mentions: Range<usize>,
    /// Range of the block's temporal words in [`Draft::marks`].
    pub(crate) marks: Range<usize>,
    /// Date of the block's `verified` directive, if it has one.
    pub(crate) verified: Option<Timestamp>,
}

/// A parsed document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) fields: Fields,
    /// End of the front matter in bytes, or 0 if there is none.
    pub(crate) body: usize,
    pub(crate) blocks: Vec<DraftBlock>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) marks: Vec<Range<usize>>,
    /// Number of blocks. A fenced block counts only if it contains names.
    pub(crate) count: u32,
    /// Range of the first heading, or of the first block if there is no heading.
    pub(crate) titled: Range<usize>,
    /// Date of a `verified` directive for the whole document.
    pub(crate) verified: Option<Timestamp>,
    /// The dates of all `verified` directives, with the directives' offsets.
    pub(crate) days: Vec<(usize, Timestamp)>,
    /// Signals suppressed in the whole document.
    pub(crate) ignored: Kinds,
    /// Signals suppressed in single blocks, by the index of the block.
    pub(crate) ignored_in: BTreeMap<usize, Kinds>,
    /// Number of mentions and marks dropped because of directives.
    pub(crate) left_aside: usize,
    /// The offsets at which commands enter or leave a clone, with the name of the entered repository.
    pub(crate) clones: Vec<(usize, Option<Box<str>>)>,
    /// Malformed parts: the offset and the reason.
    pub(crate) faults: Vec<(usize, String)>,
    /// Number of names, temporal words and blocks beyond the limit.
    pub(crate) left_out: usize,
}

/// Maximum number of names, temporal words and blocks in all documents of a check, at about 50 bytes each.
pub(crate) const MAX_PLACES: usize = 1_000_000;

/// Maximum number of times that commands of a document enter or leave a clone. Further ones are ignored.
const MAX_CLONES: usize = 1_000;

/// Reads the front matter of a document. reStructuredText has none.
pub(crate) fn front_of(path: &str, text: &str) -> Result<Option<Front>, &'static str> {
    if Markup::of(path) == Markup::Rst { Ok(None) } else { front::read(text) }
}

/// Parses a document. `room` is the number of names, temporal words and blocks that may still be stored for all
/// documents.
pub(crate) fn read(
    path: &str,
    text: &str,
    names: &mut Names,
    room: &mut usize,
) -> Result<Draft, &'static str> {
    let plain = Plain::of(path, text);
    let text = &*plain.text;
    let front = front_of(path, text)?;
    let mut draft = Draft::default();
    let mut body = text.len() - text.trim_start_matches('\u{feff}').len();
    if let Some(front) = front {
        draft.fields = front::fields(&front);
        draft.body = front.body;
        body = front.body;
    } else if let Some(at) = front::in_braces(text) {
        let why = "front matter in braces is not read; put each field on its own line";
        draft.faults.push((at, why.to_owned()));
    }
    let mut maker = Maker {
        text,
        room: *room,
        names,
        draft,
        waiting: Vec::new(),
        inline: Directions::default(),
        ranges: Vec::new(),
        section: None,
        past: None,
        shell: Shell::default(),
        level: 6,
        has_heading: false,
    };
    markdown::read(text, body, &mut maker);
    let mut draft = maker.draft;
    plain.put_back(&mut draft);
    *room = room.saturating_sub(draft.places());
    // The draft stays in memory until every document is parsed.
    draft.blocks.shrink_to_fit();
    draft.mentions.shrink_to_fit();
    draft.marks.shrink_to_fit();
    Ok(draft)
}

impl Draft {
    const fn places(&self) -> usize {
        self.blocks.len() + self.mentions.len() + self.marks.len()
    }
}

struct Maker<'a, 'n> {
    text: &'a str,
    /// Number of names, temporal words and blocks that may still be stored.
    room: usize,
    names: &'n mut Names,
    draft: Draft,
    /// Directives that apply to the next element.
    waiting: Vec<Directive>,
    /// Directives within the current block.
    inline: Directions,
    /// Elements with directives.
    ranges: Vec<(Range<usize>, Directions)>,
    /// The current suppressed section: the level of its heading and the signals.
    section: Option<(u8, Kinds)>,
    /// The heading level of the current section about the past, in which names may no longer exist.
    past: Option<u8>,
    /// The shell of the current section, used to track clones.
    shell: Shell<'a>,
    /// The level of the last heading.
    level: u8,
    has_heading: bool,
}

impl<'a> Visitor<'a> for Maker<'a, '_> {
    fn element(&mut self, range: Range<usize>, heading: Option<u8>) {
        if let Some(level) = heading {
            if self.section.as_ref().is_some_and(|(of, _)| level <= *of) {
                self.section = None;
            }
            self.past = self.past.filter(|of| level > *of);
            self.level = level;
            self.shell = Shell::default();
            self.note_clone(range.start, None);
        }
        let mut directions = Directions::default();
        for directive in self.waiting.drain(..) {
            match directive {
                Directive::Ignore(Reach::Section, kinds) => {
                    self.section = Some((self.level, kinds))
                }
                other => directions.add(&other),
            }
        }
        if !directions.is_empty() {
            self.ranges.push((range, directions));
        }
    }

    fn html(&mut self, html: &str, range: Range<usize>, inline: bool) {
        // Comments are rare, and most are not directives.
        if !html.as_bytes().contains(&b'!') || !html.contains("staleness:") {
            return;
        }
        for (at, found) in directive::find(html) {
            if let Ok(Directive::Verified(day)) = found {
                self.draft.days.push((range.start + at, day));
            }
            match found {
                Err(why) => {
                    self.draft.faults.push((range.start + at, format!("a directive {why}")))
                }
                Ok(Directive::Ignore(Reach::File, kinds)) => self.draft.ignored.extend(kinds),
                Ok(Directive::Verified(at)) if !inline && self.draft.count == 0 => {
                    self.draft.verified = Some(at);
                }
                Ok(directive) if inline => self.inline.add(&directive),
                Ok(directive) => self.waiting.push(directive),
            }
        }
    }

    fn block(&mut self, view: &BlockView<'_, 'a>) {
        let is_fence = matches!(view.form, markdown::Form::Fence(_));
        self.draft.count += u32::from(!is_fence);
        let is_heading = matches!(view.form, markdown::Form::Heading(_));
        let is_first =
            self.draft.titled.is_empty() && view.form != markdown::Form::Html && !is_fence;
        if is_first || is_heading && !self.has_heading {
            self.draft.titled = view.range.clone();
        }
        self.has_heading |= is_heading;
        if is_heading && self.past.is_none() {
            let title = self.text.get(view.range.clone()).unwrap_or_default();
            self.past = is_of_the_past(title).then_some(self.level);
        }
        // The only evidence against an evergreen document is an expiry in its front matter.
        if self.draft.fields.evergreen || self.past.is_some() {
            self.inline = Directions::default();
            return;
        }
        if self.draft.places() >= self.room {
            self.draft.left_out += 1;
            return;
        }
        let (mentions, marks) = (self.draft.mentions.len(), self.draft.marks.len());
        if let markdown::Form::Fence(language) = view.form {
            self.fence(view, language);
        } else {
            for at in 0..view.pieces.len() {
                self.piece(view, at);
            }
            self.temporal_words(view);
        }
        self.draft.left_out += self.draft.places().saturating_sub(self.room);
        let most = self.room.saturating_sub(self.draft.blocks.len());
        self.draft.mentions.truncate(most);
        self.draft.marks.truncate(most.saturating_sub(self.draft.mentions.len()));
        let mut block = DraftBlock {
            range: view.range.clone(),
            mentions: mentions..self.draft.mentions.len(),
            marks: marks..self.draft.marks.len(),
            verified: None,
        };
        let is_empty = |block: &DraftBlock| block.mentions.is_empty() && block.marks.is_empty();
        let directed = !self.ranges.is_empty() || !self.inline.is_empty() || self.section.is_some();
        let mut aside = Kinds::new();
        if directed && !is_empty(&block) {
            aside = self.heed(&mut block);
        }
        self.inline = Directions::default();
        if !is_empty(&block) {
            self.draft.count += u32::from(is_fence);
            if !aside.is_empty() {
                self.draft.ignored_in.insert(self.draft.blocks.len(), aside);
            }
            self.draft.blocks.push(block);
        }
    }
}

impl<'a> Maker<'a, '_> {
    fn piece(&mut self, view: &BlockView<'_, 'a>, at: usize) {
        let (whole, pieces) = (self.text, view.pieces);
        let piece = &pieces[at];
        let names = &mut *self.names;
        let Draft { mentions, left_out, .. } = &mut self.draft;
        let mut add = |origin, sort, at, text: &str| match names.enter(sort, text) {
            Some(name) => mentions.push(Mention { name, origin, at }),
            None => *left_out += 1,
        };
        match &piece.sort {
            Sort::Prose => {
                let part = prose(whole, pieces, at);
                // A title names a topic, and a table may list the constants of a standard.
                let is_item = |name: &str| match view.form {
                    markdown::Form::Heading(_) => false,
                    markdown::Form::Row => name.contains(|c: char| c.is_ascii_lowercase()),
                    _ => true,
                };
                let at_sign = words::in_prose(&whole[part.clone()], &mut |(shape, name)| {
                    let is_link = shape == WordKind::Path && name.contains("://");
                    let (origin, sort) = match is_link {
                        true => (Origin::Link, NameSort::Link),
                        false => (Origin::Prose, NameSort::Word(shape)),
                    };
                    if shape != WordKind::Identifier || is_item(name) {
                        add(origin, sort, offset_in(whole, name), name);
                    }
                });
                if at_sign {
                    let part = whole.get(part).unwrap_or_default();
                    for path in part.split_whitespace().filter_map(imports::import) {
                        add(Origin::Prose, NameSort::Import, offset_in(whole, path), path);
                    }
                }
            }
            Sort::Code => {
                let code = whole.get(piece.range.clone()).unwrap_or_default();
                spans::in_code(code, &mut |(shape, name): (WordKind, _)| {
                    add(Origin::Code, NameSort::Word(shape), offset_in(whole, name), name);
                });
                commands::in_span(code, &mut self.shell, &mut |shape, name, place| {
                    add(Origin::Code, NameSort::Word(shape), offset_in(whole, place), name);
                });
                self.note_clones();
            }
            Sort::Target(target) => {
                if let Some(target) = view.targets.get(*target) {
                    add(Origin::Link, NameSort::Link, piece.range.start, target);
                }
            }
            Sort::Lines | Sort::Foreign | Sort::Other => {}
        }
    }

    /// Adds the names in the commands of a fenced block.
    fn fence(&mut self, view: &BlockView<'_, 'a>, language: Language) {
        let whole = self.text;
        let lines = |piece: &markdown::Piece| whole.get(piece.range.clone());
        let parts: Vec<&str> = view.pieces.iter().filter_map(lines).collect();
        let Draft { mentions, left_out, .. } = &mut self.draft;
        let names = &mut *self.names;
        commands::in_fence(
            &parts,
            language,
            &mut self.shell,
            &mut |shape, name, place| match names.enter(NameSort::Word(shape), name) {
                Some(name) => {
                    let at = offset_in(whole, place);
                    mentions.push(Mention { name, origin: Origin::Code, at });
                }
                None => *left_out += 1,
            },
        );
        self.note_clones();
    }

    /// Records the offsets at which the last commands entered and left clones.
    fn note_clones(&mut self) {
        for (place, clone) in self.shell.changes() {
            self.note_clone(offset_in(self.text, place), clone);
        }
    }

    fn note_clone(&mut self, at: usize, clone: Option<&str>) {
        let clones = &mut self.draft.clones;
        let last = clones.last().and_then(|(_, clone)| clone.as_deref());
        if last != clone && clones.len() < MAX_CLONES {
            clones.push((at, clone.map(Box::from)));
        }
    }

    /// Adds the temporal words in the prose of a block.
    fn temporal_words(&mut self, view: &BlockView<'_, 'a>) {
        let (whole, pieces) = (self.text, view.pieces);
        // Offsets only increase, so earlier pieces are never needed again.
        let mut next = 0;
        let prose_at = |at: usize| {
            while let Some(piece) = pieces.get(next) {
                if piece.sort == Sort::Prose && piece.range.end > at {
                    let part = prose(whole, pieces, next);
                    if part.end > at {
                        return Some(part);
                    }
                }
                next += 1;
            }
            None
        };
        let found = &mut self.draft.marks;
        Marker::among(whole, view.range.clone(), prose_at, |marker| found.push(marker.span));
    }

    /// Applies the directives to a block. Returns the signals that stay suppressed in the rest of the block.
    fn heed(&mut self, block: &mut DraftBlock) -> Kinds {
        self.ranges.retain(|(range, _)| range.end > block.range.start);
        let start = block.range.start;
        let mut all = Directions::default();
        for (_, directions) in self.ranges.iter().filter(|(range, _)| range.contains(&start)) {
            all.join(directions);
        }
        all.join(&self.inline);
        if let Some((_, kinds)) = &self.section {
            all.aside.extend(kinds);
        }
        block.verified = all.verified;
        if !all.aside.is_empty() {
            self.leave_aside(&all.aside, block);
        }
        all.aside
    }

    /// Drops suppressed marks, and the names whose signals are all suppressed. The block must be the last one of the
    /// draft.
    fn leave_aside(&mut self, aside: &Kinds, block: &mut DraftBlock) {
        let draft = &mut self.draft;
        let before = draft.marks.len() + draft.mentions.len();
        if aside.contains(&SignalKind::TemporalMarker) {
            draft.marks.truncate(block.marks.start);
        }
        let mut kept = draft.mentions.split_off(block.mentions.start);
        kept.retain(|mention| !has_all_of(aside, self.names.get(mention.name).0));
        draft.mentions.append(&mut kept);
        draft.left_aside += before - (draft.marks.len() + draft.mentions.len());
        block.mentions.end = draft.mentions.len();
        block.marks.end = draft.marks.len();
    }
}

/// Returns the offset of `part`, which must be a slice of `whole`.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

/// Returns the range of whole words in a piece of prose.
fn prose(whole: &str, pieces: &[markdown::Piece], at: usize) -> Range<usize> {
    let range = pieces[at].range.clone();
    let text = whole.get(range.clone()).unwrap_or_default();
    let words = whole_words(text, is_cut(whole, pieces, at));
    range.start + words.start..range.start + words.end
}

/// Returns true for each end of a piece at which its word continues in escaped text.
fn is_cut(text: &str, pieces: &[markdown::Piece], at: usize) -> (bool, bool) {
    let range = &pieces[at].range;
    let other = |at: Option<usize>| {
        at.and_then(|at| pieces.get(at)).is_some_and(|piece| piece.sort == Sort::Other)
    };
    let bytes = text.as_bytes();
    let escaped = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b'\\');
    let before = range.start.checked_sub(1);
    (escaped(before) || other(at.checked_sub(1)), escaped(Some(range.end)) || other(Some(at + 1)))
}

/// Returns the range of a text without the partial words at the ends marked in `cut`.
fn whole_words(text: &str, cut: (bool, bool)) -> Range<usize> {
    let from = if cut.0 { text.find(char::is_whitespace).unwrap_or(text.len()) } else { 0 };
    let to = if cut.1 { text.rfind(char::is_whitespace).unwrap_or(0) } else { text.len() };
    from..to.max(from)
}
