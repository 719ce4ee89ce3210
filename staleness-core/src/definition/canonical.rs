//! Canonical JSON: sorted keys, no white space, and a fixed order for lists that are sets.

use serde_json::Value;

/// Keys of a schema whose lists are ordered.
const ORDERED: [&str; 4] = ["prefixItems", "items", "default", "const"];

/// Returns the canonical form of a value.
pub(super) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, true, false, &mut out);
    out
}

/// Writes a value. `free` means that a list is a set and is sorted. `fixed` means that the order of every nested
/// list is significant.
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
