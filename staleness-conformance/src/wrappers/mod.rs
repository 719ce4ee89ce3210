//! Wrappers of stores that verify the contract of steps, or make stores fail.

mod around;
mod faulty;
mod strict;
mod twice;

use std::sync::{Mutex, PoisonError};

use staleness_core::store::{Refusal, StoreError};

pub use around::{Around, Manner};
pub use faulty::{Fault, Faults, Faulty};
pub use strict::{HoldToLocks, Strict};
pub use twice::{AskTwice, Twice};

/// A violation that a wrapped step or query detected while the store ran it.
#[derive(Debug, Default)]
struct Finding(Mutex<Option<String>>);

impl Finding {
    /// Records a violation.
    fn note(&self, what: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    /// Refuses to write after a violation.
    fn refused(&self) -> Result<(), Refusal> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.clone().map_or(Ok(()), |what| Err(Refusal::Other(what)))
    }

    /// Returns the recorded violation, or else the result.
    fn or<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(what) => Err(StoreError::Misstep(what)),
            None => result,
        }
    }
}
