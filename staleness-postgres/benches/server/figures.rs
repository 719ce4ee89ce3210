//! The measurements.

use std::sync::Arc;
use std::time::{Duration, Instant};

use staleness_core::ids::{OpId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Use;
use staleness_core::scan::ProjectRef;
use staleness_core::time::Timestamp;
use staleness_core::{BlockingRegistry, Policy, Registry};
use staleness_postgres::{OpenOptions, PostgresStore};

use crate::race::{Samples, race, timed};
use crate::ratios::{Goal, Row, print};
use crate::raw::{Raw, RawUse};
use crate::support::Database;
use crate::support::proxy::Proxy;
use crate::support::scan::{TOOLS, scan, tool};
use crate::support::server::Server;
use crate::support::sql::Sql;

/// Clients that work at the same time, and how many more.
const CLIENTS: [usize; 2] = [8, 64];

/// How far a server is, each way, when round trips are counted.
const FAR: Duration = Duration::from_millis(2);

/// Milliseconds of the first use.
const START: i64 = 1_790_000_000_000;

/// How much is measured.
struct Size {
    rounds: usize,
    /// Outcomes of one client in a turn.
    turn: usize,
    /// Outcomes of each of many clients.
    each: usize,
    /// Outcomes in the store beforehand.
    before: usize,
}

fn place() -> ProjectRef {
    ProjectRef::of_root("/bench/project")
}

fn registry(url: &str) -> BlockingRegistry {
    let store = PostgresStore::open(url, OpenOptions::new().connections(1)).expect("a store");
    Registry::new(Arc::new(store), Policy::default()).blocking()
}

/// Scatters uses over the tools.
const fn scattered(number: usize) -> usize {
    number.wrapping_mul(7_919) % TOOLS
}

fn used(op: &str, number: usize) -> Use {
    Use::new(
        OpId::new(format!("{op}-{number:012}")).expect("an id"),
        ToolName::new(tool(scattered(number)).0).expect("a name"),
        OutcomeKind::Success,
        Timestamp::from_millis(START + number as i64),
        place(),
    )
}

fn raw_used(op: &str, number: usize) -> RawUse {
    let (tool, server) = tool(scattered(number));
    RawUse {
        project: place().id.to_string(),
        tool,
        server,
        op: format!("{op}-{number:012}"),
        at: START + number as i64,
    }
}

fn fill(registry: &BlockingRegistry, outcomes: usize) {
    let all: Vec<usize> = (0..outcomes.max(TOOLS)).collect();
    for part in all.chunks(2_000) {
        let uses = part.iter().map(|number| used("seed", *number)).collect();
        registry.record_all(uses).expect("they are recorded");
    }
}

/// Two databases in which the same has happened, one for us and one for the raw driver.
struct Arena {
    ours: Database,
    raw: Database,
    size: Size,
    next: usize,
}

impl Arena {
    /// Numbers of uses that nobody has recorded.
    fn next(&mut self, count: usize) -> std::ops::Range<usize> {
        self.next += count;
        self.next - count..self.next
    }

    fn one_client(&mut self, rows: &mut Vec<Row>) {
        let (registry, raw) = (registry(self.ours.url()), Raw::open(self.raw.url()));
        let turn = self.size.turn;
        let rounds = self.size.rounds;
        let arena = std::cell::RefCell::new(self);
        let [floor, ours] = race(
            rounds,
            [
                &mut || {
                    let uses: Vec<_> =
                        arena.borrow_mut().next(turn).map(|at| raw_used("raw", at)).collect();
                    timed(|| uses.iter().for_each(|each| raw.record(each)))
                },
                &mut || {
                    let uses: Vec<_> =
                        arena.borrow_mut().next(turn).map(|at| used("ours", at)).collect();
                    timed(|| {
                        for each in uses {
                            registry.record_quietly(each).expect("it is recorded");
                        }
                    })
                },
            ],
        );
        let work = "one outcome per commit, one client";
        rows.push(Row::of(work, &floor, &ours, turn, Goal::Share(0.85)));
    }

    /// How long so many clients take together, and each outcome of them.
    fn crowd<C: Send>(
        &mut self,
        clients: Vec<C>,
        record: impl Fn(&C, usize) + Sync,
    ) -> (f64, Samples) {
        let each = self.size.each;
        let shares: Vec<_> = clients.iter().map(|_| self.next(each)).collect();
        let begun = Instant::now();
        let waits: Vec<Vec<f64>> = std::thread::scope(|scope| {
            let record = &record;
            let work = |(client, share): (C, std::ops::Range<usize>)| {
                scope.spawn(move || share.map(|at| timed(|| record(&client, at))).collect())
            };
            let threads: Vec<_> = clients.into_iter().zip(shares).map(work).collect();
            threads.into_iter().map(|thread| thread.join().expect("a client")).collect()
        });
        let whole = begun.elapsed().as_secs_f64();
        let mut samples = Samples::default();
        waits.into_iter().flatten().for_each(|wait| samples.push(wait));
        (whole, samples)
    }

    fn many_clients(&mut self, clients: usize, rows: &mut Vec<Row>) {
        let (mut floors, mut all) = (Samples::default(), Samples::default());
        let (mut longest, mut raw_longest, mut p99) = (0_f64, 0_f64, 0_f64);
        let before = self.outcomes();
        for round in 0..self.size.rounds.div_ceil(3) {
            let crew: Vec<Raw> = (0..clients).map(|_| Raw::open(self.raw.url())).collect();
            let op = format!("raw{clients}-{round}");
            let (whole, waits) = self.crowd(crew, |raw, at| raw.record(&raw_used(&op, at)));
            floors.push(whole);
            raw_longest = raw_longest.max(waits.quantile(1.0));
            let crew: Vec<_> = (0..clients).map(|_| registry(self.ours.url())).collect();
            let op = format!("ours{clients}-{round}");
            let (whole, waits) = self.crowd(crew, |registry, at| {
                registry.record_quietly(used(&op, at)).expect("it is recorded");
            });
            all.push(whole);
            (longest, p99) = (longest.max(waits.quantile(1.0)), p99.max(waits.p99()));
        }
        let recorded = clients * self.size.each;
        let rounds = self.size.rounds.div_ceil(3);
        assert_eq!(self.outcomes(), before + (recorded * rounds) as i64, "an update was lost");
        let work = format!("the same, {clients} clients");
        rows.push(Row::of(work, &floors, &all, recorded, Goal::Share(0.85)));
        let work = format!("the longest wait of {clients} clients");
        rows.push(Row::new(work, raw_longest, longest, Goal::Open));
        let work = format!("99 of 100 outcomes of {clients} clients, at most");
        rows.push(Row::new(work, f64::NAN, p99, Goal::Open));
    }

    /// How many outcomes there are; as many as the tools count uses, if none was lost.
    fn outcomes(&self) -> i64 {
        let sql = Sql::connect(self.ours.url()).expect("a connection");
        let outcomes = sql.number("SELECT count(*) FROM staleness.outcomes");
        assert_eq!(sql.number("SELECT sum(uses)::int8 FROM staleness.tools"), outcomes);
        outcomes
    }

    /// Round trips: what a road of a known length adds.
    fn trips(&mut self, server: &Server) {
        let road = Proxy::new(&server.socket(), FAR, None);
        let far_url = road.url(self.ours.url());
        let (near, far) = (registry(self.ours.url()), registry(&far_url));
        let sql = Sql::connect(&far_url).expect("a connection");
        let rounds = self.size.rounds * 4;
        let median = |work: &mut dyn FnMut()| {
            let mut samples = Samples::default();
            (0..rounds + 3).map(|_| timed(&mut *work)).skip(3).for_each(|time| samples.push(time));
            samples.median()
        };
        let trip = median(&mut || sql.run("SELECT 1").expect("an answer"));
        let mut next = self.next(100_000).cycle();
        let mut told = |what: &str, work: &mut dyn FnMut(&BlockingRegistry, usize)| {
            let mut of = |registry| median(&mut || work(registry, next.next().unwrap_or_default()));
            let (here, there) = (of(&near), of(&far));
            println!("{what}: {:.2} round trips of {:.1} ms", (there - here) / trip, trip * 1e3);
        };
        told("an outcome", &mut |registry, at| {
            registry.record_quietly(used("trip", at)).expect("it is recorded");
        });
        assert_eq!(scan(&near, &place(), START), TOOLS);
        told(
            "a scan of 10,000 tools, nothing changed, with what it reads before",
            &mut |registry, at| {
                assert_eq!(scan(registry, &place(), START + at as i64), 0);
            },
        );
        let url = far_url.as_str();
        let opened = median(&mut || drop(registry(url)));
        let here = median(&mut || drop(registry(self.ours.url())));
        println!("to open, with a password: {:.2} round trips", (opened - here) / trip);
    }

    fn sizes(&self) {
        let sql = Sql::connect(self.ours.url()).expect("a connection");
        for table in ["outcomes", "tools", "journal", "sources", "projects"] {
            let of = |what: &str| sql.number(&format!("SELECT {what} FROM staleness.{table}"));
            sql.run(&format!("VACUUM FULL staleness.{table}")).expect("room");
            let rows = of("count(*)").max(1);
            let total = sql.number(&format!("SELECT pg_total_relation_size('staleness.{table}')"));
            let indexes = sql.number(&format!("SELECT pg_indexes_size('staleness.{table}')"));
            println!(
                "{table}: {rows} rows of {} bytes, {} of them in indexes",
                total / rows,
                indexes / rows
            );
        }
        let log = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8";
        let begun = sql.number(log);
        let registry = registry(self.ours.url());
        for at in 0..1_000 {
            registry.record_quietly(used("log", at)).expect("it is recorded");
        }
        println!("the server's log: {} bytes for each outcome", (sql.number(log) - begun) / 1_000);
    }
}

/// Measures everything, or `one` client alone, and prints it.
pub(crate) fn measure(quick: bool, one: bool) {
    let server = Server::private();
    // The tests do without what makes a crash harmless.
    let sql = Sql::connect(server.url()).expect("a connection");
    for setting in ["fsync = on", "full_page_writes = on"] {
        sql.run(&format!("ALTER SYSTEM SET {setting}")).expect("a setting");
    }
    sql.run("SELECT pg_reload_conf()").expect("a signal");
    drop(sql);
    let size = if quick {
        Size { rounds: 1, turn: 20, each: 3, before: TOOLS }
    } else {
        Size { rounds: 15, turn: 300, each: 40, before: 200_000 }
    };
    let next = size.before.max(TOOLS);
    let arena = Arena { ours: server.database(), raw: server.database(), size, next };
    let mut arena = arena;
    for database in [&arena.ours, &arena.raw] {
        let begun = timed(|| fill(&registry(database.url()), arena.size.before));
        eprintln!("{} outcomes in {begun:.1} s", arena.size.before);
        Sql::connect(database.url()).and_then(|sql| sql.run("VACUUM ANALYZE")).expect("room");
    }
    let mut rows = Vec::new();
    arena.one_client(&mut rows);
    if one {
        return print(&rows);
    }
    for clients in CLIENTS {
        arena.many_clients(clients, &mut rows);
    }
    print(&rows);
    println!();
    arena.trips(&server);
    arena.sizes();
}
