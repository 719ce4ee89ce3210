//! A refusal: work that must not be done, and why.

use std::error::Error;
use std::fmt;

/// The step itself says that its work must not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing is known under this name.
    Unknown {
        /// The kind of thing that was looked for: `tool`, `project`.
        what: &'static str,
        /// The name.
        id: String,
    },
    /// A newer reading of this source was applied in the meantime: read again.
    Superseded {
        /// The source.
        source: String,
    },
    /// The id is taken: choose another one, or change the record that has it.
    Taken {
        /// The record that has it: `item`, `work item`.
        what: &'static str,
        /// The id.
        id: String,
    },
    /// The record is in a state that does not allow this; the sentence says which.
    Conflict(String),
    /// A text, or several together, take more bytes than are kept.
    TooLarge {
        /// The text: `query`, `reason`.
        what: &'static str,
        /// Its size in bytes.
        bytes: usize,
        /// The largest size that is allowed, in bytes.
        limit: usize,
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
            Self::Taken { what, id } => {
                write!(f, "{id:?} already names another {what}: change it, or choose another id")
            }
            Self::TooLarge { what, bytes, limit } => {
                write!(f, "the {what} is {bytes} bytes long; at most {limit} are allowed")
            }
            Self::Conflict(why) | Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl Error for Refusal {}

impl Refusal {
    /// Refuses a text of more bytes than `limit`.
    pub(crate) fn check_size(what: &'static str, bytes: usize, limit: usize) -> Result<(), Self> {
        if bytes > limit { Err(Self::TooLarge { what, bytes, limit }) } else { Ok(()) }
    }
}
