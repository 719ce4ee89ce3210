//! Encodes records as bytes: a kind, a version, and the record in bincode.
//!
//! | byte | content |
//! |---|---|
//! | 0 | the kind of record: [`Coded::KIND`] |
//! | 1 | [`VERSION`] |
//! | 2.. | the record: bincode 2 with `standard()`, that is little-endian with variable-length integers |
//!
//! A record consists of the fields of a struct from `staleness-core`, including the key. Enums are variant
//! indexes, times are milliseconds, identifiers are texts. Fields with optional parts are one JSON text. Any
//! change needs a new version. The golden bytes in the tests detect changes.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;
use staleness_core::store::StoreError;
use staleness_core::store::table::Bad;

/// The version of all records written.
const VERSION: u8 = 2;

/// Maximum size of a record, in bytes. Identifiers have at most 512 bytes and descriptions 4 KiB, but the number of
/// sources that list a tool and the length of a note are unlimited.
pub(crate) const MAX_RECORD: usize = 1 << 20;

/// Like [`MAX_RECORD`], for items, documents and work items. An item's text and a document's findings may
/// each have 1 MiB, and their other fields together 512 KiB.
pub(crate) const MAX_TEXT_RECORD: usize = 2 << 20;

/// Maximum memory that a decoder may claim, in bytes. bincode counts integers by their size in memory, up to
/// 16 bytes for one byte read, so every record that can be written can be read.
const LIMIT: usize = 16 * MAX_TEXT_RECORD;

const CONFIG: Configuration<LittleEndian, Varint, Limit<LIMIT>> =
    bincode::config::standard().with_limit::<LIMIT>();

/// A record that can be encoded.
pub(crate) trait Coded: Serialize + DeserializeOwned {
    /// The byte that identifies the kind of record.
    const KIND: u8;
    /// Maximum size of such a record, in bytes.
    const MOST: usize = MAX_RECORD;
}

/// Defines the kind of each record and, if it is not the default, the maximum size.
macro_rules! kinds {
    ($($kind:literal: $record:ty $(, $most:ident)?;)*) => {
        $(impl $crate::codec::Coded for $record {
            const KIND: u8 = $kind;
            $(const MOST: usize = $most;)?
        })*
    };
}
pub(crate) use kinds;

pub(crate) fn encode<R: Coded>(record: &R) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend([R::KIND, VERSION]);
    bincode::serde::encode_into_std_write(record, &mut bytes, CONFIG)
        .map_err(|error| StoreError::Backend(Box::new(error)))?;
    if bytes.len() > R::MOST {
        return Err(StoreError::Misstep(format!(
            "a record of {} bytes; the maximum is {}",
            bytes.len(),
            R::MOST
        )));
    }
    Ok(bytes)
}

/// Decodes a record. All bytes must be used.
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
