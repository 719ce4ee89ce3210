//! The floor of every process: it starts and ends.

fn main() {}
