//! The journal: appended entries are returned, and each filter returns exactly its entries.

use std::sync::Arc;

use staleness_core::ids::{AgentId, ClientId, Scope};
use staleness_core::journal::{Action, Floor, JournalEntry, Revision, Subject, SubjectKind};
use staleness_core::store::{JournalFilter, Selection, StoreError};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::context::{Context, act, attempt, check, everything, see};
use crate::rows::{AWKWARD, at, entry, global, local, op, project_id, scope, session};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("journal::actions_and_kinds_round_trip", every_variant),
    Case::new("journal::extremes_round_trip", extremes_round_trip),
    Case::new("journal::op_finds_all_entries_of_an_op", by_op),
    Case::new("journal::subject_finds_its_last_entries", by_subject),
    Case::new("journal::subjects_differ_by_kind_scope_and_id", subjects_differ),
    Case::new("journal::since_leaves_out_the_revision_itself", since),
    Case::new("journal::since_keeps_to_its_scope", since_scope),
    Case::new("journal::order_is_that_of_writing_not_of_the_clock", order),
    Case::new("journal::filters_of_a_selection_unite", union),
    Case::new("journal::pruned_revisions_go_whole_and_raise_the_floor", pruned),
    Case::new("journal::an_import_leaves_out_what_was_pruned", left_out),
    Case::new("journal::a_check_finds_what_is_missing_beside_what_was_pruned", missing),
];

/// Creates an entry about a tool, identified by its cause.
fn told(tool: &str, cause: &str) -> JournalEntry {
    JournalEntry { cause: cause.into(), ..entry(Subject::tool(&global(tool))) }
}

fn write(context: &Context, rows: impl IntoIterator<Item = JournalEntry>) {
    act(context.store(), Write::new().entries(rows));
}

/// Returns the causes of the entries matching a filter, in order.
fn found(context: &Context, filter: JournalFilter) -> Vec<String> {
    let seen = see(context.store(), Selection::new().journal(filter));
    for (place, row) in &seen.journal {
        assert_eq!(*place, (row.revision, row.index));
    }
    seen.journal.into_values().map(|row| row.cause).collect()
}

fn of(subject: Subject, limit: u32) -> JournalFilter {
    JournalFilter::Subject { subject, limit }
}

fn round_trip(context: &Context, rows: Vec<JournalEntry>) {
    let commit = act(context.store(), Write::new().entries(rows.clone()));
    let seen = see(context.store(), Selection::new().journal(JournalFilter::All));
    assert_eq!(seen.journal.len(), rows.len());
    for (index, mut row) in (0..).zip(rows) {
        row.revision = commit.revision;
        row.index = index;
        assert_eq!(seen.journal.get(&(commit.revision, index)), Some(&row));
        assert_eq!(commit.changes.journal[index as usize], row);
    }
}

fn every_variant(context: &mut Context) {
    let mut rows = Vec::new();
    for action in Action::ALL {
        for kind in SubjectKind::ALL {
            for scope in [Scope::Global, scope("p")] {
                let mut row = entry(Subject { kind, scope, id: "id".into() });
                row.action = action;
                rows.push(row);
            }
        }
    }
    round_trip(context, rows);
}

fn extremes_round_trip(context: &mut Context) {
    let long = "\u{1f680}'\"%_\n".repeat(500);
    let full = JournalEntry {
        at: Timestamp::MAX,
        from: Some("active".into()),
        to: Some(long.clone()),
        cause: long.clone(),
        note: Some(long),
        session: Some(session("s")),
        actor: Some(AgentId::new("a").expect("an agent")),
        op: Some(op("o".repeat(512))),
        clients: ["a", "b,\"'"].map(|client| ClientId::new(client).expect("a client")).into(),
        ..entry(Subject::project(&project_id("p'%_")))
    };
    let blank = JournalEntry {
        at: Timestamp::MIN,
        from: Some(String::new()),
        cause: String::new(),
        note: Some(String::new()),
        ..entry(Subject { kind: SubjectKind::Tool, scope: Scope::Global, id: String::new() })
    };
    let mut rows = vec![full, blank];
    rows.extend(AWKWARD.map(|text| told(text, text)));
    round_trip(context, rows);
}

