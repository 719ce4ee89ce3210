//! Reading a stored row without trusting it.

use rusqlite::Row;
use rusqlite::types::ValueRef;
use staleness_core::ids::Scope;
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;

/// The column that cannot be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bad(pub(crate) &'static str);

/// A row whose columns are read in their order, each under its name.
#[derive(Debug)]
pub(crate) struct Cells<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> Cells<'r, 's> {
    pub(crate) const fn new(row: &'r Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    /// The first `columns` values, whatever they are, for an error.
    pub(crate) fn names(&self, columns: usize) -> String {
        let name = |column: usize| match self.row.get_ref(column) {
            Ok(ValueRef::Integer(number)) => number.to_string(),
            Ok(ValueRef::Text(text)) => format!("{:?}", String::from_utf8_lossy(text)),
            Ok(ValueRef::Blob(bytes)) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{hex:?}")
            }
            _ => "?".to_owned(),
        };
        let names: Vec<String> = (0..columns).map(name).collect();
        let names = names.join(", ");
        if columns == 1 { names } else { format!("({names})") }
    }

    fn value(&mut self, column: &'static str) -> Result<ValueRef<'r>, Bad> {
        let index = self.next;
        self.next += 1;
        self.row.get_ref(index).map_err(|_| Bad(column))
    }

    /// A number.
    pub(crate) fn int(&mut self, column: &'static str) -> Result<i64, Bad> {
        match self.value(column)? {
            ValueRef::Integer(number) => Ok(number),
            _ => Err(Bad(column)),
        }
    }

    /// A number or nothing.
    pub(crate) fn maybe_int(&mut self, column: &'static str) -> Result<Option<i64>, Bad> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number)),
            _ => Err(Bad(column)),
        }
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
        let millis = self.int(column)?;
        time(millis).ok_or(Bad(column))
    }

    /// A time or nothing.
    pub(crate) fn maybe_time(&mut self, column: &'static str) -> Result<Option<Timestamp>, Bad> {
        self.maybe_int(column)?.map(|millis| time(millis).ok_or(Bad(column))).transpose()
    }

    /// A text as it lies in the row.
    pub(crate) fn str(&mut self, column: &'static str) -> Result<&'r str, Bad> {
        self.value(column)?.as_str().map_err(|_| Bad(column))
    }

    /// A text or nothing.
    pub(crate) fn maybe_str(&mut self, column: &'static str) -> Result<Option<&'r str>, Bad> {
        self.value(column)?.as_str_or_null().map_err(|_| Bad(column))
    }

    /// A text.
    pub(crate) fn string(&mut self, column: &'static str) -> Result<String, Bad> {
        self.str(column).map(str::to_owned)
    }

    /// A text or nothing.
    pub(crate) fn maybe_string(&mut self, column: &'static str) -> Result<Option<String>, Bad> {
        Ok(self.maybe_str(column)?.map(str::to_owned))
    }

    /// A text that `parse` accepts: an identifier or a word.
    pub(crate) fn parsed<T, W>(
        &mut self,
        column: &'static str,
        parse: impl FnOnce(&'r str) -> W,
    ) -> Result<T, Bad>
    where
        W: Accepted<T>,
    {
        parse(self.str(column)?).accepted().ok_or(Bad(column))
    }

    /// A text that `parse` accepts, or nothing.
    pub(crate) fn maybe_parsed<T, W>(
        &mut self,
        column: &'static str,
        parse: impl FnOnce(&'r str) -> W,
    ) -> Result<Option<T>, Bad>
    where
        W: Accepted<T>,
    {
        self.maybe_str(column)?.map(|text| parse(text).accepted().ok_or(Bad(column))).transpose()
    }

    /// A scope.
    pub(crate) fn scope(&mut self, column: &'static str) -> Result<Scope, Bad> {
        self.parsed(column, Scope::from_key)
    }

    /// Bytes.
    pub(crate) fn blob(&mut self, column: &'static str) -> Result<&'r [u8], Bad> {
        self.value(column)?.as_blob().map_err(|_| Bad(column))
    }

    /// A digest of 16 bytes.
    pub(crate) fn digest(&mut self, column: &'static str) -> Result<u128, Bad> {
        let bytes = self.blob(column)?;
        bytes.try_into().map(u128::from_be_bytes).map_err(|_| Bad(column))
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

/// The error for a row that cannot be read: the table, the row's key and the column.
pub(crate) fn corrupt(table: &str, key: impl std::fmt::Display, bad: Bad) -> StoreError {
    StoreError::Corrupt(format!("{table} {key}: {} cannot be read", bad.0))
}
