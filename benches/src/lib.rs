//! Shared parts of the benchmarks: stores of a given size, the floors, races, ratios and plots.
//!
//! Every figure is a ratio within one run. The program and its floor, the least that the same machine needs
//! for the same work, take turns; medians are compared.

use std::path::{Path, PathBuf};

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
pub mod svg;
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

/// Returns the folder for plots: `docs/plots`, or in a short run a folder in `scratch`, the target's own.
///
/// # Panics
/// When the folder cannot be made.
#[must_use]
pub fn plots(scratch: &str) -> PathBuf {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plots");
    let folder = if quick() { Path::new(scratch).join("plots") } else { docs };
    std::fs::create_dir_all(&folder).expect("a folder for plots");
    folder
}
