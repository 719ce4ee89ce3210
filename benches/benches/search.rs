//! Search: by words over many tools, and by meaning over many vectors, against the bare dot products.
//!
//! `cargo bench -p staleness-benches --bench search [-- --quick]`. A full run holds 1,000,000 vectors of
//! 384 numbers, 1.5 GB.

use std::hint::black_box;
use std::num::NonZeroUsize;

use staleness::ids::{ModelId, ProjectId, ToolName};
use staleness::route::{Confidence, RouteId, RouteKey, RouteVector, Values, Vector, Vectors};
use staleness::search::{Component, Learned, Meaning, Question, SearchIndex, ToolText, cosines};
use staleness_benches::chance::Chance;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::{QUESTION, quick, rounds};

const DIMENSIONS: usize = 384;

fn unit<T: Component>(chance: &mut Chance) -> Vec<T> {
    let numbers: Vec<f64> =
        (0..DIMENSIONS).map(|_| (chance.next() % 2_001) as f64 / 1_000.0 - 1.0).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    numbers.iter().map(|number| T::narrow(number / length)).collect()
}

/// A vector that points more or less the way of another one, at a cosine of 0 to 0.7, as those of sentences do.
fn near(asked: &[f32], chance: &mut Chance) -> Vec<f32> {
    let share = (chance.next() % 1_000) as f32 / 1_000.0;
    let sum: Vec<f32> =
        unit::<f32>(chance).iter().zip(asked).map(|(own, asked)| own + share * asked).collect();
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    sum.iter().map(|number| number / length).collect()
}

fn name(at: usize) -> ToolName {
    ToolName::new(format!("mcp__server{}__tool{at}", at % 12)).expect("a valid name")
}

/// The floor: the dot products alone, each looked at once.
fn dots<T: Component>(rows: &[T], question: &[T]) -> f64 {
    rows.chunks_exact(DIMENSIONS).map(|row| T::dot(row, question)).fold(f64::MIN, f64::max)
}

fn vectors<T: Component>(rows: &mut Vec<Row>, what: &str, counts: &[usize]) {
    let mut chance = Chance(1);
    let question = unit::<T>(&mut chance);
    for &count in counts {
        // Distinct rows in 8 MB, repeated: what is read is read from where it lies.
        let block: Vec<T> = (0..count.min(5_000)).flat_map(|_| unit::<T>(&mut chance)).collect();
        let all: Vec<T> = block.iter().copied().cycle().take(count * DIMENSIONS).collect();
        let search = |threads: usize| {
            let threads = NonZeroUsize::new(threads).expect("some");
            let found = cosines(&[&all], DIMENSIONS, &question, threads);
            assert_eq!(black_box(found).len(), count);
        };
        // The same on two threads, each with a half of the rows.
        let (first, second) = all.split_at(count / 2 * DIMENSIONS);
        let dots_of_two = || {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| dots(second, &question));
                black_box((dots(first, &question), other.join().expect("a sum")))
            })
        };
        let rounds = if count > 100_000 { rounds(9, 2) } else { rounds(101, 5) };
        let [floor, one, floor_of_two, two] = race(
            rounds,
            [
                &mut || timed(|| black_box(dots(&all, &question))),
                &mut || timed(|| search(1)),
                &mut || timed(dots_of_two),
                &mut || timed(|| search(2)),
            ],
        );
        let work = format!("search: {count} × {DIMENSIONS} × {what}, every cosine");
        rows.push(Row::of(&work, &floor, &one, 1, Goal::Times(1.3)));
        rows.push(Row::of(
            format!("{work}, two threads"),
            &floor_of_two,
            &two,
            1,
            Goal::Times(1.3),
        ));
        let bytes = (count * DIMENSIONS * size_of::<T>()) as f64;
        let speed = |seconds: f64| bytes / seconds / 1e9;
        eprintln!(
            "{work}: floor {:.1}, one thread {:.1}; floor of two {:.1}, two {:.1} GB/s",
            speed(floor.median()),
            speed(one.median()),
            speed(floor_of_two.median()),
            speed(two.median())
        );
    }
}

