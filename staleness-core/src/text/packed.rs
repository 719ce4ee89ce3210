//! Values that a store keeps as one text and never looks into.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as one text: the blocks of a document, the citations of an item. Stores keep it as it is;
/// what it says is a matter between this crate and itself.
///
/// A kind of fact or field that comes later is a new format for the stores: an older program would
/// take it for damage.
#[must_use]
pub(crate) fn pack<T: Serialize + ?Sized>(value: &T) -> String {
    // Every key is a string and memory does not refuse bytes: nothing can fail.
    let packed = serde_json::to_string(value);
    debug_assert!(packed.is_ok(), "{packed:?}");
    packed.unwrap_or_default()
}

/// The inverse of [`pack`]; `None` for a text that it did not make.
#[must_use]
pub(crate) fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// Fields whose own form leaves parts out or names them, which only a format that describes itself can read: in
/// any other they are one packed text.
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
        unpack(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("not what was packed"))
    }
}
