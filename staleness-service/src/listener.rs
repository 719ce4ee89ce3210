//! Who is told what goes on while something is looked up.

use std::ops::ControlFlow;

use staleness_sources::documents::Progress;

/// Hears of work that takes a while, and may end it.
pub trait Listener {
    /// Something that was left out, or went another way, and is no error.
    fn note(&self, text: &str);
    /// How far a check of documents has come. `Break` ends it with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    fn step(&self, step: Progress) -> ControlFlow<()>;
    /// The check is over.
    fn end(&self);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Listener for Silent {
    fn note(&self, _: &str) {}

    fn step(&self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end(&self) {}
}
