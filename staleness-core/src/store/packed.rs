//! Values that a store keeps as one text and never looks into.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as one text: the blocks of a document, the citations of an item. Stores keep it as it is;
/// what it says is a matter between this crate and itself.
///
/// A kind of fact or field that comes later is a new format for the stores: an older program would
/// take it for damage.
#[must_use]
pub fn pack<T: Serialize + ?Sized>(value: &T) -> String {
    // Every key is a string and memory does not refuse bytes: nothing can fail.
    let packed = serde_json::to_string(value);
    debug_assert!(packed.is_ok(), "{packed:?}");
    packed.unwrap_or_default()
}

/// The inverse of [`pack`]; `None` for a text that it did not make.
#[must_use]
pub fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// The same for a list or a set, which nearly always is empty.
#[must_use]
pub fn unpack_list<T: DeserializeOwned + Default>(text: &str) -> Option<T> {
    if text == "[]" { Some(T::default()) } else { unpack(text) }
}
