//! The journal: every change that matters to the user, with its cause.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{
    AgentId, ClientId, ItemId, ItemKey, OpId, ProjectId, Scope, SessionId, ToolKey, ToolName,
    WorkId, WorkKey,
};
use crate::text::wording;
use crate::time::Timestamp;

/// The number of a commit that wrote journal entries, counted from 1. 0 before the first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The pruning limit of a journal. The journal has all entries of the commits above `revision`. The entries of that
/// commit, and of some below it, were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// The newest commit whose entries were removed. 0 if nothing was pruned.
    pub revision: Revision,
    /// The latest time of a removed entry, as far as is known. No later entry was removed.
    pub at: Timestamp,
}

impl Floor {
    /// Raises each field of this floor to the value in `to`, if that is higher.
    pub fn raise(&mut self, to: Self) {
        if to.revision > Revision(0) {
            self.at = if self.revision > Revision(0) { self.at.max(to.at) } else { to.at };
            self.revision = self.revision.max(to.revision);
        }
    }
}

/// Verifies that a journal has no gaps. [`Self::next`] takes the place of each entry in order, and [`Self::finish`]
/// ends the check.
#[derive(Clone, Copy, Debug, Default)]
pub struct JournalCheck {
    last: Option<(Revision, u32)>,
    /// The newest missing commit below the last entry.
    pub(crate) gap: Revision,
}

impl JournalCheck {
    /// Checks the place of the next entry: its commit, and its index within that commit.
    ///
    /// # Errors
    /// A message that names the entry, if an earlier entry of the same commit is missing.
    pub fn next(&mut self, revision: Revision, index: u32) -> Result<(), String> {
        let before = self.last.map_or(Revision(0), |(before, _)| before);
        let follows = match self.last {
            Some((last, at)) if last == revision => at.checked_add(1) == Some(index),
            _ => index == 0 && revision > before,
        };
        if !follows {
            return Err(format!("journal {revision}.{index}: an entry before it is missing"));
        }
        if revision.0 - before.0 > 1 {
            self.gap = Revision(revision.0 - 1);
        }
        self.last = Some((revision, index));
        Ok(())
    }

    /// Compares the entries with the store's latest revision and pruning floor.
    ///
    /// # Errors
    /// A message that names the commit whose entries are missing or should have been pruned.
    pub fn finish(self, revision: Revision, floor: Revision) -> Result<(), String> {
        let last = self.last.map_or(Revision(0), |(last, _)| last);
        if last > revision {
            return Err(format!("the journal has revision {last} beyond {revision}"));
        }
        // The newest commit is never pruned.
        if last < revision {
            return Err(format!("the journal has no entry of revision {revision}"));
        }
        match self.gap.cmp(&floor) {
            Ordering::Greater => Err(format!("the journal has no entry of revision {}", self.gap)),
            Ordering::Less => Err(format!("the journal has revision {floor}, which was pruned")),
            Ordering::Equal => Ok(()),
        }
    }
}

/// The subject of a journal entry: a kind of record, its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The kind of record.
    pub kind: SubjectKind,
    /// The scope of the record.
    pub scope: Scope,
    /// The id of the record, unique within kind and scope.
    pub id: String,
}

impl Subject {
    /// Returns the subject for a tool.
    pub fn tool(key: &ToolKey) -> Self {
        Self { kind: SubjectKind::Tool, scope: key.scope.clone(), id: key.name.to_string() }
    }

    /// Returns the key of the tool. `None` for other kinds of subject.
    pub fn tool_key(&self) -> Option<ToolKey> {
        let name = ToolName::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Tool)?;
        Some(ToolKey { scope: self.scope.clone(), name })
    }

    /// Returns the subject for an item of knowledge.
    pub fn item(key: &ItemKey) -> Self {
        Self { kind: SubjectKind::Item, scope: key.scope.clone(), id: key.id.to_string() }
    }

    /// Returns the key of the item of knowledge. `None` for other kinds of subject.
    pub fn item_key(&self) -> Option<ItemKey> {
        let id = ItemId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Item)?;
        Some(ItemKey { scope: self.scope.clone(), id })
    }

    /// Returns the subject for a work item.
    pub fn work(key: &WorkKey) -> Self {
        Self { kind: SubjectKind::Work, scope: key.scope.clone(), id: key.id.to_string() }
    }

    /// Returns the key of the work item. `None` for other kinds of subject.
    pub fn work_key(&self) -> Option<WorkKey> {
        let id = WorkId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Work)?;
        Some(WorkKey { scope: self.scope.clone(), id })
    }

    /// Returns the id of the project. `None` for other kinds of subject.
    pub fn project_id(&self) -> Option<ProjectId> {
        ProjectId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Project)
    }

    /// Returns the subject for a project. Its scope is the project itself.
    pub fn project(id: &ProjectId) -> Self {
        Self { kind: SubjectKind::Project, scope: Scope::Project(id.clone()), id: id.to_string() }
    }
}

