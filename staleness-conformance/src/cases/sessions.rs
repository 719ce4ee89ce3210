//! Sessions and cursors: what is put comes back, each filter finds exactly its rows, and agents that
//! resume in turn and at once miss nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::registry::{Act, Resume};
use staleness_core::report::Delta;
use staleness_core::scan::ProjectRef;
use staleness_core::session::{Cursor, Session};
use staleness_core::store::{CursorFilter, Selection, SessionFilter};
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, Wait};

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::context::{Context, Handle, act, everything, see};
use crate::model::each;
use crate::rows::{AWKWARD, agent, at, cursor, op, project_id, session, started, work, work_key};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("sessions::extremes_round_trip", extremes_round_trip),
    Case::new("sessions::any_session_and_cursor_round_trip", any),
    Case::new("sessions::keys_find_one_of_many_like_it", by_key),
    Case::new("sessions::project_finds_only_its_own", by_project),
    Case::new("sessions::delete_removes_one", delete),
    Case::new("sessions::a_cursor_moves_forward_only", forward_only),
    Case::new("sessions::agents_that_resume_in_turn_miss_nothing", in_turn),
    Case::new("sessions::agents_that_resume_at_once_miss_nothing", at_once),
];

fn sessions(context: &Context, filter: SessionFilter) -> Vec<Session> {
    see(context.store(), Selection::new().peek(filter)).sessions.into_values().collect()
}

fn cursors(context: &Context, filter: CursorFilter) -> Vec<Cursor> {
    see(context.store(), Selection::new().peek(filter)).cursors.into_values().collect()
}

fn put(context: &Context, session: &Session, cursor: &Cursor) {
    act(context.store(), Write::new().session(session.clone()).cursor(cursor.clone()));
}

#[track_caller]
fn assert_stored(context: &Context, session: &Session, cursor: &Cursor) {
    let found = sessions(context, SessionFilter::Key(session.key.clone()));
    assert_eq!(found, std::slice::from_ref(session));
    let found = cursors(context, CursorFilter::Key(cursor.key.clone()));
    assert_eq!(found, std::slice::from_ref(cursor));
}

fn extremes_round_trip(context: &mut Context) {
    let row = Session {
        started_at: Timestamp::MIN,
        ended_at: Some(Timestamp::MAX),
        from_revision: Revision(u64::MAX),
        first_contact: false,
        ..started("p", "\u{1f680}")
    };
    let moved = Cursor {
        revision: Revision(u64::MAX),
        session: Some(session("a'b")),
        moved_at: Timestamp::MIN,
        ..cursor("p", "\u{1f680}")
    };
    put(context, &row, &moved);
    assert_stored(context, &row, &moved);
    let (least, first) = (started("p", "\u{1f680}"), cursor("p", "\u{1f680}"));
    put(context, &least, &first);
    assert_stored(context, &least, &first);
}

fn any(context: &mut Context) {
    let both = (arbitrary::session(Reach::Wide), arbitrary::cursor(Reach::Wide));
    each(&both, |(session, cursor)| {
        put(context, &session, &cursor);
        assert_stored(context, &session, &cursor);
    });
}

fn by_key(context: &mut Context) {
    let all = || AWKWARD.iter().flat_map(|text| ["p", "q"].map(|project| (project, *text)));
    for (project, text) in all() {
        put(context, &started(project, text), &cursor(project, text));
    }
    for (project, text) in all() {
        assert_stored(context, &started(project, text), &cursor(project, text));
    }
    assert_eq!(sessions(context, SessionFilter::Key(started("p", "a_B").key)), []);
    assert_eq!(cursors(context, CursorFilter::Key(cursor("p", "a_B").key)), []);
}

fn by_project(context: &mut Context) {
    for project in ["p_", "pX", "p"] {
        for text in ["b", "a"] {
            put(context, &started(project, text), &cursor(project, text));
        }
    }
    let own = ["a", "b"];
    let of = |text: &str| sessions(context, SessionFilter::Project(project_id(text)));
    assert_eq!(of("p_"), own.map(|text| started("p_", text)));
    assert_eq!(of("p%"), []);
    let of = |text: &str| cursors(context, CursorFilter::Project(project_id(text)));
    assert_eq!(of("p"), own.map(|text| cursor("p", text)));
    assert_eq!(of("p%"), []);
    assert_eq!(sessions(context, SessionFilter::All).len(), 6);
    assert_eq!(cursors(context, CursorFilter::All).len(), 6);
}

