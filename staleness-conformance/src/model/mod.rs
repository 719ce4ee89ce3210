//! The model test: compares a store with the memory store for random sequences of steps and reads, and the
//! memory store with rows in plain lists.

mod lists;
mod pair;
mod transition;

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestError, TestRunner};
use staleness_core::MemoryStore;

use crate::arbitrary::value;
use crate::backend::Backend;
use crate::context::{Context, Handle};
pub use lists::Lists;
use pair::Pair;
use transition::{Transition, transition};

/// Number of sequences, unless `PROPTEST_CASES` is set, as `.ci/thorough` does.
const SEQUENCES: u32 = 32;
/// Maximum length of a sequence.
const LONGEST: usize = 30;
/// Maximum length of a sequence selected by bytes.
const LONGEST_OF_BYTES: usize = 48;
/// A fixed seed, so that every run tries the same sequences. `PROPTEST_RNG_SEED` overrides it.
const SEED: u64 = 0x5eed;

/// Runs random sequences on this backend. On a difference from the memory store, panics with the shortest
/// sequence found.
pub(crate) fn agrees_with_memory(backend: &Arc<dyn Backend>) {
    let sequences = prop::collection::vec(transition(false), 1..=LONGEST);
    let verdict = TestRunner::new(config(SEQUENCES))
        .run(&sequences, |transitions| play(backend, Arc::new(MemoryStore::new()), &transitions));
    match verdict {
        Ok(()) => {}
        Err(TestError::Fail(why, transitions)) => {
            panic!("{}", report(backend.as_ref(), &why.to_string(), &transitions));
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs the sequence selected by bytes, four per transition, on a new store of this backend and on
/// `reference`. Some steps violate their contract, and both stores must reject them.
///
/// # Panics
/// If the stores differ.
pub fn play_bytes(backend: &Arc<dyn Backend>, reference: Handle, data: &[u8]) {
    thread_local! {
        static ANY: BoxedStrategy<Transition> = transition(true);
    }
    let seeds = data.as_chunks().0.iter().take(LONGEST_OF_BYTES);
    let transitions: Vec<Transition> =
        ANY.with(|any| seeds.map(|seed| value(any, u32::from_le_bytes(*seed))).collect());
    if let Err(why) = play(backend, reference, &transitions) {
        panic!("{}", report(backend.as_ref(), &why.to_string(), &transitions));
    }
}

/// Calls `use_it` with generated values, one per sequence. Nothing is shrunk.
pub(crate) fn each<T>(values: &impl Strategy<Value = T>, mut use_it: impl FnMut(T)) {
    let config = config(SEQUENCES);
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    for _ in 0..cases {
        use_it(values.new_tree(&mut runner).expect("a value").current());
    }
}

/// Returns the configuration with this number of cases and a fixed seed, unless the environment overrides
/// them.
pub(crate) fn config(cases: u32) -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config.max_shrink_iters = 2_000;
    config
}

/// Runs one sequence on a new store and an empty reference.
fn play(
    backend: &Arc<dyn Backend>,
    reference: Handle,
    transitions: &[Transition],
) -> TestCaseResult {
    let mut pair = Pair::new(Context::new(Arc::clone(backend)), reference);
    for (turn, transition) in (1..).zip(transitions) {
        pair.apply(transition)
            .map_err(|why| TestCaseError::fail(format!("at number {turn}: {why}")))?;
    }
    pair.finish().map_err(|why| TestCaseError::fail(format!("at the end: {why}")))
}

fn report(backend: &dyn Backend, why: &str, transitions: &[Transition]) -> String {
    let mut text = format!("{} does not agree with its reference {why}", backend.name());
    let _ = writeln!(text, "\nAfter shrinking, these were done to an empty store:");
    for (turn, transition) in (1..).zip(transitions) {
        let _ = writeln!(text, "{turn:>3}. {transition}");
    }
    text
}
