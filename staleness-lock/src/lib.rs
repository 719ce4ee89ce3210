//! A fair lock between threads and processes, on a file beside the one that it protects.
//!
//! SQLite answers "busy" to whoever comes second and leaves the waiting to a loop of naps; under
//! saturation one of eight processes waited 1.3 s that way, and 0.15 s behind the kernel's queue
//! for a locked file. redb has no waiting at all. Both backends therefore take a [`FileLock`] on
//! `<store>.lock` before they write.
//!
//! ```
//! use std::time::Duration;
//! use staleness_lock::{FileLock, LockError};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("registry.db.lock");
//! let lock = FileLock::new(path);
//! let guard = lock.acquire(Duration::from_secs(5)).unwrap();
//! assert!(matches!(lock.acquire(Duration::ZERO), Err(LockError::TimedOut)));
//! drop(guard);
//! lock.acquire(Duration::ZERO).unwrap();
//! ```
//!
//! # How it waits
//!
//! - The threads of one process that share a `FileLock` stand in a queue of their own, first come,
//!   first served, and only the first of them asks for the file. A process has one place in the
//!   kernel's queue, however many threads it runs.
//! - Nobody else holds the file: one system call.
//! - Somebody does: a helper thread blocks in the kernel on a handle of its own, so the place in
//!   the queue is kept while the caller can still give up. When the helper is handed the file and
//!   nobody wants it any more, it lets go at once. A later caller takes over the helper that an
//!   earlier one left behind: a process never has more than one.
//!
//! The file is created on first use, readable and writable by its owner alone, and never removed:
//! removing it would give two processes two different files to lock. A lock ends with its process,
//! however that ends.
//!
//! Beside it stands what else both backends do to files: [`OpenOptions`]; [`find`], which looks at what is
//! there; [`NewFile`], a copy that gets its name when it is finished; [`refuse_planted`], for files that
//! others left where a store wants its own; and [`blocking`], which keeps the work off the threads of a
//! runtime.

mod free;
mod helper;
mod lock;
mod new_file;
mod options;
mod place;
mod planted;
mod queue;
mod runtime;

pub use free::{lock_within, wait_until_free};
pub use lock::{FileLock, Guard, LockError};
pub use new_file::NewFile;
pub use options::OpenOptions;
pub use place::{empty, find, make_folder, with_suffix};
pub use planted::refuse_planted;
pub use runtime::{blocking, pages};
