//! Errors as a person and a script see them: one line, one exit code.

use std::fmt;

use serde_json::json;
use staleness::store::{Refusal, StoreError};

use crate::output::escape;

/// What kind of trouble it is; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// An unknown option or a missing argument.
    Usage,
    /// A value that is refused, or bad input.
    Invalid,
    /// A name or id that nobody knows.
    Unknown,
    /// A policy file or value that makes no sense.
    Config,
    /// Something that this release does not offer.
    NotOffered,
    /// The store.
    Store,
    /// A file that cannot be read or written.
    Io,
}

impl ErrorKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Invalid => "invalid",
            Self::Unknown => "unknown",
            Self::Config => "config",
            Self::NotOffered => "not_offered",
            Self::Store => "store",
            Self::Io => "io",
        }
    }
}

/// One error: what and where, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    /// What kind of trouble.
    pub kind: ErrorKind,
    /// What went wrong, and where.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl CliError {
    /// An error without a hint.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The same with what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A value that is refused.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The exit code: 2 usage, 3 refused values and bad input, 4 store trouble.
    #[must_use]
    pub(crate) const fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage => 2,
            ErrorKind::Store => 4,
            _ => 3,
        }
    }

    /// The error as one line, or as one JSON document.
    #[must_use]
    pub(crate) fn render(&self, as_json: bool) -> String {
        if as_json {
            let error =
                json!({"kind": self.kind.as_str(), "message": self.message, "hint": self.hint});
            return json!({ "error": error }).to_string();
        }
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        escape(&format!("error: {}{hint}", self.message)).into_owned()
    }
}

/// How much of a typed value an error repeats, in characters.
pub(crate) const MAX_SHOWN: usize = 80;

/// A typed value, quoted, escaped and cut.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A path, cut in the middle of nowhere: nobody reads ten thousand characters.
pub(crate) fn brief(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    match text.char_indices().nth(4 * MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What went wrong with a file, in words.
pub(crate) fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound => "no such file or folder".into(),
        Io::PermissionDenied => "permission denied".into(),
        Io::AlreadyExists => "it exists already".into(),
        Io::IsADirectory => "it is a folder".into(),
        Io::NotADirectory => "a part of its path is not a folder".into(),
        Io::InvalidData => "it is not UTF-8 text".into(),
        _ => error.to_string(),
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::Refused(Refusal::Unknown { .. }) => Self::new(ErrorKind::Unknown, message),
            StoreError::Refused(_) => Self::invalid(message),
            StoreError::Busy => Self::new(ErrorKind::Store, message).hint("try again in a moment"),
            StoreError::FormatTooNew { .. } => Self::new(ErrorKind::Store, message)
                .hint("update staleness, or point --store at another file"),
            StoreError::NotAStore(_) => Self::new(ErrorKind::Store, message)
                .hint("nothing was touched; point --store at another file"),
            StoreError::Corrupt(_) => Self::new(ErrorKind::Store, message)
                .hint("run `staleness doctor`, and restore a backup if it agrees"),
            StoreError::ReadOnly => Self::new(ErrorKind::Store, message)
                .hint("check the permissions of the file and of its folder"),
            StoreError::Full => {
                Self::new(ErrorKind::Store, message).hint("free some space; nothing was lost")
            }
            _ => Self::new(ErrorKind::Store, message),
        }
    }
}
