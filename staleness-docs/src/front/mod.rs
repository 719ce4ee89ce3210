//! Front matter: the fields at the beginning of a file.
//!
//! A reader of lines, not a parser of YAML or TOML: people write what those refuse, and a reader
//! without anchors, tags and nesting cannot be made to expand them. It sees the fields of the
//! outermost level and remembers where each stands, so that one can be changed in place.

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
pub(crate) use read::{Front, in_braces, read};
pub use write::{Change, FieldValue, SetError, set_fields};
