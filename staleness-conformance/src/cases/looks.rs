//! Looks and decisions: the number of looks, their selections, and refusals.

use std::panic::{AssertUnwindSafe, catch_unwind};

use staleness_core::store::{Change, Refusal, Selection, ToolFilter, View};
use staleness_core::tool::Tool;

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{
    Context, Handle, act, ask, assert_misstep, assert_refused, attempt, everything, panic_text, see,
};
use crate::rows::{global, tool};
use crate::steps::{Chase, PANIC, Panics, Refuse, Write, bump, panics};

pub(super) const CASES: &[Case] = &[
    Case::new("looks::a_step_may_look_max_looks_times", step_looks),
    Case::new("looks::a_step_that_looks_once_more_is_a_misstep", step_looks_too_often),
    Case::new("looks::a_query_may_look_max_looks_times", query_looks),
    Case::new("looks::a_query_that_looks_once_more_is_a_misstep", query_looks_too_often),
    Case::new("looks::what_a_later_look_locked_may_be_written", later_lock),
    Case::new("looks::a_later_look_adds_to_the_view", adds),
    Case::new("looks::a_refusal_comes_back_and_writes_nothing", refusal),
    Case::new("looks::a_panic_in_a_step_changes_nothing", panic_in_step),
    Case::new("looks::a_panic_in_a_query_changes_nothing", panic_in_query),
];

/// Creates a chain of tools. Each tool's description is the name of the next.
fn chain(store: &Handle, length: usize) -> Vec<Tool> {
    let link = |turn: usize| Tool {
        description: (turn + 1 < length).then(|| format!("link {}", turn + 1)),
        ..tool(global(format!("link {turn}")))
    };
    let rows: Vec<Tool> = (0..length).map(link).collect();
    act(store, Write::new().puts(rows.clone()));
    rows
}

fn step_looks(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, View::MAX_LOOKS);
    let mut chase = Chase::from(rows[0].key.clone());
    chase.then.tools.push(Change::Put(tool(global("end"))));
    let commit = act(store, chase);
    assert!(commit.view.tools.values().eq(&rows));
    assert_eq!(commit.view.looks, View::MAX_LOOKS);
    assert!(everything(store).tools.contains_key(&global("end")));
}

fn step_looks_too_often(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, View::MAX_LOOKS + 1);
    let before = everything(store);
    let mut chase = Chase::from(rows[0].key.clone());
    chase.then.tools.push(Change::Put(tool(global("end"))));
    assert_misstep(attempt(store, chase));
    assert_misstep(attempt(store, Chase::from(global("no such tool"))));
    assert_same(&everything(store), &before);
}

fn query_looks(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, View::MAX_LOOKS);
    let seen = see(store, Chase::from(rows[0].key.clone()));
    assert!(seen.tools.values().eq(&rows));
    assert_eq!(seen.looks, View::MAX_LOOKS);
    assert_eq!(see(store, Selection::new()).looks, 1);
}

fn query_looks_too_often(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, View::MAX_LOOKS + 1);
    assert_misstep(ask(store, Chase::from(rows[0].key.clone())));
    assert_misstep(ask(store, Chase::from(global("no such tool"))));
    assert_eq!(everything(store).tools.len(), rows.len());
}

fn later_lock(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, 3);
    let mut chase = Chase::from(rows[0].key.clone());
    let mut last = rows[2].clone();
    last.uses = 9;
    chase.then.tools = vec![Change::Put(last.clone()), Change::Delete(rows[1].key.clone())];
    act(store, chase);
    let seen = everything(store).tools;
    assert!(seen.into_values().eq([rows[0].clone(), last]));
}

fn adds(context: &mut Context) {
    let store = context.store();
    let rows = chain(store, 2);
    act(store, Write::new().put(tool(global("other"))));
    let mut chase = Chase::from(rows[0].key.clone());
    chase.then.tools.push(Change::Delete(global("other")));
    let commit = act(store, chase);
    assert_eq!(commit.view.tools.len(), 3);
    assert_eq!(commit.view.revision, commit.revision);
}

fn refusal(context: &mut Context) {
    let store = context.store();
    chain(store, 3);
    let before = everything(store);
    for refusal in [
        Refusal::Unknown { what: "tool", id: "it's \"x\"".into() },
        Refusal::Superseded { source: "a/b/c".into() },
        Refusal::Other("no".into()),
    ] {
        assert_refused(attempt(store, Refuse(refusal.clone())), &refusal);
        assert_same(&everything(store), &before);
    }
    assert_eq!(act(store, bump(global("x"))).changes.rows(), 1);
}

/// Verifies that a panic is not hidden behind a success, and that the store is unchanged and usable.
fn unharmed<T: std::fmt::Debug>(
    store: &Handle,
    panics: impl FnOnce() -> Result<T, staleness_core::store::StoreError>,
) {
    act(store, bump(global("x")));
    let before = everything(store);
    match catch_unwind(AssertUnwindSafe(panics)) {
        Ok(result) => assert!(result.is_err(), "{result:?}"),
        Err(payload) => assert_eq!(panic_text(payload.as_ref()), PANIC),
    }
    assert_same(&everything(store), &before);
    act(store, bump(global("x")));
    let seen = see(store, Selection::new().peek(ToolFilter::Key(global("x"))));
    assert_eq!(seen.tools[&global("x")].uses, 2);
}

fn panic_in_step(context: &mut Context) {
    let store = context.store();
    unharmed(store, || attempt(store, panics()));
}

fn panic_in_query(context: &mut Context) {
    let store = context.store();
    unharmed(store, || ask(store, Panics));
}
