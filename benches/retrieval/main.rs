//! Measures how often the requested tool is found, before and after learning.
//!
//! `cargo bench -p staleness-benches --bench retrieval` prints the figures of `docs/accuracy.md` and
//! `docs/search.md`. `-- --misses` prints the test queries that are missed. `-- --tune` measures on held-out
//! queries instead, for tuning. Nothing is random. With the feature `local` and a model's folder in
//! `STALENESS_TEST_MODEL`, tables with vectors are printed too.

mod data;
mod figures;
#[cfg(feature = "local")]
mod meaning;
mod ours;
mod plain;
mod prompts;

use std::collections::BTreeSet;
#[cfg(feature = "local")]
use std::path::Path;

use staleness_benches::chance::hash;

use data::{Case, Data};
use figures::{Figures, Searcher};
use ours::{Ours, halves, sets};
use plain::Bm25;

/// Numbers of learned queries per tool.
const STEPS: [usize; 4] = [0, 1, 3, 10];

fn main() {
    let sets = sets();
    let is_asked = |flag: &str| std::env::args().any(|arg| arg == flag);
    if is_asked("--tune") {
        tune(&sets);
        return;
    }
    for set in &sets {
        let learned: usize = set.learn.iter().map(Vec::len).sum();
        let [tools, test] = [set.tools.len(), set.test.len()];
        println!("{}: {tools} tools; {learned} queries for learning, {test} for testing", set.name);
    }
    head("The learning curve");
    for set in &sets {
        let all: Vec<&Case> = set.test.iter().collect();
        let most = if set.name == "own" { 3 } else { STEPS.len() };
        curve(set, set.name, &all, &STEPS[..most]);
    }
    let own = &sets[0];
    let all: Vec<&Case> = own.test.iter().collect();
    let few = well_known(own);
    curve(own, "own, the 60", &few, &STEPS);
    unseen(&sets, |set| set.test.iter().collect());
    several(&sets);
    prompts::table(own, &STEPS);
    #[cfg(feature = "local")]
    if let Some(folder) = std::env::var_os("STALENESS_TEST_MODEL") {
        let groups = [("all tools", &*all, &STEPS[..3]), ("the 60", &*few, &STEPS[..])];
        meaning::tables(own, Path::new(&folder), groups);
    }
    if is_asked("--misses") {
        misses(own, &all);
    }
}

/// Returns the test queries of tools with enough queries for the last step.
fn well_known(data: &Data) -> Vec<&Case> {
    let most = *STEPS.last().expect("steps");
    let known: BTreeSet<usize> =
        (0..data.tools.len()).filter(|tool| data.learn[*tool].len() >= most).collect();
    data.test.iter().filter(|case| known.contains(&case.tool)).collect()
}

