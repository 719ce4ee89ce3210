//! Values that stores keep as opaque text.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Serializes a value to text: the blocks of a document, the citations of an item. Stores never interpret it.
///
/// A new kind of fact or a new field requires a new store format, because an older program would report it as damage.
pub(crate) fn pack<T: Serialize + ?Sized>(value: &T) -> String {
    // All map keys are strings and writing to memory cannot fail.
    let packed = serde_json::to_string(value);
    debug_assert!(packed.is_ok(), "{packed:?}");
    packed.unwrap_or_default()
}

/// The inverse of [`pack`]. `None` if the text cannot be parsed.
pub(crate) fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// A serde adapter for fields that only a self-describing format can read. In other formats such a field is one packed
/// text.
pub(crate) mod nested {
    use serde::de::{DeserializeOwned, Error};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{pack, unpack};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { value.serialize(to) } else { to.serialize_str(&pack(value)) }
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        if from.is_human_readable() {
            return T::deserialize(from);
        }
        unpack(&String::deserialize(from)?)
            .ok_or_else(|| D::Error::custom("the packed text is not valid"))
    }
}
