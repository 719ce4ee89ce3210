//! Prints one table of what the other benches measured last.
//!
//! `cargo bench -p staleness-benches` runs it after them: benches run in the order of their names. A short run
//! measures nothing, and prints no table here.

use staleness_benches::quick;
use staleness_benches::ratios::{print, read};

fn main() {
    if !quick() {
        println!();
        print(&read(env!("CARGO_TARGET_TMPDIR")));
    }
}
