//! What reads, writes or removes everything: exporting a store, importing it into an empty one, verifying it, and
//! pruning its outcomes and routes, at 100 to 1,000,000 of them.
//!
//! `cargo bench -p staleness-benches --bench bulk [-- --quick]` draws a plot in `docs/plots`; a short run leaves it
//! alone. A full run holds the export of 1,000,000 outcomes, some 400 MB.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness::policy::Policy;
use staleness::scan::ProjectRef;
use staleness::store::Selection;
use staleness::time::DAY;
use staleness::{BlockingRegistry, Timestamp, transfer};
use staleness_benches::race::{Samples, timed};
use staleness_benches::ratios::{Row, keep};
use staleness_benches::routes::fill_routes;
use staleness_benches::svg::{Series, plot};
use staleness_benches::{START, fill, plots, quick, rounds};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const VERBS: [&str; 5] = ["export", "import", "verify", "prune outcomes", "prune routes"];
const TOOLS: usize = 500;

/// A registry that keeps as many routes as it is given, and no outcome for being new.
fn registry(url: &str) -> BlockingRegistry {
    let store = Arc::clone(staleness::open(url).expect("the registry opens").store());
    let mut policy = Policy::default();
    policy.routes.max_routes = 2_000_000;
    policy.outcomes.keep_newest = 0;
    staleness::Registry::new(store, policy).blocking()
}

fn export(registry: &BlockingRegistry) -> Vec<u8> {
    let mut lines = Vec::new();
    let visited = registry.pages(&Selection::everything(), &mut |page| {
        transfer::append_lines(&page, &mut lines);
        ControlFlow::Continue(())
    });
    visited.expect("an export");
    lines
}

fn import(registry: &BlockingRegistry, lines: &str) {
    let mut importer = registry.importer(false).expect("an empty store");
    for line in lines.lines() {
        importer.put(transfer::record_of(line).expect("a record")).expect("it is written");
    }
    importer.finish().expect("an import");
}

/// How long each verb takes in a new store of so many outcomes, and then as many routes.
fn once(backend: &str, size: usize) -> [f64; 5] {
    let dir = tempfile::tempdir().expect("a folder");
    let url = |name: &str| format!("{backend}:{}", dir.path().join(name).display());
    let project = ProjectRef::of_root("/bench/project");
    let (store, empty) = (registry(&url("one.db")), registry(&url("two.db")));
    fill(&store, &project, TOOLS.min(size), 0..size);
    let mut lines = Vec::new();
    let exported = timed(|| lines = export(&store));
    let lines = String::from_utf8(lines).expect("text");
    let imported = timed(|| import(&empty, &lines));
    assert!(export(&empty) == lines.as_bytes(), "what is imported is what was exported");
    let verified = timed(|| store.check().expect("a sound store"));
    let later = Timestamp::from_millis(START + 3_000 * DAY);
    let outcomes = timed(|| {
        let report = store.prune_outcomes(later, false).expect("it prunes");
        assert_eq!(report.removed, size as u64);
    });
    fill_routes(&store, &project, 0..size, |at| if at % 2 == 0 { 0.9 } else { 0.05 });
    let soon = Timestamp::from_millis(START + 2_000_000);
    let routes = timed(|| {
        let report = store.prune_routes(&project.id, soon, false).expect("it prunes");
        assert_eq!(report.removed.len(), size / 2);
    });
    [exported, imported, verified, outcomes, routes]
}

fn measure(backend: &str) -> Vec<Series> {
    let named = |verb| Series { name: format!("{verb}, {backend}"), points: Vec::new() };
    let mut all: Vec<Series> = VERBS.into_iter().map(named).collect();
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 2)) {
        let turns = if quick() || size >= 100_000 { 1 } else { 5 };
        let mut samples = [const { Samples::new() }; 5];
        for _ in 0..turns {
            samples.iter_mut().zip(once(backend, size)).for_each(|(all, time)| all.push(time));
        }
        for (series, samples) in all.iter_mut().zip(&samples) {
            series.points.push((size as f64, samples.median()));
        }
        eprintln!("{backend}, {size}: {:.4?}", samples.map(|samples| samples.median()));
    }
    all
}

fn main() {
    let series = ["sqlite", "redb"].map(measure).concat();
    let svg = plot("everything, by its size", "outcomes, routes", &series);
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("bulk.svg"), svg).expect("a plot");
    let row = |each: &Series| Row::of_growth(format!("growth of {}", each.name), &each.points);
    let rows: Vec<Row> = series.iter().map(row).collect();
    keep(env!("CARGO_TARGET_TMPDIR"), "bulk", &rows);
}