/// Prints the heading of the curves.
fn head(title: &str) {
    println!("\n{title}. Top-1 | top-5; more: than the better baseline\n");
    println!(
        "| set | learned for each tool | BM25, top-1 | top-5 | without stop words | top-5 | ours | top-5 \
         | top-1, more | top-5, more |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
}

/// Runs all searches after the same lessons on the same questions: two baselines, and ours.
fn searches(data: &Data, learned: &[(usize, &str)], cases: &[&Case]) -> [Figures; 3] {
    [
        Figures::of(&Bm25::new(data, learned, false), data, cases),
        Figures::of(&Bm25::new(data, learned, true), data, cases),
        Figures::of(&Ours::new(data, learned), data, cases),
    ]
}

/// Prints one line of a curve.
fn line(title: &str, step: usize, [plain, strict, ours]: [Figures; 3]) {
    let more = |most: usize| {
        let better = if plain.top(most) > strict.top(most) { &plain } else { &strict };
        ours.more(better, most)
    };
    println!("| {title} | {step} | {plain} | {strict} | {ours} | {} | {} |", more(1), more(5));
}

/// Prints the results of all searches after each step.
fn curve(data: &Data, title: &str, cases: &[&Case], steps: &[usize]) {
    for step in steps {
        line(title, *step, searches(data, &data.learned(*step, |_| true), cases));
    }
}

/// Prints the effect of learning on tools, or whole servers, of which nothing is learned.
fn unseen(sets: &[Data], cases: impl Fn(&Data) -> Vec<&Case>) {
    println!(
        "\nUnseen: learned for one half, tested on the other. Top-1 | top-5; change: by learning\n"
    );
    println!(
        "| set | half of the | learned for each | BM25 | top-5 | ours | top-5 | top-1, change \
         | top-5, change |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for data in sets {
        for (name, is_seen, cases, before) in halves(data, &cases(data)) {
            for step in STEPS {
                let learned = data.learned(step, |tool| is_seen(data, tool));
                let [plain, _, ours] = searches(data, &learned, &cases);
                let change = |most: usize| ours.more(&before, most);
                let set = data.name;
                println!(
                    "| {set} | {name} | {step} | {plain} | {ours} | {} | {} |",
                    change(1),
                    change(5)
                );
            }
        }
    }
}

/// Prints how many of the wanted tools are among the first ten for questions that join four test queries.
fn several(sets: &[Data]) {
    const COUNT: usize = 4;
    println!("\nFour requests in one question: % of their tools among the first ten\n");
    println!("| set | learned for each tool | BM25 without stop words | ours |\n|---|---|---|---|");
    for (data, step) in sets.iter().flat_map(|set| [0, 3].map(|step| (set, step))) {
        let case = |number: usize| {
            let number = hash(number.to_string().bytes()) as usize;
            &data.test[number % data.test.len()]
        };
        let learned = data.learned(step, |_| true);
        let found = |search: &dyn Searcher| {
            let hits = |at: usize| {
                let cases: Vec<&Case> = (0..COUNT).map(|each| case(at * COUNT + each)).collect();
                let queries: Vec<&str> = cases.iter().map(|case| case.query.trim()).collect();
                let order = search.order(data, &queries.join([" and ", ", then ", ". "][at % 3]));
                let is_found =
                    |case: &&&Case| order.iter().take(10).any(|it| case.accepted.contains(it));
                cases.iter().filter(is_found).count()
            };
            100.0 * (0..300).map(hits).sum::<usize>() as f64 / (300 * COUNT) as f64
        };
        let [strict, ours] =
            [found(&Bm25::new(data, &learned, true)), found(&Ours::new(data, &learned))];
        println!("| {} | {step} | {strict:.1} | {ours:.1} |", data.name);
    }
}

/// Prints results for held-out queries. Does not use the test queries.
fn tune(sets: &[Data]) {
    head("Held out");
    for set in sets {
        if !set.choose.is_empty() {
            curve(set, set.name, &set.choose.iter().collect::<Vec<_>>(), &STEPS);
            continue;
        }
        // Ask each learning query after learning the others.
        for (step, folds) in [(0, 3), (1, 3), (2, 3), (9, 10)] {
            let mut all: [Figures; 3] = Default::default();
            for fold in 0..folds {
                let (mut learned, mut cases) = (Vec::new(), Vec::new());
                for (tool, queries) in set.learn.iter().enumerate() {
                    let (known, asked) = if folds == 10 && queries.len() < 10 {
                        (&queries[..], None)
                    } else {
                        (&queries[..folds.min(queries.len())], Some(fold))
                    };
                    let rest = known.iter().enumerate().filter(|(at, _)| Some(*at) != asked);
                    learned.extend(rest.take(step).map(|(_, case)| (tool, case.query.as_str())));
                    cases.extend(asked.map(|at| &queries[at]));
                }
                let found = searches(set, &learned, &cases);
                all.iter_mut().zip(found).for_each(|(all, found)| all.add(found));
            }
            line(set.name, step, all);
        }
    }
    unseen(sets, |set| {
        // For a half without learning, all its learning queries are held out.
        let held_out =
            if set.choose.is_empty() { set.learn.iter().flatten() } else { [].iter().flatten() };
        held_out.chain(&set.choose).collect()
    });
}

/// Prints the queries with no right tool among the first five, after three learned queries per tool.
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
