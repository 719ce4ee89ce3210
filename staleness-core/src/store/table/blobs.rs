//! The binary encoding of the three kinds of lists that a table store keeps inside a row.
//!
//! Each list begins with a version byte, 1. Numbers are little-endian. A text is its length in bytes (4 bytes) followed
//! by UTF-8.
//!
//! - a ring: for each entry, oldest first, 17 bytes: the mark's letter, the time (8), the op's hash (8),
//! - listings: for each listing a byte (the state, plus 8 if there is a project), the level (a byte), the project if
//!   there is one, the client, the part,
//! - credits: for each tool its scope and its name.
//!
//! An empty list has no bytes. Existing stores contain these bytes, so the encoding must never change.

use crate::ids::{Level, ProjectId, Scope, SourceId, ToolKey, ToolName};
use crate::outcome::Mark;
use crate::time::Timestamp;
use crate::tool::{Listing, ListingState, Ring, RingEntry};

const VERSION: u8 = 1;
const STATE: u8 = 7;
const OF_PROJECT: u8 = 8;

/// The size of a ring entry in bytes: letter, time, op.
const ENTRY: usize = 17;

pub(super) fn ring_to_bytes(ring: &Ring) -> Vec<u8> {
    let mut bytes = begin(ring.len() * ENTRY);
    for entry in ring.entries() {
        bytes.push(entry.mark.letter() as u8);
        bytes.extend_from_slice(&entry.at.as_millis().to_le_bytes());
        bytes.extend_from_slice(&entry.op.to_le_bytes());
    }
    bytes
}

/// The inverse of [`ring_to_bytes`]. `None` for any other bytes.
pub(super) fn ring_from_bytes(bytes: &[u8]) -> Option<Ring> {
    let mut rest = Bytes::new(bytes)?;
    let mut entries = Vec::with_capacity((rest.0.len() / ENTRY).min(Ring::CAPACITY));
    while !rest.0.is_empty() {
        let mark = Mark::from_letter(char::from(rest.byte()?))?;
        let millis = i64::from_le_bytes(rest.array()?);
        let op = u64::from_le_bytes(rest.array()?);
        let at = Timestamp::from_millis(millis);
        if at.as_millis() != millis {
            return None;
        }
        entries.push(RingEntry { mark, at, op });
    }
    (entries.len() <= Ring::CAPACITY).then(|| Ring::from_entries(entries))
}

pub(super) fn listings_to_bytes(listings: &[Listing]) -> Vec<u8> {
    let mut bytes = begin(listings.len() * 48);
    for Listing { source, state } in listings {
        let of_project = source.project.is_some();
        bytes.push(*state as u8 + u8::from(of_project) * OF_PROJECT);
        bytes.push(source.level as u8);
        if let Some(project) = &source.project {
            put_text(&mut bytes, project.as_str());
        }
        put_text(&mut bytes, &source.client);
        put_text(&mut bytes, &source.part);
    }
    bytes
}

/// The inverse of [`listings_to_bytes`]. `None` for any other bytes.
pub(super) fn listings_from_bytes(bytes: &[u8]) -> Option<Vec<Listing>> {
    let mut rest = Bytes::new(bytes)?;
    let mut listings = Vec::new();
    while !rest.0.is_empty() {
        let flags = rest.byte()?;
        if flags & !(STATE | OF_PROJECT) != 0 {
            return None;
        }
        let state = *ListingState::ALL.get(usize::from(flags & STATE))?;
        let level = *Level::ALL.get(usize::from(rest.byte()?))?;
        let project = match flags & OF_PROJECT {
            0 => None,
            _ => Some(ProjectId::new(rest.text()?).ok()?),
        };
        listings.push(Listing {
            source: SourceId {
                project,
                level,
                client: rest.text()?.to_owned(),
                part: rest.text()?.to_owned(),
            },
            state,
        });
    }
    Some(listings)
}

/// Encodes the tools that get credit for an outcome.
pub(super) fn credits_to_bytes(credits: &[ToolKey]) -> Vec<u8> {
    let mut bytes = begin(credits.len() * 32);
    for key in credits {
        put_text(&mut bytes, key.scope.as_key());
        put_text(&mut bytes, key.name.as_str());
    }
    bytes
}

