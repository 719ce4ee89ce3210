//! Reads commits, trees and files by id through `git cat-file`.

mod commit;
mod database;
mod oid;
mod place;
mod question;
mod store;
mod tree;

pub use commit::Commit;
pub use oid::Oid;
pub use question::Unread;

pub(crate) use commit::{at_seconds, commit, head, sides};
pub(crate) use database::Objects;
pub(crate) use place::Place;
pub(crate) use question::{Object, Sort, Wanted};
pub(crate) use store::Store;
pub use tree::TrackedKind;
pub(crate) use tree::{Listed, Trees, name_of};
