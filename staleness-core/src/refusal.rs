//! Refusals: why a step declined to do its work.

use std::error::Error;
use std::fmt;

/// The reason why a step refuses to do its work. Nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// No record has this name.
    Unknown {
        /// The kind of record: `tool`, `project`.
        what: &'static str,
        /// The unknown name.
        id: String,
    },
    /// A newer reading of this source was applied in the meantime. Read the source again.
    Superseded {
        /// The source, as `client/level/part`.
        source: String,
    },
    /// The id is taken. Choose another one, or change the existing record.
    Taken {
        /// The kind of the existing record: `item`, `work item`.
        what: &'static str,
        /// The id that is taken.
        id: String,
    },
    /// The state of the record does not allow this; the text explains it.
    Conflict(String),
    /// A text, or the sum of several, is too large to store.
    TooLarge {
        /// The name of the text: `query`, `reason`.
        what: &'static str,
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The value is invalid; the text explains why.
    Invalid(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, id } => write!(f, "no {what} named {id:?}"),
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
    /// Refuses a text that is larger than `limit` bytes.
    pub(crate) fn check_size(what: &'static str, bytes: usize, limit: usize) -> Result<(), Self> {
        if bytes > limit { Err(Self::TooLarge { what, bytes, limit }) } else { Ok(()) }
    }
}
