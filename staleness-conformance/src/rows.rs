//! Minimal rows that cases can modify.

mod extremes;
mod sample;

use staleness_core::definition::{Definition, DefinitionVersion};
use staleness_core::ids::{
    AgentId, DocumentKey, ItemId, ItemKey, Level, ModelId, OpId, ProjectId, Scope, ServerKey,
    SessionId, SourceId, ToolKey, ToolName, WorkId, WorkKey,
};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject};
use staleness_core::knowledge::{Block, Document, Fact, Item, ItemKind};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::Project;
use staleness_core::route::{
    Confidence, Precision, Route, RouteId, RouteKey, RouteVector, Suggestions, Vector,
};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::source::{Source, SourceState};
use staleness_core::time::Timestamp;
use staleness_core::tool::{Failing, PresenceCause, Tool, ToolKind};
use staleness_core::work::{Work, WorkKind};

pub use sample::Sample;
pub(crate) use sample::{TABLES, samples};

/// Names that are easily confused by wildcards, quoting, case folding, trimming or normalisation.
pub(crate) const AWKWARD: [&str; 20] = [
    "a_b",
    "aXb",
    "a%b",
    "a*b",
    "a?b",
    "a'b",
    "a\"b",
    "a\\b",
    "a;b--",
    "A_B",
    "a_b ",
    " a_b",
    "\u{1f680}",
    "\u{202e}a_b",
    "a\u{200f}b",
    "e\u{301}",
    "\u{e9}",
    "\u{10ffff}",
    "mcp__a__b__c",
    "null",
];

/// Returns a time, given in milliseconds.
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

macro_rules! ids {
    ($($id:ident: $type:ty,)*) => {$(
        pub(crate) fn $id(text: impl AsRef<str>) -> $type {
            <$type>::new(text).expect("a valid text")
        }
    )*};
}
ids! {
    name: ToolName,
    server: ServerKey,
    op: OpId,
    session: SessionId,
    project_id: ProjectId,
    agent: AgentId,
    model: ModelId,
}

pub(crate) fn scope(project: &str) -> Scope {
    Scope::Project(project_id(project))
}

/// Returns the key of a global tool.
pub fn global(text: impl AsRef<str>) -> ToolKey {
    ToolKey::global(name(text))
}

/// Returns the key of a project's tool.
pub(crate) fn local(project: &str, text: impl AsRef<str>) -> ToolKey {
    ToolKey::project(project_id(project), name(text))
}

pub(crate) fn project(id: impl AsRef<str>) -> Project {
    Project {
        id: project_id(&id),
        root: format!("/root of {}", id.as_ref()),
        first_seen_at: at(1),
        last_seen_at: at(2),
        config_digest: 0,
        told: Revision(0),
    }
}

pub(crate) fn source_id(project: Option<&str>, client: &str, part: &str) -> SourceId {
    SourceId {
        project: project.map(project_id),
        client: client.into(),
        level: Level::User,
        part: part.into(),
    }
}

pub(crate) fn source(id: SourceId) -> Source {
    Source {
        path: format!("/etc/{}", id.part),
        id,
        state: SourceState::Read,
        found: 0,
        digest: 0,
        readings: 1,
        last_read_at: None,
        last_scan_at: at(3),
        error: None,
    }
}

pub(crate) fn tool(key: ToolKey) -> Tool {
    Tool::new(key, ToolKind::Unknown, PresenceCause::Used, at(4))
}

/// Returns a tool that belongs to a server.
pub(crate) fn served(key: ToolKey, kind: ToolKind, of: &str) -> Tool {
    Tool { kind, server: Some(server(of)), ..tool(key) }
}

/// Returns the tool demoted for its failures.
pub(crate) fn failing(mut tool: Tool) -> Tool {
    tool.health.failing =
        Some(Failing { since: at(5), cause: "3 of the last 5 uses failed".into() });
    tool
}

/// Returns the key of an item of a project, or of a global one.
pub(crate) fn item_key(project: Option<&str>, id: impl AsRef<str>) -> ItemKey {
    let id = ItemId::new(id).expect("a valid item id");
    ItemKey { scope: project.map_or(Scope::Global, scope), id }
}

