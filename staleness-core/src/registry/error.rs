//! The error type of the registry.

use std::error::Error;
use std::fmt;

use crate::store::{Refusal, StoreError};

/// An error of a method of the registry.
#[derive(Debug)]
pub enum RegistryError {
    /// The request was refused for this reason; nothing was written.
    Rejected(Refusal),
    /// The store failed. Never [`StoreError::Refused`].
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

impl From<Refusal> for RegistryError {
    fn from(refusal: Refusal) -> Self {
        Self::Rejected(refusal)
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(refusal) => refusal.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl Error for RegistryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Rejected(_) => None,
            Self::Store(error) => error.source(),
        }
    }
}
