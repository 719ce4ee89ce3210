//! The suite that every backend of `staleness` runs.
//!
//! A backend describes itself as a [`Backend`], mostly as [`Simple`], and runs the suite as a test target of its own
//! with `harness = false`:
//!
//! ```no_run
//! staleness_conformance::main!(staleness_conformance::Simple::MEMORY);
//! ```
//!
//! - [`cases`] lists what is promised: one named [`Case`] per promise, an ordinary function over a
//!   fresh store. A case that needs more than a backend's [`Capabilities`] is reported as ignored.
//! - `cargo test --test conformance -- pages::` runs one theme; `--list` names them all.
//! - `model::agrees_with_memory` plays random sequences of steps and reads against the memory store
//!   of `staleness-core`, which is the reference, and shows the shortest one that tells them apart;
//!   `model::any_workload_is_reported_as_on_the_memory_store` does the same with the verbs of the registry. `PROPTEST_CASES`
//!   sets how many are tried, `PROPTEST_RNG_SEED` which; both have fixed defaults. [`model`] and [`workload`]
//!   take their choices from the bytes of a fuzzer as well.
//! - The suite starts its own executable as a child process, to race for a store and to be killed
//!   while it writes.
//! - [`arbitrary`] generates every record, change set and selection, for tests and fuzzing.
//! - [`life`] is what one user of a store does over the registry's verbs, with every state of the memory
//!   store on the way: for tests that break the disk or the process underneath.
//! - [`disk`] is a disk that loses its power, with what it keeps.
//! - [`cells`] are values that stand where they should not, and what a store has to say to each.
//! - [`Twice`], [`Strict`] and [`Faulty`] are stores around stores that hold steps to their side of
//!   the contract. They are for tests of whatever writes steps. [`Around`] makes others, and [`Put`] is a step
//!   that writes what it is given.
//!
//! Beyond the words of the contract, the model test wants sequence numbers and revisions as
//! [`staleness_core::store::ChangeSet::number`] gives them: dense, from 1. The
//! cases about pages want at most 1,000 rows in each.

pub mod arbitrary;
mod backend;
mod case;
mod cases;
pub mod cells;
mod child;
mod collections;
mod compare;
mod context;
pub mod disk;
pub mod life;
mod linear;
pub mod model;
mod rows;
mod runner;
mod simple;
mod steps;
pub mod support;
pub mod workload;
mod wrappers;

pub use backend::{Backend, Capabilities, Opening, Place};
pub use case::Case;
pub use cases::cases;
pub use context::Context;
pub use runner::{ignore, run};
pub use simple::Simple;
pub use steps::Put;
pub use wrappers::{Around, AskTwice, Fault, Faults, Faulty, HoldToLocks, Manner, Strict, Twice};
