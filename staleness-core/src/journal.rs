//! The journal: every change that matters to a person, with its cause.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{
    AgentId, ClientId, ItemId, ItemKey, OpId, ProjectId, Scope, SessionId, ToolKey, ToolName,
    WorkId, WorkKey,
};
use crate::text::wording;
use crate::time::Timestamp;

/// Numbers the commits that wrote journal entries: 0 before the first.
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

/// The floor of a journal that was pruned. The commits above `revision` have all their entries; below it those of
/// some commits are gone, and so are those of `revision` itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// The newest commit whose entries were removed; 0 when nothing was.
    pub revision: Revision,
    /// The latest time of an entry that was removed, as far as is known: a later one was not.
    pub at: Timestamp,
}

impl Floor {
    /// Raises it to another one, where that is higher.
    pub fn raise(&mut self, to: Self) {
        if to.revision > Revision(0) {
            self.at = if self.revision > Revision(0) { self.at.max(to.at) } else { to.at };
            self.revision = self.revision.max(to.revision);
        }
    }
}

/// Verifies that no entry of a journal is missing, given the places of those that are there.
#[derive(Clone, Copy, Debug, Default)]
pub struct JournalCheck {
    last: Option<(Revision, u32)>,
    /// The newest commit below the last entry of which nothing is there.
    gap: Revision,
}

impl JournalCheck {
    /// Takes the place of the next entry, in order.
    ///
    /// # Errors
    /// A sentence that names the entry before which one of the same commit is missing.
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

    /// Compares what was there with where the store says that it stands.
    ///
    /// # Errors
    /// A sentence that names the commit whose entries are missing, or are there and should not be.
    pub fn finish(self, revision: Revision, floor: Revision) -> Result<(), String> {
        let last = self.last.map_or(Revision(0), |(last, _)| last);
        if last > revision {
            return Err(format!("the journal holds revision {last} beyond {revision}"));
        }
        // The newest commit is never pruned.
        if last < revision {
            return Err(format!("the journal holds no entry of revision {revision}"));
        }
        match self.gap.cmp(&floor) {
            Ordering::Greater => {
                Err(format!("the journal holds no entry of revision {}", self.gap))
            }
            Ordering::Less => Err(format!("the journal holds revision {floor}, which was pruned")),
            Ordering::Equal => Ok(()),
        }
    }
}

/// The subject of a journal entry: a kind of thing, the scope it lives in, and its id there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The kind of thing.
    pub kind: SubjectKind,
    /// The scope in which it lives.
    pub scope: Scope,
    /// Its id within kind and scope.
    pub id: String,
}

impl Subject {
    /// A tool as a subject.
    #[must_use]
    pub fn tool(key: &ToolKey) -> Self {
        Self { kind: SubjectKind::Tool, scope: key.scope.clone(), id: key.name.to_string() }
    }

    /// The key of the tool that this subject is; `None` for other kinds.
    #[must_use]
    pub fn tool_key(&self) -> Option<ToolKey> {
        let name = ToolName::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Tool)?;
        Some(ToolKey { scope: self.scope.clone(), name })
    }

    /// An item of knowledge as a subject.
    #[must_use]
    pub fn item(key: &ItemKey) -> Self {
        Self { kind: SubjectKind::Item, scope: key.scope.clone(), id: key.id.to_string() }
    }

    /// The key of the item of knowledge that this subject is; `None` for other kinds.
    #[must_use]
    pub fn item_key(&self) -> Option<ItemKey> {
        let id = ItemId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Item)?;
        Some(ItemKey { scope: self.scope.clone(), id })
    }

    /// A work item as a subject.
    #[must_use]
    pub fn work(key: &WorkKey) -> Self {
        Self { kind: SubjectKind::Work, scope: key.scope.clone(), id: key.id.to_string() }
    }

    /// The key of the work item that this subject is; `None` for other kinds.
    #[must_use]
    pub fn work_key(&self) -> Option<WorkKey> {
        let id = WorkId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Work)?;
        Some(WorkKey { scope: self.scope.clone(), id })
    }

    /// The id of the project that this subject is; `None` for other kinds.
    #[must_use]
    pub fn project_id(&self) -> Option<ProjectId> {
        ProjectId::new(&self.id).ok().filter(|_| self.kind == SubjectKind::Project)
    }

    /// A project as a subject. It lives in its own scope.
    #[must_use]
    pub fn project(id: &ProjectId) -> Self {
        Self { kind: SubjectKind::Project, scope: Scope::Project(id.clone()), id: id.to_string() }
    }
}