/// A whole search among vectors as a store has them: the best route of each tool, by meaning and confidence,
/// and by words too where routes share any with the question (here more than half of them do). The floor knows
/// neither confidence nor words.
fn by_meaning(rows: &mut Vec<Row>) {
    let asked_by = [
        ("by vectors", "something unheard of", Goal::Times(1.3)),
        ("by words and vectors", QUESTION, Goal::Open),
    ];
    let project = ProjectId::new("p").expect("an id");
    let model = ModelId::new("m").expect("an id");
    for count in [5_000, 50_000] {
        let mut chance = Chance(3);
        let asked = unit::<f32>(&mut chance);
        let (mut index, mut vectors) = (SearchIndex::new(), Vectors::default());
        for at in 0..500 {
            index.put_tool(&ToolText::new(name(at), Some(&chance.words(20))));
        }
        let mut all: Vec<f32> = Vec::new();
        for at in 0..count {
            let (tool, query) = (name(at * 500 / count), chance.words(6));
            let id = RouteId::of(&tool, &query);
            let sure = 0.5 + (chance.next() % 500) as f64 / 1_000.0;
            let confidence = Confidence::new(sure).expect("a share");
            index.put_route(&Learned { id, tool: tool.clone(), query, confidence });
            let row = near(&asked, &mut chance);
            let vector = Vector::F32(row.as_slice().into());
            let key = RouteKey { project: project.clone(), tool, id };
            vectors.insert(&RouteVector { key, model: model.clone(), vector });
            all.extend(row);
        }
        for (what, question, goal) in asked_by {
            let question = Question::new(question).expect("a question");
            let whole = || {
                let mut meaning = Meaning::default();
                for (_, form, matrix) in vectors.matrices() {
                    let Values::F32(rows) = matrix.values() else { continue };
                    let pieces = rows.pieces();
                    let found = cosines(pieces, form.dimensions, &asked, NonZeroUsize::MIN);
                    meaning.routes.add_rows(matrix, found);
                }
                index.find_routes(&question, 10, &meaning, |_| true).1.len()
            };
            let [floor, ours] = race(
                rounds(51, 5),
                [&mut || timed(|| black_box(dots(&all, &asked))), &mut || timed(whole)],
            );
            let work = format!("search: best routes of 500 tools among {count}, {what}");
            rows.push(Row::of(work, &floor, &ours, 1, goal));
        }
    }
}

fn words(rows: &mut Vec<Row>) {
    let question = Question::new(QUESTION).expect("a question");
    for tools in [100, 1_000, 10_000] {
        let mut chance = Chance(7);
        let texts: Vec<ToolText> =
            (0..tools).map(|at| ToolText::new(name(at), Some(&chance.words(20)))).collect();
        let routes: Vec<Learned> = (0..tools.min(5_000))
            .map(|at| Learned {
                id: RouteId(at as u128),
                tool: name(at),
                query: chance.words(6),
                confidence: Confidence::ONE,
            })
            .collect();
        let build = |mut index: SearchIndex| {
            texts.iter().for_each(|text| index.put_tool(text));
            index
        };
        let whole = || {
            let mut index = build(SearchIndex::new());
            routes.iter().for_each(|route| index.put_route(route));
            index
        };
        let ask = |index: &SearchIndex| {
            black_box(index.find(&question, 10, &Meaning::default(), |_| true)).matches.len()
        };
        let index = whole();
        // The floor of building is reading every word once.
        let read = || -> usize {
            let bytes = texts.iter().flat_map(|text| &text.about).flat_map(|about| about.bytes());
            bytes.filter(|byte| *byte == b' ').count()
        };
        let [floor, warm, once, built] = race(
            rounds(51, 3),
            [
                &mut || timed(|| black_box(read())),
                &mut || timed(|| ask(&index)),
                &mut || timed(|| ask(&build(SearchIndex::for_question(&question, &routes)))),
                &mut || timed(|| black_box(whole()).tools()),
            ],
        );
        for (work, ours) in [("warm", warm), ("asked once", once), ("index built", built)] {
            let work = format!("search: {tools} tools by words, {work}");
            rows.push(Row::of(work, &floor, &ours, 1, Goal::Open));
        }
    }
}

fn main() {
    let mut rows = Vec::new();
    words(&mut rows);
    by_meaning(&mut rows);
    let most = if quick() { 50_000 } else { 1_000_000 };
    vectors::<f32>(&mut rows, "f32", &[5_000, 50_000, most]);
    vectors::<f64>(&mut rows, "f64", &[5_000, 50_000]);
    keep(env!("CARGO_TARGET_TMPDIR"), "search", &rows);
}
