//! The history of a tool.

use serde::Serialize;

use crate::journal::{JournalEntry, Revision};
use crate::time::Timestamp;

/// A change of a tool's status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatusChange {
    /// The status before the change.
    pub from: Option<String>,
    /// The status after; `None` if the tool was forgotten.
    pub to: Option<String>,
    /// The cause.
    pub cause: String,
}

impl StatusChange {
    /// Returns the status change that an entry records. `None` if the status did not change or is the first one.
    #[must_use]
    pub fn of(entry: &JournalEntry) -> Option<Self> {
        (entry.from.is_some() && entry.from != entry.to).then(|| Self {
            from: entry.from.clone(),
            to: entry.to.clone(),
            cause: entry.cause.clone(),
        })
    }
}

/// The latest changes of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// The changes, newest first.
    pub entries: Vec<HistoryEntry>,
    /// The time up to which changes may be missing because the journal was pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned_until: Option<Timestamp>,
}

/// One entry of a tool's history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryEntry {
    /// The revision of the commit.
    pub revision: Revision,
    /// The time of the change.
    pub at: Timestamp,
    /// The scope of the record: `global` or `project`.
    pub scope: &'static str,
    /// The kind of change.
    pub action: &'static str,
    /// The status before; `None` if the tool was new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The status after; `None` if the tool was forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The cause.
    pub cause: String,
    /// The reason that a person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The session in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent that did it; `None` for a person and for a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The clients for which the tool became present or absent; for a recovery that others heard of, the one that called
    /// it; empty for other changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
}

impl From<&JournalEntry> for HistoryEntry {
    fn from(entry: &JournalEntry) -> Self {
        Self {
            revision: entry.revision,
            at: entry.at,
            scope: entry.subject.scope.word(),
            action: entry.action.as_str(),
            from: entry.from.clone(),
            to: entry.to.clone(),
            cause: entry.cause.clone(),
            note: entry.note.clone(),
            session: entry.session.as_ref().map(ToString::to_string),
            actor: entry.actor.as_ref().map(ToString::to_string),
            clients: match &entry.actor {
                Some(caller) if !entry.clients.is_empty() => vec![caller.to_string()],
                _ => entry.clients.iter().map(ToString::to_string).collect(),
            },
        }
    }
}
