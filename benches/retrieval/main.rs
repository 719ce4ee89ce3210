//! Retrieval: how often the tool that somebody asks for is found, before and after learning.
//!
//! `cargo bench -p staleness-benches --bench retrieval` prints the figures of `docs/search.md`. With `-- --misses` it prints the test queries that are missed; with
//! `-- --tune` it measures on held-out queries of the learn split instead, which is what choices are
//! made by. Nothing is random. With the feature `local` and the folder of a model in
//! `STALENESS_TEST_MODEL` there are tables with vectors, too.

mod data;
mod figures;
#[cfg(feature = "local")]
mod meaning;
mod plain;
mod prompts;

use std::collections::BTreeSet;
use std::path::Path;

use data::{Case, Data};
use figures::{Figures, Searcher};
use staleness_core::route::{Confidence, Route, RouteId};
use staleness_core::search::{Learned, Meaning, Question, SearchIndex};

/// Learned queries for each tool.
const STEPS: [usize; 4] = [0, 1, 3, 10];

/// Our search, with every route as sure as a success makes it.
struct Ours(SearchIndex);

impl Ours {
    fn new(data: &Data, learned: &[(usize, &str)]) -> Self {
        let mut index = SearchIndex::new();
        for tool in &data.tools {
            index.put_tool(&tool.name, &tool.description);
        }
        let confidence = Confidence::new(1.0).expect("0..=1");
        for (tool, query) in learned {
            let tool = data.tools[*tool].name.clone();
            let id = RouteId::of(&tool, &Route::fold(query));
            index.put_route(&Learned { id, tool, query: (*query).into(), confidence });
        }
        Self(index)
    }
}

impl Searcher for Ours {
    fn order(&self, data: &Data, query: &str) -> Vec<usize> {
        let question = Question::new(query).expect("a question with words");
        let found = self.0.find(&question, data.tools.len(), &Meaning::default(), |_| true);
        found.matches.iter().map(|each| data.place(&each.tool)).collect()
    }
}

/// The baseline: the learned queries are added to the descriptions.
fn plain(data: &Data, learned: &[(usize, &str)]) -> plain::Bm25 {
    let mut texts: Vec<String> =
        data.tools.iter().map(|tool| format!("{} {}", tool.name, tool.description)).collect();
    for (tool, query) in learned {
        texts[*tool].push(' ');
        texts[*tool].push_str(query);
    }
    plain::Bm25::new(&texts)
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("retrieval/data");
    let data = Data::read(&folder);
    if std::env::args().any(|arg| arg == "--tune") {
        tune(&data);
        return;
    }
    println!(
        "{} tools of {} servers; {} queries, of which {} are for learning and {} for testing; \
         {} accept another tool too",
        data.tools.len(),
        data.tools.iter().map(|tool| &tool.server).collect::<BTreeSet<_>>().len(),
        data.learn.iter().map(Vec::len).sum::<usize>() + data.test.len(),
        data.learn.iter().map(Vec::len).sum::<usize>(),
        data.test.len(),
        data.ambiguous(),
    );
    let most = *STEPS.last().expect("steps");
    let well_known: BTreeSet<usize> =
        (0..data.tools.len()).filter(|tool| data.learn[*tool].len() >= most).collect();
    let of_them: Vec<&Case> =
        data.test.iter().filter(|case| well_known.contains(&case.tool)).collect();
    let all: Vec<&Case> = data.test.iter().collect();
    let few_title = format!("{} tools with 10 queries", well_known.len());
    curve(&data, "all tools", &all, &STEPS[..3]);
    curve(&data, &few_title, &of_them, &STEPS);
    unseen(&data, &all);
    prompts::table(&data, &STEPS);
    #[cfg(feature = "local")]
    if let Some(folder) = std::env::var_os("STALENESS_TEST_MODEL") {
        let groups = [("all tools", &*all, &STEPS[..3]), (&*few_title, &*of_them, &STEPS[..])];
        meaning::tables(&data, Path::new(&folder), groups);
    }
    if std::env::args().any(|arg| arg == "--misses") {
        misses(&data, &all);
    }
}

/// Prints the head of a table of searches.
fn head(title: &str, cases: usize) {
    println!("\n{title}: {cases} test queries\n");
    println!("| learned for each tool | | top-1 | top-5 | MRR | top-1, more | top-5, more |");
    println!("|---|---|---|---|---|---|---|");
}