fn by_op(context: &mut Context) {
    let by = |tool: &str, cause: &str, id: Option<&str>| JournalEntry {
        op: id.map(op),
        ..told(tool, cause)
    };
    write(context, [by("a", "1", Some("one")), by("b", "2", Some("one"))]);
    write(context, [by("a", "3", None), by("a", "4", Some("two"))]);
    write(context, [by("c", "5", Some("one")), by("c", "6", Some("ONE"))]);
    assert_eq!(found(context, JournalFilter::Op(op("one"))), ["1", "2", "5"]);
    assert_eq!(found(context, JournalFilter::Op(op("two"))), ["4"]);
    assert!(found(context, JournalFilter::Op(op("%"))).is_empty());
    assert!(found(context, JournalFilter::Op(op("on"))).is_empty());
}

fn by_subject(context: &mut Context) {
    for turn in 0..5 {
        write(
            context,
            [
                told("a", &format!("a{turn}")),
                told("b", &format!("b{turn}")),
                told("a", &format!("a{turn}'")),
            ],
        );
    }
    let of_a = |limit| found(context, of(Subject::tool(&global("a")), limit));
    assert!(of_a(0).is_empty());
    assert_eq!(of_a(1), ["a4'"]);
    assert_eq!(of_a(3), ["a3'", "a4", "a4'"]);
    assert_eq!(of_a(10).len(), 10);
    assert_eq!(of_a(u32::MAX).len(), 10);
    assert_eq!(found(context, of(Subject::tool(&global("b")), 1)), ["b4"]);
    assert!(found(context, of(Subject::tool(&global("c")), 9)).is_empty());
}

fn subjects_differ(context: &mut Context) {
    let mut subjects: Vec<Subject> = AWKWARD
        .iter()
        .flat_map(|text| {
            [
                Subject::tool(&global(text)),
                Subject::tool(&local("p", text)),
                Subject::tool(&local(text, "p")),
                Subject::project(&project_id(text)),
            ]
        })
        .collect();
    subjects.push(Subject { kind: SubjectKind::Project, scope: Scope::Global, id: "a_b".into() });
    let rows = subjects
        .iter()
        .enumerate()
        .map(|(turn, subject)| JournalEntry { cause: turn.to_string(), ..entry(subject.clone()) });
    write(context, rows);
    for (turn, subject) in subjects.into_iter().enumerate() {
        assert_eq!(found(context, of(subject.clone(), 2)), [turn.to_string()], "{subject:?}");
    }
}

fn since(context: &mut Context) {
    for turn in 1..=4 {
        write(context, [told("a", &turn.to_string())]);
    }
    let after = |revision| {
        let filter = JournalFilter::Since { after: Revision(revision), scope: Scope::Global };
        found(context, filter)
    };
    assert_eq!(after(0), ["1", "2", "3", "4"]);
    assert_eq!(after(2), ["3", "4"]);
    assert_eq!(after(3), ["4"]);
    assert!(after(4).is_empty());
    assert!(after(u64::MAX).is_empty());
}

fn since_scope(context: &mut Context) {
    let about = |project: &str| JournalEntry {
        cause: project.into(),
        ..entry(Subject::tool(&local(project, "x")))
    };
    write(context, [told("a", "global"), about("p_"), about("pX"), about("P_")]);
    write(
        context,
        [JournalEntry { cause: "itself".into(), ..entry(Subject::project(&project_id("p_"))) }],
    );
    let of = |scope| {
        let after = Revision(0);
        found(context, JournalFilter::Since { after, scope })
    };
    assert_eq!(of(Scope::Global), ["global"]);
    assert_eq!(of(scope("p_")), ["p_", "itself"]);
    assert_eq!(of(scope("pX")), ["pX"]);
    assert!(of(scope("p")).is_empty());
}

fn order(context: &mut Context) {
    let mut causes = Vec::new();
    for (turn, millis) in [5, i64::MAX, i64::MIN, 5, 0].into_iter().enumerate() {
        let rows = ["b", "a"]
            .map(|part| JournalEntry { at: at(millis), ..told("x", &format!("{turn}{part}")) });
        causes.extend(rows.iter().map(|row| row.cause.clone()));
        write(context, rows);
    }
    assert_eq!(found(context, JournalFilter::All), causes);
    let last = found(context, of(Subject::tool(&global("x")), 3));
    assert_eq!(last, causes[7..]);
}

