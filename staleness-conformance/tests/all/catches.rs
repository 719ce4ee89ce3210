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

/// Defines a test for each flaw: without it the cases pass, with it each fails; the model test finds it, too, where
/// a number says to how many transitions it is shrunk at most: as many as its seed ends with.
macro_rules! caught {
    ($($test:ident: $flaw:ident by $($case:literal),+ $(then $most:literal)?;)*) => {$(
        #[test]
        fn $test() {
            for name in [$($case),+] {
                assert_eq!(verdict(None, name), Ok(()), "{name} fails without the flaw");
                assert!(verdict(Some(Flaw::$flaw), name).is_err(), "{name} does not catch it");
            }
            $(assert_modelled(Flaw::$flaw, $most);)?
        }
    )*};
}

#[track_caller]
fn assert_modelled(flaw: Flaw, most: usize) {
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

const FLAWS_OF_ROWS: [Flaw; 7] = [
    Flaw::ForgetsJournal,
    Flaw::KeepsPruned,
    Flaw::RewritesItems,
    Flaw::ForgetsReferences,
    Flaw::ForgetsEnds,
    Flaw::ForgetsLessons,
    Flaw::ForgetsPrompts,
];

/// As the fuzz targets do it.
#[test]
#[ignore = "takes long: `.ci/run` runs it"]
fn bytes_of_a_fuzzer_tell_flaws_of_rows() {
    let fails = |flaw, run: &dyn Fn(&Arc<dyn Backend>, u64) -> bool| {
        let backend: Arc<dyn Backend> = Arc::new(Shared::new(flaw));
        (1..=12).any(|seed| run(&backend, seed))
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
fn names_of_cases_are_unique_and_carry_a_theme() {
    let mut names: Vec<_> = cases().iter().map(|case| case.name).collect();
    assert!(names.iter().all(|name| name.split("::").count() == 2));
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn looks_at_different_moments() {
    let told =
        verdict(Some(Flaw::LooksAtNow), "snapshots::a_view_is_one_moment_over_several_looks")
            .expect_err("the case catches the flaw");
    assert!(told.contains("left: 2"), "it saw the second commit: {told}");
}

caught! {
    a_forgotten_journal: ForgetsJournal by
        "revisions::each_commit_raises_by_one", "journal::extremes_round_trip" then 1;
    a_journal_that_is_not_pruned: KeepsPruned by
        "journal::pruned_revisions_go_whole_and_raise_the_floor" then 6;
    a_revision_raised_without_cause: RaisesAlways by
        "revisions::only_journal_entries_raise_the_revision",
        "revisions::an_empty_change_set_commits_nothing" then 1;
    sequence_numbers_given_twice: ReusesSeqs by "revisions::sequence_numbers_are_not_used_again";
    sequence_numbers_not_told: TellsNoSeqs by
        "revisions::the_store_numbers_outcomes", "outcomes::extremes_round_trip" then 1;
    ignored_limits: IgnoresLimits by
        "outcomes::last_of_project_takes_the_last_counted",
        "outcomes::first_and_last_leave_out_what_is_between",
        "journal::subject_finds_its_last_entries", "pruning::a_cut_takes_the_oldest_recorded_first";
    order_by_the_clock: OrdersByClock by "outcomes::last_of_project_ignores_the_clock";
    scopes_mixed_up: MixesScopes by "rows::keys_find_one_of_many_like_it";
    names_as_patterns: MatchesPatterns by "rows::keys_find_one_of_many_like_it";
    ops_not_found: ForgetsOps by
        "wrappers::a_retried_op_leaves_exactly_one_outcome",
        "outcomes::op_finds_one_tool_and_one_op", "threads::one_op_from_many_threads_happens_once";
    rows_deleted_along: DeletesAlong by "changes::nothing_is_deleted_along_with_another_row" then 2;
    commits_in_halves: WritesHalves by "snapshots::a_commit_is_seen_whole_or_not_at_all";
    updates_lost_between_reading_and_writing: ReadsBeforeItLocks by
        "threads::increments_of_one_tool_lose_nothing";
    looks_without_end: LooksForever by "looks::a_query_that_looks_once_more_is_a_misstep";
    refusals_that_write: WritesWhenRefused by
        "looks::a_refusal_comes_back_and_writes_nothing" then 1;
    a_store_spoilt_by_a_panic: StaysPoisoned by "looks::a_panic_in_a_step_changes_nothing";
    items_that_lose_their_links: RewritesItems by
        "rows::extremes_round_trip_and_replace_each_other", "model::any_record_round_trips" then 1;
    items_taken_for_their_scope: MixesItems by "rows::keys_find_one_of_many_like_it" then 3;
    documents_that_lose_what_was_found: ForgetsFindings by
        "rows::extremes_round_trip_and_replace_each_other" then 2;
    work_that_loses_what_it_refers_to: ForgetsReferences by
        "rows::extremes_round_trip_and_replace_each_other", "work::referring_follows_every_change"
        then 2;
    work_that_ended_and_comes_as_open: ReturnsEnded by "work::open_follows_every_change" then 3;
    work_too_young: IgnoresAges by
        "work::aging_finds_what_ages_in_one_way_for_long_enough", "work::aging_follows_every_change";
    sessions_that_never_end: ForgetsEnds by
        "rows::extremes_round_trip_and_replace_each_other", "model::any_record_round_trips" then 2;
    sessions_of_another_project: MixesSessions by "rows::keys_find_one_of_many_like_it" then 3;
    cursors_that_move_back: MovesCursorsBack by
        "rows::extremes_round_trip_and_replace_each_other", "sessions::a_cursor_moves_forward_only",
        "sessions::agents_that_resume_in_turn_miss_nothing" then 2;
    cursors_of_other_agents: MixesAgents by "rows::keys_find_one_of_many_like_it" then 3;
    routes_of_other_tools: MixesTools by "routes::filters_find_only_their_own" then 3;
    vectors_of_other_tools: MixesVectors by "routes::filters_find_only_their_own" then 3;
    vectors_of_other_models: MixesModels by "routes::vectors_are_found_by_their_model" then 3;
    routes_that_learn_twice: ForgetsLessons by
        "rows::extremes_round_trip_and_replace_each_other",
        "routes::learning_reads_changes_and_writes_in_one_commit" then 2;
    a_generation_that_stands_still: StandsStill by
        "routes::what_a_search_reads_moves_the_generation",
        "routes::a_kept_index_finds_what_another_handle_writes";
    another_revision: TellsAnother by "revisions::each_commit_raises_by_one" then 1;
    vectors_that_are_cut: CutsVectors by
        "rows::extremes_round_trip_and_replace_each_other",
        "routes::vectors_are_found_by_their_model" then 2;
    prompts_that_are_forgotten: ForgetsPrompts by
        "rows::extremes_round_trip_and_replace_each_other", "model::any_record_round_trips" then 2;
    a_store_that_forgets_everything: ForgetsAll by
        "persistence::rows_are_there_again", "persistence::the_revision_goes_on" then 2;
    pages_that_come_twice: RepeatsPages by "pages::of_everything_equal_the_view";
    a_page_without_bounds: SendsOnePage by "pages::hold_at_most_a_thousand_rows";
    pages_after_a_break: NeverStops by "pages::stop_at_a_break";
}
