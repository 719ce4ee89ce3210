//! The wrappers around the backend: correct steps pass, incorrect ones are detected, and retries are safe.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use staleness_core::route::RouteVector;
use staleness_core::store::{
    Change, ChangeSet, Decision, Filter as _, JournalFilter, OutcomeFilter, Query, Refusal,
    RouteFilter, Selection, Step, StoreError, ToolFilter, VectorFilter, View, WorkFilter,
};
use staleness_core::tool::Tool;
use staleness_core::work::{Work, WorkStatus};

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{
    Context, Handle, act, ask, assert_misstep, assert_refused, attempt, everything, pages, see,
};
use crate::rows::{Sample, embedded, global, model, op, project_id, route_key, scope, tool};
use crate::steps::{Chase, Refuse, Use, Write, bump};
use crate::support::{step, transact};
use crate::wrappers::{Fault, Faulty, Strict, Twice};

pub(super) const CASES: &[Case] = &[
    Case::new("wrappers::honest_steps_pass_all_of_them", honest),
    Case::new("wrappers::twice_catches_a_step_that_is_not_pure", impure_step),
    Case::new("wrappers::twice_catches_a_query_that_is_not_pure", impure_query),
    Case::new("wrappers::strict_catches_an_unlocked_write", unlocked),
    Case::new("wrappers::strict_catches_a_row_written_twice", doubled),
    Case::new("wrappers::a_retried_op_leaves_exactly_one_outcome", retried),
];

fn honest(context: &mut Context) {
    let twice: Handle = Arc::new(Twice::new(Arc::clone(context.store())));
    let strict: Handle = Arc::new(Strict::new(twice));
    let store: Handle = Arc::new(Faulty::new(strict));
    let mut first = tool(global("first"));
    first.description = Some("second".into());
    act(&store, Write::new().puts([first, tool(global("second"))]));
    act(&store, bump(global("x")));
    act(&store, Use::new(global("x"), "one"));
    let mut chase = Chase::from(global("first"));
    chase.then.tools.push(Change::Put(tool(global("third"))));
    assert_eq!(act(&store, chase).view.looks, 2);
    let refusal = Refusal::Other("no".into());
    assert_refused(attempt(&store, Refuse(refusal.clone())), &refusal);
    assert_eq!(see(&store, Chase::from(global("x"))).looks, 1);
    assert_same(&everything(&store), &everything(context.store()));
    assert_eq!(everything(&store).tools[&global("x")].uses, 2);
    assert!(!pages(&store, &Selection::everything()).is_empty());
    crate::context::check(&store);
}

/// A step that requests more rows every second time.
#[derive(Debug, Default)]
struct Impure(AtomicU64);

impl Query for Impure {
    fn selection(&self) -> Selection {
        Selection::new()
    }

    fn more(&self, _: &View) -> Option<Selection> {
        let odd = self.0.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        odd.then(Selection::everything)
    }
}

fn impure_step(context: &mut Context) {
    let store: Handle = Arc::new(Twice::new(Arc::clone(context.store())));
    let count = AtomicU64::new(0);
    let counts = step(move |draft| {
        let uses = count.fetch_add(1, Ordering::Relaxed);
        draft.put(Tool { uses, ..tool(global("x")) });
    });
    assert_misstep(transact(store.as_ref(), counts));
    assert!(everything(&store).is_empty());
}

fn impure_query(context: &mut Context) {
    let store: Handle = Arc::new(Twice::new(Arc::clone(context.store())));
    assert_misstep(ask(&store, Impure::default()));
}

/// A step that locks one selection and writes something else.
#[derive(Debug)]
struct Dishonest(Selection, ChangeSet);

impl Step for Dishonest {
    fn selection(&self) -> Selection {
        self.0.clone()
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.1.clone()))
    }
}

