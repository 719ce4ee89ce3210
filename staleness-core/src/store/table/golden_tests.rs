//! Packed records exactly as SQLite and Postgres store them. These texts must never change.

use super::*;
use crate::definition::{ChangeClass, Definition, DefinitionVersion, Finding, Part};
use crate::ids::{
    AgentId, DocumentKey, Level, OpId, ProjectId, Scope, SessionId, SourceId, ToolKey, ToolName,
    WorkId, WorkKey,
};
use crate::journal::Revision;
use crate::knowledge::{Block, Document, Fact, Gap};
use crate::project::Project;
use crate::route::{Prompted, RouteId, SuggestedTool, Suggestions};
use crate::session::{Cursor, CursorKey, OpenCall, Session, SessionKey};
use crate::source::{Source, SourceState};
use crate::time::Timestamp;
use crate::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn project() -> ProjectId {
    ProjectId::new("p").unwrap()
}

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

fn definition() -> Definition {
    let part = Part { digest: "d".into(), text: "t".into(), chars: None };
    let found = [Finding::Hidden, Finding::Address("h".into(), "w".into())];
    Definition {
        key: ToolKey { scope: Scope::Project(project()), name: ToolName::new("n").unwrap() },
        pinned_at: at(0),
        current: DefinitionVersion {
            description: Some(part),
            found: found.into(),
            ..DefinitionVersion::default()
        },
        since: at(1),
        previous: None,
        pending: Some(ChangeClass::Narrowed),
        changes: 7,
        journalled: Some((ChangeClass::Wording, at(1))),
    }
}

/// Checks that a record is written as these columns and read back from them.
pub(crate) fn golden<R: Record + Row>(row: &R, columns: &str) {
    let cells = row.cells();
    assert_eq!(Cell::shown(&cells[..R::INDEXED]) + "; " + &text(&cells[R::INDEXED]), columns);
    assert_eq!(R::verify(&cells).as_ref(), Ok(row));
}

fn text(cell: &Cell<'_>) -> String {
    if let Cell::Text(Some(text)) = cell { text.to_string() } else { format!("{cell:?}") }
}

