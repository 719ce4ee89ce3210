//! Words and hashes as lines hold them: spelled by the records' own words, never by derived names.

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::ids::Level;
use crate::journal::{Action, SubjectKind};
use crate::knowledge::ItemKind;
use crate::outcome::Mark;
use crate::source::SourceState;
use crate::tool::{Hold, ListingState, PresenceCause, ToolKind};
use crate::work::{NoteType, WorkKind, WorkStatus};

/// A value that is written as one word.
pub(super) trait Word: Sized {
    fn word(&self) -> String;
    fn of(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($($name:ident),*) => {$(
        impl Word for $name {
            fn word(&self) -> String {
                self.as_str().to_owned()
            }
            fn of(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == word)
            }
        }
    )*};
}

words!(
    Level,
    SubjectKind,
    Action,
    SourceState,
    Hold,
    ListingState,
    PresenceCause,
    ToolKind,
    ItemKind
);
words!(WorkKind, WorkStatus, NoteType);

impl Word for Mark {
    fn word(&self) -> String {
        self.letter().to_string()
    }

    fn of(word: &str) -> Option<Self> {
        let mut letters = word.chars();
        letters.next().and_then(Self::from_letter).filter(|_| letters.next().is_none())
    }
}

/// 64 bits as 16 hexadecimal digits: numbers of that size lose digits in other readers.
impl Word for u64 {
    fn word(&self) -> String {
        format!("{self:016x}")
    }

    fn of(word: &str) -> Option<Self> {
        hex(word, 16).and_then(|word| Self::from_str_radix(word, 16).ok())
    }
}

/// 128 bits as 32 hexadecimal digits.
impl Word for u128 {
    fn word(&self) -> String {
        format!("{self:032x}")
    }

    fn of(word: &str) -> Option<Self> {
        hex(word, 32).and_then(|word| Self::from_str_radix(word, 16).ok())
    }
}

/// The word when it is exactly so many digits in the one form that is written.
fn hex(word: &str, digits: usize) -> Option<&str> {
    let written = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (word.len() == digits && word.bytes().all(written)).then_some(word)
}

/// Bytes as hexadecimal digits.
pub(super) mod hex_bytes {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        let digit = |four: u8| char::from_digit(u32::from(four), 16).unwrap_or('0');
        let digits: String =
            bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        to.serialize_str(&digits)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
        bytes
            .filter(|_| rest.is_empty())
            .ok_or_else(|| de::Error::custom("the numbers are no bytes in hexadecimal digits"))
    }
}

pub(super) fn serialize<T: Word, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.word())
}

pub(super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let word = String::deserialize(from)?;
    T::of(&word).ok_or_else(|| de::Error::custom(format!("{word:?} is not a known word here")))
}

/// A constant field, such as the kind of a line: written as it is, checked when read.
macro_rules! constant {
    ($name:ident = $value:literal) => {
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct $name;

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&$value, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                serde::de::IgnoredAny::deserialize(from).map(|_| Self)
            }
        }
    };
}
pub(super) use constant;

constant!(Version = 1_u64);
