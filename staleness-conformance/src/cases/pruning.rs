//! Pruning: ranges remove exactly what they name.

use staleness_core::outcome::{Mark, Outcome};
use staleness_core::store::{OutcomeCut, OutcomeFilter, OutcomeRange, Selection};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, act, everything, see};
use crate::rows::{AWKWARD, at, global, local, outcome, project, project_id, tool};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("pruning::a_cut_follows_time_and_newest", cut),
    Case::new("pruning::a_cut_takes_the_oldest_recorded_first", oldest_first),
    Case::new("pruning::a_cut_with_the_greatest_numbers", greatest_numbers),
    Case::new("pruning::of_tool_removes_one_tools_outcomes", of_tool),
    Case::new("pruning::of_project_removes_one_projects_outcomes", of_project),
    Case::new("pruning::ranges_go_before_appends", before_appends),
    Case::new("pruning::ranges_apply_one_after_the_other", in_order),
    Case::new("pruning::only_outcomes_go", only_outcomes),
];

/// Records outcomes at these times, named by their index.
fn record(context: &Context, times: &[i64]) {
    let rows = times.iter().enumerate().map(|(turn, millis)| Outcome {
        at: at(*millis),
        mark: Mark::ALL[turn % Mark::ALL.len()],
        ..outcome(global("x"), turn.to_string())
    });
    act(context.store(), Write::new().outcomes(rows));
}

fn cut_at(until: i64, keep_newest: u64) -> OutcomeCut {
    OutcomeCut { until: at(until), keep_newest }
}

fn remove(context: &Context, cut: OutcomeCut, limit: u64) {
    act(context.store(), Write::new().range(OutcomeRange::Cut { cut, limit }));
}

fn left(context: &Context) -> Vec<String> {
    let seen = see(context.store(), Selection::new().outcomes(OutcomeFilter::All));
    seen.outcomes.values().map(|row| row.op.to_string()).collect()
}

fn cut(context: &mut Context) {
    record(context, &[10, 30, 20, 10, 40]);
    for (until, keep_newest) in
        [(9, 0), (i64::MAX, 5), (i64::MAX, 6), (i64::MAX, u64::MAX), (i64::MIN, 0)]
    {
        remove(context, cut_at(until, keep_newest), 100);
        assert_eq!(left(context).len(), 5, "{until}, {keep_newest}");
    }
    remove(context, cut_at(20, 4), 100);
    assert_eq!(left(context), ["1", "2", "3", "4"]);
    remove(context, cut_at(20, 2), 100);
    assert_eq!(left(context), ["1", "3", "4"]);
    remove(context, cut_at(10, 0), 100);
    assert_eq!(left(context), ["1", "4"]);
    remove(context, cut_at(i64::MAX, 1), 100);
    assert_eq!(left(context), ["4"]);
}

fn oldest_first(context: &mut Context) {
    record(context, &[50, 40, 30, 20, 10, 60]);
    remove(context, cut_at(45, 0), 0);
    assert_eq!(left(context).len(), 6);
    remove(context, cut_at(45, 0), 2);
    assert_eq!(left(context), ["0", "3", "4", "5"]);
    remove(context, cut_at(45, 2), 9);
    assert_eq!(left(context), ["0", "4", "5"]);
}

fn greatest_numbers(context: &mut Context) {
    record(context, &[i64::MIN, 0, i64::MAX]);
    remove(context, cut_at(i64::MAX, u64::MAX), u64::MAX);
    assert_eq!(left(context).len(), 3);
    let all = OutcomeCut { until: Timestamp::MAX, keep_newest: 0 };
    remove(context, cut_at(i64::MIN, 0), u64::MAX);
    assert_eq!(left(context), ["1", "2"]);
    remove(context, all, u64::MAX);
    assert!(left(context).is_empty());
}

fn of_tool(context: &mut Context) {
    let keys: Vec<_> = AWKWARD.iter().flat_map(|text| [global(text), local(text, "x")]).collect();
    let rows = keys.iter().map(|key| outcome(key.clone(), "op"));
    act(context.store(), Write::new().outcomes(rows));
    for (gone, key) in (1..).zip(&keys) {
        act(context.store(), Write::new().range(OutcomeRange::OfTool(key.clone())));
        let seen = everything(context.store()).outcomes;
        assert_eq!(seen.len(), keys.len() - gone, "{key:?}");
        assert!(seen.values().all(|row| row.tool != *key));
    }
}

fn of_project(context: &mut Context) {
    let rows = AWKWARD.iter().flat_map(|text| {
        [
            Outcome { project: project_id(text), ..outcome(global("x"), format!("{text} 1")) },
            Outcome { project: project_id(text), ..outcome(local("p", "x"), format!("{text} 2")) },
        ]
    });
    act(context.store(), Write::new().outcomes(rows));
    for (gone, text) in (1..).zip(AWKWARD) {
        act(context.store(), Write::new().range(OutcomeRange::OfProject(project_id(text))));
        let seen = everything(context.store()).outcomes;
        assert_eq!(seen.len(), 2 * (AWKWARD.len() - gone), "{text:?}");
        assert!(seen.values().all(|row| row.project.as_str() != text));
    }
}

fn before_appends(context: &mut Context) {
    record(context, &[1, 2]);
    act(
        context.store(),
        Write::new()
            .range(OutcomeRange::OfTool(global("x")))
            .outcome(outcome(global("x"), "1"))
            .outcome(outcome(global("x"), "new")),
    );
    assert_eq!(left(context), ["1", "new"]);
    let everything_at_all = OutcomeRange::Cut { cut: cut_at(i64::MAX, 0), limit: u64::MAX };
    act(
        context.store(),
        Write::new().range(everything_at_all).outcome(outcome(global("x"), "newer")),
    );
    assert_eq!(left(context), ["newer"]);
}

fn in_order(context: &mut Context) {
    record(context, &[1, 1, 1, 1, 1, 1]);
    let keep = |keep_newest, limit| OutcomeRange::Cut { cut: cut_at(1, keep_newest), limit };
    act(context.store(), Write::new().range(keep(0, 1)).range(keep(4, 9)).range(keep(1, 2)));
    assert_eq!(left(context), ["4", "5"]);
}

fn only_outcomes(context: &mut Context) {
    let store = context.store();
    act(store, Write::new().put(tool(global("x"))).put(project("p")));
    record(context, &[1, 2, 3]);
    let before = everything(store);
    act(
        store,
        Write::new()
            .range(OutcomeRange::OfProject(project_id("p")))
            .range(OutcomeRange::OfTool(global("x"))),
    );
    let mut after = everything(store);
    assert!(after.outcomes.is_empty());
    after.outcomes.clone_from(&before.outcomes);
    assert_same(&after, &before);
}