/// Tries to write with each of these selections, none of which locks the written rows.
#[track_caller]
fn assert_unlocked(
    store: &Handle,
    changes: &ChangeSet,
    selections: impl IntoIterator<Item = Selection>,
) {
    let before = everything(store);
    for selection in selections {
        assert_misstep(attempt(store, Dishonest(selection, changes.clone())));
        assert_same(&everything(store), &before);
    }
}

fn unlocked_row<R: Sample>(store: &Handle) {
    let (row, other) = (R::sample(Some("p"), "x"), R::sample(Some("p"), "y"));
    let key = || R::Filter::of(row.key().clone());
    let changes = Write::new().put(row.clone()).changes;
    let another = R::owned(Some("q")).unwrap_or_else(|| R::Filter::of(other.key().clone()));
    let selections = [
        Selection::new(),
        Selection::new().peek(key()),
        Selection::new().lock(R::Filter::of(other.key().clone())),
        Selection::new().lock(another),
        Selection::everything(),
    ];
    assert_unlocked(store, &changes, selections);
    act(store, Dishonest(Selection::new().lock(key()), changes));
}

fn unlocked(context: &mut Context) {
    let store: Handle = Arc::new(Strict::new(Arc::clone(context.store())));
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {$(unlocked_row::<$row>(&store);)*};
    }
    staleness_core::collections!(each);
    // This filter matches a row only while it is in a certain state.
    let ended = Work { status: WorkStatus::Done, ..Work::sample(Some("p"), "ended") };
    let open = Selection::new().lock(WorkFilter::Open(scope("p")));
    assert_unlocked(&store, &Write::new().put(ended).changes, [open]);
    // A step that locks a route may delete its vector, but not write it.
    let vector = embedded(route_key("p", "t", 1), "m");
    let (put, gone) =
        (Write::new().put(vector.clone()), Write::new().delete::<RouteVector>(vector.key));
    let of_route = |project| Selection::new().lock(RouteFilter::Project(project_id(project)));
    let of_model = Selection::new().lock(VectorFilter::Model(project_id("p"), model("other")));
    assert_unlocked(&store, &put.changes, [of_route("p"), of_model]);
    assert_unlocked(&store, &gone.changes, [of_route("q")]);
    act(&store, Dishonest(of_route("p"), gone.changes));
}

fn doubled(context: &mut Context) {
    let store: Handle = Arc::new(Strict::new(Arc::clone(context.store())));
    let step = Write::new().put(tool(global("x"))).delete::<Tool>(global("x"));
    assert_misstep(attempt(&store, step));
    assert!(everything(&store).is_empty());
}

fn retried(context: &mut Context) {
    let faulty = Arc::new(Faulty::new(Arc::clone(context.store())));
    let store: Handle = Arc::<Faulty>::clone(&faulty);
    let plans = [
        vec![],
        vec![Fault::Before],
        vec![Fault::Lost],
        vec![Fault::After],
        vec![Fault::After, Fault::After, Fault::Before],
        vec![Fault::Lost, Fault::After, Fault::Lost, Fault::After],
    ];
    for (turn, plan) in plans.iter().enumerate() {
        let step = Use::new(global("x"), format!("op {turn}"));
        faulty.plan(plan.iter().copied().map(Some));
        for fault in plan {
            let error = attempt(&store, step.clone()).expect_err("the fault that was planned");
            assert!(error.is_retryable(), "{error}");
            assert_eq!(matches!(error, StoreError::Busy), *fault == Fault::Before);
        }
        act(&store, step.clone());
        act(&store, step);
        let seen = see(
            &store,
            Selection::new()
                .outcomes(OutcomeFilter::Op(global("x"), op(format!("op {turn}"))))
                .journal(JournalFilter::Op(op(format!("op {turn}"))))
                .peek(ToolFilter::Key(global("x"))),
        );
        assert_eq!((seen.outcomes.len(), seen.journal.len()), (1, 1));
        assert_eq!(seen.tools[&global("x")].uses, turn as u64 + 1);
        assert_eq!(seen.revision.0, turn as u64 + 1);
    }
}