/// The inverse of [`credits_to_bytes`]. `None` for any other bytes.
pub(super) fn credits_from_bytes(bytes: &[u8]) -> Option<Vec<ToolKey>> {
    let mut rest = Bytes::new(bytes)?;
    let mut credits = Vec::new();
    while !rest.0.is_empty() {
        credits.push(ToolKey {
            scope: Scope::try_from(rest.text()?.to_owned()).ok()?,
            name: ToolName::new(rest.text()?).ok()?,
        });
    }
    Some(credits)
}

fn begin(expected: usize) -> Vec<u8> {
    if expected == 0 {
        return Vec::new();
    }
    let mut bytes = Vec::with_capacity(expected + 1);
    bytes.push(VERSION);
    bytes
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    // Databases refuse values above a gigabyte, so a length always fits in 32 bits.
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.as_bytes());
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn new(bytes: &'b [u8]) -> Option<Self> {
        match bytes {
            [] => Some(Self(bytes)),
            [VERSION, rest @ ..] => Some(Self(rest)),
            _ => None,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn text(&mut self) -> Option<&'b str> {
        let length = usize::try_from(u32::from_le_bytes(self.array()?)).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> ProjectId {
        ProjectId::new("p").unwrap()
    }

    #[test]
    fn rings_keep_every_bit() {
        let entries = Mark::ALL.into_iter().zip([
            (Timestamp::MIN, 0),
            (Timestamp::MAX, u64::MAX),
            (Timestamp::from_millis(-1), 1 << 63),
            (Timestamp::from_millis(0), 7),
            (Timestamp::from_millis(1), 1),
        ]);
        let ring = Ring::from_entries(entries.map(|(mark, (at, op))| RingEntry { mark, at, op }));
        let bytes = ring_to_bytes(&ring);
        assert_eq!(ring_from_bytes(&bytes), Some(ring));
        assert_eq!(ring_to_bytes(&Ring::default()), b"");
        assert_eq!(ring_from_bytes(b""), Some(Ring::default()));
    }

    /// The bytes of format 1, which must never change.
    #[test]
    fn the_bytes_are_those_of_format_1() {
        let ring = Ring::from_entries([RingEntry {
            mark: Mark::Failure,
            at: Timestamp::from_millis(0x0102),
            op: 3,
        }]);
        assert_eq!(ring_to_bytes(&ring), b"\x01F\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0");
        let listing = Listing {
            source: SourceId {
                project: Some(project()),
                client: "c".into(),
                level: Level::Local,
                part: "mcp".into(),
            },
            state: ListingState::Configured,
        };
        let bytes = b"\x01\x08\x02\x01\0\0\0p\x01\0\0\0c\x03\0\0\0mcp";
        assert_eq!(listings_to_bytes(std::slice::from_ref(&listing)), bytes);
        assert_eq!(listings_from_bytes(bytes), Some(vec![listing]));
        let key = ToolKey::global(ToolName::new("t").unwrap());
        let bytes = b"\x01\0\0\0\0\x01\0\0\0t";
        assert_eq!(credits_to_bytes(std::slice::from_ref(&key)), bytes);
        assert_eq!(credits_from_bytes(bytes), Some(vec![key]));
    }

    #[test]
    fn anything_else_is_refused_and_nothing_panics() {
        let ring = b"\x01F\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0";
        let listings = b"\x01\x08\x02\x01\0\0\0p\x01\0\0\0c\x03\0\0\0mcp";
        let credits = b"\x01\0\0\0\0\x01\0\0\0t";
        for cut in 2..ring.len() {
            assert_eq!(ring_from_bytes(&ring[..cut]), None, "{cut}");
        }
        for cut in 2..listings.len() {
            assert_eq!(listings_from_bytes(&listings[..cut]), None, "{cut}");
        }
        for cut in 2..credits.len() {
            assert_eq!(credits_from_bytes(&credits[..cut]), None, "{cut}");
        }
        assert_eq!(ring_from_bytes(b"\x02"), None);
        assert_eq!(listings_from_bytes(b"\x01\x10\0"), None);
        assert_eq!(listings_from_bytes(b"\x01\x06\0"), None);
        assert_eq!(listings_from_bytes(b"\x01\x01\x07\0\0\0\0\0\0\0\0"), None);
        assert_eq!(credits_from_bytes(b"\x01\xff\xff\xff\xff"), None);
        assert_eq!(ring_from_bytes(&[&b"\x01"[..], &[b'S'; 17 * 33]].concat()), None);
    }
}
