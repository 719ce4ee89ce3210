//! The suite that every backend of `staleness` runs.
pub mod arbitrary;
mod backend;
mod case;
mod cases;
mod child;
mod compare;
mod context;
mod model;
mod rows;
mod runner;
mod steps;
mod wrappers;

pub use backend::{Backend, Capabilities, Place};
pub use case::Case;
pub use cases::cases;
pub use context::Context;
pub use runner::run;
pub use wrappers::{Fault, Faulty, Strict, Twice};
