//! What redb and the operating system report, in the words of the contract.

use std::any::Any;
use std::io::{self, ErrorKind};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};
use staleness_core::store::StoreError;
use staleness_lock::LockError;

/// What an I/O error on the store's own file means.
pub(crate) fn from_io(doing: impl Into<String>, error: io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::ReadOnly,
        ErrorKind::UnexpectedEof => StoreError::Corrupt("the file ends too early".into()),
        _ => StoreError::io(doing, error),
    }
}

/// What an error of redb's storage means. Its messages name pages, tables and numbers, never the
/// contents of a row.
pub(crate) fn from_storage(error: StorageError) -> StoreError {
    match error {
        StorageError::Corrupted(what) => StoreError::Corrupt(what),
        // redb's own complaints about a file come as errors of this kind.
        StorageError::Io(error) if error.kind() == ErrorKind::InvalidData => {
            StoreError::Corrupt(error.to_string())
        }
        StorageError::Io(error) => from_io("using the store", error),
        StorageError::Unsupported => StoreError::Unsupported("locks on this file system"),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// What it means that a table cannot be opened.
pub(crate) fn from_table(error: TableError) -> StoreError {
    match error {
        TableError::Storage(error) => from_storage(error),
        TableError::TableAlreadyOpen(..) => StoreError::Backend(Box::new(error)),
        other => StoreError::Corrupt(other.to_string()),
    }
}

/// What it means that a transaction cannot begin.
pub(crate) fn from_transaction(error: TransactionError) -> StoreError {
    match error {
        TransactionError::Storage(error) => from_storage(error),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// What it means that the database cannot be opened.
pub(crate) fn from_database(error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Busy,
        DatabaseError::UpgradeRequired(version) => {
            StoreError::NotAStore(format!("a redb file of format {version}; stores have format 3"))
        }
        DatabaseError::Storage(error) => from_storage(error),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// What an error of a commit means; `flipped` when the attempt had begun to make the new state the
/// current one. Before that the old state is untouched, whatever failed.
pub(crate) fn from_commit(error: CommitError, flipped: bool) -> StoreError {
    if flipped {
        return StoreError::Unknown(Box::new(error));
    }
    match error {
        CommitError::Storage(error) => from_storage(error),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// What it means that the lock was not acquired.
pub(crate) fn from_lock(error: LockError) -> StoreError {
    match error {
        LockError::TimedOut => StoreError::Busy,
        LockError::Io(source) if source.kind() == ErrorKind::PermissionDenied => {
            StoreError::ReadOnly
        }
        LockError::Io(source) => StoreError::io("locking the store", source),
    }
}

/// Runs work that is redb's alone. redb panics on some damaged files (a key that is no UTF-8, a page
/// with lengths beyond its end); here a panic is an error like any other.
pub(crate) fn sound<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(damaged(panic.as_ref())))
}

fn damaged(panic: &(dyn Any + Send)) -> StoreError {
    // The message may quote bytes of a row.
    let _ = panic;
    StoreError::Corrupt("redb cannot make sense of its pages".into())
}

/// Something of redb's whose end may panic as well, when a panic has left its locks poisoned. Here
/// it ends in silence: what went wrong was reported where it happened.
#[derive(Debug)]
pub(crate) struct Calm<T>(Option<T>);

impl<T> Calm<T> {
    pub(crate) const fn new(inner: T) -> Self {
        Self(Some(inner))
    }

    /// Takes it out.
    pub(crate) fn into_inner(mut self) -> Option<T> {
        self.0.take()
    }
}

impl<T> Deref for Calm<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(inner) => inner,
            None => unreachable!("taken out only at its end"),
        }
    }
}

impl<T> DerefMut for Calm<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            Some(inner) => inner,
            None => unreachable!("taken out only at its end"),
        }
    }
}

impl<T> Drop for Calm<T> {
    fn drop(&mut self) {
        let inner = self.0.take();
        let _ = sound(|| {
            drop(inner);
            Ok(())
        });
    }
}
