//! Reads manifests in TOML and JSON as one kind of value.

use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

use crate::disk::Fence;

/// The largest manifest on disk to read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Allows comments and trailing commas. The parser's other extensions are disabled, because they make a
/// half-written file look complete.
pub const JSONC_OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) fn toml(text: &str) -> Option<Value> {
    toml::from_str(text.trim_start_matches('\u{feff}')).ok()
}

pub(crate) fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Parses JSON with comments and trailing commas.
pub(crate) fn jsonc(text: &str) -> Option<Value> {
    // An empty text parses as null.
    parse_to_serde_value(text.trim_start_matches('\u{feff}'), &JSONC_OPTIONS)
        .ok()
        .filter(|value: &Value| !value.is_null())
}

/// Parses a manifest in the format that its file name indicates.
pub(crate) fn parse(path: &str, text: &str) -> Option<Value> {
    if path.ends_with(".toml") { toml(text) } else { json(text) }
}

/// Returns the value at a path of keys, which are separated by spaces.
pub(crate) fn at<'v>(file: &'v Value, keys: &str) -> Option<&'v Value> {
    keys.split(' ').try_fold(file, |value, key| value.get(key))
}

pub(crate) fn text<'v>(file: &'v Value, keys: &str) -> Option<&'v str> {
    at(file, keys).and_then(Value::as_str)
}

pub(crate) fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// Returns the first text at one of these keys in a folder's manifest.
pub(crate) fn field(fence: &Fence, folder: &Path, name: &str, keys: &[&str]) -> Option<String> {
    let file = parse(name, &fence.read_small(&folder.join(name), MAX_BYTES)?)?;
    keys.iter().find_map(|keys| text(&file, keys)).map(str::to_owned)
}
