//! What a repository holds: commits, trees and files by their ids, read through `git cat-file`.

mod commit;
mod database;
mod oid;
mod place;
mod question;
mod tree;

pub use commit::Commit;
pub use oid::Oid;
pub use question::Unread;

#[cfg(feature = "fuzzing")]
pub(crate) use commit::committed_at;
pub(crate) use commit::{at_seconds, commit, head};
pub(crate) use database::Objects;
pub(crate) use place::Place;
pub(crate) use question::{Object, Sort, Wanted};
#[cfg(feature = "fuzzing")]
pub(crate) use question::{header, is_missing, told};
#[cfg(feature = "fuzzing")]
pub(crate) use tree::Entry;
pub(crate) use tree::{EntryKind, Paths, Trees, entries, name_of};
