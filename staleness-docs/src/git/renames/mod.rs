//! Follows removed files and folders to their current paths.

mod moved;
mod moves;

pub(crate) use moved::Moved;
