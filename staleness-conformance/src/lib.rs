//! The conformance suite that every backend of `staleness` runs.
//!
//! A backend implements [`Backend`], usually with [`Simple`], and runs the suite as a test target with
//! `harness = false`:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use staleness_conformance::{Capabilities, Opening, Simple};
//! use staleness_core::MemoryStore;
//! use staleness_core::store::{RegistryStore, StoreError};
//!
//! fn open(_location: &str, _how: Opening) -> Result<Arc<dyn RegistryStore>, StoreError> {
//!     Ok(Arc::new(MemoryStore::new()))
//! }
//!
//! staleness_conformance::main!(Simple {
//!     name: "memory",
//!     capabilities: Capabilities { persistent: false, ..Capabilities::NONE },
//!     open,
//! });
//! ```
//!
//! - [`cases`] lists all requirements: one named [`Case`] each, a function over a new store. A case that needs more than
//!   the backend's [`Capabilities`] is reported as ignored.
//! - `cargo test --test conformance -- pages::` runs one theme; `--list` prints all names.
//! - `model::agrees_with_memory` runs random sequences of steps and reads on the backend and on the memory store of
//!   `staleness-core`, which is the reference, and reports the shortest sequence that shows a difference.
//!   `model::any_workload_is_reported_as_on_the_memory_store` does the same with methods of the registry.
//!   `PROPTEST_CASES` and `PROPTEST_RNG_SEED` set the number of sequences and the seed; both have fixed defaults.
//!   [`model`] and [`workload`] can also be driven by a fuzzer's bytes.
//! - The suite starts its own executable as child processes, to race for a store and to be killed while writing.
//! - [`arbitrary`] generates records, change sets and selections, for tests and fuzzing.
//! - [`life`] is a fixed sequence of registry operations, with all states of the memory store on the way, for tests that
//!   break the disk or kill the process.
//! - [`disk`] simulates a disk that loses power.
//! - [`cells`] tests tables with modified cells.
//! - [`Twice`], [`Strict`] and [`Faulty`] wrap a store and check that steps follow their contract, for tests of steps.
//!   [`Around`] builds other wrappers.
//!
//! Beyond the contract, the model test requires that sequence numbers and revisions are dense and start at 1, as
//! [`staleness_core::store::ChangeSet::number`] assigns them. The cases about pages require at most 1,000 rows per page.

pub mod arbitrary;
mod backend;
mod case;
mod cases;
pub mod cells;
mod child;
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
pub use wrappers::{Around, AskTwice, Fault, Faults, Faulty, HoldToLocks, Manner, Strict, Twice};
