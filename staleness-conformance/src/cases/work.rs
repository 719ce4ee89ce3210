//! Work items: what is put comes back, and each filter finds exactly its rows.

use staleness_core::ids::WorkKey;
use staleness_core::store::{Selection, WorkFilter};
use staleness_core::time::Timestamp;
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::model::each;
use crate::rows::{AWKWARD, at, scope, work, work_key};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("work::extremes_round_trip", extremes_round_trip),
    Case::new("work::every_kind_and_state_round_trips", every_state),
    Case::new("work::any_item_round_trips", any_item),
    Case::new("work::key_finds_one_of_many_like_it", by_key),
    Case::new("work::scope_finds_only_its_own", by_scope),
    Case::new("work::open_follows_every_change", open_follows),
    Case::new("work::delete_removes_one", delete),
];

fn found(context: &Context, filter: WorkFilter) -> Vec<WorkKey> {
    let seen = see(context.store(), Selection::new().peek_work(filter));
    seen.work.into_keys().collect()
}

#[track_caller]
fn assert_stored(context: &Context, row: &Work) {
    let filter = WorkFilter::Key(row.key.clone());
    let seen = see(context.store(), Selection::new().peek_work(filter));
    assert_eq!(seen.work.get(&row.key), Some(row));
}

fn extremes_round_trip(context: &mut Context) {
    let step = |text: String, at: Timestamp| WorkStep { text, at };
    let row = Work {
        kind: WorkKind::Handoff,
        status: WorkStatus::Closed,
        before: Some(WorkStatus::Open),
        text: "\u{1f680}".repeat(staleness_core::registry::MAX_WORK_TEXT_BYTES / 4),
        author: Some("it's".into()),
        from: Some("a\"b".into()),
        to: Some("\u{202e}".into()),
        note: NoteType::SessionEnd,
        generated: true,
        created_at: Timestamp::MAX,
        updated_at: Timestamp::MIN,
        expires_at: Some(Timestamp::MAX),
        refs: AWKWARD.map(String::from).into(),
        steps: vec![
            step("one\ntwo".into(), Timestamp::MIN),
            step("x".repeat(400 << 10), Timestamp::MAX),
        ],
        ..work(work_key(None, "x"))
    };
    staleness_core::registry::check_work(&row).expect("within the limits");
    act(context.store(), Write::new().work(row.clone()));
    assert_stored(context, &row);
    let least = work(row.key);
    act(context.store(), Write::new().work(least.clone()));
    assert_stored(context, &least);
}

fn every_state(context: &mut Context) {
    for kind in WorkKind::ALL {
        for status in WorkStatus::ALL {
            for note in NoteType::ALL {
                let row = Work { kind, status, note, ..work(work_key(Some("p"), "x")) };
                act(context.store(), Write::new().work(row.clone()));
                assert_stored(context, &row);
            }
        }
    }
}

fn any_item(context: &mut Context) {
    each(&arbitrary::work(Reach::Wide), |row| {
        act(context.store(), Write::new().work(row.clone()));
        assert_stored(context, &row);
    });
}

fn by_key(context: &mut Context) {
    let keys: Vec<WorkKey> = AWKWARD
        .iter()
        .flat_map(|text| [None, Some("p"), Some("q")].map(|project| work_key(project, text)))
        .collect();
    act(context.store(), keys.iter().cloned().map(work).fold(Write::new(), Write::work));
    for key in keys {
        assert_eq!(found(context, WorkFilter::Key(key.clone())), [key]);
    }
    assert_eq!(found(context, WorkFilter::Key(work_key(None, "a_B"))), []);
}

fn by_scope(context: &mut Context) {
    let keys = [None, Some("p_"), Some("pX"), Some("p")]
        .map(|project| ["a", "b"].map(|text| work_key(project, text)));
    let rows = keys.iter().flatten().cloned().map(work);
    act(context.store(), rows.fold(Write::new(), Write::work));
    for own in keys {
        let filter = WorkFilter::Scope(own[0].scope.clone());
        assert_eq!(found(context, filter), own);
        assert_eq!(found(context, WorkFilter::Open(own[0].scope.clone())), own);
    }
    assert_eq!(found(context, WorkFilter::Scope(scope("p%"))), []);
    assert_eq!(found(context, WorkFilter::All).len(), 8);
}

fn open_follows(context: &mut Context) {
    let (key, other) = (work_key(Some("p"), "x"), work_key(Some("p"), "y"));
    act(context.store(), Write::new().work(work(other.clone())));
    let open = |context: &Context| found(context, WorkFilter::Open(scope("p")));
    for status in WorkStatus::ALL.into_iter().chain(WorkStatus::ALL.into_iter().rev()) {
        let row = Work { status, updated_at: at(99), ..work(key.clone()) };
        act(context.store(), Write::new().work(row.clone()));
        assert_eq!(open(context).contains(&key), status.is_open(), "{status}");
        assert!(open(context).contains(&other));
        assert_stored(context, &row);
    }
    act(context.store(), Write::new().no_work(key.clone()));
    assert_eq!(open(context), [other]);
}

fn delete(context: &mut Context) {
    let keys = ["a", "b", "c"].map(|text| work_key(None, text));
    act(context.store(), keys.iter().cloned().map(work).fold(Write::new(), Write::work));
    let none = work_key(Some("p"), "a");
    act(context.store(), Write::new().no_work(keys[0].clone()).no_work(none));
    let seen = everything(context.store()).work;
    assert_eq!(seen.into_keys().collect::<Vec<_>>(), keys[1..]);
}