/// Both searches after each step, on the same questions.
fn curve(data: &Data, title: &str, cases: &[&Case], steps: &[usize]) {
    head(title, cases.len());
    for step in steps {
        let learned = data.learned(*step, |_| true);
        let baseline = Figures::of(&plain(data, &learned), data, cases);
        let ours = Figures::of(&Ours::new(data, &learned), data, cases);
        println!("| {step} | BM25 over all | {baseline} | | |");
        println!("| | ours | {ours} | {} | {} |", ours.more(&baseline, 1), ours.more(&baseline, 5));
    }
}

/// True if a tool is in the half of which something is learned.
type Half = fn(&Data, usize) -> bool;

/// Prints the effect of learning on tools, or whole servers, of which nothing is learned.
fn unseen(data: &Data, cases: &[&Case]) {
    println!("\nUnseen: learned for one half, tested on the other\n");
    println!(
        "| half of the | learned for each | | top-1 | top-5 | MRR | top-1, more | top-5, more |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let halves: [(&str, Half); 2] = [
        ("tools", |data, tool| data::hash(data.tools[tool].name.as_str()).is_multiple_of(2)),
        ("servers", |data, tool| data::hash(&data.tools[tool].server).is_multiple_of(2)),
    ];
    for (name, is_seen) in halves {
        let cases: Vec<&Case> =
            cases.iter().copied().filter(|case| !is_seen(data, case.tool)).collect();
        let before = (
            Figures::of(&plain(data, &[]), data, &cases),
            Figures::of(&Ours::new(data, &[]), data, &cases),
        );
        for step in STEPS {
            let learned = data.learned(step, |tool| is_seen(data, tool));
            let baseline = Figures::of(&plain(data, &learned), data, &cases);
            let ours = Figures::of(&Ours::new(data, &learned), data, &cases);
            for (who, now, then) in
                [("BM25 over all", baseline, before.0.clone()), ("ours", ours, before.1.clone())]
            {
                println!(
                    "| {name} | {step} | {who} | {now} | {} | {} |",
                    now.more(&then, 1),
                    now.more(&then, 5)
                );
            }
        }
    }
}

/// Held-out queries of the learn split: each in turn is asked after the others were learned. The test
/// split is not looked at.
fn tune(data: &Data) {
    println!("| learned for each tool | | top-1 | top-5 | MRR |\n|---|---|---|---|---|");
    for (step, folds) in [(0, 3), (1, 3), (2, 3), (9, 10)] {
        let (mut ours, mut baseline) = (Figures::default(), Figures::default());
        for fold in 0..folds {
            let mut learned = Vec::new();
            let mut cases = Vec::new();
            for (tool, all) in data.learn.iter().enumerate() {
                let (known, asked) = if folds == 10 && all.len() < 10 {
                    (&all[..], None)
                } else {
                    (&all[..folds.min(all.len())], Some(fold))
                };
                let rest = known.iter().enumerate().filter(|(at, _)| Some(*at) != asked);
                learned.extend(rest.take(step).map(|(_, case)| (tool, case.query.as_str())));
                cases.extend(asked.map(|at| &all[at]));
            }
            baseline.add(Figures::of(&plain(data, &learned), data, &cases));
            ours.add(Figures::of(&Ours::new(data, &learned), data, &cases));
        }
        println!("| {step} | BM25 over all | {baseline} |\n| | ours | {ours} |");
    }
    // Of a half of which nothing is learned, every query of the learn split is held out.
    unseen(data, &data.learn.iter().flatten().collect::<Vec<_>>());
}

/// Prints what is not among the first five after three learned queries for each tool.
fn misses(data: &Data, cases: &[&Case]) {
    let ours = Ours::new(data, &data.learned(3, |_| true));
    for case in cases {
        let order = ours.order(data, &case.query);
        if !order.iter().take(5).any(|tool| case.accepted.contains(tool)) {
            let name = |tool: &usize| data.tools[*tool].name.as_str().to_owned();
            let first: Vec<String> = order.iter().take(3).map(name).collect();
            println!("{} | {} | {}", case.query, name(&case.tool), first.join(" "));
        }
    }
}