#[test]
fn packed_records_are_these_texts() {
    golden(
        &Project {
            id: project(),
            root: "/r".into(),
            first_seen_at: at(1),
            last_seen_at: at(-1),
            config_digest: u128::MAX,
            told: Revision(1),
        },
        "\"p\"; {\"id\":\"p\",\"root\":\"/r\",\"first_seen_at\":\"1970-01-01T00:00:00.001Z\",\
         \"last_seen_at\":\"1969-12-31T23:59:59.999Z\",\
         \"config_digest\":340282366920938463463374607431768211455,\"told\":1}",
    );
    golden(
        &Source {
            id: SourceId {
                project: Some(project()),
                client: "c".into(),
                level: Level::Live,
                part: "mcp".into(),
            },
            path: "/c".into(),
            state: SourceState::Partial,
            found: 7,
            digest: 5,
            readings: u64::MAX,
            last_read_at: None,
            last_scan_at: at(0),
            error: Some("e".into()),
        },
        "(\"p\", \"c\", 3, \"mcp\"); {\"id\":{\"project\":\"p\",\"client\":\"c\",\
         \"level\":\"live\",\"part\":\"mcp\"},\"path\":\"/c\",\"state\":\"partial\",\
         \"found\":7,\"digest\":5,\"readings\":18446744073709551615,\"last_read_at\":null,\
         \"last_scan_at\":\"1970-01-01T00:00:00Z\",\"error\":\"e\"}",
    );
    golden(
        &definition(),
        "(\"p\", \"n\", 1); {\"key\":{\"scope\":\"p\",\"name\":\"n\"},\"pinned_at\":\"1970-01-01T00:00:00Z\",\
         \"current\":{\"description\":{\"digest\":\"d\",\"text\":\"t\"},\"found\":[\"hidden\",{\"address\":[\"h\",\"w\"]}]},\
         \"since\":\"1970-01-01T00:00:00.001Z\",\"previous\":null,\"pending\":\"narrowed\",\"changes\":7,\
         \"journalled\":[\"wording\",\"1970-01-01T00:00:00.001Z\"]}",
    );
    let block = Block {
        line: 3,
        last_line: 4,
        title: "t".into(),
        digest: 5,
        anchored_at: None,
        anchor: None,
        evidence: vec![Fact::RelatedStale { id: "i".into() }.into()],
    };
    golden(
        &Document {
            key: DocumentKey { project: project(), path: "a.md".into() },
            loaded: true,
            checked_at: at(0),
            head: Some("h".into()),
            digest: 2,
            gaps: vec![Gap::NoGit],
            blocks: 9,
            found: vec![block],
        },
        "(\"p\", \"a.md\", 1, 1); {\"key\":{\"project\":\"p\",\"path\":\"a.md\"},\
         \"loaded\":true,\"checked_at\":\"1970-01-01T00:00:00Z\",\"head\":\"h\",\"digest\":2,\
         \"gaps\":[\"no_git\"],\"blocks\":9,\"found\":[{\"line\":3,\"last_line\":4,\"title\":\"t\",\"digest\":5,\
         \"evidence\":[{\"fact\":\"related_stale\",\"id\":\"i\"}]}]}",
    );
    let key = WorkKey { scope: Scope::Project(project()), id: WorkId::new("w").unwrap() };
    golden(
        &Work {
            status: WorkStatus::Open,
            before: Some(WorkStatus::Open),
            from: Some("f".into()),
            note: NoteType::SessionEnd,
            refs: ["r".into()].into(),
            after: ["b".into()].into(),
            claim: Some(Claim {
                agent: AgentId::new("a").unwrap(),
                session: Some(session()),
                at: at(5),
                until: at(6),
            }),
            steps: vec![WorkStep { text: "s".into(), at: at(4) }],
            ..Work::new(key, WorkKind::Handoff, "x", at(0))
        },
        "(\"p\", \"w\", 0, 1, \"claimed\", 6); {\"key\":{\"scope\":\"p\",\"id\":\"w\"},\
         \"kind\":\"handoff\",\"status\":\"open\",\"before\":\"open\",\"text\":\"x\",\
         \"author\":null,\"from\":\"f\",\"to\":null,\"note\":\"session_end\",\
         \"generated\":false,\"by_person\":false,\"created_at\":\"1970-01-01T00:00:00Z\",\
         \"updated_at\":\"1970-01-01T00:00:00Z\",\"expires_at\":null,\"refs\":[\"r\"],\
         \"after\":[\"b\"],\"claim\":{\"agent\":\"a\",\"session\":\"s\",\
         \"at\":\"1970-01-01T00:00:00.005Z\",\"until\":\"1970-01-01T00:00:00.006Z\"},\
         \"steps\":[{\"text\":\"s\",\"at\":\"1970-01-01T00:00:00.004Z\"}]}",
    );
    golden(
        &Session {
            key: SessionKey { project: project(), id: session() },
            agent: AgentId::new("a").unwrap(),
            started_at: at(1),
            ended_at: Some(at(2)),
            from_revision: Revision(3),
            first_contact: true,
            told_at: Some(at(5)),
        },
        "(\"p\", \"s\"); {\"key\":{\"project\":\"p\",\"id\":\"s\"},\"agent\":\"a\",\
         \"started_at\":\"1970-01-01T00:00:00.001Z\",\
         \"ended_at\":\"1970-01-01T00:00:00.002Z\",\"from_revision\":3,\
         \"first_contact\":true,\"told_at\":\"1970-01-01T00:00:00.005Z\"}",
    );
    golden(
        &Cursor {
            key: CursorKey { project: project(), agent: AgentId::new("a").unwrap() },
            revision: Revision(4),
            session: Some(session()),
            moved_at: at(3),
        },
        "(\"p\", \"a\"); {\"key\":{\"project\":\"p\",\"agent\":\"a\"},\"revision\":4,\
         \"session\":\"s\",\"moved_at\":\"1970-01-01T00:00:00.003Z\"}",
    );
    let tool = ToolName::new("t").unwrap();
    let prompt = Prompted {
        at: at(0),
        query: None,
        tools: vec![SuggestedTool { tool: tool.clone(), route: Some(RouteId(1)) }],
        taught: vec![tool],
    };
    golden(
        &Suggestions {
            key: SessionKey { project: project(), id: session() },
            made: 2,
            prompts: vec![prompt],
            calls: vec![OpenCall {
                op: OpId::new("o").unwrap(),
                tool: ToolName::new("n").unwrap(),
                turn: Some(OpId::new("t").unwrap()),
                needs_permission: false,
                at: at(1),
            }],
            claims: vec![(WorkKey { scope: Scope::Global, id: WorkId::new("w").unwrap() }, at(2))],
        },
        "(\"p\", \"s\"); {\"key\":{\"project\":\"p\",\"id\":\"s\"},\"made\":2,\
         \"prompts\":[{\"at\":\"1970-01-01T00:00:00Z\",\"tools\":[{\"tool\":\"t\",\
         \"route\":\"00000000000000000000000000000001\"}],\"taught\":[\"t\"]}],\"calls\":[{\"op\":\"o\",\"tool\":\"n\",\"turn\":\"t\",\
         \"at\":\"1970-01-01T00:00:00.001Z\"}],\
         \"claims\":[[{\"scope\":\"\",\"id\":\"w\"},\"1970-01-01T00:00:00.002Z\"]]}",
    );
}
