//! Disks that fail and power that is cut, under SQLite.
//!
//! [`install`] puts a file layer (a "VFS" in SQLite's words) before the one of the operating system and
//! makes it the default. So the product runs as it is; nothing in it knows. Each thread has its own
//! plan: what it does to files is noted from [`watch`] to [`seen`], and fails as [`fail`] says until
//! [`heal`].
//!
//! What goes past SQLite is not seen here: the lock file, and the creation of the empty file. The index
//! of the log (`-shm`) is shared memory, which SQLite builds anew after a power cut; only giving it out
//! can fail.

mod plan;
mod vfs;

pub use plan::{Event, Fails, Plan, fail, heal, seen, watch};
pub use vfs::install;
