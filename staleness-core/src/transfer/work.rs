//! Export lines of work items, sessions and cursors.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::word::{Version, constant, line, scope};
use crate::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use crate::journal::Revision;
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::time::Timestamp;
use crate::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

line! {
    WorkLine of Work, Kind = "work";
    key WorkKey {
        #[serde(rename = "project", with = "scope")]
        #[serde(default = "scope::global", skip_serializing_if = "scope::is_global")]
        scope: Scope,
        id: WorkId,
    }
    #[serde(rename = "work_kind")]
    kind: WorkKind,
    status: WorkStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<WorkStatus>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    note: NoteType,
    generated: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_person: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    refs: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    after: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<Claim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<WorkStep>,
}

line! {
    SessionLine of Session, SessionKind = "session";
    key SessionKey { project: ProjectId, id: SessionId, }
    agent: AgentId,
    started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Timestamp>,
    from_revision: Revision,
    first_contact: bool,
}

line! {
    CursorLine of Cursor, CursorKind = "cursor";
    key CursorKey { project: ProjectId, agent: AgentId, }
    revision: Revision,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    moved_at: Timestamp,
}
