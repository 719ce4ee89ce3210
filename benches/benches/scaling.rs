//! Scaling: what is decided in memory, from 100 to 1,000,000 rows: scores of items, what follows from each
//! other, recall, searching vectors, searching tools by words, and what a scan changes.
//!
//! `cargo bench -p staleness-benches --bench scaling [-- --quick]` draws `docs/plots/scaling.svg`; a short
//! run leaves it alone. A full run holds 1,000,000 items and then 1,000,000 vectors, some 2 GB each.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;

use staleness::ids::ToolName;
use staleness::knowledge::{
    Context, Item, RecallIndex, SignalSet, gather_signals, recall, score_and_level_of,
};
use staleness::policy::KnowledgePolicy;
use staleness::scan::{ApplyScan, ProjectRef};
use staleness::search::{Meaning, Question, SearchIndex, ToolText, nearest};
use staleness::store::Step;
use staleness::{MemoryStore, Policy, Registry};
use staleness_benches::chance::Chance;
use staleness_benches::knowledge::items;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Row, keep};
use staleness_benches::scans::{scan_of, seen};
use staleness_benches::svg::{Series, plot};
use staleness_benches::{QUESTION, plots, quick, rounds};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const DIMENSIONS: usize = 384;
const VERBS: [&str; 7] = [
    "scores of items",
    "what follows from each other",
    "recall among items",
    "search of vectors",
    "search of tools by words",
    "diff, nothing changed",
    "diff, 200 changed",
];

/// How often something of this size is done.
fn turns(size: usize) -> usize {
    rounds(if size < 100_000 { 51 } else { 7 }, 1)
}

/// Scores, what follows from each other, and recall.
fn of_items(size: usize) -> [f64; 3] {
    let now = staleness::clock::now();
    let items = items(&ProjectRef::of_root("/bench/project"), size, now);
    let context =
        Context::new(now, &KnowledgePolicy::default(), None, None).at_version(Some("2.6.1"));
    let all: Vec<&Item> = items.iter().collect();
    let index = RecallIndex::new(&all);
    let mut signals = vec![SignalSet::default(); all.len()];
    gather_signals(&all, &mut signals, &context);
    let samples = race(
        turns(size),
        [
            &mut || {
                timed(|| {
                    let pairs = all.iter().zip(&signals);
                    let scores =
                        pairs.map(|(item, found)| score_and_level_of(item, *found, &context).0);
                    black_box(scores.sum::<f64>())
                })
            },
            &mut || {
                timed(|| {
                    let mut found = vec![SignalSet::default(); all.len()];
                    gather_signals(&all, &mut found, &context);
                    black_box(found)
                })
            },
            &mut || timed(|| recall(&index, &all, black_box(QUESTION), &[], &context, 10).len()),
        ],
    );
    samples.map(|samples| samples.median())
}

/// The best ten of vectors of 384 numbers.
fn of_vectors(size: usize) -> f64 {
    let mut chance = Chance(1);
    let mut numbers = |rows: usize| -> Vec<f32> {
        let number = |_| (chance.next() % 2_001) as f32 / 1_000.0 - 1.0;
        (0..rows * DIMENSIONS).map(number).collect()
    };
    let question = numbers(1);
    // Distinct rows in 8 MB, repeated: what is read is read from where it lies.
    let block = numbers(size.min(5_000));
    let all: Vec<f32> = block.iter().copied().cycle().take(size * DIMENSIONS).collect();
    let one = NonZeroUsize::MIN;
    let search = || nearest(&[&all], DIMENSIONS, &question, 10, one, |row| Some(row as u32)).len();
    let [samples] = race(turns(size), [&mut || timed(|| black_box(search()))]);
    samples.median()
}

/// The best ten of tools that are described in twenty words each.
fn of_tools(size: usize) -> f64 {
    let mut chance = Chance(7);
    let question = Question::new(QUESTION).expect("a question");
    let mut index = SearchIndex::new();
    for at in 0..size {
        let name = format!("mcp__server{}__tool{at}", at % 12);
        let name = ToolName::new(name).expect("a valid name");
        index.put_tool(&ToolText::new(name, Some(&chance.words(20))));
    }
    let search = || index.find(&question, 10, &Meaning::default(), |_| true).matches.len();
    let [samples] = race(turns(size), [&mut || timed(|| black_box(search()))]);
    samples.median()
}

/// What a scan of so many tools changes: nothing, and 200 of them, or all where there are fewer.
fn of_diffs(size: usize) -> [f64; 2] {
    let place = ProjectRef::of_root("/bench/project");
    let registry = Registry::new(Arc::new(MemoryStore::new()), Policy::default());
    pollster::block_on(registry.apply_scan(scan_of(&place, 0..size))).expect("a scan");
    let under = pollster::block_on(registry.readings(&place.id)).expect("readings");
    [0, 100].map(|moved| {
        let mut scan = scan_of(&place, moved..size + moved);
        scan.read_under.clone_from(&under);
        let step = ApplyScan { scan };
        let view = seen(&registry, &step);
        let decide = || step.decide(&view).expect("a decision");
        let [samples] = race(turns(size), [&mut || timed(|| black_box(decide()))]);
        samples.median()
    })
}

fn main() {
    let mut points: [Vec<(f64, f64)>; VERBS.len()] = Default::default();
    let sizes = if quick() { 2 } else { SIZES.len() };
    for size in SIZES.into_iter().take(sizes) {
        let [scores, gathered, recalled] = of_items(size);
        let [same, changed] = of_diffs(size);
        let (vectors, tools) = (of_vectors(size), of_tools(size));
        let medians = [scores, gathered, recalled, vectors, tools, same, changed];
        eprintln!("{size}: {medians:?}");
        for (points, median) in points.iter_mut().zip(medians) {
            points.push((size as f64, median));
        }
    }
    let series: Vec<Series> = VERBS
        .into_iter()
        .zip(points)
        .map(|(verb, points)| Series { name: verb.into(), points })
        .collect();
    let svg = plot("what is decided in memory", "rows", &series);
    std::fs::write(plots(env!("CARGO_TARGET_TMPDIR")).join("scaling.svg"), svg).expect("a plot");
    let row = |each: &Series| Row::of_growth(format!("growth of {}", each.name), &each.points);
    keep(env!("CARGO_TARGET_TMPDIR"), "scaling", &series.iter().map(row).collect::<Vec<_>>());
}