fn delete(context: &mut Context) {
    for text in ["a", "b"] {
        put(context, &started("p", text), &cursor("p", text));
    }
    let gone = Write::new().no_session(started("p", "a").key).no_cursor(cursor("p", "a").key);
    act(context.store(), gone);
    let none = Write::new().no_session(started("q", "b").key).no_cursor(cursor("q", "b").key);
    act(context.store(), none);
    let seen = everything(context.store());
    assert_eq!(seen.sessions.into_values().collect::<Vec<_>>(), [started("p", "b")]);
    assert_eq!(seen.cursors.into_values().collect::<Vec<_>>(), [cursor("p", "b")]);
}

fn registry(store: &Handle) -> Registry {
    Registry::new(Arc::clone(store), Policy::default())
}

fn shop() -> ProjectRef {
    ProjectRef { id: ProjectId::of_root("/work/shop"), root: "/work/shop".into() }
}

/// Adds a work item of the project.
fn add(registry: &Registry, number: usize) {
    let row = work(work_key(Some(shop().id.as_str()), format!("w{number:03}")));
    registry
        .work()
        .add(row, Act::new(op(format!("add {number}")), at(1)))
        .wait()
        .expect("it is added");
}

fn resume(registry: &Registry, of: &Resume) -> Delta {
    registry.sessions().resume(&shop(), of.clone(), at(2)).wait().expect("it is told")
}

fn mark(registry: &Registry, of: &Resume, delta: &Delta) -> bool {
    registry.sessions().mark_resumed(&shop().id, of, delta, at(3)).wait().expect("it is noted")
}

fn ids(delta: &Delta) -> BTreeSet<String> {
    delta.items.iter().map(|item| item.id.clone()).collect()
}

fn forward_only(context: &mut Context) {
    let registry = registry(context.store());
    let of = Resume::new(agent("a"));
    let first = resume(&registry, &of);
    assert!(mark(&registry, &of, &first));
    add(&registry, 1);
    let less = resume(&registry, &of);
    add(&registry, 2);
    let more = resume(&registry, &of);
    assert!(mark(&registry, &of, &more));
    for late in [&less, &first, &more] {
        assert!(!mark(&registry, &of, late));
    }
    let found = cursors(context, CursorFilter::All);
    assert_eq!(found.iter().map(|row| row.revision).collect::<Vec<_>>(), [Revision(2)]);
}

fn in_turn(context: &mut Context) {
    let agents = ["a", "b"].map(|name| Resume::new(agent(name)));
    for of in &agents {
        let registry = registry(context.store());
        mark(&registry, of, &resume(&registry, of));
    }
    for number in 0..20 {
        let registry = registry(context.store());
        add(&registry, number);
        // One looks each time, the other each third.
        for of in &agents[..if number % 3 == 2 { 2 } else { 1 }] {
            let delta = resume(&registry, of);
            let expected = if *of == agents[0] { 1 } else { 3 };
            assert_eq!(ids(&delta).len(), expected, "after {number}");
            mark(&registry, of, &delta);
        }
    }
}

/// A writer adds, and two windows of each of two agents read as fast as they can: each agent is told
/// of everything, whoever of its windows it was.
fn at_once(context: &mut Context) {
    const ADDED: usize = 60;
    let first = registry(context.store());
    let agents = ["a", "b"].map(|name| Resume::new(agent(name)));
    for of in &agents {
        mark(&first, of, &resume(&first, of));
    }
    let done = AtomicBool::new(false);
    let reads = |of: Resume| -> BTreeSet<String> {
        let registry = registry(context.store());
        let mut told = BTreeSet::new();
        loop {
            let last = done.load(Ordering::SeqCst);
            let delta = resume(&registry, &of);
            told.extend(ids(&delta));
            mark(&registry, &of, &delta);
            if last {
                return told;
            }
        }
    };
    let told = std::thread::scope(|scope| {
        let windows = [0, 0, 1, 1].map(|which| {
            let of = agents[which].clone();
            let session = SessionId::new(format!("{which}")).expect("a valid id");
            scope.spawn(move || (which, reads(Resume { session: Some(session), ..of })))
        });
        (0..ADDED).for_each(|number| add(&first, number));
        done.store(true, Ordering::SeqCst);
        windows.map(|window| window.join().expect("a window"))
    });
    for which in [0, 1] {
        let all: BTreeSet<&String> =
            told.iter().filter(|(of, _)| *of == which).flat_map(|(_, told)| told).collect();
        assert_eq!(all.len(), ADDED, "agent {which}");
    }
}
