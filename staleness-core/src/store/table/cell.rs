//! Column values, and a reader that validates them.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ids::Scope;
use crate::store::{StoreError, pack, unpack};
use crate::time::Timestamp;

/// The name of an unreadable column or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bad(pub &'static str);

impl Bad {
    /// Returns the error for the record that contains the value, given its table and key.
    pub fn in_row(self, table: &str, key: impl fmt::Display) -> StoreError {
        StoreError::Corrupt(format!("{table} {key}: {} cannot be read", self.0))
    }
}

/// A column value. An unsigned 64-bit number is stored as the signed number with the same bits.
#[derive(Clone, Debug)]
pub enum Cell<'c> {
    /// A number or NULL.
    Int(Option<i64>),
    /// A text or NULL.
    Text(Option<Cow<'c, str>>),
    /// Bytes, never NULL.
    Blob(Cow<'c, [u8]>),
}

/// NULL equals NULL, regardless of the type.
impl PartialEq for Cell<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Blob(one), Self::Blob(other)) => one == other,
            (Self::Int(None), Self::Text(None)) | (Self::Text(None), Self::Int(None)) => true,
            _ => false,
        }
    }
}

impl<'c> Cell<'c> {
    /// Returns a text cell.
    pub const fn text(text: &'c str) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }

    /// Returns a cell with a text or NULL.
    pub fn maybe_text(text: Option<&'c str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }

    /// Returns a number cell.
    pub fn int(number: impl Into<i64>) -> Self {
        Self::Int(Some(number.into()))
    }

    /// Returns a cell with an unsigned 64-bit number.
    pub const fn bits(number: u64) -> Self {
        Self::Int(Some(number.cast_signed()))
    }

    /// Returns a cell with a time, as milliseconds.
    pub const fn time(at: Timestamp) -> Self {
        Self::Int(Some(at.as_millis()))
    }

    /// Returns a cell with a time or NULL.
    pub fn maybe_time(at: Option<Timestamp>) -> Self {
        Self::Int(at.map(Timestamp::as_millis))
    }

    /// Returns a cell with a value serialized as text.
    pub fn packed(value: &impl Serialize) -> Self {
        Self::Text(Some(pack(value).into()))
    }

    /// Returns a cell with bytes.
    pub fn blob(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Blob(Cow::Owned(bytes.into()))
    }

    /// Formats cells for an error: a single one as it is, several in parentheses.
    pub fn shown(cells: &[Self]) -> String {
        let mut out = String::new();
        for (place, cell) in cells.iter().enumerate() {
            out.push_str(if place == 0 { "" } else { ", " });
            // Writing to a string cannot fail.
            let _ = match cell {
                Self::Int(Some(number)) => write!(out, "{number}"),
                Self::Text(Some(text)) => write!(out, "{text:?}"),
                Self::Int(None) | Self::Text(None) => write!(out, "?"),
                Self::Blob(bytes) => {
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    write!(out, "{hex:?}")
                }
            };
        }
        if cells.len() == 1 { out } else { format!("({out})") }
    }

    /// Returns a [`stable_hash`](crate::ids::stable_hash) of cells, to be stored in place of them.
    pub fn digest(cells: &[Self]) -> u128 {
        crate::ids::stable_hash(Self::shown(cells).as_bytes())
    }
}

/// A reader for the cells of a row, in column order. Errors name the column.
#[derive(Debug)]
pub struct Cells<'a, 'c> {
    names: &'static [&'static str],
    cells: &'a [Cell<'c>],
    next: usize,
}

