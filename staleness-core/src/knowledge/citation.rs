//! Citations: what an item says it rests on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A range of lines, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line; at least `first`.
    pub last: u32,
}

impl fmt::Display for Lines {
    /// `42` or `42-50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// A file of the project, lines of it, or a symbol in it.
///
/// Only a citation of lines or of a symbol is touched by a change of the file; that of a bare path
/// is touched when the file is deleted or renamed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Citation {
    /// The path, relative to the project's root, with `/` between the parts.
    pub path: String,
    /// The lines that are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// The symbol that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The [`crate::ids::stable_hash`] of what was cited when it was verified last, in hexadecimal
    /// digits: it shows a change where there is no history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Citation {
    /// A citation of a whole file.
    #[must_use]
    pub fn of_path(path: impl Into<String>) -> Self {
        Self { path: path.into(), lines: None, symbol: None, digest: None }
    }

    /// Returns true if it means the file as a whole.
    #[must_use]
    pub const fn is_bare(&self) -> bool {
        self.lines.is_none() && self.symbol.is_none()
    }
}

impl fmt::Display for Citation {
    /// `path`, `path:42`, `path:42-50` or `path#symbol`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match (&self.lines, &self.symbol) {
            (Some(lines), _) => write!(f, ":{lines}"),
            (None, Some(symbol)) => write!(f, "#{symbol}"),
            (None, None) => Ok(()),
        }
    }
}
