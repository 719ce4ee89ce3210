//! Shared parts of the benchmarks: stores of a given size, floors, races and ratios.
//!
//! Every figure is a ratio within one run. The program takes turns with its floor, the minimum that this
//! machine needs for the same work, and their medians are compared.
//!
//! The functions panic if a file, a store or a program cannot be used.

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

/// The question for searches.
pub const QUESTION: &str = "please find the invoice that the customer sent last week and pay it";

/// Returns `full`, or `short` in a quick run.
pub fn rounds(full: usize, short: usize) -> usize {
    if quick() { short } else { full }
}
