//! Sources: what is put comes back, and each filter finds exactly its rows.

use staleness_core::ids::{Level, Scope, SourceId};
use staleness_core::source::SourceState;
use staleness_core::store::{Selection, SourceFilter};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::rows::{AWKWARD, at, scope, source, source_id};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("sources::extremes_round_trip", extremes_round_trip),
    Case::new("sources::levels_and_states_round_trip", every_variant),
    Case::new("sources::id_finds_one_of_many_like_it", by_id),
    Case::new("sources::parts_of_an_id_do_not_run_together", no_running_together),
    Case::new("sources::scope_finds_only_its_own", by_scope),
    Case::new("sources::all_finds_each", all),
];

fn put(context: &Context, ids: &[SourceId]) {
    let write = ids.iter().fold(Write::new(), |write, id| write.source(source(id.clone())));
    act(context.store(), write);
}

fn found(context: &Context, filter: SourceFilter) -> Vec<SourceId> {
    let seen = see(context.store(), Selection::new().peek(filter));
    seen.sources.into_keys().collect()
}

fn extremes_round_trip(context: &mut Context) {
    let mut full = source(source_id(Some("p"), "client", "plugin:a@b/skills \u{1f680} 'x' %_*"));
    full.path = format!("/{}\n'\"", "p".repeat(5_000));
    full.found = u32::MAX;
    full.digest = u128::MAX;
    full.readings = u64::MAX;
    full.last_read_at = Some(Timestamp::MIN);
    full.last_scan_at = Timestamp::MAX;
    let mut blank = source(source_id(None, "", ""));
    blank.path = String::new();
    blank.readings = 0;
    blank.last_scan_at = Timestamp::MIN;
    let mut middle = source(source_id(None, "client", "middle"));
    middle.readings = 1 << 63;
    middle.last_read_at = Some(Timestamp::MAX);
    act(
        context.store(),
        Write::new().source(full.clone()).source(blank.clone()).source(middle.clone()),
    );
    let seen = everything(context.store()).sources;
    for row in [full, blank, middle] {
        assert_eq!(seen.get(&row.id), Some(&row));
    }
    assert_eq!(seen.len(), 3);
}

fn every_variant(context: &mut Context) {
    let mut write = Write::new();
    let mut rows = Vec::new();
    for level in Level::ALL {
        for state in SourceState::ALL {
            let mut row = source(source_id(None, "client", state.as_str()));
            row.id.level = level;
            row.state = state;
            rows.push(row.clone());
            write = write.source(row);
        }
    }
    act(context.store(), write);
    let seen = everything(context.store()).sources;
    assert_eq!(seen.len(), rows.len());
    for row in rows {
        assert_eq!(seen.get(&row.id), Some(&row));
    }
}

fn by_id(context: &mut Context) {
    let mut ids = Vec::new();
    for part in AWKWARD {
        for project in [None, Some("p"), Some("P")] {
            ids.push(source_id(project, "client", part));
            ids.push(source_id(project, part, "client"));
        }
    }
    put(context, &ids);
    for id in ids {
        assert_eq!(found(context, SourceFilter::Id(id.clone())), [id]);
    }
}

fn no_running_together(context: &mut Context) {
    let stored = source_id(None, "ab", "c");
    put(context, std::slice::from_ref(&stored));
    let mut other_level = stored.clone();
    other_level.level = Level::Local;
    for other in [
        source_id(None, "a", "bc"),
        source_id(None, "", "abc"),
        source_id(None, "abc", ""),
        source_id(None, "ab", "C"),
        source_id(None, "ab", "c "),
        source_id(Some("ab"), "ab", "c"),
        other_level,
    ] {
        assert_eq!(found(context, SourceFilter::Id(other.clone())), []);
        put(context, std::slice::from_ref(&other));
        assert_eq!(found(context, SourceFilter::Id(other.clone())), [other]);
    }
    assert_eq!(found(context, SourceFilter::All).len(), 8);
}

fn by_scope(context: &mut Context) {
    let of_global = [source_id(None, "a", "x"), source_id(None, "b", "x")];
    let of_p = [source_id(Some("a_b"), "a", "x"), source_id(Some("a_b"), "b", "y")];
    let of_q = [source_id(Some("aXb"), "a", "x")];
    put(context, &[&of_global[..], &of_p, &of_q].concat());
    assert_eq!(found(context, SourceFilter::Scope(Scope::Global)), of_global);
    assert_eq!(found(context, SourceFilter::Scope(scope("a_b"))), of_p);
    assert_eq!(found(context, SourceFilter::Scope(scope("aXb"))), of_q);
    assert_eq!(found(context, SourceFilter::Scope(scope("a%"))), []);
}

fn all(context: &mut Context) {
    let mut ids = vec![
        source_id(None, "a", "x"),
        source_id(Some("p"), "a", "x"),
        source_id(Some("q"), "a", "x"),
    ];
    put(context, &ids);
    ids.sort();
    assert_eq!(found(context, SourceFilter::All), ids);
    let mut row = source(ids[0].clone());
    row.last_scan_at = at(99);
    act(context.store(), Write::new().source(row));
    assert_eq!(found(context, SourceFilter::All), ids);
}
