//! Outcomes: appended outcomes are returned, and each filter preserves the recording order.

use staleness_core::ids::{AgentId, ClientId, ProjectId};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::store::{OutcomeFilter, OutcomeRange, Selection};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::context::{Context, act, see};
use crate::rows::{AWKWARD, at, global, local, op, outcome, project_id, server, session};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("outcomes::extremes_round_trip", extremes_round_trip),
    Case::new("outcomes::op_finds_one_tool_and_one_op", by_op),
    Case::new("outcomes::op_ids_are_no_patterns", op_patterns),
    Case::new("outcomes::last_of_project_takes_the_last_counted", last_of_project),
    Case::new("outcomes::last_of_project_keeps_to_its_project", own_project),
    Case::new("outcomes::last_of_project_ignores_the_clock", last_of_project_clock),
    Case::new("outcomes::one_millisecond_keeps_the_order_of_recording", ties),
    Case::new("outcomes::last_per_server_takes_one_of_each", last_per_server),
    Case::new("outcomes::last_per_server_starts_at_since", since),
    Case::new("outcomes::last_per_server_ignores_the_clock", last_per_server_clock),
    Case::new("outcomes::last_per_server_skips_interruptions", interruptions),
    Case::new("outcomes::first_and_last_leave_out_what_is_between", first_and_last),
    Case::new("outcomes::spread_takes_some_of_all_times", spread),
    Case::new("outcomes::filters_of_a_selection_unite", union),
];

fn record(context: &Context, rows: impl IntoIterator<Item = Outcome>) {
    act(context.store(), Write::new().outcomes(rows));
}

/// Returns the op ids matching a filter, in order.
fn found(context: &Context, filter: OutcomeFilter) -> Vec<String> {
    let seen = see(context.store(), Selection::new().outcomes(filter));
    for (seq, row) in &seen.outcomes {
        assert_eq!(*seq, row.seq);
    }
    seen.outcomes.values().map(|row| row.op.to_string()).collect()
}

fn last(project: &str, limit: u32) -> OutcomeFilter {
    OutcomeFilter::LastOfProject { project: project_id(project), limit }
}

/// Creates an outcome of a server's tool.
fn of_server(text: &str, by: &str, mark: Mark, millis: i64) -> Outcome {
    Outcome {
        server: Some(server(text)),
        mark,
        at: at(millis),
        ..outcome(global(format!("mcp__{text}__tool")), by)
    }
}

fn marked(by: &str, mark: Mark, millis: i64) -> Outcome {
    Outcome { mark, at: at(millis), ..outcome(global("x"), by) }
}

fn extremes_round_trip(context: &mut Context) {
    let mut rows = vec![
        Outcome {
            server: Some(server("s")),
            credits: vec![global("b"), global("a"), local("p", "a")],
            at: Timestamp::MAX,
            session: Some(session("'s'")),
            agent: Some(AgentId::new("\u{1f680}").expect("an agent")),
            client: Some(ClientId::new("%_*").expect("a client")),
            duration_ms: Some(u64::MAX),
            ..outcome(local("p", "x"), "o".repeat(512))
        },
        Outcome { at: Timestamp::MIN, duration_ms: Some(0), ..outcome(global("x"), "least") },
        Outcome { duration_ms: Some(1 << 63), ..outcome(global("x"), "middle") },
    ];
    for mark in Mark::ALL {
        rows.push(marked(&format!("mark {mark:?}"), mark, 0));
    }
    let commit = act(context.store(), Write::new().outcomes(rows.clone()));
    let seen = see(context.store(), Selection::new().outcomes(OutcomeFilter::All));
    assert_eq!(seen.outcomes.len(), rows.len());
    for ((stored, reported), mut row) in
        seen.outcomes.values().zip(&commit.changes.outcomes).zip(rows)
    {
        row.seq = stored.seq;
        assert_eq!(*stored, row);
        assert_eq!(*reported, row);
    }
}

