//! Processes: concurrent steps of several processes are isolated.

use std::collections::BTreeSet;

use crate::case::Case;
use crate::child::{Child, Does, Opens, Role};
use crate::context::{Context, act, check, everything};
use crate::rows::{global, tool};
use crate::steps::{Use, Write};

pub(super) const CASES: &[Case] = &[
    Case::new("processes::racing_for_one_tool_lose_nothing", one_tool).multi_process().persistent(),
    Case::new("processes::creating_one_store_together_succeed", creation)
        .multi_process()
        .persistent(),
    Case::new("processes::doing_one_op_do_it_once", same_ops).multi_process().persistent(),
    Case::new("processes::learning_one_route_lose_no_lesson", learns).multi_process().persistent(),
];

const PROCESSES: usize = 4;
const TURNS: u64 = 50;

/// Runs one child per role at the same time, and returns the ops that each acknowledged.
fn race(roles: &[Role]) -> Vec<Vec<String>> {
    let mut children: Vec<Child> = roles.iter().map(Child::start).collect();
    children.iter_mut().for_each(Child::go);
    children.into_iter().map(Child::finish).collect()
}

fn roles(location: &str, does: Does, turns: u64) -> [Role; PROCESSES] {
    std::array::from_fn(|process| {
        let ops = format!("{process}-");
        Role { ops, turns, ..Role::new(location, does) }
    })
}

/// Verifies that exactly the acknowledged ops are in the outcomes and in the journal, once each.
#[track_caller]
fn assert_recorded(context: &Context, acknowledged: Vec<Vec<String>>) {
    let expected: BTreeSet<String> = acknowledged.iter().flatten().cloned().collect();
    assert_eq!(expected.len(), PROCESSES * TURNS as usize, "acknowledged ops");
    let seen = everything(context.store());
    let recorded: Vec<String> = seen.outcomes.values().map(|row| row.op.to_string()).collect();
    assert_eq!(recorded.len(), expected.len());
    assert_eq!(recorded.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(seen.revision.0, expected.len() as u64);
    assert_eq!(seen.journal.len(), expected.len());
}

fn one_tool(context: &mut Context) {
    let acknowledged = race(&roles(context.location(), Does::Uses, TURNS));
    assert_recorded(context, acknowledged);
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, PROCESSES as u64 * TURNS);
}

fn creation(context: &mut Context) {
    for round in 0..5 {
        let place = context.backend().place();
        let roles = roles(place.location(), Does::Uses, 3);
        let acknowledged = race(&roles.map(|role| Role { opens: Opens::OnGo, ..role })).concat();
        let all = 3 * PROCESSES;
        assert_eq!(acknowledged.len(), all, "round {round}");
        let store = context.backend().open(place.location()).expect("the new store");
        check(&store);
        let seen = everything(&store);
        assert_eq!(seen.tools[&global("x")].uses, all as u64);
        assert_eq!((seen.outcomes.len(), seen.journal.len()), (all, all));
    }
}

fn same_ops(context: &mut Context) {
    let roles = roles(context.location(), Does::Uses, TURNS);
    let acknowledged = race(&roles.map(|role| Role { ops: "same-".into(), ..role }));
    assert!(acknowledged.iter().all(|ops| ops.len() as u64 == TURNS));
    act(context.store(), Use::new(global("x"), "same-0"));
    let seen = everything(context.store());
    assert_eq!(seen.tools[&global("x")].uses, TURNS);
    assert_eq!(seen.revision.0, TURNS);
    assert_eq!((seen.outcomes.len(), seen.journal.len()), (TURNS as usize, TURNS as usize));
}

fn learns(context: &mut Context) {
    act(context.store(), Write::new().put(tool(global("x"))));
    let acknowledged = race(&roles(context.location(), Does::Learns, 25)).concat();
    let seen = everything(context.store());
    let rows: Vec<_> = seen.routes.values().collect();
    let [route] = rows[..] else { panic!("{rows:?}") };
    assert_eq!((acknowledged.len(), route.uses), (100, 100));
    assert_eq!(seen.vectors.len(), 1);
}
