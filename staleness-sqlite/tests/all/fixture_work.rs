//! Work items, sessions and cursors of stores of released formats are read as ever.

use std::path::Path;
use std::sync::Arc;

use crate::support::*;
use rusqlite::Connection;
use staleness_core::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use staleness_core::journal::Revision;
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::store::{RegistryStore, Selection, WorkFilter};
use staleness_core::work::{Aging, NoteType, Work, WorkKind, WorkStatus, WorkStep};

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

const SCRIPTS: [&str; 4] = [
    include_str!("fixtures/format-1.sql"),
    include_str!("fixtures/format-2.sql"),
    include_str!("fixtures/format-3.sql"),
    include_str!("fixtures/format-4.sql"),
];

fn make(path: &Path, scripts: &[&str]) -> Connection {
    let conn = Connection::open(path).unwrap();
    for script in scripts {
        conn.execute_batch(script).unwrap();
    }
    conn
}

#[test]
fn format_4() {
    let (_folder, path) = fresh();
    make(&path, &SCRIPTS).close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    let key = WorkKey { scope: Scope::Project(project()), id: WorkId::new("x").unwrap() };
    let proposed = Work {
        generated: true,
        updated_at: at(LATE),
        refs: ["w".into()].into(),
        ..Work::new(key, WorkKind::Candidate, "y", at(7))
    };
    let [handoff, plan] = the_work();
    let seen = everything(&store).unwrap().work;
    assert_eq!(seen.into_values().collect::<Vec<_>>(), [handoff, plan, proposed]);
}

/// The ways to age that a raised store holds, found by reading rows and by their index.
#[test]
fn raising_finds_how_every_item_ages() {
    let (_folder, path) = fresh();
    let conn = make(&path, &SCRIPTS[..3]);
    let mut rows = 0;
    for (kind, note, generated, expires) in WorkKind::ALL.into_iter().flat_map(|kind| {
        let notes = NoteType::ALL.into_iter().flat_map(|note| [(note, 0), (note, 1)]);
        notes.flat_map(move |(note, bit)| [None, Some(30)].map(|at| (kind, note, bit, at)))
    }) {
        for status in WorkStatus::ALL {
            conn.execute(
                "INSERT INTO work VALUES('', ?1, ?2, ?3, ?4, NULL, 'x', NULL, NULL, NULL, ?5, ?6, \
                 10, 20, ?7, '[]', '[]')",
                rusqlite::params![
                    format!("w{rows}"),
                    kind.as_str(),
                    status.as_str(),
                    !status.is_open(),
                    note.as_str(),
                    generated,
                    expires,
                ],
            )
            .unwrap();
            rows += 1;
        }
    }
    conn.close().unwrap();
    let store = open(&path);
    // Reads every row and compares its columns with what core says.
    check(&store).unwrap();
    let all = everything(&store).unwrap().work;
    assert_eq!(all.len(), rows + 2);
    for aging in Aging::ALL {
        let filter = WorkFilter::Aging { scope: Scope::Global, aging, until: at(LATE) };
        let found = store.view(Arc::new(Selection::new().peek_work(filter)));
        let found = pollster::block_on(found).unwrap().work;
        let ages = |work: &&Work| work.aging().is_some_and(|(way, _)| way == aging);
        let global = all.values().filter(|work| work.key.scope == Scope::Global);
        assert!(!found.is_empty(), "{aging:?}");
        assert_eq!(found.values().collect::<Vec<_>>(), global.filter(ages).collect::<Vec<_>>());
    }
}

#[test]
fn format_3() {
    let (_folder, path) = fresh();
    make(&path, &SCRIPTS[..3]).close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    let seen = everything(&store).unwrap();
    assert_eq!(seen.work.into_values().collect::<Vec<_>>(), the_work());
    assert_eq!(seen.sessions.into_values().collect::<Vec<_>>(), the_sessions());
    assert_eq!(seen.cursors.into_values().collect::<Vec<_>>(), the_cursors());
    assert_eq!((seen.knowledge.len(), seen.documents.len(), seen.tools.len()), (2, 2, 2));
}
