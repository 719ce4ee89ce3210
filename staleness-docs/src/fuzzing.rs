//! The document reader, exposed to the fuzz targets. Not part of the API: it may change in any release.

#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::ops::Range;

use staleness_core::knowledge::WordKind;
use staleness_core::time::Timestamp;

use crate::draft::imports;
use crate::draft::names::{NameSort, Names};
use crate::draft::{self, MAX_PLACES, Origin};
use crate::front::Fields;

#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub body: usize,
    pub titled: Range<usize>,
    pub blocks: Vec<Block>,
    pub faults: Vec<(usize, String)>,
    pub front_faults: Vec<(u32, String)>,
    pub front: Front,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub range: Range<usize>,
    /// The names: offset, text, and true if the document contains this text literally at the offset.
    pub names: Vec<(usize, String, bool)>,
    pub marks: Vec<Range<usize>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Front {
    pub id: Option<String>,
    pub keywords: BTreeSet<String>,
    pub version_context: Option<String>,
    pub verified: Option<Timestamp>,
    pub recalls: u64,
    pub evergreen: bool,
}

/// Parses a document as a check does.
///
/// # Errors
/// If the front matter is invalid.
pub fn read(text: &str) -> Result<Read, &'static str> {
    let mut names = Names::default();
    let draft = draft::read("", text, &mut names, &mut { MAX_PLACES })?;
    let blocks = draft.blocks.iter().map(|block| Block {
        range: block.range.clone(),
        names: draft.mentions[block.mentions.clone()]
            .iter()
            .map(|mention| {
                let name = names.get(mention.name).1.to_owned();
                let sort = names.get(mention.name).0;
                let made = sort == NameSort::Word(WordKind::Command);
                (mention.at, name, mention.origin != Origin::Link && !made)
            })
            .collect(),
        marks: draft.marks[block.marks.clone()].to_vec(),
    });
    Ok(Read {
        body: draft.body,
        titled: draft.titled.clone(),
        blocks: blocks.collect(),
        faults: draft.faults.clone(),
        front_faults: draft.fields.faults.clone(),
        front: front(&draft.fields),
    })
}

fn front(fields: &Fields) -> Front {
    Front {
        id: fields.id.as_ref().map(|id| id.as_str().to_owned()),
        keywords: fields.keywords.clone(),
        version_context: fields.version_context.clone(),
        verified: fields.verified,
        recalls: fields.recalls,
        evergreen: fields.evergreen,
    }
}

/// Returns the paths that a text imports.
pub fn imports(text: &str, body: usize) -> Vec<&str> {
    imports::of(text, body)
}
