//! One record of another system, from which a mapping takes fields.

use serde_json::{Map, Value};
use staleness_core::time::Timestamp;
use staleness_docs::parse_date;

/// The largest number that is read as seconds since 1970 (5138-11-16). Larger ones are milliseconds.
const MAX_SECONDS: u64 = 100_000_000_000;

/// A record with its remaining fields.
#[derive(Debug)]
pub(super) struct Row {
    /// The kind of record, used to name fields that cannot be imported.
    pub(super) what: &'static str,
    pub(super) fields: Map<String, Value>,
}

impl Row {
    /// Takes a field as text without white space around it. Returns `None` if it is missing or empty.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let text = match self.fields.shift_remove(key)? {
            Value::Null => return None,
            Value::String(text) => text,
            other => other.to_string(),
        };
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Takes a list: an array, the text of one, or words separated by commas.
    pub(super) fn list(&mut self, key: &str) -> Vec<String> {
        let value = self.fields.shift_remove(key);
        let items = match value {
            Some(Value::Array(items)) => items,
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Value::Array(items)) => items,
                _ => text.split(',').map(Value::from).collect(),
            },
            _ => Vec::new(),
        };
        let text = |item: Value| match item {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let items = items.into_iter().map(text);
        items.map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
    }

    /// Takes the records in an array.
    pub(super) fn rows(&mut self, key: &str, what: &'static str) -> Vec<Self> {
        let value = self.fields.shift_remove(key);
        let items = match value {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let row = |item| match item {
            Value::Object(fields) => Some(Self { what, fields }),
            _ => None,
        };
        items.into_iter().filter_map(row).collect()
    }

    pub(super) fn number(&mut self, key: &str) -> Option<i64> {
        self.fields.shift_remove(key)?.as_i64()
    }

    /// Takes a flag: `true`, or a number other than 0.
    pub(super) fn flag(&mut self, key: &str) -> bool {
        match self.fields.shift_remove(key) {
            Some(Value::Bool(flag)) => flag,
            Some(Value::Number(number)) => number.as_i64() != Some(0),
            _ => false,
        }
    }

    /// Takes a time: a date as text, in UTC if it has no zone, or seconds or milliseconds since 1970. An invalid
    /// time stays in the row.
    pub(super) fn time(&mut self, key: &str) -> Option<Timestamp> {
        let at = match self.fields.get(key)? {
            Value::String(text) => parse_date(text)?,
            Value::Number(number) => {
                let number = number.as_i64()?;
                let is_seconds = number.unsigned_abs() <= MAX_SECONDS;
                let millis = if is_seconds { number * 1_000 } else { number };
                Timestamp::from_millis(millis)
            }
            _ => return None,
        };
        self.fields.shift_remove(key);
        Some(at)
    }

    /// Drops fields without meaning outside their system.
    pub(super) fn drop(&mut self, keys: &[&str]) {
        for key in keys {
            self.fields.shift_remove(*key);
        }
    }

    /// Returns the names of the remaining nonempty fields.
    pub(super) fn remaining(&self) -> impl Iterator<Item = String> + '_ {
        let says = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Bool(true) => true,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !matches!(text.trim(), "" | "[]" | "{}"),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        };
        let named = self.fields.iter().filter(move |(_, value)| says(value));
        named.map(|(key, _)| format!("{}.{key}", self.what))
    }
}
