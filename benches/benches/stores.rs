//! Stores: outcomes per second against raw programs that read and write the same rows of files of
//! the same form, behind the same lock, with the same durability (of redb: the last sync is owed).
//!
//! `cargo bench -p staleness-benches --bench stores [-- --quick]`

use std::path::Path;
use std::process::Command;

use staleness::scan::ProjectRef;
use staleness_benches::process::Crew;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::raw::redb::RawRedb;
use staleness_benches::raw::sqlite::RawSqlite;
use staleness_benches::raw::{RawUse, Reads};
use staleness_benches::{fill, record, registry, rounds, twin, uses};

/// A backend with how much of it is measured: outcomes per turn, one at a time and per process.
struct Backend {
    name: &'static str,
    turn: usize,
    each: usize,
    /// Outcomes of the large store.
    large: usize,
}

const BACKENDS: [Backend; 2] = [
    Backend { name: "sqlite", turn: 1_000, each: 500, large: 1_000_000 },
    Backend { name: "redb", turn: 50, each: 50, large: 1_000_000 },
];
const PROCESSES: usize = 8;
const BATCH: usize = 1_000;

/// A raw store of either backend.
enum Raw {
    Sqlite(RawSqlite),
    Redb(RawRedb),
}

impl Raw {
    fn open(backend: &str, path: &Path) -> Self {
        match backend {
            "sqlite" => Self::Sqlite(RawSqlite::open(path)),
            _ => Self::Redb(RawRedb::open(path)),
        }
    }

    fn record(&mut self, uses: &[RawUse], reads: Reads) {
        match self {
            Self::Sqlite(store) => store.record(uses, reads),
            Self::Redb(store) => store.record(uses, reads),
        }
    }
}

/// Two stores of one size, one for us and one for raw programs.
struct Arena<'a> {
    backend: &'a Backend,
    place: ProjectRef,
    tools: usize,
    size: String,
    ours: String,
    raw: String,
    next: usize,
}

impl Arena<'_> {
    /// Makes the numbers of the next uses.
    fn next(&mut self, count: usize) -> std::ops::Range<usize> {
        self.next += count;
        self.next - count..self.next
    }

    fn raw_uses(&self, range: std::ops::Range<usize>) -> Vec<RawUse> {
        range.map(|at| RawUse::new(self.place.id.as_str(), "raw", self.tools, at)).collect()
    }

    fn work(&self, what: &str) -> String {
        format!("{}: {what}, {}", self.backend.name, self.size)
    }

    fn one_process(&mut self, rows: &mut Vec<Row>) {
        let registry = registry(&self.ours);
        let path = self.raw.split_once(':').expect("a URL").1.to_owned();
        let path = Path::new(&path);
        let turn = self.backend.turn;
        let arena = std::cell::RefCell::new(self);
        let (mut same, mut least) = (
            Raw::open(arena.borrow().backend.name, path),
            Raw::open(arena.borrow().backend.name, path),
        );
        let raw = |store: &mut Raw, reads| {
            let range = arena.borrow_mut().next(turn);
            let uses = arena.borrow().raw_uses(range);
            timed(|| uses.iter().for_each(|each| store.record(std::slice::from_ref(each), reads)))
        };
        let ours = || {
            let range = arena.borrow_mut().next(turn);
            let arena = arena.borrow();
            let uses: Vec<_> = uses(&arena.place, "ours", arena.tools, range).collect();
            timed(|| {
                for each in uses {
                    registry.record_quietly(each).expect("it is recorded");
                }
            })
        };
        let [same_times, least_times, ours] = race(
            rounds(21, 1),
            [&mut || raw(&mut same, Reads::Same), &mut || raw(&mut least, Reads::Least), &mut {
                ours
            }],
        );
        let arena = arena.into_inner();
        let work = arena.work("one outcome per commit");
        rows.push(Row::of(work, &same_times, &ours, turn, Goal::Share(0.85)));
        let work = arena.work("the same against the fewest reads");
        rows.push(Row::of(work, &least_times, &ours, turn, Goal::Open));
    }

    fn batches(&mut self, rows: &mut Vec<Row>) {
        let registry = registry(&self.ours);
        let path = self.raw.split_once(':').expect("a URL").1.to_owned();
        let mut store = Raw::open(self.backend.name, Path::new(&path));
        let arena = std::cell::RefCell::new(self);
        let ours = |told: bool| {
            let range = arena.borrow_mut().next(BATCH);
            let arena = arena.borrow();
            let uses = uses(&arena.place, "ours", arena.tools, range).collect();
            timed(|| match told {
                true => drop(registry.record_all(uses).expect("they are recorded")),
                false => record(&registry, uses),
            })
        };
        let raw = || {
            let range = arena.borrow_mut().next(BATCH);
            let uses = arena.borrow().raw_uses(range);
            timed(|| store.record(&uses, Reads::Same))
        };
        let [raw, quiet, told] =
            race(rounds(31, 1), [&mut { raw }, &mut || ours(false), &mut || ours(true)]);
        let arena = arena.into_inner();
        let work = arena.work("1,000 outcomes per commit, each");
        rows.push(Row::of(work, &raw, &quiet, BATCH, Goal::Share(0.8)));
        let work = arena.work("the same with reports");
        rows.push(Row::of(work, &raw, &told, BATCH, Goal::Open));
    }

    fn processes(&mut self, rows: &mut Vec<Row>) {
        let each = self.backend.each;
        let mut run = 0;
        let mut crew = |side: &str, url: &str| {
            run += 1;
            let worker = |number: usize| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_bench-worker"));
                command.args([side, url, &self.place.root, &format!("{side}{run}-{number}")]);
                command.args([self.tools.to_string(), each.to_string()]);
                command
            };
            Crew::ready((0..PROCESSES).map(worker)).work()
        };
        let crew = std::cell::RefCell::new(&mut crew);
        let [raw, ours] = race(
            rounds(9, 1),
            [&mut || crew.borrow_mut()("raw", &self.raw), &mut || {
                crew.borrow_mut()("ours", &self.ours)
            }],
        );
        let work = self.work("one outcome per commit, eight processes");
        rows.push(Row::of(work, &raw, &ours, PROCESSES * each, Goal::Share(0.85)));
    }
}

fn main() {
    let mut rows = Vec::new();
    for backend in &BACKENDS {
        for (tools, outcomes) in [(20, 200), (10_000, rounds(backend.large, 10_000))] {
            let dir = tempfile::tempdir().expect("a folder");
            let store = dir.path().join("registry.db");
            let place = ProjectRef::of_root("/bench/project");
            let url = |path: &Path| format!("{}:{}", backend.name, path.display());
            let begun = timed(|| fill(&registry(&url(&store)), &place, tools, 0..outcomes));
            let size = if tools == 20 { "small" } else { "large" };
            eprintln!("{}, {size}: {outcomes} outcomes in {begun:.1} s", backend.name);
            let mut arena = Arena {
                backend,
                place,
                tools,
                size: size.into(),
                ours: url(&store),
                raw: url(&twin(&store)),
                next: outcomes,
            };
            arena.one_process(&mut rows);
            arena.processes(&mut rows);
            arena.batches(&mut rows);
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "stores", &rows);
}
