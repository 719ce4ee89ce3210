//! Finds words that the checked-out commit lacks, and the commits that removed them.

mod ever;
mod files;
mod found;
mod missing;
mod snapshots;
mod starts;
mod times;
mod trace;
mod veil;

pub use missing::{Trace, WordQuery};

pub(crate) use missing::{Search, Searched};
