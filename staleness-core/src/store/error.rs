//! The errors of a store.

use std::error::Error;
use std::fmt;

use crate::refusal::Refusal;

/// An error of a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The step refused to do its work; nothing was written.
    Refused(Refusal),
    /// Other users of the store held it for longer than the store waits; nothing was written.
    Busy,
    /// The commit may or may not have happened. A retry is safe, because steps carry op ids.
    Unknown(Box<dyn Error + Send + Sync>),
    /// The store was written by a newer program; nothing was changed.
    FormatTooNew {
        /// The format version of the store.
        found: u64,
        /// The newest format version that this program reads.
        supported: u64,
    },
    /// The store was written by an older program in a format that this one does not read; nothing was changed.
    FormatTooOld {
        /// The format version of the store.
        found: u64,
        /// The format version that this program reads.
        needed: u64,
    },
    /// The file is not a store; nothing was changed.
    NotAStore(String),
    /// The stored data is damaged.
    Corrupt(String),
    /// The store is read-only.
    ReadOnly,
    /// The disk or the store is full.
    Full,
    /// A step violated its contract; nothing was written. This is a bug in the step.
    Misstep(String),
    /// This store does not support the operation.
    Unsupported(&'static str),
    /// An I/O error.
    Io {
        /// The action that failed.
        doing: String,
        /// The underlying error.
        source: std::io::Error,
    },
    /// Any other error of the backend.
    Backend(Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Returns true if a retry is safe and may succeed.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Unknown(_) | Self::Refused(Refusal::Superseded { .. }))
    }

    /// Creates an I/O error; `doing` describes the action that failed.
    pub fn io(doing: impl Into<String>, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            _ => Self::Io { doing: doing.into(), source },
        }
    }
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Busy => f.write_str("the store is busy: another process is using it"),
            Self::Unknown(source) => {
                write!(f, "it is unknown whether the changes were saved: {source}")
            }
            Self::FormatTooNew { found, supported } => write!(
                f,
                "the store has format {found}, and this program reads up to format {supported}"
            ),
            Self::FormatTooOld { found, needed } => write!(
                f,
                "the store has format {found} of an older program; this one reads format {needed}"
            ),
            Self::NotAStore(what) => write!(f, "this is not a staleness store: {what}"),
            Self::Corrupt(what) => write!(f, "the store is damaged: {what}"),
            Self::ReadOnly => f.write_str("the store is read-only"),
            Self::Full => f.write_str("no space is left for the store"),
            Self::Misstep(what) => write!(f, "a step broke its contract: {what}"),
            Self::Unsupported(what) => write!(f, "this store does not support {what}"),
            Self::Io { doing, source } => write!(f, "{doing}: {source}"),
            Self::Backend(source) => write!(f, "the store failed: {source}"),
        }
    }
}

impl Error for StoreError {
    /// Skips the first cause, because `Display` already prints it.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unknown(cause) | Self::Backend(cause) => cause.source(),
            Self::Io { source, .. } => source.source(),
            _ => None,
        }
    }
}
