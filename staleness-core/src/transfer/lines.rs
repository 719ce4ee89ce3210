//! The export line of each kind of record.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::VERSION;
use super::word::{self, Fixed, is_default, project, set, sorted};
use crate::definition::{ChangeClass, Definition, DefinitionVersion};
use crate::ids::{
    AgentId, ClientId, ItemId, ItemKey, Level, ModelId, OpId, ProjectId, Scope, ServerKey,
    SessionId, SourceId, ToolKey, ToolName, WorkId, WorkKey,
};
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::knowledge::{Citation, Contradiction, Item, ItemKind, Lines};
use crate::outcome::{Mark, Outcome};
use crate::project::Project;
use crate::route::{Confidence, Precision, Route, RouteId, RouteKey, RouteVector, Vector};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::{Source, SourceState};
use crate::time::Timestamp;
use crate::tool::{
    Failing, Health, Hold, Listing, ListingState, Presence, Ring, RingEntry, Tool, ToolKind,
};
use crate::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

/// Defines the line of a record: its kind, the parts of its key, and the other fields under their names in the record,
/// in the order of writing. An `[optional]` field is omitted while it has its default. The last field is not written.
macro_rules! line {
    (
        $kind:literal $line:ident of $row:ident
        $(, key $key:ident {
            $($(#[$part_form:meta])* $([$part_mark:ident])? $part:ident: $part_type:ty,)*
        })?
        $($(#[$form:meta])* $([$mark:ident])? $field:ident: $type:ty,)*
        $(; $unwritten:ident = $value:expr)?
    ) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $line {
            #[serde(rename = "kind")]
            line: Fixed<&'static str>,
            version: Fixed<u64>,
            $($(
                $(#[$part_form])*
                $(#[doc = stringify!($part_mark)] #[serde(default, skip_serializing_if = "is_default")])?
                $part: $part_type,
            )*)?
            $(
                $(#[$form])*
                $(#[doc = stringify!($mark)] #[serde(default, skip_serializing_if = "is_default")])?
                $field: $type,
            )*
        }

        impl From<&$row> for $line {
            fn from(row: &$row) -> Self {
                Self {
                    line: Fixed($kind),
                    version: Fixed(VERSION),
                    $($($part: row.key.$part.clone(),)*)?
                    $($field: row.$field.clone(),)*
                }
            }
        }

        impl From<$line> for $row {
            fn from(line: $line) -> Self {
                Self {
                    $(key: $key { $($part: line.$part),* },)?
                    $($field: line.$field,)*
                    $($unwritten: $value,)?
                }
            }
        }
    };
}

/// Defines a module that writes and reads a list of values, each in the form that serde finds under a path.
macro_rules! list {
    ($name:ident of $type:ty as $form:literal) => {
        mod $name {
            use super::*;

            #[derive(Serialize, Deserialize)]
            #[serde(transparent)]
            struct Each(#[serde(with = $form)] $type);

            pub(super) fn serialize<S: Serializer>(
                list: &[$type],
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.collect_seq(list.iter().cloned().map(Each))
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<Vec<$type>, D::Error> {
                Ok(Vec::deserialize(from)?.into_iter().map(|Each(value)| value).collect())
            }
        }
    };
}

line! {
    "project" ProjectLine of Project
    id: ProjectId,
    root: String,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
    #[serde(with = "word")]
    config_digest: u128,
    told: Revision,
}

line! {
    "source" SourceLine of Source
    #[serde(with = "SourceIdPart")]
    id: SourceId,
    path: String,
    state: SourceState,
    found: u32,
    #[serde(with = "word")]
    digest: u128,
    readings: u64,
    [optional] last_read_at: Option<Timestamp>,
    last_scan_at: Timestamp,
    [optional] error: Option<String>,
}

/// A source's identity, in its own line and in the lines of tools that it lists.
#[derive(Serialize, Deserialize)]
#[serde(remote = "SourceId", deny_unknown_fields)]
struct SourceIdPart {
    #[serde(default, skip_serializing_if = "is_default")]
    project: Option<ProjectId>,
    #[serde(deserialize_with = "plain")]
    client: String,
    level: Level,
    #[serde(deserialize_with = "plain")]
    part: String,
}

/// Reads a text without control characters, because these separate the parts of keys.
fn plain<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.chars().any(char::is_control) {
        return Err(de::Error::custom("a source's name contains a control character"));
    }
    Ok(text)
}

line! {
    "tool" ToolLine of Tool, key ToolKey {
        #[serde(rename = "project", deserialize_with = "project")]
        [optional] scope: Scope,
        name: ToolName,
    }
    #[serde(rename = "tool_kind")]
    kind: ToolKind,
    [optional] server: Option<ServerKey>,
    [optional] plugin: Option<ToolName>,
    [optional] description: Option<String>,
    #[serde(with = "listings")]
    listings: Vec<Listing>,
    [optional] used_by: Vec<ClientId>,
    presence: Presence,
    #[serde(with = "HealthPart")]
    health: Health,
    hold: Hold,
    #[serde(with = "ring")]
    ring: Ring,
    uses: u64,
    discovered_at: Timestamp,
    [optional] last_used_at: Option<Timestamp>,
    updated_at: Timestamp,
    [optional] defined_chars: Option<u32>,
}

list!(listings of Listing as "ListingPart");

#[derive(Serialize, Deserialize)]
#[serde(remote = "Listing", deny_unknown_fields)]
struct ListingPart {
    #[serde(with = "SourceIdPart")]
    source: SourceId,
    state: ListingState,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Health", deny_unknown_fields)]
struct HealthPart {
    #[serde(default, skip_serializing_if = "is_default")]
    failing: Option<Failing>,
    demotions: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    last_demoted_at: Option<Timestamp>,
    window: u8,
}

list!(entries of RingEntry as "RingPart");

#[derive(Serialize, Deserialize)]
#[serde(remote = "RingEntry", deny_unknown_fields)]
struct RingPart {
    #[serde(with = "word")]
    mark: Mark,
    at: Timestamp,
    #[serde(with = "word")]
    op: u64,
}

/// The entries of a ring, oldest first.
mod ring {
    use super::*;

    pub(super) fn serialize<S: Serializer>(ring: &Ring, to: S) -> Result<S::Ok, S::Error> {
        entries::serialize(&ring.entries().copied().collect::<Vec<_>>(), to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Ring, D::Error> {
        let entries = entries::deserialize(from)?;
        if entries.len() > Ring::CAPACITY {
            return Err(de::Error::custom(format!("more than {} outcomes", Ring::CAPACITY)));
        }
        Ok(Ring::from_entries(entries))
    }
}

/// Rejects values that no record contains: a window or description that is too long, unsorted clients, or a
/// duplicate source.
pub(super) fn check_tool(row: &Tool) -> Result<(), String> {
    if usize::from(row.health.window) > Ring::CAPACITY {
        return Err(format!("more than {} outcomes", Ring::CAPACITY));
    }
    if row.used_by.len() > Tool::MAX_CLIENTS || !row.used_by.is_sorted_by(|a, b| a < b) {
        return Err("too many clients, or clients out of order".into());
    }
    let long = |text: &String| text.chars().nth(Tool::MAX_DESCRIPTION_CHARS).is_some();
    if row.description.as_ref().is_some_and(long) {
        return Err(format!("a description over {} characters", Tool::MAX_DESCRIPTION_CHARS));
    }
    let mut sources = BTreeSet::new();
    match row.listings.iter().find(|listing| !sources.insert(&listing.source)) {
        Some(Listing { source, .. }) => Err(format!("the source {source} appears twice")),
        None => Ok(()),
    }
}

line! {
    "definition" DefinitionLine of Definition, key ToolKey {
        #[serde(rename = "project", deserialize_with = "project")]
        [optional] scope: Scope,
        name: ToolName,
    }
    pinned_at: Timestamp,
    current: DefinitionVersion,
    since: Timestamp,
    [optional] previous: Option<DefinitionVersion>,
    [optional] pending: Option<ChangeClass>,
    changes: u32,
    [optional] journalled: Option<(ChangeClass, Timestamp)>,
}

line! {
    "knowledge" ItemLine of Item, key ItemKey {
        #[serde(rename = "project", deserialize_with = "project")]
        [optional] scope: Scope,
        id: ItemId,
    }
    #[serde(rename = "item_kind")]
    kind: ItemKind,
    body: String,
    #[serde(deserialize_with = "sorted")]
    [optional] keywords: BTreeSet<String>,
    [optional] path: Option<String>,
    added_at: Timestamp,
    updated_at: Timestamp,
    [optional] version_context: Option<String>,
    evergreen: bool,
    [optional] due: Option<Timestamp>,
    [optional] expires_at: Option<Timestamp>,
    [optional] verified_at: Option<Timestamp>,
    [optional] verified_commit: Option<String>,
    verifications: u32,
    #[serde(with = "citations")]
    [optional] citations: BTreeSet<Citation>,
    #[serde(deserialize_with = "sorted")]
    [optional] supersedes: BTreeSet<ItemId>,
    #[serde(deserialize_with = "sorted")]
    [optional] superseded_by: BTreeSet<ItemId>,
    #[serde(deserialize_with = "sorted")]
    [optional] related: BTreeSet<ItemId>,
    [optional] contradicted: Option<Contradiction>,
    [optional] done_at: Option<Timestamp>,
    recalls: u64,
    recalls_since_edit: u64,
    [optional] recalled_at: Option<Timestamp>,
    [optional] recall_op: Option<OpId>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CitationPart {
    path: String,
    #[serde(skip_serializing_if = "is_default")]
    first_line: Option<u32>,
    #[serde(skip_serializing_if = "is_default")]
    last_line: Option<u32>,
    #[serde(skip_serializing_if = "is_default")]
    symbol: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    digest: Option<String>,
}

/// Citations as a sorted list.
mod citations {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        citations: &BTreeSet<Citation>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(citations.iter().cloned().map(|Citation { path, lines, symbol, digest }| {
            let (first_line, last_line) = lines.map(|lines| (lines.first, lines.last)).unzip();
            CitationPart { path, first_line, last_line, symbol, digest }
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeSet<Citation>, D::Error> {
        let read = |CitationPart { path, first_line, last_line, symbol, digest }| {
            if first_line.is_some() != last_line.is_some() {
                return Err(de::Error::custom(format!("one of two lines of {path:?}")));
            }
            let lines = first_line.zip(last_line).map(|(first, last)| Lines { first, last });
            Ok(Citation { path, lines, symbol, digest })
        };
        set(Vec::deserialize(from)?.into_iter().map(read).collect::<Result<_, _>>()?)
    }
}

line! {
    "work" WorkLine of Work, key WorkKey {
        #[serde(rename = "project", deserialize_with = "project")]
        [optional] scope: Scope,
        id: WorkId,
    }
    #[serde(rename = "work_kind")]
    kind: WorkKind,
    status: WorkStatus,
    [optional] before: Option<WorkStatus>,
    text: String,
    [optional] author: Option<String>,
    [optional] from: Option<String>,
    [optional] to: Option<String>,
    note: NoteType,
    generated: bool,
    [optional] by_person: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    [optional] expires_at: Option<Timestamp>,
    [optional] refs: BTreeSet<String>,
    [optional] after: BTreeSet<String>,
    [optional] claim: Option<Claim>,
    [optional] steps: Vec<WorkStep>,
}

line! {
    "session" SessionLine of Session, key SessionKey { project: ProjectId, id: SessionId, }
    agent: AgentId,
    started_at: Timestamp,
    [optional] ended_at: Option<Timestamp>,
    from_revision: Revision,
    first_contact: bool,
    [optional] told_at: Option<Timestamp>,
}

line! {
    "cursor" CursorLine of Cursor, key CursorKey { project: ProjectId, agent: AgentId, }
    revision: Revision,
    [optional] session: Option<SessionId>,
    moved_at: Timestamp,
}

line! {
    "route" RouteLine of Route, key RouteKey { project: ProjectId, tool: ToolName, id: RouteId, }
    query: String,
    confidence: Confidence,
    uses: u64,
    created_at: Timestamp,
    last_used_at: Timestamp,
    [optional] model: Option<ModelId>,
    #[serde(with = "ops")]
    [optional] ops: Vec<u64>,
}

list!(ops of u64 as "word");

/// The line of a vector. Its numbers are hexadecimal little-endian bytes, so they are the same in every store
/// and read back exactly.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VectorLine {
    kind: Fixed<&'static str>,
    version: Fixed<u64>,
    project: ProjectId,
    tool: ToolName,
    id: RouteId,
    model: ModelId,
    precision: Precision,
    #[serde(with = "word")]
    numbers: Vec<u8>,
}

impl From<&RouteVector> for VectorLine {
    fn from(RouteVector { key, model, vector }: &RouteVector) -> Self {
        let RouteKey { project, tool, id } = key.clone();
        let (kind, version, model) = (Fixed("vector"), Fixed(VERSION), model.clone());
        let (precision, numbers) = (vector.precision(), vector.to_bytes());
        Self { kind, version, project, tool, id, model, precision, numbers }
    }
}

impl TryFrom<VectorLine> for RouteVector {
    type Error = String;

    fn try_from(line: VectorLine) -> Result<Self, String> {
        let vector = Vector::from_bytes(&line.numbers, line.precision);
        Ok(Self {
            key: RouteKey { project: line.project, tool: line.tool, id: line.id },
            model: line.model,
            vector: vector.map_err(|why| why.to_string())?,
        })
    }
}

line! {
    "outcome" OutcomeLine of Outcome
    op: OpId,
    #[serde(with = "KeyPart")]
    tool: ToolKey,
    [optional] server: Option<ServerKey>,
    #[serde(with = "keys")]
    [optional] credits: Vec<ToolKey>,
    #[serde(with = "word")]
    mark: Mark,
    at: Timestamp,
    project: ProjectId,
    [optional] session: Option<SessionId>,
    [optional] agent: Option<AgentId>,
    [optional] client: Option<ClientId>,
    [optional] duration_ms: Option<u64>,
    ; seq = 0
}

list!(keys of ToolKey as "KeyPart");

#[derive(Serialize, Deserialize)]
#[serde(remote = "ToolKey", deny_unknown_fields)]
struct KeyPart {
    #[serde(rename = "project", deserialize_with = "project")]
    #[serde(default, skip_serializing_if = "is_default")]
    scope: Scope,
    name: ToolName,
}

line! {
    "journal" JournalLine of JournalEntry
    revision: Revision,
    index: u32,
    at: Timestamp,
    #[serde(with = "SubjectPart")]
    subject: Subject,
    action: Action,
    [optional] from: Option<String>,
    [optional] to: Option<String>,
    cause: String,
    [optional] note: Option<String>,
    [optional] session: Option<SessionId>,
    [optional] actor: Option<AgentId>,
    [optional] op: Option<OpId>,
    [optional] clients: Vec<ClientId>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Subject", deny_unknown_fields)]
struct SubjectPart {
    kind: SubjectKind,
    #[serde(rename = "project", deserialize_with = "project")]
    #[serde(default, skip_serializing_if = "is_default")]
    scope: Scope,
    id: String,
}
