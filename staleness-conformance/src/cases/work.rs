//! Work items: what is put comes back, and each filter finds exactly its rows.

use std::sync::Arc;

use staleness_core::ids::{Scope, WorkKey};
use staleness_core::store::{Selection, WorkFilter};
use staleness_core::time::Timestamp;
use staleness_core::work::{Aging, NoteType, Work, WorkKind, WorkStatus, WorkStep};

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
    Case::new("work::aging_finds_what_ages_in_one_way_for_long_enough", aging),
    Case::new("work::aging_follows_every_change", aging_follows),
    Case::new("work::referring_follows_every_change", referring_follows),
    Case::new("work::delete_removes_one", delete),
];

fn found(context: &Context, filter: WorkFilter) -> Vec<WorkKey> {
    let seen = see(context.store(), Selection::new().peek(filter));
    seen.work.into_keys().collect()
}

#[track_caller]
fn assert_stored(context: &Context, row: &Work) {
    let filter = WorkFilter::Key(row.key.clone());
    let seen = see(context.store(), Selection::new().peek(filter));
    assert_eq!(seen.work.get(&row.key), Some(row));
}

fn extremes_round_trip(context: &mut Context) {
    let step = |text: String, at: Timestamp| WorkStep { text, at };
    let row = Work {
        kind: WorkKind::Handoff,
        status: WorkStatus::Closed,
        before: Some(WorkStatus::Open),
        text: "\u{1f680}".repeat(Work::MAX_TEXT_BYTES / 4),
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
    row.check().expect("within the limits");
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

fn ages(of: Option<&str>, aging: Aging, until: Timestamp) -> WorkFilter {
    WorkFilter::Aging { scope: work_key(of, "x").scope, aging, until }
}

/// An item of every kind, state, type and origin; each time of it is another.
fn of_every_sort(of: Option<&str>) -> Vec<Work> {
    let mut rows = Vec::new();
    for kind in WorkKind::ALL {
        for status in kind.states() {
            for note in NoteType::ALL {
                for (generated, expires_at) in [(false, None), (true, None), (false, Some(at(30)))]
                {
                    let key = work_key(of, format!("x{}", rows.len()));
                    let (created_at, updated_at) = (at(10), at(20));
                    let status = *status;
                    rows.push(Work {
                        kind,
                        status,
                        note,
                        generated,
                        created_at,
                        updated_at,
                        expires_at,
                        ..work(key)
                    });
                }
            }
        }
    }
    rows
}

fn aging(context: &mut Context) {
    let scopes = [None, Some("p"), Some("pX")];
    let rows: Vec<Work> = scopes.into_iter().flat_map(of_every_sort).collect();
    act(context.store(), rows.iter().cloned().fold(Write::new(), Write::work));
    for aging in Aging::ALL {
        for until in [Timestamp::MIN, at(9), at(10), at(20), at(29), at(30), Timestamp::MAX] {
            let old = |row: &&Work| {
                row.key.scope == scope("p")
                    && row.aging().is_some_and(|(way, since)| way == aging && since <= until)
            };
            let mut keys: Vec<WorkKey> =
                rows.iter().filter(old).map(|row| row.key.clone()).collect();
            keys.sort_unstable();
            assert_eq!(found(context, ages(Some("p"), aging, until)), keys, "{aging:?}");
            assert_eq!(keys.is_empty(), until < at(10 * (1 + by(aging))), "{aging:?} {until}");
        }
        assert_eq!(found(context, ages(Some("q"), aging, Timestamp::MAX)), []);
    }
}

/// Which of the three times counts.
const fn by(aging: Aging) -> i64 {
    match aging {
        Aging::Unanswered | Aging::Proposed | Aging::Generated => 0,
        Aging::InProgress | Aging::Waiting | Aging::Observed => 1,
        Aging::Expiring => 2,
    }
}

fn aging_follows(context: &mut Context) {
    let (key, other) = (work_key(Some("p"), "x"), work_key(Some("p"), "y"));
    act(context.store(), Write::new().work(work(other.clone())));
    let rows = of_every_sort(Some("p"));
    for row in rows.iter().chain(rows.iter().rev()) {
        let row = Work { key: key.clone(), ..row.clone() };
        act(context.store(), Write::new().work(row.clone()));
        for aging in Aging::ALL {
            let all = found(context, ages(Some("p"), aging, Timestamp::MAX));
            let since = row.aging().filter(|(way, _)| *way == aging).map(|(_, since)| since);
            assert_eq!(all.contains(&key), since.is_some(), "{aging:?}: {row:?}");
            assert_eq!(all.contains(&other), aging == Aging::Waiting);
            if let Some(since) = since {
                let before = ages(Some("p"), aging, since.plus_millis(-1));
                assert!(!found(context, before).contains(&key), "{aging:?}: {row:?}");
            }
        }
    }
    act(context.store(), Write::new().no_work(key));
    for aging in Aging::ALL {
        let all = found(context, ages(Some("p"), aging, Timestamp::MAX));
        assert!(all.into_iter().all(|key| key == other));
    }
}

fn referring_follows(context: &mut Context) {
    let (key, other) = (work_key(Some("p"), "x"), work_key(None, "x"));
    let refers = |key: &WorkKey| Work { refs: ["x".into()].into(), ..work(key.clone()) };
    let to = |ids: &[&str]| Arc::new(ids.iter().map(|id| String::from(*id)).collect());
    let referring = |context: &Context| {
        let scope = scope("p");
        let nobody = WorkFilter::Referring { scope: scope.clone(), to: to(&["X", "", "z"]) };
        assert_eq!(found(context, nobody), []);
        found(context, WorkFilter::Referring { scope, to: to(&["a", "x"]) })
    };
    act(context.store(), Write::new().work(refers(&other)).work(work(key.clone())));
    assert_eq!(referring(context), []);
    for row in [
        refers(&key),
        Work { status: WorkStatus::Done, ..refers(&key) },
        Work { refs: ["x".into(), "[]".into()].into(), ..work(key.clone()) },
        Work { refs: ["[\"x\"]".into(), "y".into()].into(), ..work(key.clone()) },
        Work { steps: vec![WorkStep { text: "x".into(), at: at(1) }], ..work(key.clone()) },
        refers(&key),
    ] {
        act(context.store(), Write::new().work(row.clone()));
        let finds = row.status.is_open() && row.refs.contains("x");
        assert_eq!(referring(context).contains(&key), finds, "{row:?}");
        assert_stored(context, &row);
    }
    act(context.store(), Write::new().no_work(key));
    assert_eq!(referring(context), []);
    let global = WorkFilter::Referring { scope: Scope::Global, to: to(&["x"]) };
    assert_eq!(found(context, global), [other]);
}

fn delete(context: &mut Context) {
    let keys = ["a", "b", "c"].map(|text| work_key(None, text));
    act(context.store(), keys.iter().cloned().map(work).fold(Write::new(), Write::work));
    let none = work_key(Some("p"), "a");
    act(context.store(), Write::new().no_work(keys[0].clone()).no_work(none));
    let seen = everything(context.store()).work;
    assert_eq!(seen.into_keys().collect::<Vec<_>>(), keys[1..]);
}
