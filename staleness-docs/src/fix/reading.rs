//! A document parsed to find the positions of its names.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use crate::draft::markdown::{self, BlockView, Sort, Visitor};
use crate::draft::names::{NameSort, Names};
use crate::draft::{self, Draft, MAX_PLACES};

#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'r> {
    pub(super) at: usize,
    pub(super) sort: NameSort,
    pub(super) text: &'r str,
}

/// The names, link destinations and quotations of a document.
pub(super) struct Reading<'t> {
    text: &'t str,
    /// Start offset of each line.
    lines: Vec<usize>,
    draft: Draft,
    names: Names,
    /// Offset, index and block index of each name, sorted.
    places: Vec<(usize, usize, usize)>,
    /// Offset and destination range of each link, sorted.
    links: Vec<(usize, Range<usize>)>,
    /// All destination ranges, sorted.
    destinations: Vec<Range<usize>>,
    quotes: Vec<Range<usize>>,
    headings: Vec<Range<usize>>,
}

impl<'t> Reading<'t> {
    /// Parses a text. Returns `None` if its front matter is invalid.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let mut names = Names::default();
        let draft = draft::read("", text, &mut names, &mut MAX_PLACES.clone()).ok()?;
        let mut links = Links { text, found: Vec::new() };
        markdown::read(text, draft.body, &mut links);
        let mut links = links.found;
        links.sort_by_key(|(at, range)| (*at, range.start));
        let mut destinations: Vec<_> = links.iter().map(|(_, range)| range.clone()).collect();
        destinations.sort_by_key(|range| range.start);
        let mut places: Vec<(usize, usize, usize)> = Vec::with_capacity(draft.mentions.len());
        for (number, block) in draft.blocks.iter().enumerate() {
            let of_block = block.mentions.clone();
            places.extend(of_block.map(|at| (draft.mentions[at].at, at, number)));
        }
        places.sort_unstable();
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = [0].into_iter().chain(breaks).collect();
        let (quotes, headings) = quotes_and_headings(text, draft.body);
        Some(Self { text, lines, draft, names, places, links, destinations, quotes, headings })
    }

    /// Returns all occurrences of the name at an offset within its block. Empty if there is no name of a matching sort
    /// at the offset.
    pub(super) fn like(&self, at: usize, is_sort: impl Fn(NameSort) -> bool) -> Vec<Named<'_>> {
        let first = self.places.partition_point(|(place, ..)| *place < at);
        let mut here = self.places[first..].iter().take_while(|(place, ..)| *place == at);
        let found =
            here.find(|(_, number, _)| is_sort(self.named(&self.draft.mentions[*number]).sort));
        let Some((_, number, block)) = found else { return Vec::new() };
        let name = self.draft.mentions[*number].name;
        let all = &self.draft.mentions[self.draft.blocks[*block].mentions.clone()];
        all.iter().filter(|mention| mention.name == name).map(|it| self.named(it)).collect()
    }

    fn named(&self, mention: &draft::Mention) -> Named<'_> {
        let (sort, text) = self.names.get(mention.name);
        Named { at: mention.at, sort, text }
    }

    /// Returns the destination range of the link at an offset, if it is written without escapes.
    pub(super) fn destination(&self, link: usize) -> Option<Range<usize>> {
        let at = self.links.binary_search_by_key(&link, |(at, _)| *at).ok()?;
        Some(self.links[at].1.clone())
    }

    /// Returns the sort of the name at an offset, and the text from that offset onward.
    pub(super) fn from(&self, at: usize) -> Option<(NameSort, &str)> {
        let next = self.destinations.partition_point(|range| range.start <= at);
        let link = next.checked_sub(1).map(|last| self.destinations[last].clone());
        if let Some(link) = link.filter(|range| at < range.end) {
            return Some((NameSort::Link, self.text.get(at..link.end)?));
        }
        let first = self.places.partition_point(|(place, ..)| *place < at);
        let mut here = self.places[first..].iter().take_while(|(place, ..)| *place == at);
        here.find_map(|(_, number, _)| {
            let (sort, text) = self.names.get(self.draft.mentions[*number].name);
            (sort != NameSort::Link).then_some((sort, text))
        })
    }

    /// Returns the offset for a line and a column, both counted from 1. Columns count characters.
    pub(super) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.lines.get(line.checked_sub(1)? as usize)?;
        let row = self.text.get(start..)?.split('\n').next()?;
        let mut ends = row.char_indices().map(|(at, _)| at).chain([row.len()]);
        ends.nth(column.checked_sub(1)? as usize).map(|at| start + at)
    }

    /// Returns the other names in the same block.
    pub(super) fn beside(&self, named: &Named<'_>) -> impl Iterator<Item = Named<'_>> {
        let next = self.draft.blocks.partition_point(|block| block.range.start <= named.at);
        let block = next.checked_sub(1).map_or(0..0, |at| self.draft.blocks[at].mentions.clone());
        let (sort, text) = (named.sort, named.text.to_owned());
        let all = self.draft.mentions[block].iter().map(|mention| self.named(mention));
        all.filter(move |other| other.sort != sort || other.text != text)
    }

    /// Returns true if the offset is in a block quote or in struck-out text. A callout (`> [!NOTE]`) does not
    /// count.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.quotes.iter().any(|quote| quote.contains(&at))
    }

    pub(super) fn is_in_heading(&self, at: usize) -> bool {
        self.headings.iter().any(|heading| heading.contains(&at))
    }

    /// Returns the citations in the front matter with their lines.
    pub(super) fn cites(&self) -> &[(String, u32)] {
        &self.draft.fields.cite
    }
}

fn quotes_and_headings(text: &str, body: usize) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut quotes, mut headings): (Vec<Range<usize>>, _) = (Vec::new(), Vec::new());
    let below = text.get(body..).unwrap_or_default();
    for (event, range) in Parser::new_ext(below, markdown::dialect()).into_offset_iter() {
        let is_inner = quotes.last().is_some_and(|quote| range.start + body < quote.end);
        let is_past = matches!(event, Event::Start(Tag::BlockQuote(None) | Tag::Strikethrough));
        let range = range.start + body..range.end + body;
        if matches!(event, Event::Start(Tag::Heading { .. })) {
            headings.push(range.clone());
        }
        if is_past && !is_inner {
            quotes.push(range);
        }
    }
    (quotes, headings)
}

/// Finds link destinations in the text. Destinations with escapes or entities are skipped, because they
/// differ from the text.
struct Links<'t> {
    text: &'t str,
    found: Vec<(usize, Range<usize>)>,
}

impl<'t> Visitor<'t> for Links<'t> {
    fn block(&mut self, view: &BlockView<'_, 't>) {
        for piece in view.pieces {
            let Sort::Target(target) = piece.sort else { continue };
            let Some(target) = view.targets.get(target) else { continue };
            let whole = self.text.as_bytes().as_ptr_range();
            let part = target.as_bytes().as_ptr_range();
            if whole.start <= part.start && part.end <= whole.end {
                let start = part.start as usize - whole.start as usize;
                self.found.push((piece.range.start, start..start + target.len()));
            }
        }
    }

    fn html(&mut self, _html: &str, _range: Range<usize>, _inline: bool) {}

    fn element(&mut self, _range: Range<usize>, _heading: Option<u8>) {}
}
