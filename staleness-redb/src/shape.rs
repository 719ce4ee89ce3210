//! What kind of file it is, by its first bytes, before redb is asked.
//!
//! The fields are those of redb's file format 3, documented in its `docs/design.md`.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};

use staleness_core::store::StoreError;

use crate::error::from_io;

const MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";
/// Bytes of the header.
const HEADER: usize = 320;

/// Refuses a file that is no redb database, or one that has lost its end. redb takes the length of
/// a file that was not closed for the truth, and ours never are.
pub(crate) fn check(file: &File) -> Result<(), StoreError> {
    let doing = "reading the header of the store";
    let mut header = [0; HEADER];
    let mut found = 0;
    let mut reader = file;
    while found < HEADER {
        match reader.read(&mut header[found..]) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::IsADirectory => {
                return Err(StoreError::NotAStore("it is a folder".into()));
            }
            Err(error) => return Err(from_io(doing, error)),
        }
    }
    reader.rewind().map_err(|error| from_io(doing, error))?;
    if found == 0 {
        return Err(StoreError::Corrupt("the file is empty".into()));
    }
    if !header[..found].starts_with(&MAGIC) {
        return Err(StoreError::NotAStore("the file is no redb database".into()));
    }
    let there = file.metadata().map_err(|error| from_io(doing, error))?.len();
    if found < HEADER || there < stored_length(&header) {
        return Err(StoreError::Corrupt("the end of the file is missing".into()));
    }
    Ok(())
}

/// The least length that the header speaks of: its own page, and the pages of every region.
fn stored_length(header: &[u8; HEADER]) -> u64 {
    let field = |offset: usize| {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&header[offset..offset + 4]);
        u64::from(u32::from_le_bytes(bytes))
    };
    let (page, region_header, region_pages) = (field(12), field(16), field(20));
    let (full, trailing) = (field(24), field(28));
    let trailing = if trailing == 0 { 0 } else { region_header + trailing };
    // Fields of a damaged header may have any value; redb judges them.
    (region_header + region_pages)
        .saturating_mul(full)
        .saturating_add(trailing)
        .saturating_add(1)
        .saturating_mul(page)
}