/// Each method reads the next column. It returns [`Bad`] with the column's name if the value is malformed or missing.
#[allow(clippy::missing_errors_doc, reason = "documented above for all of them")]
impl<'a, 'c> Cells<'a, 'c> {
    /// Creates a reader of `cells` for the columns with these names.
    pub const fn new(names: &'static [&'static str], cells: &'a [Cell<'c>]) -> Self {
        Self { names, cells, next: 0 }
    }

    /// Skips columns.
    pub const fn skip(&mut self, columns: usize) {
        self.next += columns;
    }

    fn take<T>(&mut self, read: impl FnOnce(&'a Cell<'c>) -> Option<T>) -> Result<T, Bad> {
        let place = self.next;
        self.next += 1;
        let read = self.cells.get(place).and_then(read);
        read.ok_or_else(|| Bad(self.names.get(place).copied().unwrap_or("a column")))
    }

    /// Reads a number.
    pub fn int(&mut self) -> Result<i64, Bad> {
        self.take(|cell| if let Cell::Int(number) = cell { *number } else { None })
    }

    /// Reads an unsigned 64-bit number.
    pub fn bits(&mut self) -> Result<u64, Bad> {
        self.int().map(i64::cast_unsigned)
    }

    /// Reads an unsigned 64-bit number or NULL.
    pub fn maybe_bits(&mut self) -> Result<Option<u64>, Bad> {
        self.maybe(|number| Some(number.cast_unsigned()))
    }

    /// Reads a number that fits a smaller or unsigned type.
    pub fn small<T: TryFrom<i64>>(&mut self) -> Result<T, Bad> {
        self.take(
            |cell| if let Cell::Int(number) = cell { (*number)?.try_into().ok() } else { None },
        )
    }

    /// Reads 0 or 1.
    pub fn flag(&mut self) -> Result<bool, Bad> {
        self.take(|cell| match cell {
            Cell::Int(Some(0)) => Some(false),
            Cell::Int(Some(1)) => Some(true),
            _ => None,
        })
    }

    /// Reads a time within the range of [`Timestamp`].
    pub fn time(&mut self) -> Result<Timestamp, Bad> {
        self.take(|cell| if let Cell::Int(millis) = cell { time((*millis)?) } else { None })
    }

    /// Reads a time or NULL.
    pub fn maybe_time(&mut self) -> Result<Option<Timestamp>, Bad> {
        self.maybe(time)
    }

    fn maybe<T>(&mut self, read: impl FnOnce(i64) -> Option<T>) -> Result<Option<T>, Bad> {
        self.take(|cell| match cell {
            Cell::Int(None) | Cell::Text(None) => Some(None),
            Cell::Int(Some(number)) => read(*number).map(Some),
            _ => None,
        })
    }

    /// Reads a text that `parse` accepts.
    pub fn parsed<T>(&mut self, parse: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Bad> {
        self.take(|cell| if let Cell::Text(Some(text)) = cell { parse(text) } else { None })
    }

    /// Reads a text that `parse` accepts, or NULL.
    pub fn maybe_parsed<T>(
        &mut self,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, Bad> {
        self.take(|cell| match cell {
            Cell::Int(None) | Cell::Text(None) => Some(None),
            Cell::Text(Some(text)) => parse(text).map(Some),
            _ => None,
        })
    }

    /// Reads a text.
    pub fn string(&mut self) -> Result<String, Bad> {
        self.parsed(|text| Some(text.to_owned()))
    }

    /// Reads a text or NULL.
    pub fn maybe_string(&mut self) -> Result<Option<String>, Bad> {
        self.maybe_parsed(|text| Some(text.to_owned()))
    }

    /// Reads an identifier.
    pub fn id<T: TryFrom<String>>(&mut self) -> Result<T, Bad> {
        self.parsed(|text| text.to_owned().try_into().ok())
    }

    /// Reads an identifier or NULL.
    pub fn maybe_id<T: TryFrom<String>>(&mut self) -> Result<Option<T>, Bad> {
        self.maybe_parsed(|text| text.to_owned().try_into().ok())
    }

    /// Reads a scope.
    pub fn scope(&mut self) -> Result<Scope, Bad> {
        self.id()
    }

    /// Reads a value written by [`Cell::packed`].
    pub fn packed<T: DeserializeOwned>(&mut self) -> Result<T, Bad> {
        self.parsed(unpack)
    }

    /// Reads a packed list or set. Fast if the list is empty, which is the usual case.
    pub fn list<T: DeserializeOwned + Default>(&mut self) -> Result<T, Bad> {
        self.parsed(|text| if text == "[]" { Some(T::default()) } else { unpack(text) })
    }

    /// Reads bytes that `parse` accepts.
    pub fn blob<T>(&mut self, parse: impl FnOnce(&'a [u8]) -> Option<T>) -> Result<T, Bad> {
        self.take(|cell| if let Cell::Blob(bytes) = cell { parse(bytes) } else { None })
    }
}

fn time(millis: i64) -> Option<Timestamp> {
    let at = Timestamp::from_millis(millis);
    (at.as_millis() == millis).then_some(at)
}
