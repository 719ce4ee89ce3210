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
    /// Takes a field as text without surrounding whitespace. Returns `None` if it is missing or empty.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let text = match self.fields.shift_remove(key)? {
            Value::Null => return None,
            Value::String(text) => text,
            other => other.to_string(),
        };
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Takes a list: an array, the text of an array, or words separated by commas. Any other value stays in the row.
    pub(super) fn list(&mut self, key: &str) -> Vec<String> {
        let items = match self.fields.get(key) {
            Some(Value::Array(items)) => items.clone(),
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(Value::Array(items)) => items,
                _ => text.split(',').map(Value::from).collect(),
            },
            _ => return Vec::new(),
        };
        self.fields.shift_remove(key);
        let text = |item: Value| match item {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let items = items.into_iter().map(text);
        items.map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
    }

    /// Takes the records in an array. Any other value stays in the row.
    pub(super) fn rows(&mut self, key: &str, what: &'static str) -> Vec<Self> {
        let row = |item: &Value| Some(Self { what, fields: item.as_object()?.clone() });
        let items = self.fields.get(key).and_then(Value::as_array);
        let rows: Option<Vec<Self>> = items.and_then(|items| items.iter().map(row).collect());
        if rows.is_some() {
            self.fields.shift_remove(key);
        }
        rows.unwrap_or_default()
    }

    /// Takes a whole number. Any other value stays in the row.
    pub(super) fn number(&mut self, key: &str) -> Option<i64> {
        let number = self.fields.get(key)?.as_i64()?;
        self.fields.shift_remove(key);
        Some(number)
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

    /// Counts a part of the record as lost, under the name of a field.
    pub(super) fn lose(&mut self, name: impl Into<String>) {
        self.fields.insert(name.into(), true.into());
    }

    /// Counts the remaining fields of a nested record as lost.
    pub(super) fn lose_rest(&mut self, inner: &Self) {
        inner.remaining().for_each(|name| self.lose(name));
    }

    /// Removes fields without meaning outside their system.
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
