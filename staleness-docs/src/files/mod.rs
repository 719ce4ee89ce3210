//! Finds the files of a check, classifies them and reads them.

pub(crate) mod discover;
pub(crate) mod file;
pub(crate) mod ignored;
mod instructions;
pub(crate) mod on_disk;
mod versions;

pub(crate) use discover::find;
pub use instructions::{instruction_files, retain_loaded_by, session_files};
pub use on_disk::take_disk;
