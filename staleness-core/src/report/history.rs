//! The history of a tool.

use serde::Serialize;

use super::words;
use crate::ids::{AgentId, ClientId, Scope, SessionId};
use crate::journal::{Action, JournalEntry, Revision};
use crate::time::Timestamp;
use crate::tool::Status;

/// A change of a tool's status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatusChange {
    /// The status before the change.
    pub from: Status,
    /// The status after the change. `None` if the tool was forgotten.
    pub to: Option<Status>,
    /// The cause.
    pub cause: String,
}

impl StatusChange {
    /// Returns the status change that an entry records. `None` if the status did not change, or if it is the tool's
    /// first.
    pub fn of(entry: &JournalEntry) -> Option<Self> {
        let status = |word: &Option<String>| Status::from_word(word.as_deref()?);
        let (from, to, cause) = (status(&entry.from)?, status(&entry.to), entry.cause.clone());
        (Some(from) != to).then_some(Self { from, to, cause })
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
    /// The scope of the record. Serializes as `global` or `project`.
    #[serde(serialize_with = "words::scope")]
    pub scope: Scope,
    /// The kind of change.
    pub action: Action,
    /// The previous state, in the words of the record's kind. `None` if the record was new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new state. `None` if the record was forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The cause.
    pub cause: String,
    /// The reason that a person gave, or what changed in a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The session in which the change happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The agent that made the change, if known. `None` for a person or a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<AgentId>,
    /// The clients for which the tool became present or absent. For a recovery that is reported to other clients, the
    /// client that called the tool. Empty for other changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<ClientId>,
}

impl From<&JournalEntry> for HistoryEntry {
    fn from(entry: &JournalEntry) -> Self {
        Self {
            revision: entry.revision,
            at: entry.at,
            scope: entry.subject.scope.clone(),
            action: entry.action,
            from: entry.from.clone(),
            to: entry.to.clone(),
            cause: entry.cause.clone(),
            note: entry.note.clone(),
            session: entry.session.clone(),
            actor: entry.actor.clone(),
            clients: match &entry.actor {
                Some(caller) if !entry.clients.is_empty() => {
                    ClientId::new(caller.as_str()).into_iter().collect()
                }
                _ => entry.clients.clone(),
            },
        }
    }
}
