//! Rows of every collection: each is written, found and deleted independently of the names of other rows.

use staleness_core::ids::{Level, SourceId};
use staleness_core::store::{Filter as _, SourceFilter};

use crate::case::Case;
use crate::context::{Context, act, everything, found};
use crate::rows::{AWKWARD, Sample, source, source_id};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("rows::extremes_round_trip_and_replace_each_other", |it| each(it, |of| of.extremes)),
    Case::new("rows::keys_find_one_of_many_like_it", |it| each(it, |of| of.keys)),
    Case::new("rows::owners_find_only_their_own", |it| each(it, |of| of.owners)),
    Case::new("rows::parts_of_a_sources_id_do_not_run_together", no_running_together),
    Case::new("rows::delete_removes_one", |it| each(it, |of| of.delete)),
];

struct Of {
    extremes: fn(&Context),
    keys: fn(&Context),
    owners: fn(&Context),
    delete: fn(&Context),
}

fn each(context: &Context, case: fn(Of) -> fn(&Context)) {
    macro_rules! run {
        ($($rows:ident: $row:ty,)*) => {$(
            case(Of {
                extremes: extremes::<$row>,
                keys: keys::<$row>,
                owners: owners::<$row>,
                delete: delete::<$row>,
            })(context);
        )*};
    }
    staleness_core::collections!(run);
}

const OWNERS: [Option<&str>; 5] = [None, Some("p"), Some("P"), Some("p_"), Some("pX")];

/// Writes rows of several owners, with names that are easily confused.
fn put<R: Sample>(context: &Context) -> Vec<R> {
    let of = |owner: Option<&'static str>| AWKWARD.map(|text| R::sample(owner, text));
    let rows: Vec<R> = OWNERS.into_iter().flat_map(of).collect();
    act(context.store(), Write::new().puts(rows.clone()));
    rows
}

fn sorted<R: Sample>(rows: impl IntoIterator<Item = R>) -> Vec<R> {
    let mut rows: Vec<R> = rows.into_iter().collect();
    rows.sort_by(|a, b| a.key().cmp(b.key()));
    rows
}

#[track_caller]
fn assert_alone<R: Sample>(context: &Context, row: &R) {
    let found = found(context, R::Filter::of(row.key().clone()));
    assert_eq!(found, std::slice::from_ref(row));
}

fn extremes<R: Sample>(context: &Context) {
    let (least, beside) = (R::sample(Some("p"), "\u{1f680}'"), R::sample(Some("p"), "beside"));
    act(context.store(), Write::new().put(beside.clone()));
    for row in least.clone().extremes().into_iter().chain([least]) {
        let commit = act(context.store(), Write::new().put(row.clone()));
        assert_eq!(commit.revision.0, 0, "a row is no journal entry");
        assert_alone(context, &row);
        assert_eq!(found(context, R::Filter::ALL), sorted([row, beside.clone()]));
    }
}

fn keys<R: Sample>(context: &Context) {
    let rows = put::<R>(context);
    for row in &rows {
        assert_alone(context, row);
    }
    for text in ["a", "a_", "a_bc", "a_B", "%", "_", "*", "___", "a%%"] {
        for owner in [None, Some("p"), Some("q")] {
            let key = R::sample(owner, text).key().clone();
            assert_eq!(found(context, R::Filter::of(key)), [], "{owner:?}, {text:?}");
        }
    }
    assert_eq!(found(context, R::Filter::ALL), sorted(rows));
}

fn owners<R: Sample>(context: &Context) {
    put::<R>(context);
    for owner in OWNERS {
        let Some(filter) = R::owned(owner) else { continue };
        let own = AWKWARD.map(|text| R::sample(owner, text));
        assert_eq!(found(context, filter), sorted(own), "{owner:?}");
    }
    for owner in ["p%", "none"] {
        let filter = R::owned(Some(owner));
        assert_eq!(filter.map_or_else(Vec::new, |filter| found(context, filter)), [], "{owner}");
    }
}

fn delete<R: Sample>(context: &Context) {
    let [one, two, three] =
        [(None, "x"), (Some("p"), "x"), (None, "X")].map(|(of, text)| R::sample(of, text));
    let all = sorted([one.clone(), two.clone(), three.clone()]);
    act(context.store(), Write::new().puts(all.clone()));
    let absent = R::sample(Some("q"), "x").key().clone();
    for _ in 0..2 {
        let step = Write::new().delete::<R>(one.key().clone()).delete::<R>(absent.clone());
        act(context.store(), step);
        assert_eq!(found(context, R::Filter::ALL), sorted([two.clone(), three.clone()]));
    }
    act(context.store(), Write::new().put(one));
    assert_eq!(found(context, R::Filter::ALL), all);
    let mut others = everything(context.store());
    R::rows_mut(&mut others).clear();
    act(
        context.store(),
        all.iter().fold(Write::new(), |all, row| all.delete::<R>(row.key().clone())),
    );
    assert_eq!(everything(context.store()), others, "nothing goes along");
}

fn no_running_together(context: &mut Context) {
    let stored = source_id(None, "ab", "c");
    let put = |id: &SourceId| act(context.store(), Write::new().put(source(id.clone())));
    put(&stored);
    let levels = Level::ALL.map(|level| SourceId { level, ..stored.clone() });
    let others = [
        source_id(None, "a", "bc"),
        source_id(None, "", "abc"),
        source_id(None, "abc", ""),
        source_id(None, "ab", "C"),
        source_id(None, "ab", "c "),
        source_id(Some("ab"), "ab", "c"),
    ];
    let others = levels.into_iter().filter(|id| *id != stored).chain(others);
    for (known, other) in (1..).zip(others) {
        assert_eq!(found(context, SourceFilter::Id(other.clone())), []);
        put(&other);
        assert_eq!(found(context, SourceFilter::Id(other.clone())), [source(other)]);
        assert_eq!(found(context, SourceFilter::All).len(), known + 1);
    }
}
