//! The table of what is flagged when: each row at its threshold, a day before and a day after.

use staleness_core::Timestamp;
use staleness_core::ids::{Scope, WorkId, WorkKey};
use staleness_core::verdict::{Level, NextAction};
use staleness_core::work::{
    Flag, NoteType, Overdue, Warning, Work, WorkKind, WorkPolicy, WorkStatus,
};

const START: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn work(id: &str, kind: WorkKind, status: WorkStatus) -> Work {
    let key = WorkKey { scope: Scope::Global, id: WorkId::new(id).expect("an id") };
    Work { status, ..Work::new(key, kind, format!("text of {id}"), START) }
}

fn after(days: i64) -> Timestamp {
    START.plus_millis(days * Timestamp::DAY)
}

fn overdue(work: &Work, now: Timestamp) -> Option<(Overdue, i64)> {
    work.flag(now, &WorkPolicy::default()).map(|flag| (flag.overdue, flag.age_days))
}

/// Flagged at `days` whole days and after, not a millisecond before.
fn fires_at(work: &Work, days: i64, why: Overdue) {
    assert_eq!(overdue(work, after(days - 1)), None, "a day before {days}");
    assert_eq!(overdue(work, after(days).plus_millis(-1)), None, "just before {days}");
    assert_eq!(overdue(work, after(days)), Some((why, days)), "at {days}");
    assert_eq!(overdue(work, after(days + 1)), Some((why, days + 1)), "a day after {days}");
}

#[test]
fn a_plan_in_progress_after_7_days_without_activity() {
    let mut plan = work("p", WorkKind::Plan, WorkStatus::InProgress);
    fires_at(&plan, 7, Overdue::NoProgress);
    plan.touch(after(5));
    assert_eq!(overdue(&plan, after(11)), None);
    assert_eq!(overdue(&plan, after(12)), Some((Overdue::NoProgress, 7)));
}

#[test]
fn a_plan_that_waits_after_30_days_without_activity() {
    fires_at(&work("p", WorkKind::Plan, WorkStatus::Todo), 30, Overdue::NotBegun);
    let mut blocked = work("p", WorkKind::Plan, WorkStatus::Blocked);
    fires_at(&blocked, 30, Overdue::StillBlocked);
    blocked.expires_at = Some(after(40));
    fires_at(&blocked, 40, Overdue::StillBlocked);
    blocked.expires_at = Some(after(3));
    fires_at(&blocked, 30, Overdue::StillBlocked);
}

#[test]
fn a_trap_or_constraint_when_it_expires() {
    for kind in [WorkKind::Trap, WorkKind::Constraint] {
        let mut each = work("t", kind, WorkStatus::Active);
        assert_eq!(overdue(&each, after(10_000)), None, "without a date it holds for ever");
        each.expires_at = Some(after(3));
        assert_eq!(overdue(&each, after(3).plus_millis(-1)), None);
        assert_eq!(overdue(&each, after(3)), Some((Overdue::Expired, 0)));
        assert_eq!(overdue(&each, after(4)), Some((Overdue::Expired, 1)));
    }
}

#[test]
fn a_handoff_14_days_after_it_was_written_whatever_happened_to_it() {
    let mut handoff = work("h", WorkKind::Handoff, WorkStatus::Open);
    fires_at(&handoff, 14, Overdue::Unanswered);
    handoff.touch(after(13));
    fires_at(&handoff, 14, Overdue::Unanswered);
}

#[test]
fn a_candidate_after_21_days_or_30_when_a_program_proposed_it() {
    let mut candidate = work("c", WorkKind::Candidate, WorkStatus::Pending);
    fires_at(&candidate, 21, Overdue::Undecided);
    candidate.generated = true;
    fires_at(&candidate, 30, Overdue::Undecided);
}

#[test]
fn an_observation_after_30_days_or_when_it_expires() {
    let mut note = work("n", WorkKind::Note, WorkStatus::Visible);
    fires_at(&note, 30, Overdue::OldObservation);
    note.expires_at = Some(after(90));
    assert_eq!(overdue(&note, after(89)), None, "with a date of expiry age does not matter");
    assert_eq!(overdue(&note, after(90)), Some((Overdue::Expired, 0)));
}

