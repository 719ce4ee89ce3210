//! Listeners, which hear of progress while something is looked up.

use staleness_docs::Progress;

/// Hears of work that takes a while.
pub trait Listener {
    /// Something that was left out, or went another way, and is no error.
    fn note(&self, text: &str);
    /// Takes the progress of a check of documents.
    fn step(&self, step: Progress);
    /// The check is over.
    fn end(&self);
}

/// Describes the progress of a check, in few words that hold no text of others.
#[must_use]
pub fn words(step: Progress) -> String {
    match step {
        Progress::Reading { done, of } => format!("reading documents, {done} of {of}"),
        Progress::Looking { names } => format!("looking up {names} names"),
        Progress::Tracing { done, of } => format!("reading their history, {done} of {of}"),
        _ => "checking".into(),
    }
}

/// A listener that does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Listener for Silent {
    fn note(&self, _: &str) {}

    fn step(&self, _: Progress) {}

    fn end(&self) {}
}
