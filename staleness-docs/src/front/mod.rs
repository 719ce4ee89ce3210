//! Front matter: the fields at the beginning of a file.
//!
//! This is a line reader, not a parser of YAML or TOML. People write things that strict parsers reject, and
//! without anchors, tags and nesting the input cannot expand. The reader sees only top-level fields, and
//! remembers their positions so that one can be changed in place.

mod field;
mod item;
mod quoted;
mod read;
#[cfg(test)]
mod read_tests;
mod write;

pub use field::Field;
pub(crate) use item::{Fields, fields};
pub use quoted::unquote;
pub(crate) use read::{Front, Value, in_braces, read};
pub use write::{Change, FieldValue, SetError, set_fields};
