//! Measures outcomes per second, one per commit, in an open store: SQLite with one and with eight processes,
//! and redb. The floors are raw programs that read and write the same rows behind the same lock.
//!
//! Our redb store opens the database for each step to let other processes work, and so does its floor.
//!
//! `cargo bench -p staleness-benches --bench stores [-- --quick]`

use staleness::Wait;
use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;

use staleness::scan::ProjectRef;
use staleness_benches::process::Crew;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::raw::RawUse;
use staleness_benches::raw::redb::RawRedb;
use staleness_benches::raw::sqlite::RawSqlite;
use staleness_benches::site::Site;
use staleness_benches::{rounds, twin, uses};

const TOOLS: usize = 10_000;
const OUTCOMES: usize = 100_000;
const PROCESSES: usize = 8;
/// Number of outcomes that each process records per turn.
const EACH: usize = 250;

/// A store, and the number of the next use to record.
struct Arena {
    site: Site,
    place: ProjectRef,
    next: Cell<usize>,
}

impl Arena {
    fn new(backend: &'static str) -> Self {
        let site = Site::new(backend, env!("CARGO_BIN_EXE_bench-hook"));
        let outcomes = rounds(OUTCOMES, TOOLS);
        site.fill(TOOLS, outcomes);
        Self { place: site.place(), site, next: Cell::new(outcomes) }
    }

    fn next(&self, count: usize) -> Range<usize> {
        let from = self.next.replace(self.next.get() + count);
        from..from + count
    }

    /// Returns the seconds in which a raw program records `turn` uses.
    fn raw(&self, turn: usize, record: impl FnMut(&RawUse)) -> f64 {
        let make = |at| RawUse::new(self.place.id.as_str(), "raw", TOOLS, at);
        let uses: Vec<RawUse> = self.next(turn).map(make).collect();
        timed(|| uses.iter().for_each(record))
    }

    /// Returns a contestant that records `turn` uses through the registry.
    fn ours(&self, turn: usize) -> impl FnMut() -> f64 {
        let registry = self.site.registry();
        move || {
            let uses: Vec<_> = uses(&self.place, "ours", TOOLS, self.next(turn)).collect();
            timed(|| {
                for each in uses {
                    registry.tools().record_quietly(each).wait().expect("it is recorded");
                }
            })
        }
    }

    /// Returns the seconds in which eight processes record their uses concurrently.
    fn crew(&self, side: &str, store: &PathBuf) -> f64 {
        let run = self.next(1).start;
        let worker = |number: usize| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_bench-worker"));
            command.arg(side).arg(store).arg(&self.place.root);
            command.arg(format!("{side}{run}-{number}"));
            command.args([TOOLS.to_string(), EACH.to_string()]);
            command
        };
        Crew::ready((0..PROCESSES).map(worker)).work()
    }
}

fn sqlite(rows: &mut Vec<Row>) {
    const TURN: usize = 1_000;
    let arena = Arena::new("sqlite");
    let raw = twin(&arena.site.store());
    let mut store = RawSqlite::open(&raw);
    let [floor, ours] = race(
        rounds(21, 1),
        [&mut || arena.raw(TURN, |each| store.record(each)), &mut arena.ours(TURN)],
    );
    let work = "SQLite: one outcome per commit";
    rows.push(Row::of(work, &floor, &ours, TURN, Goal::Share(0.85)));
    drop(store);
    let [floor, ours] = race(
        rounds(9, 1),
        [&mut || arena.crew("raw", &raw), &mut || arena.crew("ours", &arena.site.store())],
    );
    let work = "SQLite: one outcome per commit, eight processes";
    rows.push(Row::of(work, &floor, &ours, PROCESSES * EACH, Goal::Share(0.85)));
}

fn redb(rows: &mut Vec<Row>) {
    const TURN: usize = 50;
    let arena = Arena::new("redb");
    let raw = twin(&arena.site.store());
    let store = RawRedb::new(&raw);
    let [floor, ours] = race(
        rounds(21, 1),
        [&mut || arena.raw(TURN, |each| store.record(each)), &mut arena.ours(TURN)],
    );
    let work = "redb: one outcome per commit, store held open";
    rows.push(Row::of(work, &floor, &ours, TURN, Goal::Share(0.8)));
}

fn main() {
    let mut rows = Vec::new();
    sqlite(&mut rows);
    redb(&mut rows);
    keep(env!("CARGO_TARGET_TMPDIR"), "stores", &rows);
}