/// The kinds of thing that the journal speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SubjectKind {
    /// A tool.
    Tool,
    /// A project.
    Project,
    /// An item of knowledge.
    #[serde(rename = "knowledge")]
    Item,
    /// A work item.
    Work,
}

wording! { SubjectKind { Tool = "tool", Project = "project", Item = "knowledge", Work = "work" } }

/// The kind of change that happened to a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// It became known.
    Added,
    /// A scan, or the loss of its server, made it absent.
    Absent,
    /// A scan, its server or a successful use made it present again.
    Present,
    /// Its recent outcomes demoted it.
    Failing,
    /// A success ended its demotion.
    Recovered,
    /// A person demoted it.
    Demoted,
    /// A person lifted a demotion, a pin or an ignore.
    Restored,
    /// A person pinned it: always active.
    Pinned,
    /// A person had it ignored: never suggested, never reported.
    Ignored,
    /// A person had it forgotten.
    Forgotten,
    /// Its text, its fields or its links to others were changed.
    Edited,
    /// It was confirmed to still hold.
    Verified,
    /// Another one stands for it now.
    Superseded,
    /// It was said to be wrong.
    Contradicted,
    /// It was done.
    Done,
    /// A person removed it.
    Removed,
    /// It was moved to another state.
    Moved,
    /// A step was added to it.
    Stepped,
    /// It was overdue, and somebody settled it.
    Resolved,
    /// It had ended, and somebody took it up again.
    Reopened,
    /// A server changed what it says of it; the cause is the class of the change.
    Redefined,
    /// A person accepted what a server changed.
    Accepted,
}

wording! { Action {
    Added = "added", Absent = "absent", Present = "present", Failing = "failing",
    Recovered = "recovered", Demoted = "demoted", Restored = "restored", Pinned = "pinned",
    Ignored = "ignored", Forgotten = "forgotten", Edited = "edited", Verified = "verified",
    Superseded = "superseded", Contradicted = "contradicted", Done = "done", Removed = "removed",
    Moved = "moved", Stepped = "stepped", Resolved = "resolved", Reopened = "reopened",
    Redefined = "redefined", Accepted = "accepted",
} }

/// One change of one subject. Entries are only appended, and pruned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The commit that wrote it; given by the store, 0 before that.
    pub revision: Revision,
    /// Its place among the entries of that commit, counted from 0; given by the store.
    pub index: u32,
    /// When it happened.
    pub at: Timestamp,
    /// The thing that changed.
    pub subject: Subject,
    /// The action.
    pub action: Action,
    /// The state before, in the words of the subject's kind (a tool's status).
    pub from: Option<String>,
    /// The state after.
    pub to: Option<String>,
    /// Why it happened: a cause in `snake_case`, or a sentence of our own.
    pub cause: String,
    /// The reason that a person gave.
    pub note: Option<String>,
    /// The session in which it happened.
    pub session: Option<SessionId>,
    /// The agent or person who did it.
    pub actor: Option<AgentId>,
    /// The unit of work that did it.
    pub op: Option<OpId>,
    /// The clients for which a scan made a tool present or absent. Empty: the entry is the same for every client.
    pub clients: Vec<ClientId>,
}

impl JournalEntry {
    /// An entry that says what happened and why, and nothing more.
    #[must_use]
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