#[test]
fn what_ended_marks_of_sessions_and_decisions_are_never_flagged() {
    let ages = [-30, 0, 7, 14, 21, 30, 31, 400, 10_000];
    for kind in WorkKind::ALL {
        for status in kind.states().iter().copied().filter(|status| !status.is_open()) {
            let mut each = work("x", kind, status);
            each.expires_at = Some(START);
            assert!(ages.iter().all(|days| overdue(&each, after(*days)).is_none()), "{status}");
        }
    }
    let decision = work("d", WorkKind::Decision, WorkStatus::Made);
    assert!(ages.iter().all(|days| overdue(&decision, after(*days)).is_none()));
    for note in [NoteType::SessionStart, NoteType::SessionEnd] {
        let each = Work {
            note,
            expires_at: Some(START),
            ..work("n", WorkKind::Note, WorkStatus::Visible)
        };
        assert!(ages.iter().all(|days| overdue(&each, after(*days)).is_none()));
    }
}

#[test]
fn a_clock_that_went_back_flags_nothing() {
    let plan = work("p", WorkKind::Plan, WorkStatus::InProgress);
    assert_eq!(overdue(&plan, after(-400)), None);
}

#[test]
fn what_expired_before_it_was_written_is_flagged_at_once() {
    let mut trap = work("t", WorkKind::Trap, WorkStatus::Active);
    trap.expires_at = Some(after(-2));
    assert_eq!(overdue(&trap, START), Some((Overdue::Expired, 2)));
}

fn stale(work: &[Work], now: Timestamp) -> Vec<Warning> {
    Warning::all(work, now, |_| WorkPolicy::default())
}

#[test]
fn warnings_are_oldest_first_with_their_reasons() {
    let mut trap = work("t1", WorkKind::Trap, WorkStatus::Active);
    trap.expires_at = Some(after(38));
    let all = [
        work("p2", WorkKind::Plan, WorkStatus::InProgress),
        work("p1", WorkKind::Plan, WorkStatus::Todo),
        trap,
        work("h1", WorkKind::Handoff, WorkStatus::Open),
        work("d1", WorkKind::Decision, WorkStatus::Made),
        work("p3", WorkKind::Plan, WorkStatus::Done),
    ];
    let warnings = stale(&all, after(40));
    let ids: Vec<&str> = warnings.iter().map(|each| each.key.id.as_str()).collect();
    assert_eq!(ids, ["p1", "p2", "h1", "t1"]);
    assert_eq!(warnings[3].flag, Flag { overdue: Overdue::Expired, age_days: 2 });
    assert_eq!(warnings[3].reason(), "expired 2 days ago");
    assert_eq!(stale(&all[4..], after(40)), []);
}

#[test]
fn fresh_open_work_that_refers_to_a_flagged_item_softens_it_by_one_level() {
    let old = work("old", WorkKind::Plan, WorkStatus::InProgress);
    let mut refers = Work {
        created_at: after(30),
        updated_at: after(30),
        ..work("new", WorkKind::Plan, WorkStatus::Todo)
    };
    refers.refs.insert("old".into());
    let softened = stale(&[old.clone(), refers.clone()], after(31));
    assert_eq!(softened[0].softened_by.as_ref(), Some(&refers.key.id));
    assert_eq!(
        softened[0].reason(),
        "in progress, without activity for 31 days; new still refers to it"
    );
    let verdict = old.judge(after(31), &WorkPolicy::default(), Some(&refers.key.id));
    assert_eq!((verdict.level, verdict.freshness), (Level::Review, 0.5));
    let hard = old.judge(after(31), &WorkPolicy::default(), None);
    assert_eq!((hard.level, hard.freshness), (Level::Stale, 0.3));
    assert_eq!(refers.judge(after(31), &WorkPolicy::default(), None).action, NextAction::Keep);

    // What ended, and what is flagged itself, softens nothing.
    let ended = Work { status: WorkStatus::Done, ..refers.clone() };
    assert_eq!(stale(&[old.clone(), ended], after(31))[0].softened_by, None);
    let flagged =
        Work { status: WorkStatus::InProgress, created_at: START, updated_at: START, ..refers };
    assert!(stale(&[old, flagged], after(31)).iter().all(|each| each.softened_by.is_none()));
}

#[test]
fn a_warning_holds_the_beginning_of_the_text_on_one_line() {
    let mut plan = work("p", WorkKind::Plan, WorkStatus::InProgress);
    plan.text = format!("first\n\tline {}", "x".repeat(500));
    let text = &stale(&[plan], after(8))[0].text;
    assert!(text.starts_with("first line xxx"), "{text}");
    assert_eq!(text.chars().count(), 80);
    assert!(text.ends_with('…'));
}
