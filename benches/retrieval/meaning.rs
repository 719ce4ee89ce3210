//! Searches with vectors: by cosine only, and combined with words.

use std::collections::HashMap;
use std::path::Path;

use staleness_core::route::{Route, RouteId, Vector};
use staleness_core::search::Meaning;
use staleness_embed::{Embedder, LocalEmbedder};

use crate::Ours;
use crate::data::{Case, Data};
use crate::figures::{Figures, Searcher};

/// The vectors of all texts in the set.
#[derive(Debug)]
struct Vectors<'a> {
    of: HashMap<&'a str, Vector>,
    tools: Vec<Vector>,
}

impl<'a> Vectors<'a> {
    fn new(data: &'a Data, model: &dyn Embedder) -> Self {
        let embed = |texts: &[&str]| -> Vec<Vector> {
            texts.chunks(32).flat_map(|some| model.embed(some).expect("vectors")).collect()
        };
        let described: Vec<String> =
            data.tools.iter().map(|tool| format!("{}: {}", tool.name, tool.description)).collect();
        let described: Vec<&str> = described.iter().map(String::as_str).collect();
        let learned = data.learn.iter().flatten();
        let queries: Vec<&str> = learned.chain(&data.test).map(|case| &*case.query).collect();
        let of = queries.iter().copied().zip(embed(&queries)).collect();
        Self { of, tools: embed(&described) }
    }

    fn cosine(&self, query: &str, other: &Vector) -> f64 {
        self.of[query].cosine(other).expect("vectors of one model")
    }
}

/// Ranks by cosine only: of the description, and of the nearest learned query.
struct Alone<'a>(&'a Vectors<'a>, &'a [(usize, &'a str)]);

impl Searcher for Alone<'_> {
    fn order(&self, _: &Data, query: &str) -> Vec<usize> {
        let Self(vectors, learned) = self;
        let mut scores: Vec<f64> =
            vectors.tools.iter().map(|tool| vectors.cosine(query, tool)).collect();
        for (tool, text) in *learned {
            scores[*tool] = scores[*tool].max(vectors.cosine(query, &vectors.of[text]));
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }
}

/// Our search with the cosines of learned queries from the store and, if the caller has them, of the
/// descriptions.
struct Blend<'a> {
    ours: Ours,
    vectors: &'a Vectors<'a>,
    learned: &'a [(usize, &'a str)],
    described: bool,
}

impl Searcher for Blend<'_> {
    fn order(&self, data: &Data, query: &str) -> Vec<usize> {
        let mut meaning = Meaning::default();
        for (tool, text) in self.learned {
            let name = &data.tools[*tool].name;
            let cosine = self.vectors.cosine(query, &self.vectors.of[text]);
            meaning.routes.push((RouteId::of(name, &Route::fold(text)), cosine));
        }
        if self.described {
            let tools = data.tools.iter().zip(&self.vectors.tools);
            let cosines =
                tools.map(|(tool, vector)| (tool.name.clone(), self.vectors.cosine(query, vector)));
            meaning.tools = cosines.collect();
        }
        self.ours.find(data, query, &meaning)
    }
}

/// A title, its questions, and the numbers of learned queries to measure at.
type Group<'a> = (&'a str, &'a [&'a Case], &'a [usize]);

/// Prints the tables for the model in `folder`.
pub(crate) fn tables(data: &Data, folder: &Path, groups: [Group<'_>; 2]) {
    let model = LocalEmbedder::open(folder).expect("a model");
    let vectors = Vectors::new(data, &model);
    println!("\nWith vectors of {}", model.model());
    for (title, cases, steps) in groups {
        println!("\n{title}: {} test queries\n", cases.len());
        println!("| learned for each tool | | top-1 | top-5 | top-1, more | top-5, more |");
        println!("|---|---|---|---|---|---|");
        for step in steps {
            let learned = data.learned(*step, |_| true);
            let words = Figures::of(&Ours::new(data, &learned), data, cases);
            let alone = Figures::of(&Alone(&vectors, &learned), data, cases);
            let blend = |described: bool| {
                let ours = Ours::new(data, &learned);
                let blend = Blend { ours, vectors: &vectors, learned: &learned, described };
                Figures::of(&blend, data, cases)
            };
            let (queries, all) = (blend(false), blend(true));
            println!("| {step} | words | {words} | | |");
            for (who, figures) in [
                ("vectors alone", alone),
                ("words and learned queries' vectors", queries),
                ("words and all vectors", all),
            ] {
                let (first, five) = (figures.more(&words, 1), figures.more(&words, 5));
                println!("| | {who} | {figures} | {first} | {five} |");
            }
        }
    }
}
