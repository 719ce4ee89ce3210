//! What the store costs above the raw driver, on a private server: outcomes per second, round trips, waits of
//! many clients, and bytes per row.
//!
//! `cargo bench -p staleness-postgres [-- --quick] [--one]` (one client alone); the figures of `docs/postgres.md` are those of a full run.

#[cfg(unix)]
mod figures;
#[allow(dead_code, unreachable_pub, reason = "shared with the other benches, which use all of it")]
#[path = "../../../benches/src/race.rs"]
mod race;
#[allow(dead_code, unreachable_pub, reason = "shared with the other benches, which use all of it")]
#[path = "../../../benches/src/ratios.rs"]
mod ratios;
#[cfg(unix)]
mod raw;
#[cfg(unix)]
#[path = "../../tests/all/support/mod.rs"]
mod support;

fn main() {
    #[cfg(unix)]
    {
        let is_given = |name: &str| std::env::args().any(|arg| arg == name);
        figures::measure(is_given("--quick"), is_given("--one"));
    }
}
