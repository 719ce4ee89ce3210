//! The bytes of a value: a kind, a version, and a record in bincode.
//!
//! | byte | what |
//! |---|---|
//! | 0 | the kind of record: [`Coded::KIND`] |
//! | 1 | [`VERSION`] |
//! | 2.. | the record: bincode 2, `standard()`: little end first, variable-length integers |
//!
//! A record is the fields of a struct of `staleness-core` one after the other, its key included; enums are numbers in
//! the order of their variants, times are milliseconds, identifiers are texts. Where a field's own form leaves parts
//! out, it is one text of JSON. A change of any of it is a new version: golden bytes in
//! the tests hold it.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;
use staleness_core::store::StoreError;
use staleness_core::store::table::Bad;

/// The version of every record that is written.
const VERSION: u8 = 2;

/// The largest record that is written, in bytes. Identifiers are at most 512 bytes and descriptions
/// at most 4 KiB, but nothing bounds how many sources list a tool or how long a note is: 64 KiB
/// would be 43 listings of the longest kind.
pub(crate) const MAX_RECORD: usize = 1 << 20;

/// As [`MAX_RECORD`], for items, documents and work items: the text of an item and the findings of a
/// document are up to 1 MiB each, and their other fields together up to 512 KiB.
pub(crate) const MAX_TEXT_RECORD: usize = 2 << 20;

/// The most memory that a reader may claim, in bytes. bincode counts an integer by its size in memory,
/// up to 16 bytes for one byte read, so every record that could be written can be read.
const LIMIT: usize = 16 * MAX_TEXT_RECORD;

const CONFIG: Configuration<LittleEndian, Varint, Limit<LIMIT>> =
    bincode::config::standard().with_limit::<LIMIT>();

/// A record as a value.
pub(crate) trait Coded: Serialize + DeserializeOwned {
    /// The kind of record.
    const KIND: u8;
    /// The largest record of this kind, in bytes.
    const MOST: usize = MAX_RECORD;
}

/// Gives each record its kind and, where it is larger than others, its largest size.
macro_rules! kinds {
    ($($kind:literal: $record:ty $(, $most:ident)?;)*) => {
        $(impl $crate::codec::Coded for $record {
            const KIND: u8 = $kind;
            $(const MOST: usize = $most;)?
        })*
    };
}
pub(crate) use kinds;

/// Returns the bytes of a record.
pub(crate) fn encode<R: Coded>(record: &R) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend([R::KIND, VERSION]);
    bincode::serde::encode_into_std_write(record, &mut bytes, CONFIG)
        .map_err(|error| StoreError::Backend(Box::new(error)))?;
    if bytes.len() > R::MOST {
        return Err(StoreError::Misstep(format!(
            "a record of {} bytes; at most {} are stored",
            bytes.len(),
            R::MOST
        )));
    }
    Ok(bytes)
}

/// Reads a record; every byte must belong to it.
pub(crate) fn decode<R: Coded>(bytes: &[u8]) -> Result<R, Bad> {
    let body = match bytes {
        _ if bytes.len() > R::MOST => return Err(Bad("length")),
        [kind, VERSION, body @ ..] if *kind == R::KIND => body,
        [kind, _, ..] if *kind == R::KIND => return Err(Bad("version")),
        _ => return Err(Bad("kind")),
    };
    let (record, used) =
        bincode::serde::borrow_decode_from_slice(body, CONFIG).map_err(|_| Bad("body"))?;
    if used == body.len() { Ok(record) } else { Err(Bad("length")) }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
