//! Shared parts of the benchmarks: stores of a given size, the floors, races, ratios and plots.
//!
//! Every figure is a ratio within one run. What is measured and its floor, the least that the same
//! machine needs for the same work, take turns; medians are compared.

use std::path::{Path, PathBuf};

pub mod chance;
pub mod collections;
mod fixture;
pub mod history;
pub mod knowledge;
pub mod process;
pub mod put;
pub mod race;
pub mod ratios;
pub mod raw;
pub mod routes;
pub mod scans;
pub mod svg;
pub mod vectors;
pub mod work;

pub use fixture::{START, fill, record, registry, roomy, twin, uses};
pub use race::quick;

/// What is asked for in benchmarks of searches.
pub const QUESTION: &str = "please find the invoice that the customer sent last week and pay it";

/// `full`, or `short` when a short run is asked for.
#[must_use]
pub fn rounds(full: usize, short: usize) -> usize {
    if quick() { short } else { full }
}

/// Where plots go: `docs/plots`, or for a short run a folder in `scratch`, the target's own.
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