fn by_op(context: &mut Context) {
    let uses = [
        (global("x"), "one"),
        (global("y"), "one"),
        (local("p", "x"), "one"),
        (global("x"), "two"),
        (global("xo"), "ne"),
    ];
    record(context, uses.clone().map(|(key, by)| outcome(key, by)));
    for (key, by) in uses {
        let filter = OutcomeFilter::Op(key.clone(), op(by));
        let seen = see(context.store(), Selection::new().outcomes(filter));
        let rows: Vec<_> = seen.outcomes.into_values().collect();
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0].tool, rows[0].op.as_str()), (&key, by));
    }
    for (key, by) in
        [(global("y"), "two"), (local("q", "x"), "one"), (global("x"), "on"), (global("x"), "ONE")]
    {
        assert!(found(context, OutcomeFilter::Op(key, op(by))).is_empty());
    }
}

fn op_patterns(context: &mut Context) {
    record(context, AWKWARD.map(|text| outcome(global(text), text)));
    for text in AWKWARD {
        assert_eq!(found(context, OutcomeFilter::Op(global(text), op(text))), [text]);
    }
}

fn last_of_project(context: &mut Context) {
    let rows = [
        marked("1", Mark::Success, 1),
        marked("2", Mark::Interrupted, 2),
        marked("3", Mark::Failure, 3),
        marked("4", Mark::Offline, 4),
        marked("5", Mark::Success, 5),
        marked("6", Mark::Interrupted, 6),
    ];
    record(context, rows);
    assert!(found(context, last("p", 0)).is_empty());
    assert_eq!(found(context, last("p", 1)), ["5"]);
    assert_eq!(found(context, last("p", 2)), ["3", "5"]);
    assert_eq!(found(context, last("p", 3)), ["1", "3", "5"]);
    assert_eq!(found(context, last("p", u32::MAX)), ["1", "3", "5"]);
}

fn own_project(context: &mut Context) {
    let of = |project: &str| {
        AWKWARD.map(|text| Outcome {
            project: project_id(project),
            ..outcome(local("elsewhere", "x"), format!("{project} {text}"))
        })
    };
    let projects: [&str; 4] = ["p_", "pX", "P_", "p%"];
    for project in projects {
        record(context, of(project));
    }
    for project in projects {
        let seen = found(context, last(project, 3));
        assert_eq!(seen.len(), 3);
        assert!(seen.iter().all(|by| by.starts_with(project)), "{seen:?}");
    }
    assert!(found(context, last("p", 3)).is_empty());
    assert!(found(context, last("elsewhere", 3)).is_empty());
}

fn last_of_project_clock(context: &mut Context) {
    for (turn, millis) in [5, i64::MAX, -3, 7, i64::MIN, 0].into_iter().enumerate() {
        record(context, [marked(&turn.to_string(), Mark::Success, millis)]);
    }
    assert_eq!(found(context, last("p", 2)), ["4", "5"]);
    assert_eq!(found(context, last("p", 5)), ["1", "2", "3", "4", "5"]);
}

fn ties(context: &mut Context) {
    let ids = ["c", "a", "d", "b", "f", "e", "10", "9", "Z", "z"];
    record(context, ids.map(|id| marked(id, Mark::Failure, 1)));
    assert_eq!(found(context, OutcomeFilter::All), ids);
    assert_eq!(found(context, last("p", 4)), ["10", "9", "Z", "z"]);
}

fn last_per_server(context: &mut Context) {
    let all = OutcomeFilter::LastPerServer { since: Timestamp::MIN };
    let rows = [
        of_server("a", "a1", Mark::Failure, 1),
        of_server("b", "b1", Mark::Success, 1),
        of_server("a", "a2", Mark::Offline, 1),
        of_server("A", "A1", Mark::Success, 1),
        of_server("a_", "a_1", Mark::Success, 1),
        outcome(global("no server"), "n1"),
        Outcome { tool: local("p", "mcp__a__tool"), ..of_server("a", "pa1", Mark::Success, 1) },
        Outcome {
            tool: global("mcp__b__another"),
            project: ProjectId::of_root("elsewhere"),
            ..of_server("b", "b2", Mark::Failure, 1)
        },
    ];
    record(context, rows);
    assert_eq!(found(context, all), ["a2", "A1", "a_1", "pa1", "b2"]);
}

