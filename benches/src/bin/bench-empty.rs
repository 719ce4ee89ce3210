//! The floor of every process: it starts and ends.

fn main() {
    staleness_benches::process::tell_peak();
}
