//! Measures search: tools by words, the best routes by meaning, and knowledge items.
//!
//! `cargo bench -p staleness-benches --bench search [-- --quick]`

use staleness::Wait;
use std::hint::black_box;

use staleness::ids::{Caller, ToolName};
use staleness::knowledge::{Context, Item};
use staleness::registry::FindTools;
use staleness_benches::chance::words as any_words;
use staleness_benches::knowledge::items;
use staleness_benches::process::run;
use staleness_benches::put::put;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::site::Site;
use staleness_benches::{QUESTION, rounds};
use staleness_conformance::disk::Draws;
use staleness_core::knowledge::RecallIndex;
use staleness_core::policy::KnowledgePolicy;
use staleness_core::route::{Confidence, RouteId, Vector};
use staleness_core::search::{Meaning, Question, SearchIndex};

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
const MANY: usize = 10_000;
const ROUTES: usize = 5_000;
const DIMENSIONS: usize = 384;
/// Number of tools with routes.
const TOOLS: usize = 500;

fn name(at: usize) -> ToolName {
    ToolName::new(format!("mcp__server{}__tool{at}", at % 12)).expect("a valid name")
}

/// Measures suggest and discover over tools with descriptions of twenty words, in an open registry with a
/// warm index.
fn words(rows: &mut Vec<Row>) {
    let site = Site::new("sqlite", CLI);
    let mut draws = Draws(7);
    let texts: Vec<(ToolName, String)> =
        (0..MANY).map(|at| (name(at), any_words(&mut draws, 20))).collect();
    let lines: Vec<String> = texts
        .iter()
        .map(|(name, words)| {
            format!(r#"{{"type":"tool","name":"{name}","description":"{words}"}}"#)
        })
        .collect();
    site.import(&lines);
    let (place, now) = (site.place(), staleness::clock::now());
    // An open registry keeps its index between questions.
    let registry = staleness::open(&site.url()).expect("the registry opens");
    let find = || FindTools::by_words(QUESTION, 10);
    let read = || {
        let bytes = texts.iter().flat_map(|(_, words)| words.bytes());
        timed(|| black_box(bytes.filter(|byte| *byte == b' ').count()))
    };
    let [floor, suggested, discovered] = race(
        rounds(51, 3),
        [
            &mut || read(),
            &mut || timed(|| registry.tools().suggest(&place, find(), now).wait().expect("tools")),
            &mut || timed(|| registry.tools().discover(&place, find(), now).wait().expect("tools")),
        ],
    );
    let within = Goal::Within(5e-3);
    rows.push(Row::of("search: suggest, 10,000 tools, warm", &floor, &suggested, 1, within));
    rows.push(Row::of("search: discover, 10,000 tools, warm", &floor, &discovered, 1, within));
}

fn unit(draws: &mut Draws) -> Vec<f32> {
    let numbers: Vec<f32> =
        (0..DIMENSIONS).map(|_| draws.below(2_001) as f32 / 1_000.0 - 1.0).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.iter().map(|number| number / length).collect()
}

/// Returns a vector with a cosine of 0 to 0.7 to `asked`, similar to sentences.
fn near(asked: &[f32], draws: &mut Draws) -> Vec<f32> {
    let share = draws.below(1_000) as f32 / 1_000.0;
    let sum: Vec<f32> =
        unit(draws).iter().zip(asked).map(|(own, asked)| own + share * asked).collect();
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    sum.iter().map(|number| number / length).collect()
}

/// Measures the search for the best route of each tool among a project's vectors, by meaning and confidence.
/// The floor computes the dot products and keeps the largest.
fn routes(rows: &mut Vec<Row>) {
    let mut draws = Draws(3);
    let asked = unit(&mut draws);
    let (mut index, mut vectors) = (SearchIndex::new(), Vec::new());
    for at in 0..TOOLS {
        index.put_tool(&name(at), &any_words(&mut draws, 20));
    }
    for at in 0..ROUTES {
        let (tool, query) = (name(at * TOOLS / ROUTES), any_words(&mut draws, 6));
        let id = RouteId::of(&tool, &query);
        let sure = 0.5 + draws.below(500) as f64 / 1_000.0;
        let confidence = Confidence::new(sure).expect("a share");
        index.put_route(id, &tool, &query, confidence);
        let row = near(&asked, &mut draws);
        vectors.push((id, Vector::F32(row.as_slice().into())));
    }
    let question = Question::new("something unheard of").expect("a question");
    let vector = Vector::F32(asked.as_slice().into());
    let dots = || vectors.iter().filter_map(|(_, row)| vector.cosine(row)).fold(f64::MIN, f64::max);
    let best = || {
        let cosine = |(id, row): &(RouteId, Vector)| Some((*id, vector.cosine(row)?));
        let routes = vectors.iter().filter_map(cosine).collect();
        let meaning = Meaning { routes, ..Meaning::default() };
        index.find_routes(&question, 10, &meaning, |_| true).1.len()
    };
    let [floor, ours] =
        race(rounds(101, 5), [&mut || timed(|| black_box(dots())), &mut || timed(best)]);
    let work = "search: best routes among 5,000 × 384 × f32";
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Times(2.0)));
}

/// Measures recall among items of about 300 bytes, with an index in memory and as a whole process.
fn recalls(rows: &mut Vec<Row>) {
    let site = Site::new("sqlite", CLI);
    let now = staleness::clock::now();
    let items = items(&site.place(), MANY, now);
    put(&site.registry(), items.clone());
    let all: Vec<&Item> = items.iter().collect();
    let index = RecallIndex::new(&all);
    let context = Context::new(now, &KnowledgePolicy::default(), Caller::default());
    let asked = "how is the ledger of invoices migrated";
    let [warm] = race(
        rounds(51, 3),
        [&mut || timed(|| index.recall(&all, black_box(asked), &[], &context, 10).len())],
    );
    let args = ["knowledge", "recall", asked, "--json", "--peek"];
    let [cold] = race(rounds(21, 1), [&mut || run(&mut site.cli(&args), "")]);
    for (work, ours, most) in [("warm", warm, 5e-3), ("cold process", cold, 60e-3)] {
        let work = format!("search: recall among 10,000 items, {work}");
        rows.push(Row::new(work, f64::NAN, ours.median(), Goal::Within(most)));
    }
}

fn main() {
    let mut rows = Vec::new();
    words(&mut rows);
    routes(&mut rows);
    recalls(&mut rows);
    keep(env!("CARGO_TARGET_TMPDIR"), "search", &rows);
}
