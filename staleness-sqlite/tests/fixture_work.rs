//! Work items, sessions and cursors of stores of released formats are read as ever.

mod support;

use rusqlite::Connection;
use staleness_core::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};
use support::*;

const LATE: i64 = 1_800_000_000_000;

fn project() -> ProjectId {
    ProjectId::new("00112233445566ff").unwrap()
}

fn session(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

fn agent(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

fn the_work() -> [Work; 2] {
    let key = |scope| WorkKey { scope, id: WorkId::new("w").unwrap() };
    [
        Work {
            status: WorkStatus::Closed,
            before: Some(WorkStatus::Open),
            author: Some("it's me".into()),
            from: Some("a".into()),
            to: Some("b".into()),
            note: NoteType::SessionEnd,
            generated: true,
            updated_at: at(LATE),
            expires_at: Some(at(LATE + 1)),
            refs: ["other".into(), "w".into()].into(),
            steps: vec![WorkStep { text: "One.".into(), at: at(20) }],
            ..Work::new(key(Scope::Global), WorkKind::Handoff, "Take over\n\"the shop\".", at(-5))
        },
        Work::new(key(Scope::Project(project())), WorkKind::Plan, "x", at(5)),
    ]
}

fn the_sessions() -> [Session; 2] {
    let first = Session {
        key: SessionKey { project: project(), id: session("s") },
        agent: agent("agent"),
        started_at: at(20),
        ended_at: Some(at(21)),
        from_revision: Revision(u64::MAX),
        first_contact: false,
    };
    let second = Session {
        key: SessionKey { project: project(), id: session("t") },
        ended_at: None,
        from_revision: Revision(3),
        first_contact: true,
        ..first.clone()
    };
    [first, second]
}

fn the_cursors() -> [Cursor; 2] {
    let key = |text| CursorKey { project: project(), agent: agent(text) };
    [
        Cursor {
            key: key("agent"),
            revision: Revision(3),
            session: Some(session("s")),
            moved_at: at(22),
        },
        Cursor { key: key("other"), revision: Revision(0), session: None, moved_at: at(-5) },
    ]
}

#[test]
fn format_3() {
    let (_folder, path) = fresh();
    let conn = Connection::open(&path).unwrap();
    for script in [
        include_str!("fixtures/format-1.sql"),
        include_str!("fixtures/format-2.sql"),
        include_str!("fixtures/format-3.sql"),
    ] {
        conn.execute_batch(script).unwrap();
    }
    conn.close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    let seen = everything(&store).unwrap();
    assert_eq!(seen.work.into_values().collect::<Vec<_>>(), the_work());
    assert_eq!(seen.sessions.into_values().collect::<Vec<_>>(), the_sessions());
    assert_eq!(seen.cursors.into_values().collect::<Vec<_>>(), the_cursors());
    assert_eq!((seen.knowledge.len(), seen.documents.len(), seen.tools.len()), (2, 2, 2));
}