/// Returns an item with only a text.
pub(crate) fn item(key: ItemKey) -> Item {
    let body = format!("What {} says", key.id);
    Item::new(key, ItemKind::Knowledge, body, at(8))
}

/// Returns the key of a document.
pub(crate) fn document_key(project: impl AsRef<str>, path: impl Into<String>) -> DocumentKey {
    DocumentKey { project: project_id(project), path: path.into() }
}

/// Returns a document without findings.
pub(crate) fn document(key: DocumentKey) -> Document {
    Document {
        key,
        loaded: false,
        checked_at: at(9),
        head: None,
        digest: 0,
        gaps: Vec::new(),
        blocks: 1,
        found: Vec::new(),
    }
}

/// Returns the document with findings in this number of blocks.
pub(crate) fn flagged(mut document: Document, blocks: u32) -> Document {
    let block = |line: u32| Block {
        line,
        last_line: line,
        title: "Run \"make\"".into(),
        digest: u64::from(line),
        anchored_at: Some(at(1)),
        anchor: None,
        evidence: vec![Fact::TemporalMarker { word: "soon".into() }.into()],
    };
    document.found = (1..=blocks).map(block).collect();
    document
}

/// Returns the key of a work item of a project, or of a global one.
pub(crate) fn work_key(project: Option<&str>, id: impl AsRef<str>) -> WorkKey {
    let id = WorkId::new(id).expect("a valid work id");
    WorkKey { scope: project.map_or(Scope::Global, scope), id }
}

/// Returns a plan that was not started.
pub(crate) fn work(key: WorkKey) -> Work {
    let text = format!("What {} is about", key.id);
    Work::new(key, WorkKind::Plan, text, at(10))
}

/// Returns a session that has not ended.
pub(crate) fn started(project: &str, id: &str) -> Session {
    Session {
        key: SessionKey { project: project_id(project), id: session(id) },
        agent: agent("a"),
        started_at: at(11),
        ended_at: None,
        from_revision: Revision(0),
        first_contact: true,
        told_at: None,
    }
}

/// Returns a cursor at revision 0.
pub(crate) fn cursor(project: &str, of: &str) -> Cursor {
    Cursor {
        key: CursorKey { project: project_id(project), agent: agent(of) },
        revision: Revision(0),
        session: None,
        moved_at: at(12),
    }
}

pub(crate) fn route_key(project: &str, tool: &str, id: u128) -> RouteKey {
    RouteKey { project: project_id(project), tool: name(tool), id: RouteId(id) }
}

/// Returns a newly learned route.
pub(crate) fn route(key: RouteKey) -> Route {
    Route {
        key,
        query: "query".into(),
        confidence: Confidence::ONE,
        uses: 1,
        created_at: at(0),
        last_used_at: at(0),
        model: None,
        ops: Vec::new(),
    }
}

/// Returns the vector of a route. Its direction depends on the route.
pub(crate) fn embedded(key: RouteKey, by: &str) -> RouteVector {
    let numbers = [1.0, (key.id.0 % 1_000) as f64];
    let vector = Vector::new(&numbers, Precision::F32).expect("a direction");
    RouteVector { key, model: model(by), vector }
}

/// Returns an empty definition.
pub(crate) fn definition(key: ToolKey) -> Definition {
    Definition {
        key,
        pinned_at: at(1),
        current: DefinitionVersion::default(),
        since: at(1),
        previous: None,
        pending: None,
        changes: 0,
        journalled: None,
    }
}

/// Returns empty suggestions of a session.
pub(crate) fn suggestions(project: &str, id: &str) -> Suggestions {
    Suggestions::new(SessionKey { project: project_id(project), id: session(id) })
}

/// Returns a success in project `p`.
pub(crate) fn outcome(tool: ToolKey, by: impl AsRef<str>) -> Outcome {
    Outcome {
        seq: 0,
        op: op(by),
        tool,
        server: None,
        credits: Vec::new(),
        mark: Mark::Success,
        at: at(6),
        project: project_id("p"),
        session: None,
        agent: None,
        client: None,
        duration_ms: None,
    }
}

/// Returns an entry which says that the subject became known.
pub(crate) fn entry(subject: Subject) -> JournalEntry {
    JournalEntry::new(at(7), subject, Action::Added, "configured")
}
