//! Converts SQLite errors to [`StoreError`].

use rusqlite::{Error, ErrorCode, ffi};
use staleness_core::store::StoreError;

/// Maximum length of a message about damage, in characters.
const MAX_MESSAGE: usize = 200;

/// Converts an SQLite error. SQLite's messages name tables, columns and codes, but never the content of a
/// row.
pub(crate) fn from_sqlite(error: Error) -> StoreError {
    if error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA) {
        return StoreError::Corrupt("a page of the file does not match its checksum".into());
    }
    // SQLite reports a full disk only for writes. Here there was no space for the log's index.
    if let Error::SqliteFailure(code, _) = &error
        && code.extended_code == ffi::SQLITE_IOERR_SHMSIZE
    {
        return StoreError::Full;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly,
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(ErrorCode::SystemIoFailure) => StoreError::Io {
            doing: "the store failed".into(),
            source: std::io::Error::other(error),
        },
        Some(ErrorCode::DatabaseCorrupt) => {
            // If the schema is unreadable, SQLite's message quotes it after the error.
            let message = error.to_string();
            let first = message.lines().next().unwrap_or_default();
            StoreError::Corrupt(first.chars().take(MAX_MESSAGE).collect())
        }
        Some(ErrorCode::NotADatabase) => {
            StoreError::NotAStore("the file is not an SQLite database".into())
        }
        _ => StoreError::Backend(Box::new(error)),
    }
}

/// Converts an error of COMMIT. If writing or syncing the log failed, the commit frame may still be on disk,
/// and recovery would find it.
pub(crate) fn from_commit(error: Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::Unknown(Box::new(error)),
        _ => from_sqlite(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_the_log_without_room_is_a_full_disk() {
        let error = ffi::Error::new(ffi::SQLITE_IOERR_SHMSIZE);
        let told = from_sqlite(Error::SqliteFailure(error, Some("disk I/O error".into())));
        assert!(matches!(told, StoreError::Full), "{told}");
    }
}
