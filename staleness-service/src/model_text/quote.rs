//! What a person typed at this machine, as a model reads it.

use std::fmt;

use staleness::report::DeltaItem;

use crate::escape::escape;

/// The beginning of what a work item says, on one line, in double quotes, where a person typed it at this machine.
/// Nothing in it ends the quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote(String);

impl Quote {
    /// Returns the quote; `None` where it is not known that a person typed the text.
    #[must_use]
    pub fn of(item: &DeltaItem) -> Option<Self> {
        let line = || escape(&item.text).replace(['"', '`'], "'");
        item.by_person.then(|| Self(format!("\"{}\"", line())))
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
