use std::fmt;
use std::hash::{Hash, Hasher};

/// The id of a git object, SHA-1 or SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Oid {
    bytes: [u8; 32],
    len: u8,
}

/// The ids of an empty file and of a file with one empty line, by SHA-1 and SHA-256.
const BLANK: [&str; 4] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "8b137891791fe96927ad78e64b0aad7bded08bdc",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    "4c0d52d180c61d01ce1a91dec5ee58f0cbe65fd59433aea803ab927965493fd7",
];

impl Oid {
    /// Returns true for the id of a file without text. All such files are equal, so they are never paired as
    /// renames.
    pub(crate) fn is_blank(self) -> bool {
        BLANK.iter().any(|hex| Self::from_hex(hex.as_bytes()) == Some(self))
    }

    /// Parses 40 or 64 hexadecimal digits. Returns `None` for anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        if !matches!(hex.len(), 40 | 64) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self { bytes, len: u8::try_from(hex.len() / 2).ok()? })
    }

    /// Reads an id from its raw bytes, as stored in trees.
    pub(crate) fn from_bytes(raw: &[u8]) -> Option<Self> {
        if !matches!(raw.len(), 20 | 32) {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self { bytes, len: u8::try_from(raw.len()).ok()? })
    }

    /// Returns the null id of the same length.
    pub(crate) const fn null_like(like: Self) -> Self {
        Self { bytes: [0; 32], len: like.len }
    }

    /// Returns the bytes of the id: 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Returns true if this is the null id, as in a change that adds or deletes a file.
    pub fn is_null(&self) -> bool {
        self.bytes == [0; 32]
    }
}

impl Hash for Oid {
    /// An id is a digest, so its first bytes suffice as a hash.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f, g, h, ..] = self.bytes;
        state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Oid {
    /// Writes all digits in lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        let digits = &text[..2 * self.as_bytes().len()];
        f.write_str(std::str::from_utf8(digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_round_trip_and_anything_else_is_no_id() {
        for hex in ["0123456789abcdef0123456789abcdef01234567", &"ab".repeat(32)] {
            let id = Oid::from_hex(hex.as_bytes()).unwrap();
            assert_eq!(id.to_string(), hex);
            assert_eq!(Oid::from_bytes(id.as_bytes()), Some(id));
            assert!(!id.is_null());
        }
        assert!(Oid::from_hex(&[b'0'; 40]).unwrap().is_null());
        for bad in ["", "HEAD", "--all", &"g".repeat(40), &"A".repeat(40), &"a".repeat(41)] {
            assert_eq!(Oid::from_hex(bad.as_bytes()), None, "{bad}");
        }
    }
}
