//! Values of the conformance suite's generators, drawn from a few bytes of the input.
//!
//! The generators want far more random bytes than a value has choices, and forks of their source
//! halve what is left. So each value gets a seed of its own: the fuzzer adds, drops, swaps and
//! repeats values, and the seeds choose which.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The value that a seed chooses.
pub(crate) fn value<S: Strategy>(strategy: &S, seed: u32) -> S::Value {
    let mut key = [0x5e; 16];
    key[..4].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &key);
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    strategy.new_tree(&mut runner).expect("a generator gives a value").current()
}
