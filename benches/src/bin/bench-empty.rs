//! A process that starts and exits, the floor for all processes.

fn main() {}
