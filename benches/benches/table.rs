//! Prints one table with the latest results of the other benches.
//!
//! `cargo bench -p staleness-benches` runs this last, because benches run in alphabetical order. A short run
//! measures nothing and prints no table here.

use staleness_benches::quick;
use staleness_benches::ratios::{print, read};

fn main() {
    if !quick() {
        println!();
        print(&read(env!("CARGO_TARGET_TMPDIR")));
    }
}
