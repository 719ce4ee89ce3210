//! Tables with a column per field.

/// Implements [`Record`](super::Record). Each line has the name of a column, the form in which it is stored, and its
/// value in a row. The columns for key, indexes and filters come first, then the others. The last expression builds a
/// row from the values that were read, which have the names of their columns. A `copy` column repeats other data and is
/// not read.
macro_rules! columns {
    (
        $table:literal: $row:ty, key $key:literal, |$own:ident|
        [$($index:ident $form:ident$(($($by:expr),+))? = $value:expr;)*]
        [$($other:ident $other_form:ident$(($($other_by:expr),+))? = $other_value:expr;)*]
        $made:expr
    ) => {
        impl Record for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] =
                &[$(stringify!($index),)* $(stringify!($other)),*];
            const KINDS: &'static [Kind] =
                &[$(columns!(@kind $form),)* $(columns!(@kind $other_form)),*];
            const KEY: usize = $key;
            const INDEXED: usize = [$(stringify!($index)),*].len();

            fn indexed(&self) -> Vec<Cell<'_>> {
                let $own = self;
                let mut cells = Vec::with_capacity(Self::COLUMNS.len());
                cells.extend([$(columns!(@write $form$(($($by),+))? $value)),*]);
                cells
            }

            fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
                let $own = self;
                cells.extend([$(columns!(@write $other_form$(($($other_by),+))? $other_value)),*]);
            }

            fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
                $(columns!(@read cells $index $form$(($($by),+))?);)*
                $(columns!(@read cells $other $other_form$(($($other_by),+))?);)*
                Ok($made)
            }
        }
    };
    (@kind copy) => { Kind::Int };
    (@kind number) => { Kind::Int };
    (@kind small) => { Kind::Int };
    (@kind flag) => { Kind::Int };
    (@kind bits) => { Kind::Int };
    (@kind time) => { Kind::Int };
    (@kind maybe_bits) => { Kind::MaybeInt };
    (@kind maybe_time) => { Kind::MaybeInt };
    (@kind maybe_id) => { Kind::MaybeText };
    (@kind maybe_string) => { Kind::MaybeText };
    (@kind maybe_parsed) => { Kind::MaybeText };
    (@kind blob) => { Kind::Blob };
    (@kind $form:ident) => { Kind::Text };
    (@write copy $value:expr) => { $value };
    (@write scope $value:expr) => { Cell::text($value.as_key()) };
    (@write id $value:expr) => { Cell::text($value.as_str()) };
    (@write maybe_id $value:expr) => { Cell::maybe_text($value.as_ref().map(|id| id.as_str())) };
    (@write string $value:expr) => { Cell::text(&$value) };
    (@write maybe_string $value:expr) => { Cell::maybe_text($value.as_deref()) };
    (@write parsed($parse:expr) $value:expr) => { Cell::text($value) };
    (@write maybe_parsed($parse:expr) $value:expr) => { Cell::Text($value.map(Into::into)) };
    (@write number $value:expr) => { Cell::bits($value) };
    (@write small $value:expr) => { Cell::int($value) };
    (@write flag $value:expr) => { Cell::int($value) };
    (@write maybe_bits $value:expr) => { Cell::Int($value.map(u64::cast_signed)) };
    (@write list $value:expr) => { Cell::packed(&$value) };
    (@write blob($parse:expr) $value:expr) => { Cell::blob($value) };
    (@write $form:ident $value:expr) => { Cell::$form($value) };
    (@read $cells:ident $name:ident copy) => { $cells.skip(1); };
    (@read $cells:ident $name:ident number) => { let $name = $cells.small()?; };
    (@read $cells:ident $name:ident $form:ident$(($($by:expr),+))?) => {
        let $name = $cells.$form($($($by),+)?)?;
    };
}
