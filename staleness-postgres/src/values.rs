//! Parameters of statements.

use std::borrow::Cow;

use staleness_core::store::table::Cell;
use tokio_postgres::types::{ToSql, Type};

/// A parameter: a single value, or an array of values for a batch.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Text(String),
    Int(i64),
    Blob(Vec<u8>),
    Texts(Vec<Option<String>>),
    Ints(Vec<Option<i64>>),
    Blobs(Vec<Option<Vec<u8>>>),
    Flags(Vec<bool>),
}

impl Arg {
    /// Creates a text parameter in its stored form.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(stored(text).into_owned())
    }

    pub(crate) fn of(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Int(number) => Self::Int(number.unwrap_or_default()),
            Cell::Text(text) => Self::text(&text.unwrap_or_default()),
            Cell::Blob(bytes) => Self::Blob(bytes.into_owned()),
        }
    }

    /// Returns the parameter's type, so that the server need not describe the statement first.
    pub(crate) const fn kind(&self) -> Type {
        match self {
            Self::Text(_) => Type::TEXT,
            Self::Int(_) => Type::INT8,
            Self::Blob(_) => Type::BYTEA,
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::Blobs(_) => Type::BYTEA_ARRAY,
            Self::Flags(_) => Type::BOOL_ARRAY,
        }
    }

    pub(crate) fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Text(value) => value,
            Self::Int(value) => value,
            Self::Blob(value) => value,
            Self::Texts(values) => values,
            Self::Ints(values) => values,
            Self::Blobs(values) => values,
            Self::Flags(values) => values,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) args: Vec<Arg>,
}

/// Rows as arrays of column values. All rows are written by one statement.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    columns: Vec<Arg>,
    rows: usize,
    bytes: usize,
}

impl Batch {
    /// Adds a row. All cells of a column must have the same type.
    pub(crate) fn push<'c>(&mut self, cells: impl IntoIterator<Item = Cell<'c>>) {
        for (place, cell) in cells.into_iter().enumerate() {
            if place == self.columns.len() {
                self.columns.push(match cell {
                    Cell::Int(_) => Arg::Ints(Vec::new()),
                    Cell::Text(_) => Arg::Texts(Vec::new()),
                    Cell::Blob(_) => Arg::Blobs(Vec::new()),
                });
            }
            match (&mut self.columns[place], cell) {
                (Arg::Ints(values), Cell::Int(number)) => values.push(number),
                (Arg::Texts(values), Cell::Text(text)) => {
                    self.bytes += text.as_ref().map_or(0, |text| text.len());
                    values.push(text.map(|text| stored(&text).into_owned()));
                }
                (Arg::Blobs(values), Cell::Blob(bytes)) => {
                    self.bytes += bytes.len();
                    values.push(Some(bytes.into_owned()));
                }
                _ => debug_assert!(false, "column {place} changed its type"),
            }
        }
        self.rows += 1;
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns true if the batch is large enough to be sent.
    pub(crate) const fn is_full(&self) -> bool {
        self.rows >= 5_000 || self.bytes >= 8 << 20
    }

    pub(crate) fn into_columns(self) -> Vec<Arg> {
        self.columns
    }
}

/// Escapes a text for storage. Postgres rejects U+0000, so it is written as U+0001 U+0001, and U+0001 as
/// U+0001 U+0002. This preserves the sort order. Few texts contain either.
pub(crate) fn stored(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte <= 1) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => out.push_str("\u{1}\u{1}"),
            '\u{1}' => out.push_str("\u{1}\u{2}"),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// The inverse of [`stored`]. Returns `None` for an invalid escape.
pub(crate) fn told(text: &str) -> Option<Cow<'_, str>> {
    if !text.bytes().any(|byte| byte == 1) {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1}' => out.push(match letters.next()? {
                '\u{1}' => '\0',
                '\u{2}' => '\u{1}',
                _ => return None,
            }),
            other => out.push(other),
        }
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_nul_comes_back_and_keeps_its_place() {
        let mut texts =
            ["", "\0", "\0a", "\0\0", "\u{1}", "\u{1}\0", "\u{1}\u{2}", "\u{2}", "a", "a\0b"];
        for text in texts {
            assert!(!stored(text).contains('\0'), "{text:?}");
            assert_eq!(told(&stored(text)).as_deref(), Some(text));
        }
        texts.sort_unstable();
        let kept: Vec<_> = texts.iter().map(|text| stored(text)).collect();
        assert!(kept.is_sorted(), "{kept:?}");
        assert_eq!(told("\u{1}"), None);
        assert_eq!(told("\u{1}x"), None);
    }

    #[test]
    fn a_batch_is_a_column_for_each_cell() {
        let mut batch = Batch::default();
        for row in 0..2 {
            let number = Cell::Int((row == 1).then_some(7));
            batch.push([Cell::text("a\0"), number, Cell::blob([row])]);
        }
        assert_eq!(batch.rows(), 2);
        assert!(!batch.is_full());
        let [Arg::Texts(texts), Arg::Ints(ints), Arg::Blobs(blobs)] = &batch.into_columns()[..]
        else {
            panic!("other columns");
        };
        assert_eq!(texts[0].as_deref(), Some("a\u{1}\u{1}"));
        assert_eq!(ints, &[None, Some(7)]);
        assert_eq!(blobs[1], Some(vec![1]));
    }
}
