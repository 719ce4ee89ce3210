//! Export lines of outcomes and of the journal.

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant};
use crate::ids::{
    AgentId, ClientId, OpId, ProjectId, Scope, ServerKey, SessionId, ToolKey, ToolName,
};
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::outcome::{Mark, Outcome};
use crate::time::Timestamp;

constant!(OutcomeKind = "outcome");
constant!(JournalKind = "journal");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    name: ToolName,
}

impl From<&ToolKey> for KeyPart {
    fn from(key: &ToolKey) -> Self {
        Self { project: key.scope.project().cloned(), name: key.name.clone() }
    }
}

impl From<KeyPart> for ToolKey {
    fn from(part: KeyPart) -> Self {
        Self { scope: part.project.map_or(Scope::Global, Scope::Project), name: part.name }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutcomeLine {
    kind: OutcomeKind,
    version: Version,
    op: OpId,
    tool: KeyPart,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerKey>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    credits: Vec<KeyPart>,
    #[serde(with = "word")]
    mark: Mark,
    at: Timestamp,
    project: ProjectId,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<ClientId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

impl From<&Outcome> for OutcomeLine {
    fn from(row: &Outcome) -> Self {
        Self {
            kind: OutcomeKind,
            version: Version,
            op: row.op.clone(),
            tool: (&row.tool).into(),
            server: row.server.clone(),
            credits: row.credits.iter().map(KeyPart::from).collect(),
            mark: row.mark,
            at: row.at,
            project: row.project.clone(),
            session: row.session.clone(),
            agent: row.agent.clone(),
            client: row.client.clone(),
            duration_ms: row.duration_ms,
        }
    }
}

impl From<OutcomeLine> for Outcome {
    fn from(line: OutcomeLine) -> Self {
        Self {
            seq: 0,
            op: line.op,
            tool: line.tool.into(),
            server: line.server,
            credits: line.credits.into_iter().map(ToolKey::from).collect(),
            mark: line.mark,
            at: line.at,
            project: line.project,
            session: line.session,
            agent: line.agent,
            client: line.client,
            duration_ms: line.duration_ms,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectPart {
    kind: SubjectKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    id: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalLine {
    kind: JournalKind,
    version: Version,
    revision: Revision,
    index: u32,
    at: Timestamp,
    subject: SubjectPart,
    action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    cause: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<OpId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clients: Vec<ClientId>,
}

impl From<&JournalEntry> for JournalLine {
    fn from(row: &JournalEntry) -> Self {
        Self {
            kind: JournalKind,
            version: Version,
            revision: row.revision,
            index: row.index,
            at: row.at,
            subject: SubjectPart {
                kind: row.subject.kind,
                project: row.subject.scope.project().cloned(),
                id: row.subject.id.clone(),
            },
            action: row.action,
            from: row.from.clone(),
            to: row.to.clone(),
            cause: row.cause.clone(),
            note: row.note.clone(),
            session: row.session.clone(),
            actor: row.actor.clone(),
            op: row.op.clone(),
            clients: row.clients.clone(),
        }
    }
}

impl From<JournalLine> for JournalEntry {
    fn from(line: JournalLine) -> Self {
        let SubjectPart { kind, project, id } = line.subject;
        let scope = project.map_or(Scope::Global, Scope::Project);
        Self {
            revision: line.revision,
            index: line.index,
            at: line.at,
            subject: Subject { kind, scope, id },
            action: line.action,
            from: line.from,
            to: line.to,
            cause: line.cause,
            note: line.note,
            session: line.session,
            actor: line.actor,
            op: line.op,
            clients: line.clients,
        }
    }
}
