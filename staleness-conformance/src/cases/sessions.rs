//! Sessions and cursors: agents that resume alternately or concurrently do not miss anything.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::journal::Revision;
use staleness_core::registry::{Act, Resume};
use staleness_core::report::Delta;
use staleness_core::scan::ProjectRef;
use staleness_core::store::CursorFilter;
use staleness_core::{Policy, Registry, Wait};

use crate::case::Case;
use crate::context::{Context, Handle, found};
use crate::rows::{agent, at, op, work, work_key};

pub(super) const CASES: &[Case] = &[
    Case::new("sessions::a_cursor_moves_forward_only", forward_only),
    Case::new("sessions::agents_that_resume_in_turn_miss_nothing", in_turn),
    Case::new("sessions::agents_that_resume_at_once_miss_nothing", at_once),
];

fn registry(store: &Handle) -> Registry {
    Registry::new(Arc::clone(store), Policy::default())
}

fn shop() -> ProjectRef {
    ProjectRef { id: ProjectId::of_root("/work/shop"), root: "/work/shop".into() }
}

/// Adds a work item to the project.
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
    delta.items.iter().map(|item| item.subject.id().to_owned()).collect()
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
    let found = found(context, CursorFilter::All);
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
        // One agent looks every time, and the other every third time.
        for of in &agents[..if number % 3 == 2 { 2 } else { 1 }] {
            let delta = resume(&registry, of);
            let expected = if *of == agents[0] { 1 } else { 3 };
            assert_eq!(ids(&delta).len(), expected, "after {number}");
            mark(&registry, of, &delta);
        }
    }
}

/// A writer adds items while two windows of each of two agents read concurrently. Each agent must receive everything,
/// in one window or the other.
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
