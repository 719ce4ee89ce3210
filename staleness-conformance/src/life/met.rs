//! Errors by kind, for those who count what a life met.

use std::collections::BTreeMap;

use staleness_core::store::StoreError;

/// Counts of the errors that were met, by kind.
pub type Met = BTreeMap<&'static str, usize>;

/// The kind of an error, in a word or two.
#[must_use]
pub const fn kind(error: &StoreError) -> &'static str {
    match error {
        StoreError::Unknown(_) => "unknown",
        StoreError::Full => "full",
        StoreError::Io { .. } => "i/o",
        StoreError::Backend(_) => "backend",
        StoreError::ReadOnly => "read-only",
        StoreError::Busy => "busy",
        StoreError::Corrupt(_) => "corrupt",
        StoreError::NotAStore(_) => "not a store",
        _ => "other",
    }
}

/// The distance of the calls at which a life is disturbed: all of them with `STALENESS_THOROUGH` set, which takes
/// minutes, else each third.
#[must_use]
pub fn stride() -> usize {
    if std::env::var_os("STALENESS_THOROUGH").is_some() { 1 } else { 3 }
}
