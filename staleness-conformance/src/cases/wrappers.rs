//! The wrappers around this backend: honest steps pass, dishonest ones are caught, retries are safe.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use staleness_core::store::{
    Change, ChangeSet, CursorFilter, Decision, DocumentFilter, Durability, ItemFilter,
    JournalFilter, OutcomeFilter, Query, Refusal, RouteFilter, Selection, SessionFilter, Step,
    StoreError, SuggestionFilter, ToolFilter, VectorFilter, View, WorkFilter,
};

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{
    Context, Handle, act, ask, assert_misstep, assert_refused, attempt, everything, pages, see,
};
use crate::rows::{
    cursor, document, document_key, embedded, global, item, item_key, model, op, project_id, route,
    route_key, scope, started, suggestions, tool, work, work_key,
};
use crate::steps::{Bump, Chase, Refuse, Use, Write};
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
    act(&store, Bump(global("x")));
    act(&store, Use::new(global("x"), "one"));
    let mut chase = Chase::from(global("first"));
    chase.then.tools.push(Change::Put(tool(global("third"))));
    assert_eq!(act(&store, chase).view.looks, 2);
    let refusal = Refusal::Invalid("no".into());
    assert_refused(attempt(&store, Refuse(refusal.clone())), &refusal);
    assert_eq!(see(&store, Chase::from(global("x"))).looks, 1);
    assert_same(&everything(&store), &everything(context.store()));
    assert_eq!(everything(&store).tools[&global("x")].uses, 2);
    assert!(!pages(&store, &Selection::everything()).is_empty());
    crate::context::check(&store);
}

/// Writes a number that it counts up itself.
#[derive(Debug, Default)]
struct Impure(AtomicU64);

impl Step for Impure {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(global("x")))
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        let mut row = tool(global("x"));
        row.uses = self.0.fetch_add(1, Ordering::Relaxed);
        let mut changes = ChangeSet::default();
        changes.tools.push(Change::Put(row));
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

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
    assert_misstep(attempt(&store, Impure::default()));
    assert!(everything(&store).is_empty());
}

fn impure_query(context: &mut Context) {
    let store: Handle = Arc::new(Twice::new(Arc::clone(context.store())));
    assert_misstep(ask(&store, Impure::default()));
}

/// Locks one thing and writes another.
#[derive(Debug)]
struct Dishonest(Selection, ChangeSet);

