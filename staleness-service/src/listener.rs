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
    /// Whether somebody wants it ended, for what is read beside checks.
    fn is_ended(&self) -> bool;
}

/// What a check does at the moment, in few words that hold no text of others.
#[must_use]
pub fn words(step: Progress) -> String {
    match step {
        Progress::Reading { done, of } => format!("reading documents, {done} of {of}"),
        Progress::Looking { names } => format!("looking up {names} names"),
        Progress::Tracing { done, of } => format!("reading their history, {done} of {of}"),
        _ => "checking".into(),
    }
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

    fn is_ended(&self) -> bool {
        false
    }
}
