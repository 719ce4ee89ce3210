//! Finds definitions, flags and names in the text of a file. These heuristics cover many languages and do not use git.

mod calls;
mod defined;
mod differs;
mod extent;
mod filed;
mod items;
mod lexicon;
mod meaning;
mod naming;
mod offered;
mod scanner;
mod shapes;
mod spot;

pub use meaning::Word;

pub(crate) use differs::Wanted;
pub(crate) use extent::{extent, holds, split};
pub(crate) use lexicon::{Lexicon, WantedPath};
pub(crate) use meaning::{Thing, meaning, path};
pub(crate) use naming::{Naming, is_folder_of_others, is_of_others, is_shown_in};
