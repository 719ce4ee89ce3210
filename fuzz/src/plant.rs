//! Plants secrets in inputs.

use serde_json::Value;

use crate::SECRET;

/// Replaces every text by the secret, and adds a field to every object.
pub(crate) fn fill(value: &mut Value) {
    match value {
        Value::String(text) => *text = SECRET.into(),
        Value::Array(list) => list.iter_mut().for_each(fill),
        Value::Object(fields) => {
            fields.values_mut().for_each(fill);
            fields.insert(SECRET.into(), SECRET.into());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Asserts that a text does not contain `secret`, unless that is empty.
pub(crate) fn untold(told: &str, secret: &str) {
    assert!(secret.is_empty() || !told.contains(secret), "kept or told: {told}");
}
