//! The suite that every backend of `staleness` runs.
//!
//! A backend describes itself as a [`Backend`], and runs the suite as a test target of its own with
//! `harness = false`:
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use staleness_conformance::{Backend, Capabilities, Place};
//! # use staleness_core::MemoryStore;
//! # use staleness_core::store::{RegistryStore, StoreError};
//! #[derive(Debug)]
//! struct InMemory;
//!
//! impl Backend for InMemory {
//!     fn name(&self) -> &'static str {
//!         "memory"
//!     }
//!     fn capabilities(&self) -> Capabilities {
//!         Capabilities::NONE
//!     }
//!     fn place(&self) -> Place {
//!         Place::new("in memory", ())
//!     }
//!     fn open(&self, _: &str) -> Result<Arc<dyn RegistryStore>, StoreError> {
//!         Ok(Arc::new(MemoryStore::new()))
//!     }
//! }
//!
//! staleness_conformance::main!(InMemory);
//! ```
//!
//! - [`cases`] lists what is promised: one named [`Case`] per promise, an ordinary function over a
//!   fresh store. A case that needs more than a backend's [`Capabilities`] is reported as ignored.
//! - `cargo test --test conformance -- pages::` runs one theme; `--list` names them all.
//! - `model::agrees_with_memory` plays random sequences of steps and reads against the memory store
//!   of `staleness-core`, which is the reference, and shows the shortest one that tells them apart.
//!   `PROPTEST_CASES` sets how many are tried, `PROPTEST_RNG_SEED` which; both have fixed defaults.
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
mod steps;
mod wrappers;

pub use backend::{Backend, Capabilities, Place};
pub use case::Case;
pub use cases::cases;
pub use context::Context;
pub use runner::{ignore, run};
pub use steps::Put;
pub use wrappers::{Around, AskTwice, Fault, Faults, Faulty, HoldToLocks, Manner, Strict, Twice};
