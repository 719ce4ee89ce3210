use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use staleness_core::knowledge::{Evidence, Lines as LineRange};
use staleness_core::time::Timestamp;

use super::doc::Doc;
use super::questions::{Ask, Asked, Questions};
use crate::draft::place::Lines;
use crate::git::{Anchor, CitationQuery, Commit};

/// Estimated memory of a question or of a block with questions, in bytes.
const QUESTION_BYTES: usize = 256;

/// A document with questions, and its text.
pub(super) struct Open<'d> {
    pub(super) doc: &'d Doc,
    pub(super) text: String,
    pub(super) asked: Vec<Asked>,
    /// Number of blocks with only temporal words that were omitted.
    pub(super) passed: usize,
    /// The line range of each block, in the order of `asked`.
    pub(super) places: Vec<LineRange>,
    /// The sentences that say that something no longer exists.
    pub(super) gone: OnceCell<String>,
    /// True for each name that the document explains. Names are added when first looked up.
    pub(super) known: RefCell<HashMap<String, bool>>,
}

impl<'d> Open<'d> {
    pub(super) fn new(doc: &'d Doc, text: String, questions: Questions) -> Self {
        let Questions { asked, passed, .. } = questions;
        let mut lines = Lines::new(&text);
        let place = |asked: &Asked| {
            let range = asked
                .block
                .map_or(0..doc.draft.body.max(1), |at| doc.draft.blocks[at].range.clone());
            let (first, last) = lines.span(&range);
            LineRange { first, last }
        };
        let places = asked.iter().map(place).collect();
        let (gone, known) = (OnceCell::new(), RefCell::default());
        Self { doc, text, asked, passed, places, gone, known }
    }

    /// Returns true if a block contains a text. `asked` is the index of the block among those with questions.
    pub(super) fn names(&self, asked: usize, text: &str) -> bool {
        self.text_of(asked).is_some_and(|it| it.contains(text))
    }

    fn text_of(&self, asked: usize) -> Option<&str> {
        let block = self.asked[asked].block.and_then(|at| self.doc.draft.blocks.get(at))?;
        self.text.get(block.range.clone())
    }

    /// Returns true if a block with questions shows a rename with an arrow: `old.rs → new.rs`.
    pub(super) fn shows_change(&self, asked: usize, old: &str, new: &str) -> bool {
        let name = |path: &'_ str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let new = if name(old) == name(new) { new.to_owned() } else { name(new) };
        let text = self.text_of(asked).unwrap_or_default();
        ["→", "->", "=>"].iter().flat_map(|arrow| text.match_indices(arrow)).any(|(at, arrow)| {
            text[..at].contains(&name(old)) && text[at + arrow.len()..].contains(&new)
        })
    }

    /// Returns the estimated memory of the document and its questions, in bytes.
    pub(super) fn size(&self) -> usize {
        let questions: usize = self.asked.iter().map(|asked| asked.asks.len() + 1).sum();
        self.text.len() + questions * QUESTION_BYTES
    }
}

/// The answers about one document, per block in the order of the questions.
#[derive(Debug)]
pub(super) struct Answers {
    /// The anchor of each block. `None` if the block cannot be dated.
    pub(super) anchors: Vec<Option<Anchored>>,
    /// The evidence in each block, with the index of its question.
    pub(super) facts: Vec<Vec<(usize, Evidence)>>,
}

/// Iterates over the questions about blocks with an anchor.
pub(super) fn anchored_asks<'h>(
    held: &'h [Open<'_>],
    anchors: &'h [Vec<Option<Anchored>>],
) -> impl Iterator<Item = (Place, &'h Ask, Anchored)> {
    let blocks = held.iter().zip(anchors).enumerate().flat_map(|(at, (open, anchors))| {
        let blocks = open.asked.iter().zip(anchors).enumerate();
        blocks.filter_map(move |(block, (asked, anchor))| Some((at, block, asked, (*anchor)?)))
    });
    blocks.flat_map(|(at, block, asked, anchor)| {
        let asks = asked.asks.iter().enumerate();
        asks.map(move |(ask, question)| ((at, block, ask), question, anchor))
    })
}

/// Indices of the document, the block and the question.
pub(super) type Place = (usize, usize, usize);
/// Indices of the document, the block and the question, and the citation to check.
pub(super) type CiteAsked<'a> = (usize, usize, usize, CitationQuery<'a>);

/// The time at which the content of a block was last known to be correct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchored {
    pub(super) at: Timestamp,
    pub(super) commit: Option<Commit>,
    pub(super) anchor: Anchor,
}

impl Anchored {
    /// Returns true if a missing link target counts as evidence. It always does after an edit. After a verification it
    /// does only if the target was removed later.
    pub(super) fn is_before(&self, removal: Option<Commit>) -> bool {
        match self.anchor {
            Anchor::Commit(_) => true,
            Anchor::At(at) => removal.is_some_and(|removal| removal.at > at),
        }
    }
}
