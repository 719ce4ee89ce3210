//! The suite itself under test: each broken promise is caught by the case that is named for it.

use std::sync::Arc;

use crate::broken::{Flaw, Shared};
use staleness_conformance::disk::Draws;
use staleness_conformance::workload::{BYTES, Pace, compare};
use staleness_conformance::{Backend, Case, cases, model};

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
}

fn verdict(flaw: Option<Flaw>, name: &str) -> Result<(), String> {
    let backend = Shared::new(flaw);
    let case = case(name);
    assert!(backend.capabilities().missing(case.needs).is_empty(), "{name} would be ignored");
    case.verify(Arc::new(backend))
}

/// Without the flaw the case passes, with it the case fails.
#[track_caller]
fn caught(flaw: Flaw, names: &[&str]) {
    for name in names {
        assert_eq!(verdict(None, name), Ok(()), "{name} fails without the flaw");
        assert!(verdict(Some(flaw), name).is_err(), "{name} does not catch {flaw:?}");
    }
}

/// The model test catches it too, and shows a short way there.
#[track_caller]
fn modelled(flaw: Flaw, most: usize) {
    let told = verdict(Some(flaw), "model::agrees_with_memory")
        .expect_err("the model test catches the flaw");
    let steps = told.lines().filter(|line| line.get(3..5) == Some(". ")).count();
    assert!((1..=most).contains(&steps), "shrunk to {steps} transitions:\n{told}");
}

/// Bytes that look random and are the same in every run.
fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut draws = Draws(seed);
    (0..count).map(|_| draws.below(256) as u8).collect()
}

const FLAWS_OF_ROWS: [Flaw; 6] = [
    Flaw::ForgetsJournal,
    Flaw::RewritesItems,
    Flaw::ForgetsReferences,
    Flaw::ForgetsEnds,
    Flaw::ForgetsLessons,
    Flaw::ForgetsPrompts,
];

/// As the fuzz targets do it.
#[test]
fn bytes_of_a_fuzzer_tell_flaws_of_rows() {
    let fails = |flaw, run: &dyn Fn(&Arc<dyn Backend>, u64) -> bool| {
        let backend: Arc<dyn Backend> = Arc::new(Shared::new(flaw));
        (1..=4).any(|seed| run(&backend, seed))
    };
    let steps = |backend: &Arc<dyn Backend>, seed| {
        let bytes = bytes(seed, 192);
        let play = || model::play_bytes(backend, Arc::new(model::Lists::default()), &bytes);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(play)).is_err()
    };
    let verbs = |backend: &Arc<dyn Backend>, seed| {
        let pace = Pace { longest: 80, glances: 1 };
        compare(&[Arc::clone(backend)], &bytes(seed, 80 * BYTES), pace).is_err()
    };
    assert!(!fails(None, &steps) && !fails(None, &verbs));
    for flaw in FLAWS_OF_ROWS {
        assert!(fails(Some(flaw), &steps), "{flaw:?} is not told by steps");
        assert!(fails(Some(flaw), &verbs), "{flaw:?} is not told by verbs");
    }
}

#[test]
fn a_flawless_store_passes_every_case() {
    let backend: Arc<dyn Backend> = Arc::new(Shared::new(None));
    for case in cases() {
        // These start child processes, which see nothing of this one's memory.
        let needs_children = case.needs.multi_process || case.name.starts_with("crash::");
        if needs_children || !backend.capabilities().missing(case.needs).is_empty() {
            continue;
        }
        assert_eq!(case.verify(Arc::clone(&backend)), Ok(()), "{}", case.name);
    }
}

