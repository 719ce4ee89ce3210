//! Converts errors of redb and of the operating system to [`StoreError`].

use std::io::{self, ErrorKind};

use redb::{CommitError, DatabaseError, StorageError, TableError, TransactionError};
use staleness_core::store::StoreError;

/// Converts an I/O error on the store's file.
pub(crate) fn from_io(doing: impl Into<String>, error: io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::ReadOnly,
        ErrorKind::UnexpectedEof => StoreError::Corrupt("the file ends too early".into()),
        _ => StoreError::io(doing, error),
    }
}

/// Converts an error of redb's storage. Its messages name pages, tables and numbers, but never the content of
/// a row.
pub(crate) fn from_storage(error: StorageError) -> StoreError {
    match error {
        StorageError::Corrupted(what) => StoreError::Corrupt(what),
        // redb reports invalid files with this kind.
        StorageError::Io(error) if error.kind() == ErrorKind::InvalidData => {
            StoreError::Corrupt(error.to_string())
        }
        StorageError::Io(error) => from_io("using the store", error),
        StorageError::Unsupported => StoreError::Unsupported("locks on this file system"),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// Converts an error of opening a table.
pub(crate) fn from_table(error: TableError) -> StoreError {
    match error {
        TableError::Storage(error) => from_storage(error),
        TableError::TableAlreadyOpen(..) => StoreError::Backend(Box::new(error)),
        other => StoreError::Corrupt(other.to_string()),
    }
}

/// Converts an error of beginning a transaction.
pub(crate) fn from_transaction(error: TransactionError) -> StoreError {
    match error {
        TransactionError::Storage(error) => from_storage(error),
        other => StoreError::Backend(Box::new(other)),
    }
}

/// Converts an error of opening the database.
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

/// Converts an error of a commit. `begun` is true if writing the header had started. Before that, the old
/// state is unchanged.
pub(crate) fn from_commit(error: CommitError, begun: bool) -> StoreError {
    if begun {
        return StoreError::Unknown(Box::new(error));
    }
    match error {
        CommitError::Storage(error) => from_storage(error),
        other => StoreError::Backend(Box::new(other)),
    }
}
