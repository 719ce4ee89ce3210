//! Common parts of export lines: the forms of marks, hashes, scopes and sets.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ids::{ProjectId, Scope};
use crate::outcome::Mark;

/// A value with a textual form of one word.
pub(super) trait Word: Sized {
    fn word(&self) -> String;
    fn of(word: &str) -> Option<Self>;
}

impl Word for Mark {
    fn word(&self) -> String {
        self.as_str().to_owned()
    }

    fn of(word: &str) -> Option<Self> {
        Self::from_word(word)
    }
}

/// Written as 16 hexadecimal digits, because other JSON readers lose precision with large numbers.
impl Word for u64 {
    fn word(&self) -> String {
        format!("{self:016x}")
    }

    fn of(word: &str) -> Option<Self> {
        hex(word, 16).and_then(|word| Self::from_str_radix(word, 16).ok())
    }
}

/// Written as 32 hexadecimal digits.
impl Word for u128 {
    fn word(&self) -> String {
        format!("{self:032x}")
    }

    fn of(word: &str) -> Option<Self> {
        hex(word, 32).and_then(|word| Self::from_str_radix(word, 16).ok())
    }
}

/// Returns the word if it has exactly this number of digits in canonical form.
fn hex(word: &str, digits: usize) -> Option<&str> {
    let written = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (word.len() == digits && word.bytes().all(written)).then_some(word)
}

/// Written as hexadecimal digits, two for each byte.
impl Word for Vec<u8> {
    fn word(&self) -> String {
        let digit = |four: u8| char::from_digit(u32::from(four), 16).unwrap_or('0');
        self.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    fn of(word: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = word.as_bytes().as_chunks::<2>();
        let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
        bytes.collect::<Option<Self>>().filter(|_| rest.is_empty())
    }
}

pub(super) fn serialize<T: Word, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.word())
}

pub(super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let word = String::deserialize(from)?;
    T::of(&word).ok_or_else(|| de::Error::custom(format!("{word:?} is not a known word here")))
}

/// A field that is always the same in lines of one kind, such as the kind. It was checked before the line is read.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Fixed<T>(pub(super) T);

impl<'de, T: Default> Deserialize<'de> for Fixed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        de::IgnoredAny::deserialize(from).map(|_| Self(T::default()))
    }
}

/// Returns true if a field is omitted.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads a scope, which is written as its project's id and omitted if it is global.
pub(super) fn project<'de, D: Deserializer<'de>>(from: D) -> Result<Scope, D::Error> {
    ProjectId::deserialize(from).map(Scope::Project)
}

/// Reads a set from a list that must be sorted, so that it is written back with the same bytes.
pub(super) fn sorted<'de, T: Deserialize<'de> + Ord, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeSet<T>, D::Error> {
    set(Vec::deserialize(from)?)
}

pub(super) fn set<T: Ord, E: de::Error>(list: Vec<T>) -> Result<BTreeSet<T>, E> {
    if !list.is_sorted_by(|a, b| a < b) {
        return Err(E::custom("a list that is not sorted, or has duplicates"));
    }
    Ok(list.into_iter().collect())
}
