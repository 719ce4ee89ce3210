//! The files of a check: which there are, what each is, and its text.

pub(crate) mod discover;
pub(crate) mod file;
pub(crate) mod ignored;
mod instructions;
pub(crate) mod on_disk;

pub(crate) use discover::find;
pub use instructions::{instruction_files, retain_loaded_by, session_files};
pub use on_disk::take_disk;
