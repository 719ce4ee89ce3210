//! Receives progress of long operations.

use staleness_docs::Progress;

/// Receives progress and notes of a long operation. All methods are optional.
pub trait Listener {
    /// Called with a note on skipped or degraded work that is not an error.
    fn note(&self, _text: &str) {}
    /// Called with the progress of a document check.
    fn step(&self, _step: Progress) {}
    /// Called when the check has ended.
    fn end(&self) {}
}

/// Describes the progress in a few words. The text contains no foreign names.
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

impl Listener for Silent {}