#[test]
fn names_of_cases_are_unique_and_carry_a_theme() {
    let mut names: Vec<_> = cases().iter().map(|case| case.name).collect();
    assert!(names.iter().all(|name| name.split("::").count() == 2));
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_forgotten_journal() {
    caught(
        Flaw::ForgetsJournal,
        &["revisions::each_commit_raises_by_one", "journal::extremes_round_trip"],
    );
    modelled(Flaw::ForgetsJournal, 1);
}

#[test]
fn a_journal_that_is_not_pruned() {
    caught(Flaw::KeepsPruned, &["journal::pruned_revisions_go_whole_and_raise_the_floor"]);
}

#[test]
fn a_revision_raised_without_cause() {
    caught(
        Flaw::RaisesAlways,
        &[
            "revisions::only_journal_entries_raise_the_revision",
            "revisions::an_empty_change_set_commits_nothing",
        ],
    );
    modelled(Flaw::RaisesAlways, 1);
}

#[test]
fn sequence_numbers_given_twice() {
    caught(Flaw::ReusesSeqs, &["revisions::sequence_numbers_are_not_used_again"]);
}

#[test]
fn sequence_numbers_not_told() {
    caught(
        Flaw::TellsNoSeqs,
        &["revisions::the_store_numbers_outcomes", "outcomes::extremes_round_trip"],
    );
    modelled(Flaw::TellsNoSeqs, 1);
}

#[test]
fn ignored_limits() {
    caught(
        Flaw::IgnoresLimits,
        &[
            "outcomes::last_of_project_takes_the_last_counted",
            "journal::subject_finds_its_last_entries",
            "pruning::a_cut_takes_the_oldest_recorded_first",
        ],
    );
}

#[test]
fn order_by_the_clock() {
    caught(Flaw::OrdersByClock, &["outcomes::last_of_project_ignores_the_clock"]);
}

#[test]
fn scopes_mixed_up() {
    caught(Flaw::MixesScopes, &["tools::same_name_in_two_scopes_is_two_tools"]);
}

#[test]
fn names_as_patterns() {
    caught(
        Flaw::MatchesPatterns,
        &["tools::awkward_names_stay_apart", "tools::key_of_nothing_finds_nothing"],
    );
}

#[test]
fn ops_not_found() {
    caught(
        Flaw::ForgetsOps,
        &[
            "wrappers::a_retried_op_leaves_exactly_one_outcome",
            "outcomes::op_finds_one_tool_and_one_op",
            "threads::one_op_from_many_threads_happens_once",
        ],
    );
}

#[test]
fn rows_deleted_along() {
    caught(Flaw::DeletesAlong, &["changes::nothing_is_deleted_along_with_another_row"]);
    modelled(Flaw::DeletesAlong, 2);
}

#[test]
fn commits_in_halves() {
    caught(Flaw::WritesHalves, &["snapshots::a_commit_is_seen_whole_or_not_at_all"]);
}

#[test]
fn updates_lost_between_reading_and_writing() {
    caught(Flaw::ReadsBeforeItLocks, &["threads::increments_of_one_tool_lose_nothing"]);
}

#[test]
fn looks_at_different_moments() {
    let told =
        verdict(Some(Flaw::LooksAtNow), "snapshots::a_view_is_one_moment_over_several_looks")
            .expect_err("the case catches the flaw");
    assert!(told.contains("left: 2"), "it saw the second commit: {told}");
}

#[test]
fn notices_of_nothing() {
    let case = "notices::a_revision_that_has_moved_is_told_at_once_or_never";
    caught(Flaw::TellsWhatWasSeen, &[case]);
}

#[test]
fn looks_without_end() {
    caught(Flaw::LooksForever, &["looks::a_query_that_looks_once_more_is_a_misstep"]);
}

#[test]
fn refusals_that_write() {
    caught(Flaw::WritesWhenRefused, &["looks::a_refusal_comes_back_and_writes_nothing"]);
    modelled(Flaw::WritesWhenRefused, 1);
}

#[test]
fn a_store_spoilt_by_a_panic() {
    caught(Flaw::StaysPoisoned, &["looks::a_panic_in_a_step_changes_nothing"]);
}

#[test]
fn pages_out_of_bounds() {
    caught(Flaw::RepeatsPages, &["pages::of_everything_equal_the_view"]);
    caught(Flaw::SendsOnePage, &["pages::hold_at_most_a_thousand_rows"]);
    caught(Flaw::NeverStops, &["pages::stop_at_a_break"]);
}

#[test]
fn documents_without_findings() {
    caught(
        Flaw::LoadsUnflagged,
        &[
            "documents::loaded_and_flagged_find_only_those_with_findings",
            "documents::filters_follow_every_change",
        ],
    );
    modelled(Flaw::LoadsUnflagged, 2);
}

#[test]
fn items_that_lose_their_links() {
    caught(
        Flaw::RewritesItems,
        &["knowledge::extremes_round_trip", "knowledge::put_replaces_every_field"],
    );
    modelled(Flaw::RewritesItems, 1);
}

#[test]
fn items_taken_for_their_scope() {
    caught(Flaw::MixesItems, &["knowledge::key_finds_one_of_many_like_it"]);
    modelled(Flaw::MixesItems, 3);
}

#[test]
fn documents_that_lose_what_was_found() {
    caught(
        Flaw::ForgetsFindings,
        &[
            "documents::extremes_round_trip",
            "documents::loaded_and_flagged_find_only_those_with_findings",
        ],
    );
    modelled(Flaw::ForgetsFindings, 2);
}

#[test]
fn work_that_loses_what_it_refers_to() {
    caught(
        Flaw::ForgetsReferences,
        &["work::extremes_round_trip", "work::referring_follows_every_change"],
    );
    modelled(Flaw::ForgetsReferences, 2);
}

#[test]
fn work_that_ended_and_comes_as_open() {
    caught(Flaw::ReturnsEnded, &["work::open_follows_every_change"]);
    modelled(Flaw::ReturnsEnded, 3);
}

#[test]
fn work_too_young() {
    caught(
        Flaw::IgnoresAges,
        &[
            "work::aging_finds_what_ages_in_one_way_for_long_enough",
            "work::aging_follows_every_change",
        ],
    );
    modelled(Flaw::IgnoresAges, 3);
}

#[test]
fn sessions_that_never_end() {
    caught(
        Flaw::ForgetsEnds,
        &["sessions::extremes_round_trip", "sessions::any_session_and_cursor_round_trip"],
    );
    modelled(Flaw::ForgetsEnds, 2);
}

#[test]
fn sessions_of_another_project() {
    caught(Flaw::MixesSessions, &["sessions::keys_find_one_of_many_like_it"]);
    modelled(Flaw::MixesSessions, 3);
}

#[test]
fn cursors_that_move_back() {
    caught(
        Flaw::MovesCursorsBack,
        &[
            "sessions::extremes_round_trip",
            "sessions::a_cursor_moves_forward_only",
            "sessions::agents_that_resume_in_turn_miss_nothing",
        ],
    );
    modelled(Flaw::MovesCursorsBack, 2);
}

#[test]
fn cursors_of_other_agents() {
    caught(Flaw::MixesAgents, &["sessions::keys_find_one_of_many_like_it"]);
    modelled(Flaw::MixesAgents, 3);
}

#[test]
fn routes_of_other_tools() {
    caught(Flaw::MixesTools, &["routes::filters_find_only_their_own"]);
    modelled(Flaw::MixesTools, 3);
}

#[test]
fn vectors_of_other_tools() {
    caught(Flaw::MixesVectors, &["routes::filters_find_only_their_own"]);
    modelled(Flaw::MixesVectors, 3);
}

#[test]
fn vectors_of_other_models() {
    caught(Flaw::MixesModels, &["routes::vectors_are_found_by_their_model"]);
    modelled(Flaw::MixesModels, 3);
}

#[test]
fn routes_that_learn_twice() {
    caught(
        Flaw::ForgetsLessons,
        &["routes::extremes_round_trip", "routes::learning_reads_changes_and_writes_in_one_commit"],
    );
    modelled(Flaw::ForgetsLessons, 2);
}

#[test]
fn vectors_that_are_cut() {
    caught(
        Flaw::CutsVectors,
        &["routes::extremes_round_trip", "routes::vectors_are_found_by_their_model"],
    );
    modelled(Flaw::CutsVectors, 2);
}

#[test]
fn prompts_that_are_forgotten() {
    caught(
        Flaw::ForgetsPrompts,
        &["routes::extremes_round_trip", "routes::any_route_vector_and_suggestion_round_trip"],
    );
    modelled(Flaw::ForgetsPrompts, 2);
}

#[test]
fn a_store_that_forgets_everything() {
    caught(
        Flaw::ForgetsAll,
        &["persistence::rows_are_there_again", "persistence::the_revision_goes_on"],
    );
    modelled(Flaw::ForgetsAll, 2);
}
