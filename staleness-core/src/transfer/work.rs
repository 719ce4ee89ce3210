//! The lines of work items, sessions and cursors.

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant};
use crate::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use crate::journal::Revision;
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::time::Timestamp;
use crate::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};

constant!(Kind = "work");
constant!(SessionKind = "session");
constant!(CursorKind = "cursor");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkLine {
    kind: Kind,
    version: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    id: WorkId,
    #[serde(with = "word")]
    work_kind: WorkKind,
    #[serde(with = "word")]
    status: WorkStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<StatusPart>,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(with = "word")]
    note: NoteType,
    generated: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refs: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepPart>,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct StatusPart(#[serde(with = "word")] WorkStatus);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepPart {
    text: String,
    at: Timestamp,
}

impl From<&Work> for WorkLine {
    fn from(row: &Work) -> Self {
        Self {
            kind: Kind,
            version: Version,
            project: row.key.scope.project().cloned(),
            id: row.key.id.clone(),
            work_kind: row.kind,
            status: row.status,
            before: row.before.map(StatusPart),
            text: row.text.clone(),
            author: row.author.clone(),
            from: row.from.clone(),
            to: row.to.clone(),
            note: row.note,
            generated: row.generated,
            created_at: row.created_at,
            updated_at: row.updated_at,
            expires_at: row.expires_at,
            refs: row.refs.iter().cloned().collect(),
            steps: row
                .steps
                .iter()
                .map(|step| StepPart { text: step.text.clone(), at: step.at })
                .collect(),
        }
    }
}

impl From<WorkLine> for Work {
    fn from(line: WorkLine) -> Self {
        let scope = line.project.map_or(Scope::Global, Scope::Project);
        Self {
            key: WorkKey { scope, id: line.id },
            kind: line.work_kind,
            status: line.status,
            before: line.before.map(|part| part.0),
            text: line.text,
            author: line.author,
            from: line.from,
            to: line.to,
            note: line.note,
            generated: line.generated,
            created_at: line.created_at,
            updated_at: line.updated_at,
            expires_at: line.expires_at,
            refs: line.refs.into_iter().collect(),
            steps: line
                .steps
                .into_iter()
                .map(|part| WorkStep { text: part.text, at: part.at })
                .collect(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionLine {
    kind: SessionKind,
    version: Version,
    project: ProjectId,
    id: SessionId,
    agent: AgentId,
    started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<Timestamp>,
    from_revision: Revision,
    first_contact: bool,
}

impl From<&Session> for SessionLine {
    fn from(row: &Session) -> Self {
        Self {
            kind: SessionKind,
            version: Version,
            project: row.key.project.clone(),
            id: row.key.id.clone(),
            agent: row.agent.clone(),
            started_at: row.started_at,
            ended_at: row.ended_at,
            from_revision: row.from_revision,
            first_contact: row.first_contact,
        }
    }
}

impl From<SessionLine> for Session {
    fn from(line: SessionLine) -> Self {
        Self {
            key: SessionKey { project: line.project, id: line.id },
            agent: line.agent,
            started_at: line.started_at,
            ended_at: line.ended_at,
            from_revision: line.from_revision,
            first_contact: line.first_contact,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CursorLine {
    kind: CursorKind,
    version: Version,
    project: ProjectId,
    agent: AgentId,
    revision: Revision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    moved_at: Timestamp,
}

impl From<&Cursor> for CursorLine {
    fn from(row: &Cursor) -> Self {
        Self {
            kind: CursorKind,
            version: Version,
            project: row.key.project.clone(),
            agent: row.key.agent.clone(),
            revision: row.revision,
            session: row.session.clone(),
            moved_at: row.moved_at,
        }
    }
}

impl From<CursorLine> for Cursor {
    fn from(line: CursorLine) -> Self {
        Self {
            key: CursorKey { project: line.project, agent: line.agent },
            revision: line.revision,
            session: line.session,
            moved_at: line.moved_at,
        }
    }
}
