//! The errors of a store.

use std::error::Error;
use std::fmt;

use crate::refusal::Refusal;

/// An error of a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The step refused; nothing was written.
    Refused(Refusal),
    /// Others held the store for longer than the store waits; nothing was written.
    Busy,
    /// The commit may or may not have happened. Steps carry op ids: do it again.
    Unknown(Box<dyn Error + Send + Sync>),
    /// The store was written by a newer program; nothing was touched.
    FormatTooNew {
        /// The version found.
        found: u64,
        /// The newest version that this program reads.
        supported: u64,
    },
    /// The store was written by an older program, whose format this one does not read; nothing was touched.
    FormatTooOld {
        /// The version found.
        found: u64,
        /// The version that this program reads.
        needed: u64,
    },
    /// The file belongs to something else; nothing was touched.
    NotAStore(String),
    /// The stored data is damaged.
    Corrupt(String),
    /// The store may not be written to.
    ReadOnly,
    /// No space is left.
    Full,
    /// A step broke its contract; nothing was written. A defect of the caller.
    Misstep(String),
    /// The operation is not offered by this store.
    Unsupported(&'static str),
    /// The operating system refused something.
    Io {
        /// The action that failed, in words.
        doing: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Anything else that the backend reports.
    Backend(Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Returns true if doing the same again may succeed, and is safe.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Unknown(_) | Self::Refused(Refusal::Superseded { .. }))
    }

    /// An I/O error with what was being done.
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
            Self::Busy => f.write_str("the store is busy: another process holds it"),
            Self::Unknown(source) => {
                write!(f, "the commit may or may not have happened: {source}")
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
            Self::ReadOnly => f.write_str("the store may not be written to"),
            Self::Full => f.write_str("no space is left for the store"),
            Self::Misstep(what) => write!(f, "a step broke its contract: {what}"),
            Self::Unsupported(what) => write!(f, "this store does not offer {what}"),
            Self::Io { doing, source } => write!(f, "{doing}: {source}"),
            Self::Backend(source) => write!(f, "the store failed: {source}"),
        }
    }
}

impl Error for StoreError {
    /// The cause of what `Display` says last, as that already holds the first one.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unknown(cause) | Self::Backend(cause) => cause.source(),
            Self::Io { source, .. } => source.source(),
            _ => None,
        }
    }
}
