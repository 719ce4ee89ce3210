//! The bytes of a value: a kind, a version, and a body in bincode.
//!
//! | byte | what |
//! |---|---|
//! | 0 | the kind of record: one of [`Kind`] |
//! | 1 | the version of that kind's body |
//! | 2.. | the body: bincode 2, `standard()`: little end first, variable-length integers |
//!
//! A body is the fields of a struct without attributes, one after the other; enums are numbers by
//! the lists in `records`. A version's fields never change: a new field is a new version.
//! Everything that must be ordered is in the key, and is not repeated in the value.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::{Deserialize, Serialize};
use staleness_core::store::StoreError;

/// The largest record that is written, in bytes. Identifiers are at most 512 bytes and descriptions
/// at most 4 KiB, but nothing bounds how many sources list a tool or how long a note is: 64 KiB
/// would be 43 holdings of the longest kind.
pub(crate) const MAX_RECORD: usize = 1 << 20;

/// The same for items, documents and work items, in bytes: the text of an item and the findings of a
/// document are up to 1 MiB each, and their other fields together up to 512 KiB.
pub(crate) const MAX_TEXT_RECORD: usize = 2 << 20;

/// What a reader may claim. bincode counts an integer by its size in memory, up to 16 bytes for one
/// byte read, so every record that could be written can be read.
const LIMIT: usize = 16 * MAX_TEXT_RECORD;

const CONFIG: Configuration<LittleEndian, Varint, Limit<LIMIT>> =
    bincode::config::standard().with_limit::<LIMIT>();

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Project = b'p',
    Source = b's',
    Tool = b't',
    Outcome = b'o',
    Entry = b'j',
    Item = b'k',
    Document = b'd',
    Work = b'w',
    Session = b'e',
    Cursor = b'c',
    Route = b'r',
    Vector = b'v',
    Suggestions = b'g',
}

impl Kind {
    /// The largest record of this kind, in bytes.
    pub(crate) const fn most(self) -> usize {
        match self {
            Self::Item | Self::Document | Self::Work => MAX_TEXT_RECORD,
            Self::Project
            | Self::Source
            | Self::Tool
            | Self::Outcome
            | Self::Entry
            | Self::Session
            | Self::Cursor
            | Self::Route
            | Self::Vector
            | Self::Suggestions => MAX_RECORD,
        }
    }
}

/// The part of a record that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bad(pub(crate) &'static str);

/// The error for a record that cannot be read: the table, the row's key and the field.
pub(crate) fn corrupt(table: &str, key: impl std::fmt::Display, bad: Bad) -> StoreError {
    StoreError::Corrupt(format!("{table} {key}: {} cannot be read", bad.0))
}

/// The bytes of a record.
pub(crate) fn encode<T: Serialize>(
    kind: Kind,
    version: u8,
    body: &T,
) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend([kind as u8, version]);
    bincode::serde::encode_into_std_write(body, &mut bytes, CONFIG)
        .map_err(|error| StoreError::Backend(Box::new(error)))?;
    if bytes.len() > kind.most() {
        return Err(StoreError::Misstep(format!(
            "a record of {} bytes; at most {} are stored",
            bytes.len(),
            kind.most()
        )));
    }
    Ok(bytes)
}

/// Splits a record into its version and its body, after looking at its kind.
pub(crate) fn open(kind: Kind, bytes: &[u8]) -> Result<(u8, &[u8]), Bad> {
    match bytes {
        _ if bytes.len() > kind.most() => Err(Bad("length")),
        [found, version, body @ ..] if *found == kind as u8 => Ok((*version, body)),
        _ => Err(Bad("kind")),
    }
}

/// Reads a body; every byte must belong to it.
pub(crate) fn decode<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Bad> {
    let (value, used) = decode_start(body)?;
    if used == body.len() { Ok(value) } else { Err(Bad("length")) }
}

/// Reads the first fields of a body. How many bytes they took.
pub(crate) fn decode_start<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<(T, usize), Bad> {
    bincode::serde::borrow_decode_from_slice(body, CONFIG).map_err(|_| Bad("body"))
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