impl Step for Dishonest {
    fn selection(&self) -> Selection {
        self.0.clone()
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.1.clone()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

fn unlocked(context: &mut Context) {
    let store: Handle = Arc::new(Strict::new(Arc::clone(context.store())));
    let mut changes = ChangeSet::default();
    changes.tools.push(Change::Put(tool(global("x"))));
    for selection in [
        Selection::new(),
        Selection::new().peek(ToolFilter::Key(global("x"))),
        Selection::new().lock(ToolFilter::Key(global("y"))),
        Selection::everything(),
    ] {
        assert_misstep(attempt(&store, Dishonest(selection, changes.clone())));
        assert!(everything(&store).is_empty());
    }
    let locked = Selection::new().lock(ToolFilter::Key(global("x")));
    act(&store, Dishonest(locked, changes));
    unlocked_knowledge(&store);
    unlocked_work(&store);
    unlocked_routes(&store);
}

/// As [`unlocked`], of items and documents.
fn unlocked_knowledge(store: &Handle) {
    let before = everything(store);
    let (key, of_document) = (item_key(None, "x"), document_key("p", "a.md"));
    let mut changes = ChangeSet::default();
    changes.knowledge.push(Change::Put(item(key.clone())));
    changes.documents.push(Change::Put(document(of_document.clone())));
    let item_locked = Selection::new().lock(ItemFilter::Key(key));
    let locked = item_locked.clone().lock(DocumentFilter::Key(of_document.clone()));
    for selection in [
        Selection::everything(),
        item_locked.clone(),
        item_locked.clone().peek(DocumentFilter::Key(of_document)),
        item_locked.clone().lock(DocumentFilter::Project(project_id("q"))),
        // Without findings it is none of these.
        item_locked.clone().lock(DocumentFilter::Flagged(project_id("p"))),
        Selection::new().lock(DocumentFilter::All),
    ] {
        assert_misstep(attempt(store, Dishonest(selection, changes.clone())));
        assert_same(&everything(store), &before);
    }
    act(store, Dishonest(locked, changes));
}

/// As [`unlocked`], of work items, sessions and cursors.
fn unlocked_work(store: &Handle) {
    let before = everything(store);
    let mut plan = work(work_key(Some("p"), "x"));
    plan.status = staleness_core::work::WorkStatus::Done;
    let (session, cursor) = (started("p", "s"), cursor("p", "a"));
    let of_cursor = cursor.key.clone();
    let mut changes = ChangeSet::default();
    changes.work.push(Change::Put(plan.clone()));
    changes.sessions.push(Change::Put(session.clone()));
    changes.cursors.push(Change::Put(cursor));
    let p = || project_id("p");
    let two = Selection::new()
        .lock(WorkFilter::Key(plan.key.clone()))
        .lock(SessionFilter::Key(session.key.clone()));
    let others = |all: Selection| all.lock(SessionFilter::Project(p())).lock(CursorFilter::All);
    for selection in [
        two.clone(),
        two.clone().peek(CursorFilter::Key(of_cursor.clone())),
        two.clone().lock(CursorFilter::Project(project_id("q"))),
        // It has ended: it is none of these.
        others(Selection::new().lock(WorkFilter::Open(scope("p")))),
        others(Selection::new().lock(WorkFilter::Scope(scope("q")))),
        Selection::everything().lock(WorkFilter::All).lock(CursorFilter::All),
    ] {
        assert_misstep(attempt(store, Dishonest(selection, changes.clone())));
        assert_same(&everything(store), &before);
    }
    act(store, Dishonest(two.lock(CursorFilter::Key(of_cursor)), changes));
}

/// As [`unlocked`], of routes, vectors and suggestions.
fn unlocked_routes(store: &Handle) {
    let before = everything(store);
    let key = route_key("p", "t", 1);
    let made = suggestions("p", "s");
    let mut changes = ChangeSet::default();
    changes.routes.push(Change::Put(route(key.clone())));
    changes.vectors.push(Change::Put(embedded(key.clone(), "m")));
    changes.suggestions.push(Change::Put(made.clone()));
    let p = || project_id("p");
    let of_route = || Selection::new().lock(RouteFilter::Tool(p(), key.tool.clone()));
    let two = || of_route().lock(VectorFilter::Key(key.clone()));
    for selection in [
        Selection::everything(),
        two(),
        two().lock(SuggestionFilter::Project(project_id("q"))),
        // Who locks a route may remove its vector, and not write it.
        of_route().lock(SuggestionFilter::All),
        of_route().lock(VectorFilter::Model(p(), model("other"))).lock(SuggestionFilter::All),
    ] {
        assert_misstep(attempt(store, Dishonest(selection, changes.clone())));
        assert_same(&everything(store), &before);
    }
    let all = two().lock(SuggestionFilter::Key(made.key.clone()));
    act(store, Dishonest(all, changes));
    let mut gone = ChangeSet::default();
    gone.vectors.push(Change::Delete(key.clone()));
    let other = Selection::new().lock(RouteFilter::Project(project_id("q")));
    assert_misstep(attempt(store, Dishonest(other, gone.clone())));
    act(store, Dishonest(of_route(), gone));
}

fn doubled(context: &mut Context) {
    let store: Handle = Arc::new(Strict::new(Arc::clone(context.store())));
    let step =
        Write::new().put(tool(global("x"))).delete::<staleness_core::tool::Tool>(global("x"));
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
