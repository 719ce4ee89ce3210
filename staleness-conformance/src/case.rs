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
    /// What a backend must offer for the case to make sense.
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

    /// The same case for backends that keep what was acknowledged.
    #[must_use]
    pub const fn persistent(mut self) -> Self {
        self.needs.persistent = true;
        self
    }

    /// The same case for backends that several processes may use.
    #[must_use]
    pub const fn multi_process(mut self) -> Self {
        self.needs.multi_process = true;
        self
    }

    /// The same case for backends that make backups.
    #[must_use]
    pub const fn backup(mut self) -> Self {
        self.needs.backup = true;
        self
    }

    /// The same case for backends that can be written to during a read.
    #[must_use]
    pub const fn concurrent_readers(mut self) -> Self {
        self.needs.concurrent_readers = true;
        self
    }

    /// Limits the case to backends that keep a store in a file.
    #[must_use]
    pub const fn file(mut self) -> Self {
        self.needs.file = true;
        self
    }

    /// Limits the case to backends that know tokio.
    #[must_use]
    pub const fn runtime(mut self) -> Self {
        self.needs.runtime = true;
        self
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
