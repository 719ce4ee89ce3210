//! Work items: filters follow every change.

use std::sync::Arc;

use staleness_core::ids::{Scope, WorkKey};
use staleness_core::store::WorkFilter;
use staleness_core::time::Timestamp;
use staleness_core::work::{Aging, Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

use crate::case::Case;
use crate::context::{Context, act, found, keys};
use crate::rows::{agent, at, scope, work, work_key};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("work::open_follows_every_change", open_follows),
    Case::new("work::aging_finds_what_ages_in_one_way_for_long_enough", aging),
    Case::new("work::aging_follows_every_change", aging_follows),
    Case::new("work::referring_follows_every_change", referring_follows),
];

fn open_follows(context: &mut Context) {
    let (key, other) = (work_key(Some("p"), "x"), work_key(Some("p"), "y"));
    act(context.store(), Write::new().put(work(other.clone())));
    let open = |context: &Context| keys(context, WorkFilter::Open(scope("p")));
    for status in WorkStatus::ALL.into_iter().chain(WorkStatus::ALL.into_iter().rev()) {
        let row = Work { status, updated_at: at(99), ..work(key.clone()) };
        act(context.store(), Write::new().put(row.clone()));
        assert_eq!(open(context).contains(&key), status.is_open(), "{status}");
        assert!(open(context).contains(&other));
        assert_eq!(found(context, WorkFilter::Key(key.clone())), [row]);
    }
    act(context.store(), Write::new().delete::<Work>(key.clone()));
    assert_eq!(open(context), [other]);
}

fn ages(of: Option<&str>, aging: Aging, until: Timestamp) -> WorkFilter {
    WorkFilter::Aging { scope: work_key(of, "x").scope, aging, until }
}

/// Returns an item of every kind, state, type and origin, each with different times.
fn of_every_sort(of: Option<&str>) -> Vec<Work> {
    let mut rows = Vec::new();
    for kind in WorkKind::ALL {
        for status in kind.states() {
            for note in NoteType::ALL {
                for (generated, expires_at) in [(false, None), (true, None), (false, Some(at(30)))]
                {
                    let key = work_key(of, format!("x{}", rows.len()));
                    let mut row = Work { kind, note, generated, expires_at, ..work(key) };
                    (row.status, row.created_at, row.updated_at) = (*status, at(10), at(20));
                    rows.push(row);
                }
            }
        }
    }
    let claim = Claim { agent: agent("a"), session: None, at: at(10), until: at(30) };
    rows.push(Work { claim: Some(claim), ..work(work_key(of, "claimed")) });
    rows
}

fn aging(context: &mut Context) {
    let scopes = [None, Some("p"), Some("pX")];
    let rows: Vec<Work> = scopes.into_iter().flat_map(of_every_sort).collect();
    act(context.store(), Write::new().puts(rows.clone()));
    for aging in Aging::ALL {
        for until in [Timestamp::MIN, at(9), at(10), at(20), at(29), at(30), Timestamp::MAX] {
            let old = |row: &&Work| {
                row.key.scope == scope("p")
                    && row.aging().is_some_and(|(way, since)| way == aging && since <= until)
            };
            let mut expected: Vec<WorkKey> =
                rows.iter().filter(old).map(|row| row.key.clone()).collect();
            expected.sort_unstable();
            assert_eq!(keys(context, ages(Some("p"), aging, until)), expected, "{aging:?}");
            assert_eq!(expected.is_empty(), until < at(10 * (1 + by(aging))), "{aging:?} {until}");
        }
        assert_eq!(keys(context, ages(Some("q"), aging, Timestamp::MAX)), []);
    }
}

/// Returns the number for the relevant time: creation, change or end.
const fn by(aging: Aging) -> i64 {
    match aging {
        Aging::Unanswered | Aging::Proposed | Aging::Generated => 0,
        Aging::InProgress | Aging::Waiting | Aging::Observed => 1,
        Aging::Expiring | Aging::Claimed => 2,
    }
}

fn aging_follows(context: &mut Context) {
    let (key, other) = (work_key(Some("p"), "x"), work_key(Some("p"), "y"));
    act(context.store(), Write::new().put(work(other.clone())));
    let rows = of_every_sort(Some("p"));
    for row in rows.iter().chain(rows.iter().rev()) {
        let row = Work { key: key.clone(), ..row.clone() };
        act(context.store(), Write::new().put(row.clone()));
        for aging in Aging::ALL {
            let all = keys(context, ages(Some("p"), aging, Timestamp::MAX));
            let since = row.aging().filter(|(way, _)| *way == aging).map(|(_, since)| since);
            assert_eq!(all.contains(&key), since.is_some(), "{aging:?}: {row:?}");
            assert_eq!(all.contains(&other), aging == Aging::Waiting);
            if let Some(since) = since {
                let before = ages(Some("p"), aging, since.plus_millis(-1));
                assert!(!keys(context, before).contains(&key), "{aging:?}: {row:?}");
            }
        }
    }
    act(context.store(), Write::new().delete::<Work>(key));
    for aging in Aging::ALL {
        let all = keys(context, ages(Some("p"), aging, Timestamp::MAX));
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
        assert_eq!(keys(context, nobody), []);
        keys(context, WorkFilter::Referring { scope, to: to(&["a", "x"]) })
    };
    act(context.store(), Write::new().put(refers(&other)).put(work(key.clone())));
    assert_eq!(referring(context), []);
    for row in [
        refers(&key),
        Work { status: WorkStatus::Done, ..refers(&key) },
        Work { refs: ["x".into(), "[]".into()].into(), ..work(key.clone()) },
        Work { refs: ["[\"x\"]".into(), "y".into()].into(), ..work(key.clone()) },
        Work { steps: vec![WorkStep { text: "x".into(), at: at(1) }], ..work(key.clone()) },
        refers(&key),
    ] {
        act(context.store(), Write::new().put(row.clone()));
        let finds = row.status.is_open() && row.refs.contains("x");
        assert_eq!(referring(context).contains(&key), finds, "{row:?}");
        assert_eq!(found(context, WorkFilter::Key(key.clone())), [row]);
    }
    act(context.store(), Write::new().delete::<Work>(key));
    assert_eq!(referring(context), []);
    let global = WorkFilter::Referring { scope: Scope::Global, to: to(&["x"]) };
    assert_eq!(keys(context, global), [other]);
}
