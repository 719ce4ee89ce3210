//! The model test: any sequence of steps and reads does to a store what it does to the memory
//! store.

mod machine;
mod transition;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{
    Config, RngSeed, TestCaseError, TestCaseResult, TestError, TestRunner,
};
use proptest_state_machine::ReferenceStateMachine;

use crate::backend::Backend;
use crate::context::Context;
use machine::{Machine, Pair};
use transition::Transition;

/// Sequences that are tried unless `PROPTEST_CASES` says otherwise.
const SEQUENCES: u32 = 64;
/// The longest sequence.
const LONGEST: usize = 30;
/// Fixed, so that every run tries the same; `PROPTEST_RNG_SEED` chooses another.
const SEED: u64 = 0x5eed;

/// Tries sequences against stores of this backend, and panics with the shortest one found that the
/// memory store does not agree with.
pub(crate) fn agrees_with_memory(backend: &Arc<dyn Backend>) {
    let sequences = Machine::sequential_strategy(1..=LONGEST);
    let verdict = TestRunner::new(config())
        .run(&sequences, |((), transitions, seen)| play(backend, &transitions, seen.as_deref()));
    match verdict {
        Ok(()) => {}
        Err(TestError::Fail(why, (_, transitions, _))) => {
            panic!("{}", report(backend.as_ref(), &why.to_string(), &transitions));
        }
        Err(error) => panic!("{error}"),
    }
}

/// Hands values of a strategy to `use_it`, as many as sequences are tried. Nothing is shrunk.
pub(crate) fn each<T>(values: &impl Strategy<Value = T>, mut use_it: impl FnMut(T)) {
    let config = config();
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    for _ in 0..cases {
        use_it(values.new_tree(&mut runner).expect("a value").current());
    }
}

fn config() -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = SEQUENCES;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config.max_shrink_iters = 2_000;
    config
}

/// Plays one sequence against a fresh store and a fresh memory store.
fn play(
    backend: &Arc<dyn Backend>,
    transitions: &[Transition],
    seen: Option<&AtomicUsize>,
) -> TestCaseResult {
    let mut pair = Pair::new(Context::new(Arc::clone(backend)));
    for (turn, transition) in (1..).zip(transitions) {
        if let Some(seen) = seen {
            // Tells the strategy how far the sequence came, so that it drops the rest first.
            seen.fetch_add(1, Ordering::SeqCst);
        }
        pair.apply(transition)
            .map_err(|why| TestCaseError::fail(format!("at number {turn}: {why}")))?;
    }
    pair.finish().map_err(|why| TestCaseError::fail(format!("at the end: {why}")))
}

fn report(backend: &dyn Backend, why: &str, transitions: &[Transition]) -> String {
    let mut text = format!("{} does not agree with the memory store {why}", backend.name());
    let _ = writeln!(text, "\nAfter shrinking, these were done to an empty store:");
    for (turn, transition) in (1..).zip(transitions) {
        let _ = writeln!(text, "{turn:>3}. {transition}");
    }
    text
}
