//! Following removed files and folders to where they are now.

mod moved;
mod moves;

pub(crate) use moved::Moved;
