//! Citations: the places in a project on which an item is based.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A range of lines, counted from 1, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line, inclusive, at least `first`.
    pub last: u32,
}

impl fmt::Display for Lines {
    /// Prints `42` or `42-50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// A citation of a file in the project, of lines in it, or of a symbol in it.
///
/// Editing the file affects only citations of lines or of a symbol. A citation of a bare path is affected only when
/// the file is deleted or renamed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Citation {
    /// The path, relative to the project's root, with `/` separators.
    pub path: String,
    /// The cited lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// The cited symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The hexadecimal [`crate::ids::stable_hash`] of the cited text at the last verification. It shows changes where
    /// there is no git history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Citation {
    /// Creates a citation of a whole file.
    pub fn of_path(path: impl Into<String>) -> Self {
        Self { path: path.into(), lines: None, symbol: None, digest: None }
    }

    /// Returns true if the citation is of the file as a whole.
    pub const fn is_bare(&self) -> bool {
        self.lines.is_none() && self.symbol.is_none()
    }
}

impl fmt::Display for Citation {
    /// Prints `path`, `path:42`, `path:42-50` or `path#symbol`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match (&self.lines, &self.symbol) {
            (Some(lines), _) => write!(f, ":{lines}"),
            (None, Some(symbol)) => write!(f, "#{symbol}"),
            (None, None) => Ok(()),
        }
    }
}
