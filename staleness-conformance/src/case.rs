//! A test case: one requirement of the contract, with a name and a test function.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::backend::{Backend, Capabilities};
use crate::context::{Context, check, panic_text};

/// One requirement of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name, as `theme::requirement`.
    pub name: &'static str,
    /// Capabilities that the case needs.
    pub needs: Capabilities,
    /// Panics if the requirement is violated.
    pub run: fn(&mut Context),
}

impl Case {
    /// Creates a case for every backend.
    pub const fn new(name: &'static str, run: fn(&mut Context)) -> Self {
        Self { name, needs: Capabilities::NONE, run }
    }

    /// Runs the case on a new store, and verifies the store at the end.
    ///
    /// # Errors
    /// If the case fails, with its message.
    pub fn verify(&self, backend: Arc<dyn Backend>) -> Result<(), String> {
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::new(backend);
            (self.run)(&mut context);
            context.open();
            check(context.store());
        }));
        verdict.map_err(|payload| panic_text(payload.as_ref()))
    }
}