wording! {
    /// The kind of record that an entry is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum SubjectKind {
        /// A tool.
        Tool = "tool",
        /// A project.
        Project = "project",
        /// An item of knowledge.
        Item = "knowledge",
        /// A work item.
        Work = "work",
    }
}

wording! {
    /// The kind of change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Action {
        /// The record was added.
        Added = "added",
        /// A scan, or the loss of its server, made the tool absent.
        Absent = "absent",
        /// A scan, its server or a successful use made the tool present again.
        Present = "present",
        /// The tool's recent outcomes demoted it.
        Failing = "failing",
        /// A success ended the tool's demotion.
        Recovered = "recovered",
        /// The tool was demoted by hand.
        Demoted = "demoted",
        /// A demotion, a pin or an ignore was lifted by hand, or a change of an item was undone.
        Restored = "restored",
        /// The tool was pinned by hand: always active.
        Pinned = "pinned",
        /// The tool was ignored by hand: never suggested, never reported.
        Ignored = "ignored",
        /// The record of a tool or project was deleted, by hand or by pruning.
        Forgotten = "forgotten",
        /// The text, fields or links were changed.
        Edited = "edited",
        /// The item was confirmed to be still valid.
        Verified = "verified",
        /// Another item replaced the item.
        Superseded = "superseded",
        /// The item was reported to be wrong.
        Contradicted = "contradicted",
        /// The item was marked as done.
        Done = "done",
        /// The item was removed.
        Removed = "removed",
        /// The work item moved to another state, or a tool's server moved to an entry in another scope.
        Moved = "moved",
        /// A step was added to the work item.
        Stepped = "stepped",
        /// The work item was overdue, and was resolved.
        Resolved = "resolved",
        /// The item had ended and was reopened.
        Reopened = "reopened",
        /// A server changed the tool's definition. The cause is the class of the change.
        Redefined = "redefined",
        /// A person accepted a changed definition.
        Accepted = "accepted",
        /// An agent claimed the work item, to work on it.
        Claimed = "claimed",
        /// The claim on the work item was released.
        Released = "released",
    }
}

/// A change of a subject. Entries are appended and pruned, never edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The commit that wrote the entry. Set by the store; 0 before that.
    pub revision: Revision,
    /// The position among the entries of that commit, counted from 0. Set by the store.
    pub index: u32,
    /// The time of the change.
    pub at: Timestamp,
    /// The record that changed.
    pub subject: Subject,
    /// The kind of change.
    pub action: Action,
    /// The state before the change, in the words of the subject's kind, such as a tool's status.
    pub from: Option<String>,
    /// The state after the change.
    pub to: Option<String>,
    /// The cause: a `snake_case` word, or a phrase written by this program.
    pub cause: String,
    /// The reason that was given, or a description of a changed definition.
    pub note: Option<String>,
    /// The session in which the change happened.
    pub session: Option<SessionId>,
    /// The agent that made the change, if known. `None` for a person or a scan.
    pub actor: Option<AgentId>,
    /// The id of the unit of work that made the change.
    pub op: Option<OpId>,
    /// The clients for which a scan made a tool present or absent. Empty if the entry applies to all clients.
    pub clients: Vec<ClientId>,
}

impl JournalEntry {
    /// The beginning of the cause if an item lost a link because the linked item was removed.
    pub(crate) const DROPPED: &str = "no longer ";

    /// Returns true if an item lost a link without being edited.
    pub(crate) fn drops_link(&self) -> bool {
        self.action == Action::Edited
            && self.from == self.to
            && self.cause.starts_with(Self::DROPPED)
    }

    /// Creates an entry with only a time, a subject, an action and a cause.
    pub fn new(at: Timestamp, subject: Subject, action: Action, cause: impl Into<String>) -> Self {
        Self {
            revision: Revision(0),
            index: 0,
            at,
            subject,
            action,
            from: None,
            to: None,
            cause: cause.into(),
            note: None,
            session: None,
            actor: None,
            op: None,
            clients: Vec::new(),
        }
    }
}
