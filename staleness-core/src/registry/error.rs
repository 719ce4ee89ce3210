//! The error type of the registry.

use crate::store::{Refusal, StoreError};

/// An error of a method of the registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The request was refused for this reason; nothing was written.
    #[error(transparent)]
    Rejected(#[from] Refusal),
    /// The store failed. Never [`StoreError::Refused`].
    #[error(transparent)]
    Store(StoreError),
}

impl RegistryError {
    /// Returns true if a retry is safe and may succeed.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Rejected(refusal) => matches!(refusal, Refusal::Superseded { .. }),
            Self::Store(error) => error.is_retryable(),
        }
    }
}

impl From<StoreError> for RegistryError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(refusal) => Self::Rejected(refusal),
            error => Self::Store(error),
        }
    }
}

impl From<RegistryError> for StoreError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Rejected(refusal) => Self::Refused(refusal),
            RegistryError::Store(error) => error,
        }
    }
}