fn union(context: &mut Context) {
    let by = |cause: &str, id: &str| JournalEntry { op: Some(op(id)), ..told("a", cause) };
    for (cause, id) in [("1", "x"), ("2", "y"), ("3", "x"), ("4", "z")] {
        write(context, [by(cause, id)]);
    }
    let selection = Selection::new()
        .journal(JournalFilter::Op(op("x")))
        .journal(of(Subject::tool(&global("a")), 2));
    let seen = see(context.store(), selection);
    let causes: Vec<_> = seen.journal.values().map(|row| row.cause.as_str()).collect();
    assert_eq!(causes, ["1", "3", "4"]);
}

fn floor(revision: u64, at: i64) -> Floor {
    Floor { revision: Revision(revision), at: Timestamp::from_millis(at) }
}

/// Makes six commits about two tools, each with its own op.
fn six(context: &Context) {
    for turn in 1..=6 {
        let by = |tool| JournalEntry {
            op: Some(op(turn.to_string())),
            ..told(tool, &format!("{tool}{turn}"))
        };
        write(context, [by("a"), by("b")]);
    }
}

fn pruned(context: &mut Context) {
    six(context);
    assert_eq!(everything(context.store()).floor, Floor::default());
    let commit = act(context.store(), Write::new().pruned([1, 3], floor(3, -7)));
    assert_eq!(commit.revision, Revision(6));
    check(context.store());
    assert_eq!(see(context.store(), Selection::new()).floor, floor(3, -7));
    assert_eq!(
        found(context, JournalFilter::All),
        ["a2", "b2", "a4", "b4", "a5", "b5", "a6", "b6"]
    );
    assert_eq!(found(context, of(Subject::tool(&global("a")), u32::MAX)), ["a2", "a4", "a5", "a6"]);
    assert!(found(context, JournalFilter::Op(op("3"))).is_empty());
    let since = JournalFilter::Since { after: Revision(2), scope: Scope::Global };
    assert_eq!(found(context, since).len(), 6);
    // Pruning missing entries is not an error, and the floor never decreases.
    act(context.store(), Write::new().pruned([1, 2], floor(2, 9)));
    assert_eq!(everything(context.store()).floor, floor(3, 9));
    act(context.store(), Write::new().pruned([5], floor(5, 1)));
    assert_eq!(everything(context.store()).floor, floor(5, 9));
    write(context, [told("a", "next")]);
    assert_eq!(found(context, JournalFilter::All), ["a4", "b4", "a6", "b6", "next"]);
    let seen = everything(context.store());
    assert_eq!((seen.revision, seen.floor), (Revision(7), floor(5, 9)));
    check(context.store());
}

fn left_out(context: &mut Context) {
    let append = |revision, cause: &str| {
        let step = Write::new().entry(told("a", cause));
        act(context.store(), step.pruned([], floor(revision, 5)))
    };
    assert_eq!(append(2, "3").revision, Revision(3));
    let commit = append(40, "41");
    assert_eq!((commit.revision, commit.view.floor), (Revision(41), floor(2, 5)));
    assert_eq!(commit.changes.journal[0].revision, Revision(41));
    let seen = everything(context.store());
    assert_eq!((seen.revision, seen.floor), (Revision(41), floor(40, 5)));
    // A lower floor does not skip a revision.
    assert_eq!(append(7, "42").revision, Revision(42));
    assert_eq!(found(context, JournalFilter::All), ["3", "41", "42"]);
    check(context.store());
}

/// Steps that prune entries above the floor, or raise the floor to existing entries. If a store accepts them, its check
/// must report this.
fn missing(context: &mut Context) {
    for wrong in [
        Write::new().pruned([4], floor(2, 0)),
        Write::new().pruned([], floor(5, 0)),
        Write::new().pruned([6], floor(6, 0)),
    ] {
        let context = Context::new(Arc::clone(context.backend()));
        six(&context);
        act(context.store(), Write::new().pruned([2], floor(2, 0)));
        check(context.store());
        match attempt(context.store(), wrong) {
            Err(StoreError::Misstep(_)) => check(context.store()),
            Ok(_) => {
                let checked = pollster::block_on(context.store().check());
                assert!(matches!(checked, Err(StoreError::Corrupt(_))));
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}
