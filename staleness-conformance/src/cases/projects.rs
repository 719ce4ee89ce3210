//! Projects: what is put comes back, and each filter finds exactly its rows.

use staleness_core::journal::Revision;
use staleness_core::project::Told;
use staleness_core::store::{ProjectFilter, Selection};
use staleness_core::time::Timestamp;

use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::rows::{AWKWARD, project, project_id, session};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("projects::extremes_round_trip", extremes_round_trip),
    Case::new("projects::id_finds_one_of_many_like_it", by_id),
    Case::new("projects::id_of_nothing_finds_nothing", by_unknown_id),
    Case::new("projects::all_finds_each", all),
];

fn extremes_round_trip(context: &mut Context) {
    let mut full = project("full");
    full.root = format!("/{}/\n\t'\"\u{1f680}", "r".repeat(5_000));
    full.first_seen_at = Timestamp::MIN;
    full.last_seen_at = Timestamp::MAX;
    full.config_digest = u128::MAX;
    full.told = Told {
        revision: Revision(u64::MAX),
        session: Some(session(&"s".repeat(512))),
        from: Revision(u64::MAX - 1),
    };
    let mut blank = project("blank");
    blank.root = String::new();
    blank.first_seen_at = Timestamp::MAX;
    blank.last_seen_at = Timestamp::MIN;
    let mut middle = project("middle");
    middle.config_digest = 1 << 127;
    middle.told.revision = Revision(1 << 63);
    act(
        context.store(),
        Write::new().project(full.clone()).project(blank.clone()).project(middle.clone()),
    );
    let seen = everything(context.store()).projects;
    for row in [full, blank, middle] {
        assert_eq!(seen.get(&row.id), Some(&row));
    }
    assert_eq!(seen.len(), 3);
}

fn by_id(context: &mut Context) {
    let write = AWKWARD.iter().fold(Write::new(), |write, id| write.project(project(id)));
    act(context.store(), write);
    for id in AWKWARD {
        let seen = see(context.store(), Selection::new().peek(ProjectFilter::Id(project_id(id))));
        assert_eq!(seen.projects.into_values().collect::<Vec<_>>(), [project(id)], "{id:?}");
    }
}

fn by_unknown_id(context: &mut Context) {
    act(context.store(), Write::new().project(project("a_b")));
    for id in ["a", "a_", "a_bc", "%", "_", "*", "A_B", "a_b "] {
        let seen = see(context.store(), Selection::new().peek(ProjectFilter::Id(project_id(id))));
        assert!(seen.is_empty(), "{id:?} found {seen:?}");
    }
}

fn all(context: &mut Context) {
    let write = AWKWARD.iter().fold(Write::new(), |write, id| write.project(project(id)));
    act(context.store(), write);
    let seen = see(context.store(), Selection::new().peek(ProjectFilter::All));
    assert_eq!(seen.projects.len(), AWKWARD.len());
    assert!(seen.sources.is_empty() && seen.tools.is_empty() && seen.outcomes.is_empty());
}
