//! Shared parts of the benchmarks: stores of a given size, the floors, races, and ratios.
//!
//! Every figure is a ratio within one run. The program and its floor, the least that the same machine needs
//! for the same work, take turns; medians are compared.

pub mod chance;
mod fixture;
pub mod history;
pub mod knowledge;
pub mod process;
pub mod put;
pub mod race;
pub mod ratios;
pub mod raw;
pub mod site;
pub mod work;

pub use fixture::{START, fill, registry, scan, twin, uses};
pub use race::quick;

/// The question that searches answer.
pub const QUESTION: &str = "please find the invoice that the customer sent last week and pay it";

/// Returns `full`, or `short` in a short run.
#[must_use]
pub fn rounds(full: usize, short: usize) -> usize {
    if quick() { short } else { full }
}
