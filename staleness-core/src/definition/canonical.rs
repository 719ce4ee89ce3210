//! Canonical JSON: sorted keys, no white space, and a fixed order for lists that are sets. Also digests of
//! definitions.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::DefinitionVersion;

/// Keys of a schema whose lists are ordered.
const ORDERED: [&str; 4] = ["prefixItems", "items", "default", "const"];

pub(super) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, true, false, &mut out);
    out
}

/// Writes a value. `free` means that the value, if a list, is a set to sort. `fixed` means that the order of every
/// nested list is significant.
fn write(value: &Value, free: bool, fixed: bool, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(&String, &Value)> = map.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                let is_ordered = ORDERED.contains(&key.as_str());
                let is_value = matches!(key.as_str(), "default" | "const");
                write(value, !fixed && !is_ordered, fixed || is_value, out);
            }
            out.push('}');
        }
        Value::Array(list) => {
            let mut elements: Vec<String> = list
                .iter()
                .map(|value| {
                    let mut out = String::new();
                    write(value, false, fixed, &mut out);
                    out
                })
                .collect();
            if free {
                elements.sort_unstable();
            }
            out.push('[');
            out.push_str(&elements.join(","));
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

pub(super) fn count(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a digest of the definitions in a live list, which does not depend on their order. It is cryptographic, so a
/// hostile server cannot make two lists with the same digest.
pub(crate) fn digest_of_all<'d>(
    definitions: impl Iterator<Item = (&'d str, &'d DefinitionVersion)>,
) -> u128 {
    let mut lines: Vec<String> =
        definitions.map(|(name, version)| format!("{name}\n{}\n", version.digest())).collect();
    lines.sort_unstable();
    let digest: [u8; 32] = Sha256::digest(lines.concat()).into();
    let (first, _) = digest.split_at(16);
    first.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}