fn since(context: &mut Context) {
    let rows = [
        of_server("a", "a1", Mark::Success, 10),
        of_server("a", "a2", Mark::Success, 9),
        of_server("b", "b1", Mark::Success, 9),
        of_server("c", "c1", Mark::Success, 11),
    ];
    record(context, rows);
    let at_least = |millis| OutcomeFilter::LastPerServer { since: at(millis) };
    assert_eq!(found(context, at_least(9)), ["a2", "b1", "c1"]);
    assert_eq!(found(context, at_least(10)), ["a1", "c1"]);
    assert_eq!(found(context, at_least(11)), ["c1"]);
    assert!(found(context, at_least(12)).is_empty());
    assert!(found(context, at_least(Timestamp::MAX.as_millis())).is_empty());
}

fn last_per_server_clock(context: &mut Context) {
    let rows = [
        of_server("a", "a1", Mark::Failure, 500),
        of_server("a", "a2", Mark::Success, 400),
        of_server("b", "b1", Mark::Success, 1),
        of_server("b", "b2", Mark::Success, i64::MAX),
        of_server("b", "b3", Mark::Success, 300),
        of_server("b", "b4", Mark::Success, 20),
    ];
    record(context, rows);
    let since = OutcomeFilter::LastPerServer { since: at(300) };
    assert_eq!(found(context, since), ["a2", "b3"]);
}

fn interruptions(context: &mut Context) {
    let rows = [
        of_server("a", "a1", Mark::Failure, 1),
        of_server("a", "a2", Mark::Interrupted, 2),
        of_server("b", "b1", Mark::Interrupted, 3),
    ];
    record(context, rows);
    let since = |millis| OutcomeFilter::LastPerServer { since: at(millis) };
    assert_eq!(found(context, since(0)), ["a1"]);
    assert!(found(context, since(2)).is_empty());
}

fn first_and_last(context: &mut Context) {
    let ends = |limit| OutcomeFilter::FirstAndLast { limit };
    assert!(found(context, ends(1)).is_empty());
    let rows = [("a", Mark::Failure, 9), ("b", Mark::Success, 5), ("c", Mark::Interrupted, 1)];
    record(context, rows.map(|(by, mark, millis)| marked(by, mark, millis)));
    let elsewhere = |by: &str| Outcome {
        project: ProjectId::of_root("elsewhere"),
        ..marked(by, Mark::Interrupted, 3)
    };
    record(context, ["d", "e"].map(elsewhere));
    assert!(found(context, ends(0)).is_empty());
    assert_eq!(found(context, ends(1)), ["a", "e"]);
    assert_eq!(found(context, ends(2)), ["a", "b", "d", "e"]);
    for limit in [3, u32::MAX] {
        assert_eq!(found(context, ends(limit)), ["a", "b", "c", "d", "e"]);
    }
}

fn spread(context: &mut Context) {
    let of = |limit| OutcomeFilter::Spread { limit };
    assert!(found(context, of(1)).is_empty());
    let tool = |by| if by == "f" { global("y") } else { global("x") };
    let rows = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    record(context, rows.map(|by| outcome(tool(by), by)));
    for (limit, expected) in [(0, ""), (1, "j"), (2, "ej"), (3, "bfj"), (5, "bdfhj"), (9, "bdfhj")]
    {
        assert_eq!(found(context, of(limit)).concat(), expected, "{limit}");
    }
    for limit in [10, u32::MAX] {
        assert_eq!(found(context, of(limit)).concat(), "abcdefghij");
    }
    act(context.store(), Write::new().range(OutcomeRange::OfTool(global("y"))));
    for (limit, expected) in [(3, "aej"), (5, "acehj")] {
        assert_eq!(found(context, of(limit)).concat(), expected, "{limit}: after a removal");
    }
}

fn union(context: &mut Context) {
    let rows = [
        of_server("a", "1", Mark::Success, 1),
        marked("2", Mark::Failure, 2),
        marked("3", Mark::Interrupted, 3),
        marked("4", Mark::Failure, 4),
        marked("5", Mark::Failure, 5),
    ];
    record(context, rows);
    let selection = Selection::new()
        .outcomes(last("p", 1))
        .outcomes(last("p", 2))
        .outcomes(OutcomeFilter::Op(global("x"), op("3")))
        .outcomes(OutcomeFilter::LastPerServer { since: at(0) });
    let seen = see(context.store(), selection);
    let ids: Vec<_> = seen.outcomes.values().map(|row| row.op.as_str()).collect();
    assert_eq!(ids, ["1", "3", "4", "5"]);
}
