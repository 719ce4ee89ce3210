//! Simulates failing disks and power cuts below SQLite.
//!
//! [`install`] puts a file layer (a "VFS" in SQLite's terms) in front of the operating system's and makes it the
//! default, so the program under test runs unchanged. Each thread has its own plan: its file operations are recorded
//! between [`watch`] and [`seen`], and fail as set by [`fail`] until [`heal`].
//!
//! Operations outside of SQLite are not covered: the lock file, and the creation of the empty file. The log's
//! index (`-shm`) is shared memory that SQLite rebuilds after a power cut; only its allocation can fail.

mod plan;
mod vfs;

pub use plan::{Event, Fails, Plan, fail, heal, seen, watch};
pub use vfs::install;
