//! A fair lock between threads and processes, on a file beside the one that it protects.
//!
//! SQLite reports "busy" to the second process and leaves waiting to a loop of sleeps, which is unfair under load. redb
//! does not wait at all. Both backends therefore take a [`FileLock`] on `<store>.lock` before they write, because the
//! kernel's queue for a locked file is fair.
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
//! - The threads of one process that share a `FileLock` wait in a fair queue. Only the first thread in it waits for the
//!   file, so a process has one place in the kernel's queue.
//! - If nobody holds the file, locking it takes one system call.
//! - Otherwise a helper thread blocks in the kernel on its own file handle, so the caller can give up without losing
//!   the place in the queue. If no caller waits any longer when the helper gets the file, the helper releases it
//!   immediately. A later caller reuses a waiting helper, so a process never has more than one.
//!
//! The file is created on first use, accessible only to its owner. It is never deleted, because then two processes
//! could lock two different files. A lock ends with its process.
//!
//! This crate also has other file operations that both backends need: [`OpenOptions`]; [`find`], which checks for an
//! existing store; [`NewFile`], which gets its final name when complete; [`refuse_planted`], which rejects files that
//! others left beside a store; and [`blocking`], which keeps work off a runtime's threads.

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
