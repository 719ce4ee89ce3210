//! Reading a stored row without trusting it.

use std::borrow::Cow;

use staleness_core::ids::Scope;
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::values::told;

/// The column that cannot be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bad(pub(crate) &'static str);

/// A row whose columns are read in their order, each under its name.
#[derive(Debug)]
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Cells<'r> {
    pub(crate) const fn new(row: &'r Row) -> Self {
        Self { row, next: 0 }
    }

    fn value<T: FromSql<'r>>(&mut self, column: &'static str) -> Result<T, Bad> {
        let index = self.next;
        self.next += 1;
        self.row.try_get(index).map_err(|_| Bad(column))
    }

    /// A number.
    pub(crate) fn int(&mut self, column: &'static str) -> Result<i64, Bad> {
        self.value(column)
    }

    /// A number or nothing.
    pub(crate) fn maybe_int(&mut self, column: &'static str) -> Result<Option<i64>, Bad> {
        self.value(column)
    }

    /// A number that uses all 64 bits.
    pub(crate) fn bits(&mut self, column: &'static str) -> Result<u64, Bad> {
        self.int(column).map(i64::cast_unsigned)
    }

    /// A number that fits a smaller or unsigned type.
    pub(crate) fn small<T: TryFrom<i64>>(&mut self, column: &'static str) -> Result<T, Bad> {
        T::try_from(self.int(column)?).map_err(|_| Bad(column))
    }

    /// 0 or 1.
    pub(crate) fn flag(&mut self, column: &'static str) -> Result<bool, Bad> {
        match self.int(column)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Bad(column)),
        }
    }

    /// A time within the years that a timestamp can hold.
    pub(crate) fn time(&mut self, column: &'static str) -> Result<Timestamp, Bad> {
        time(self.int(column)?).ok_or(Bad(column))
    }

    /// A time or nothing.
    pub(crate) fn maybe_time(&mut self, column: &'static str) -> Result<Option<Timestamp>, Bad> {
        self.maybe_int(column)?.map(|millis| time(millis).ok_or(Bad(column))).transpose()
    }

    /// A text or nothing.
    pub(crate) fn maybe_text(&mut self, column: &'static str) -> Result<Option<Cow<'r, str>>, Bad> {
        let text: Option<&'r str> = self.value(column)?;
        text.map(|text| told(text).ok_or(Bad(column))).transpose()
    }

    /// A text.
    pub(crate) fn text(&mut self, column: &'static str) -> Result<Cow<'r, str>, Bad> {
        self.maybe_text(column)?.ok_or(Bad(column))
    }

    /// A text of one's own.
    pub(crate) fn string(&mut self, column: &'static str) -> Result<String, Bad> {
        self.text(column).map(Cow::into_owned)
    }

    /// A text of one's own, or nothing.
    pub(crate) fn maybe_string(&mut self, column: &'static str) -> Result<Option<String>, Bad> {
        Ok(self.maybe_text(column)?.map(Cow::into_owned))
    }

    /// A text that `parse` accepts: a word or a packed value.
    pub(crate) fn parsed<T, W: Accepted<T>>(
        &mut self,
        column: &'static str,
        parse: impl FnOnce(&str) -> W,
    ) -> Result<T, Bad> {
        parse(&self.text(column)?).accepted().ok_or(Bad(column))
    }

    /// A text that `parse` accepts, or nothing.
    pub(crate) fn maybe_parsed<T, W: Accepted<T>>(
        &mut self,
        column: &'static str,
        parse: impl FnOnce(&str) -> W,
    ) -> Result<Option<T>, Bad> {
        let text = self.maybe_text(column)?;
        text.map(|text| parse(&text).accepted().ok_or(Bad(column))).transpose()
    }

    /// An identifier.
    pub(crate) fn id<T: TryFrom<String>>(&mut self, column: &'static str) -> Result<T, Bad> {
        self.string(column)?.try_into().map_err(|_| Bad(column))
    }

    /// An identifier or nothing.
    pub(crate) fn maybe_id<T: TryFrom<String>>(
        &mut self,
        column: &'static str,
    ) -> Result<Option<T>, Bad> {
        let text = self.maybe_string(column)?;
        text.map(|text| text.try_into().map_err(|_| Bad(column))).transpose()
    }

    /// A scope.
    pub(crate) fn scope(&mut self, column: &'static str) -> Result<Scope, Bad> {
        self.parsed(column, Scope::from_key)
    }

    /// Bytes.
    pub(crate) fn blob(&mut self, column: &'static str) -> Result<&'r [u8], Bad> {
        self.value(column)
    }

    /// A digest of 16 bytes.
    pub(crate) fn digest(&mut self, column: &'static str) -> Result<u128, Bad> {
        self.blob(column)?.try_into().map(u128::from_be_bytes).map_err(|_| Bad(column))
    }
}

/// What a parser of texts returns.
pub(crate) trait Accepted<T> {
    fn accepted(self) -> Option<T>;
}

impl<T> Accepted<T> for Option<T> {
    fn accepted(self) -> Self {
        self
    }
}

impl<T, E> Accepted<T> for Result<T, E> {
    fn accepted(self) -> Option<T> {
        self.ok()
    }
}

fn time(millis: i64) -> Option<Timestamp> {
    let at = Timestamp::from_millis(millis);
    (at.as_millis() == millis).then_some(at)
}

/// The error for a row that cannot be read: the table, the row's key and the column. The first `keys`
/// columns are the key.
pub(crate) fn corrupt(table: &str, row: &Row, keys: usize, bad: Bad) -> StoreError {
    let mut key = String::new();
    for column in 0..keys.min(row.len()) {
        if column > 0 {
            key.push_str(", ");
        }
        if let Ok(text) = row.try_get::<_, &str>(column) {
            key.push_str(&format!("{text:?}"));
        } else if let Ok(number) = row.try_get::<_, i64>(column) {
            key.push_str(&number.to_string());
        } else if let Ok(bytes) = row.try_get::<_, &[u8]>(column) {
            key.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
        }
    }
    StoreError::Corrupt(format!("{table} ({key}): {} cannot be read", bad.0))
}
