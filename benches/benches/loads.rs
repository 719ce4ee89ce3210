//! Loading the vectors of a project from a store that grows, 100 to 1,000,000 of 384 numbers; and learning a
//! route with a vector there, asking how long vectors are, and how many other models made.
//!
//! `cargo bench -p staleness-benches --bench loads [-- --quick]` draws a plot in `docs/plots`; a short run leaves
//! it alone. A full run holds 1.5 GB and needs as much again on disk, twice.

use staleness::Timestamp;
use staleness::ids::OpId;
use staleness::registry::Learn;
use staleness::scan::ProjectRef;
use staleness_benches::chance::Chance;
use staleness_benches::race::{Samples, timed};
use staleness_benches::ratios::{Row, keep};
use staleness_benches::routes::tool;
use staleness_benches::svg::{Series, plot};
use staleness_benches::vectors::{DIMENSIONS, fill_vectors, model, numbers};
use staleness_benches::{START, plots, roomy, rounds};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const VERBS: [&str; 4] = ["load", "learn one", "how long", "of other models"];

/// The median of some turns of what tells how long it took, after one that does not count.
fn median(turns: usize, mut time: impl FnMut() -> f64) -> f64 {
    let mut samples = Samples::new();
    time();
    (0..rounds(turns, 1)).for_each(|_| samples.push(time()));
    samples.median()
}

fn measure(backend: &str) -> Vec<Series> {
    let dir = tempfile::tempdir().expect("a folder");
    let url = format!("{backend}:{}", dir.path().join("registry.db").display());
    let project = ProjectRef::of_root("/bench/project");
    let named = |verb| Series { name: format!("{verb}, {backend}"), points: Vec::new() };
    let mut all: Vec<Series> = VERBS.into_iter().map(named).collect();
    let (mut known, mut learned) = (0, 0);
    for size in SIZES.into_iter().take(rounds(SIZES.len(), 2)) {
        let filled = timed(|| fill_vectors(&roomy(&url), &project, known..size));
        known = size;
        let turns = if size < 100_000 { 15 } else { 3 };
        // Opening the store is part of it, and giving the memory back is not.
        let loaded = median(turns, || {
            let mut vectors = None;
            let time = timed(|| vectors = Some(roomy(&url).route_vectors(&project.id, &model())));
            let vectors = vectors.expect("an answer").expect("vectors");
            assert_eq!(vectors.len(), size + learned);
            time
        });
        let registry = roomy(&url);
        let long = median(turns, || {
            timed(|| {
                let found = registry.dimensions_of(&project.id, &model()).expect("an answer");
                assert_eq!(found, Some(DIMENSIONS));
            })
        });
        let others = median(3, || {
            let mut offer = None;
            let time = timed(|| {
                offer = Some(registry.offer_to_embed(&project.id, &model()).expect("one"))
            });
            assert_eq!(offer, Some(None), "all are of this model");
            time
        });
        let learn = median(turns, || {
            learned += 1;
            let op = OpId::new(format!("learn-{learned}")).expect("a valid id");
            let time = Timestamp::from_millis(START + 10_000_000 + learned as i64);
            let mut chance = Chance(learned as u64);
            let query = format!("{} anew {learned}", chance.words(6));
            let mut learn = Learn::new(op, query, tool(learned), time);
            learn.vector = Some((model(), numbers(&mut chance)));
            timed(|| registry.learn_route(&project, learn).expect("it learns"))
        });
        let medians = [loaded, learn, long, others];
        eprintln!("{backend}, {size}: filled in {filled:.1} s, {medians:.5?}");
        for (series, median) in all.iter_mut().zip(medians) {
            series.points.push((size as f64, median));
        }
    }
    all
}

fn main() {
    let series = ["sqlite", "redb"].map(measure).concat();
    let svg = plot("vectors of a project, by their number", "vectors of 384 numbers", &series);
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("loads.svg"), svg).expect("a plot");
    let row = |each: &Series| Row::of_growth(format!("growth of {}", each.name), &each.points);
    let rows: Vec<Row> = series.iter().map(row).collect();
    keep(env!("CARGO_TARGET_TMPDIR"), "loads", &rows);
}
