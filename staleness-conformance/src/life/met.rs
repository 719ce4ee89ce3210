//! Counts errors by kind, for tests that run lives.

use std::collections::BTreeMap;

use staleness_core::store::StoreError;

/// Number of errors by kind.
pub type Met = BTreeMap<&'static str, usize>;

/// Returns the kind of an error, in a word or two.
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

/// Returns the stride of the calls to disturb: 7, or 1 (which takes minutes) if `STALENESS_THOROUGH` is set.
pub fn stride() -> usize {
    if std::env::var_os("STALENESS_THOROUGH").is_some() { 1 } else { 7 }
}
