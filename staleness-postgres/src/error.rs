//! Converts Postgres errors to [`StoreError`].

use std::error::Error as _;
use std::{fmt, io};

use staleness_core::store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// A server error reduced to code and message. Details are omitted, because they may quote rows.
#[derive(Debug, thiserror::Error)]
#[error("{message} ({code})")]
struct Reported {
    code: String,
    message: String,
}

/// An error with its cause, which the driver reports separately.
#[derive(Debug)]
struct Chain(Error);

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        match self.0.source() {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Chain {}

/// An error, with the state of the transaction and of the connection.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: StoreError,
    /// True if nothing was committed and a retry may succeed.
    pub(crate) again: bool,
    /// True if the connection is unusable.
    pub(crate) lost: bool,
}

impl Failed {
    /// Returns the error for a server that did not answer in time. `commit` is true if a commit may have been
    /// requested.
    pub(crate) fn late(commit: bool) -> Self {
        let why = io::Error::new(io::ErrorKind::TimedOut, "the database does not answer");
        let error = if commit { StoreError::Unknown(Box::new(why)) } else { StoreError::Busy };
        Self { error, again: false, lost: true }
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self { error, again: false, lost: false }
    }
}

impl From<Error> for Failed {
    /// Converts an error that occurred before the commit.
    fn from(error: Error) -> Self {
        let lost = is_lost(&error);
        let again = lost
            || matches!(
                error.code(),
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
            );
        Self { error: from_postgres(error), again, lost }
    }
}

/// Returns true if the error means that the connection was lost.
fn is_lost(error: &Error) -> bool {
    match error.as_db_error() {
        Some(told) => matches!(told.parsed_severity(), Some(Severity::Fatal | Severity::Panic)),
        None => error.is_closed() || io_kind(error).is_some(),
    }
}

fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind)
}

/// Converts an error when nothing can have been committed.
pub(crate) fn from_postgres(error: Error) -> StoreError {
    let Some(told) = error.as_db_error() else {
        if error.is_closed() {
            return StoreError::io(
                "talking to the database",
                io::Error::new(io::ErrorKind::ConnectionReset, "the connection was closed"),
            );
        }
        return match io_kind(&error) {
            Some(kind) => {
                let why = error.source().map(ToString::to_string).unwrap_or_default();
                StoreError::io("talking to the database", io::Error::new(kind, why))
            }
            None => StoreError::Backend(Box::new(Chain(error))),
        };
    };
    match *told.code() {
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::QUERY_CANCELED
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN => StoreError::Busy,
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly,
        SqlState::DISK_FULL => StoreError::Full,
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            StoreError::Corrupt(told.message().chars().take(200).collect())
        }
        _ => StoreError::Backend(Box::new(Reported {
            code: told.code().code().to_owned(),
            message: told.message().to_owned(),
        })),
    }
}

/// Converts an error of COMMIT. Usually the server's error means that it did not commit. But a server that
/// shuts down while waiting for a standby has committed, and after a lost connection the outcome is unknown.
pub(crate) fn from_commit(error: Error) -> Failed {
    if is_lost(&error) || error.as_db_error().is_none() {
        let error = StoreError::Unknown(Box::new(from_postgres(error)));
        return Failed { error, again: false, lost: true };
    }
    error.into()
}

/// Converts an error of connecting.
pub(crate) fn from_connect(error: Error) -> StoreError {
    match from_postgres(error) {
        StoreError::Io { source, .. } => {
            let source = match source.kind() {
                // The server's socket is missing, which says nothing about the registry.
                io::ErrorKind::NotFound => io::Error::new(io::ErrorKind::ConnectionRefused, source),
                _ => source,
            };
            StoreError::io("connecting to the database", source)
        }
        other => other,
    }
}
