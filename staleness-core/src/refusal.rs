//! A refusal: work that must not be done, and why.

use std::error::Error;
use std::fmt;

/// The step itself says that its work must not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing is known under this name.
    Unknown {
        /// What was looked for: `tool`, `project`.
        what: &'static str,
        /// The name.
        id: String,
    },
    /// A newer reading of this source was applied in the meantime: read again.
    Superseded {
        /// The source.
        source: String,
    },
    /// The value makes no sense; the sentence says why.
    Invalid(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, id } => write!(f, "no {what} is known as {id:?}"),
            Self::Superseded { source } => {
                write!(f, "a newer reading of {source} was applied in the meantime")
            }
            Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl Error for Refusal {}
