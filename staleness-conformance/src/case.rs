//! A case: one promise of the contract, with a name and a function that holds a store to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::backend::{Backend, Capabilities};
use crate::context::{Context, check, panic_text};

/// One promise of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `theme::what_holds`.
    pub name: &'static str,
    /// Capabilities without which the case makes no sense.
    pub needs: Capabilities,
    /// Panics when the promise is broken.
    pub run: fn(&mut Context),
}

impl Case {
    /// A case for every backend.
    #[must_use]
    pub const fn new(name: &'static str, run: fn(&mut Context)) -> Self {
        Self { name, needs: Capabilities::NONE, run }
    }

    /// Runs the case on a fresh store, and has the store verify itself at the end.
    ///
    /// # Errors
    /// What the case found wrong.
    pub fn verify(&self, backend: Arc<dyn Backend>) -> Result<(), String> {
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::new(backend);
            (self.run)(&mut context);
            check(context.store());
        }));
        verdict.map_err(|payload| panic_text(payload.as_ref()))
    }
}
