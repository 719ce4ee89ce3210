//! One table of the ratios that the other benches measured last.
//!
//! `cargo bench -p staleness-benches` runs it after them: benches run in the order of their names.

use staleness_benches::ratios::{print, read};

fn main() {
    println!();
    print(&read(env!("CARGO_TARGET_TMPDIR")));
}
