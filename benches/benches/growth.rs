//! Growth: what each verb costs from 100 to 1,000,000 outcomes, and as many tools up to 100,000.
//!
//! `cargo bench -p staleness-benches --bench growth [-- --quick]` draws the plots in `docs/plots`; a
//! short run leaves them alone.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use staleness::ids::{Level, SourceId};
use staleness::registry::ToolListing;
use staleness::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness::source::SourceState;
use staleness::store::Selection;
use staleness::{BlockingRegistry, Timestamp, transfer};
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Row, keep};
use staleness_benches::svg::{Series, plot};
use staleness_benches::{START, fill, plots, registry, rounds, uses};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const MOST_TOOLS: usize = 100_000;
const VERBS: [(&str, &str); 5] = [
    ("record", "recording one outcome"),
    ("scan", "a scan in which nothing changed"),
    ("rank", "the best 20 of all tools"),
    ("list", "listing all tools"),
    ("export", "exporting everything"),
];

/// A registry that grows.
struct Growing {
    registry: BlockingRegistry,
    place: ProjectRef,
    outcomes: usize,
    now: Timestamp,
}

impl Growing {
    fn grow(&mut self, outcomes: usize) {
        // Of the tools that are known at the end of each decade, each was used as often.
        let tools = outcomes.min(MOST_TOOLS);
        fill(&self.registry, &self.place, tools, self.outcomes..outcomes);
        self.outcomes = outcomes;
    }

    fn record(&mut self) -> f64 {
        let tools = self.outcomes.min(MOST_TOOLS);
        self.outcomes += 1;
        let range = self.outcomes - 1..self.outcomes;
        let used = uses(&self.place, "one", tools, range).next().expect("a use");
        timed(|| self.registry.record_quietly(used).expect("it is recorded"))
    }

    /// One source that lists 12 servers.
    fn scan(&self) -> f64 {
        let reading = SourceReading {
            id: SourceId {
                project: None,
                client: "bench".into(),
                level: Level::User,
                part: "mcp".into(),
            },
            path: "bench".into(),
            state: SourceState::Read,
            root_is_there: true,
            error: None,
            found: (0..12).filter_map(|at| Found::server(&format!("server{at}"))).collect(),
        };
        timed(|| {
            let scan = Scan {
                project: self.place.clone(),
                sources: vec![reading],
                indexes: Vec::new(),
                read_under: self.registry.readings(&self.place.id).expect("readings"),
                at: self.now,
                session: None,
                client: None,
            };
            self.registry.apply_scan(scan).expect("a scan")
        })
    }

    fn rank(&self) -> f64 {
        timed(|| self.registry.rank(&self.place, 20, self.now).expect("a ranking"))
    }

    fn list(&self) -> f64 {
        let all = ToolListing::default();
        timed(|| self.registry.list(&self.place, all, self.now).expect("a list"))
    }

    fn export(&self) -> f64 {
        let mut lines = Vec::new();
        let mut bytes = 0;
        timed(|| {
            let visited = self.registry.pages(&Selection::everything(), &mut |page| {
                lines.clear();
                transfer::append_lines(&page, &mut lines);
                bytes += lines.len();
                ControlFlow::Continue(())
            });
            visited.expect("an export");
            bytes
        })
    }
}

fn measure(backend: &str, verbs: &mut BTreeMap<&str, Vec<Series>>) {
    let dir = tempfile::tempdir().expect("a folder");
    let url = format!("{backend}:{}", dir.path().join("registry.db").display());
    let growing = RefCell::new(Growing {
        registry: registry(&url),
        place: ProjectRef::of_root("/bench/project"),
        outcomes: 0,
        now: Timestamp::from_millis(START + 1_000_000_000),
    });
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 3)) {
        let filled = timed(|| growing.borrow_mut().grow(size));
        growing.borrow().scan();
        let turns = if size < 100_000 { 11 } else { 3 };
        let [scan, rank, list, export] = race(
            rounds(turns, 1),
            [
                &mut || growing.borrow().scan(),
                &mut || growing.borrow().rank(),
                &mut || growing.borrow().list(),
                &mut || growing.borrow().export(),
            ],
        );
        let [record] = race(rounds(201, 3), [&mut || growing.borrow_mut().record()]);
        let medians = [record, scan, rank, list, export].map(|samples| samples.median());
        eprintln!("{backend}, {size}: filled in {filled:.1} s, {medians:?}");
        for ((verb, _), median) in VERBS.into_iter().zip(medians) {
            points.entry(verb).or_default().push((size as f64, median));
        }
    }
    for (verb, points) in points {
        verbs.entry(verb).or_default().push(Series { name: backend.into(), points });
    }
}

fn main() {
    let mut verbs = BTreeMap::new();
    for backend in ["sqlite", "redb"] {
        measure(backend, &mut verbs);
    }
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    let mut rows = Vec::new();
    for (verb, what) in VERBS {
        let series = &verbs[verb];
        let size = if matches!(verb, "rank" | "list") {
            "outcomes, and tools up to 100,000"
        } else {
            "outcomes"
        };
        let svg = plot(what, size, series);
        std::fs::write(folder.join(format!("{verb}.svg")), svg).expect("a plot");
        for each in series {
            rows.push(Row::of_growth(format!("{}: growth of {what}", each.name), &each.points));
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "growth", &rows);
}
