//! Errors shown to users, scripts and models: one line and a hint.

use std::io::Read;

use serde::Serialize;
use serde_json::json;
use staleness::RegistryError;
use staleness::store::{Conflict, Refusal, StoreError};
use staleness_core::wording;

use crate::escape::escape;
use crate::limits;

wording! {
    /// The category of an error.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[non_exhaustive]
    pub enum ErrorKind {
        /// An unknown option or a missing argument.
        Usage = "usage",
        /// A rejected value or invalid input.
        Invalid = "invalid",
        /// An unknown name or id.
        Unknown = "unknown",
        /// An invalid policy file or value.
        Config = "config",
        /// A feature that this build does not include.
        NotOffered = "not_offered",
        /// An error of the store.
        Store = "store",
        /// A file that could not be read or written.
        Io = "io",
        /// Work that was cancelled before it finished.
        Cancelled = "cancelled",
    }
}

/// An error message with a hint on what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// The category.
    pub kind: ErrorKind,
    /// The problem and its location.
    pub message: String,
    /// The next step for the user.
    pub hint: Option<String>,
}

impl ServiceError {
    /// Creates an error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Creates an [`ErrorKind::Invalid`] error.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Formats the error as one line, or as a JSON document.
    pub fn render(&self, as_json: bool) -> String {
        if as_json {
            let error =
                json!({"kind": self.kind.as_str(), "message": self.message, "hint": self.hint});
            return json!({ "error": error }).to_string();
        }
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        escape(&format!("error: {}{hint}", self.message)).into_owned()
    }
}

/// Maximum number of characters of user input repeated in an error.
pub const MAX_SHOWN: usize = 80;

/// Quotes, escapes and truncates user input.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Shortens a long path for an error message.
pub fn brief(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    match text.char_indices().nth(4 * MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Reads a text of at most `most` bytes from a file, regardless of the length that the file reports.
///
/// # Errors
/// Returns the reason why the text cannot be read.
pub fn text_within(path: &std::path::Path, most: u64) -> Result<String, String> {
    let mut text = String::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(most + 1).read_to_string(&mut text));
    read.map_err(|error| in_words(&error))?;
    if text.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    Ok(text)
}

/// Describes a file error in plain words.
pub fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound => "no such file or folder".into(),
        Io::PermissionDenied => "permission denied".into(),
        Io::AlreadyExists => "it already exists".into(),
        Io::IsADirectory => "it is a folder".into(),
        Io::NotADirectory => "a part of its path is not a folder".into(),
        Io::InvalidData => "it is not UTF-8 text".into(),
        _ => error.to_string(),
    }
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown { .. } => Self::new(ErrorKind::Unknown, refusal.to_string()),
            Refusal::Conflict(Conflict::NotOwn) => Self::invalid(refusal.to_string()).hint(
                "record it for this project, or ask the user to allow global records in the file of tokens",
            ),
            _ => Self::invalid(refusal.to_string()),
        }
    }
}

impl From<RegistryError> for ServiceError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Rejected(refusal) => refusal.into(),
            RegistryError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            // SQLite reports a failed disk write without a reason.
            StoreError::Full
            | StoreError::Io { .. }
            | StoreError::Unknown(_)
            | StoreError::Backend(_)
                if limits::file_size_was_reached() =>
            {
                let limit = "a file of the store reached the size limit of this process";
                Self::new(ErrorKind::Store, limit)
                    .hint("raise the limit (`ulimit -f`); earlier data is intact")
            }
            StoreError::Refused(refusal) => refusal.into(),
            StoreError::Busy => Self::new(ErrorKind::Store, message).hint("try again in a moment"),
            StoreError::FormatTooNew { .. } => Self::new(ErrorKind::Store, message)
                .hint("update staleness, or point --store at another file"),
            StoreError::FormatTooOld { .. } => Self::new(ErrorKind::Store, message).hint(
                "run `staleness export` with the version that wrote the store, then `staleness import` here",
            ),
            StoreError::NotAStore(_) => Self::new(ErrorKind::Store, message)
                .hint("nothing was changed; point --store at another file"),
            StoreError::Corrupt(_) => Self::new(ErrorKind::Store, message).hint(
                "run `staleness doctor`; restore a backup, or move the file aside and start over",
            ),
            StoreError::ReadOnly => Self::new(ErrorKind::Store, message)
                .hint("check the permissions of the file and of its folder"),
            StoreError::Full => {
                Self::new(ErrorKind::Store, message).hint("free some space; nothing was lost")
            }
            _ => Self::new(ErrorKind::Store, message),
        }
    }
}
