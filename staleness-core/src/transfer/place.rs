//! Export lines of projects and sources.

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant};
use crate::ids::{Level, ProjectId, SourceId};
use crate::journal::Revision;
use crate::project::Project;
use crate::source::{Source, SourceState};
use crate::time::Timestamp;

constant!(ProjectKind = "project");
constant!(SourceKind = "source");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectLine {
    kind: ProjectKind,
    version: Version,
    id: ProjectId,
    root: String,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
    #[serde(with = "word")]
    config_digest: u128,
    told: Revision,
}

impl From<&Project> for ProjectLine {
    fn from(row: &Project) -> Self {
        Self {
            kind: ProjectKind,
            version: Version,
            id: row.id.clone(),
            root: row.root.clone(),
            first_seen_at: row.first_seen_at,
            last_seen_at: row.last_seen_at,
            config_digest: row.config_digest,
            told: row.told,
        }
    }
}

impl From<ProjectLine> for Project {
    fn from(line: ProjectLine) -> Self {
        Self {
            id: line.id,
            root: line.root,
            first_seen_at: line.first_seen_at,
            last_seen_at: line.last_seen_at,
            config_digest: line.config_digest,
            told: line.told,
        }
    }
}

/// A source's identity, in its own line and in the lines of tools that it lists.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceIdPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    #[serde(deserialize_with = "plain")]
    client: String,
    level: Level,
    #[serde(deserialize_with = "plain")]
    part: String,
}

/// Reads a text without control characters, because these separate the parts of keys.
fn plain<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.chars().any(char::is_control) {
        return Err(serde::de::Error::custom("a source's name contains a control character"));
    }
    Ok(text)
}

impl From<&SourceId> for SourceIdPart {
    fn from(id: &SourceId) -> Self {
        Self {
            project: id.project.clone(),
            client: id.client.clone(),
            level: id.level,
            part: id.part.clone(),
        }
    }
}

impl From<SourceIdPart> for SourceId {
    fn from(part: SourceIdPart) -> Self {
        Self { project: part.project, client: part.client, level: part.level, part: part.part }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceLine {
    kind: SourceKind,
    version: Version,
    id: SourceIdPart,
    path: String,
    state: SourceState,
    found: u32,
    #[serde(with = "word")]
    digest: u128,
    readings: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_read_at: Option<Timestamp>,
    last_scan_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<&Source> for SourceLine {
    fn from(row: &Source) -> Self {
        Self {
            kind: SourceKind,
            version: Version,
            id: (&row.id).into(),
            path: row.path.clone(),
            state: row.state,
            found: row.found,
            digest: row.digest,
            readings: row.readings,
            last_read_at: row.last_read_at,
            last_scan_at: row.last_scan_at,
            error: row.error.clone(),
        }
    }
}

impl From<SourceLine> for Source {
    fn from(line: SourceLine) -> Self {
        Self {
            id: line.id.into(),
            path: line.path,
            state: line.state,
            found: line.found,
            digest: line.digest,
            readings: line.readings,
            last_read_at: line.last_read_at,
            last_scan_at: line.last_scan_at,
            error: line.error,
        }
    }
}
