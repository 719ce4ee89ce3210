//! Common parts of export lines: the forms of marks, hashes and sets, and the macro that defines a line.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::outcome::Mark;

/// A value with a textual form of one word.
pub(super) trait Word: Sized {
    fn word(&self) -> String;
    fn of(word: &str) -> Option<Self>;
}

impl Word for Mark {
    fn word(&self) -> String {
        self.letter().to_string()
    }

    fn of(word: &str) -> Option<Self> {
        let mut letters = word.chars();
        letters.next().and_then(Self::from_letter).filter(|_| letters.next().is_none())
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
            .ok_or_else(|| de::Error::custom("the numbers are not hexadecimal bytes"))
    }
}

pub(super) fn serialize<T: Word, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.word())
}

pub(super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let word = String::deserialize(from)?;
    T::of(&word).ok_or_else(|| de::Error::custom(format!("{word:?} is not a known word here")))
}

/// Defines a constant field, such as the kind of a line. It is written as is and checked on reading.
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

/// A scope as its project's id; absent for the global scope.
pub(super) mod scope {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::ids::{ProjectId, Scope};

    pub(crate) const fn global() -> Scope {
        Scope::Global
    }

    pub(crate) const fn is_global(scope: &Scope) -> bool {
        matches!(scope, Scope::Global)
    }

    pub(crate) fn serialize<S: Serializer>(scope: &Scope, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(scope.as_key())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scope, D::Error> {
        ProjectId::deserialize(from).map(Scope::Project)
    }
}

/// Defines the line of a record: its kind, the parts of its key, and the other fields under their names in
/// the record, in the order of writing.
macro_rules! line {
    (
        $line:ident of $row:ident, $constant:ident = $kind:literal;
        key $key:ident { $($(#[$part_form:meta])* $part:ident: $part_type:ty,)* }
        $($(#[$form:meta])* $field:ident: $type:ty,)*
    ) => {
        constant!($constant = $kind);

        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $line {
            #[serde(rename = "kind")]
            line: $constant,
            version: Version,
            $($(#[$part_form])* $part: $part_type,)*
            $($(#[$form])* $field: $type,)*
        }

        impl From<&$row> for $line {
            fn from(row: &$row) -> Self {
                Self {
                    line: $constant,
                    version: Version,
                    $($part: row.key.$part.clone(),)*
                    $($field: row.$field.clone(),)*
                }
            }
        }

        impl From<$line> for $row {
            fn from(line: $line) -> Self {
                Self {
                    key: $key { $($part: line.$part),* },
                    $($field: line.$field,)*
                }
            }
        }
    };
}
pub(super) use line;
