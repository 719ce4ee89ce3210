//! Our search on the sets.

use staleness_benches::chance::hash;
use staleness_core::route::{Confidence, Route, RouteId};
use staleness_core::search::{Meaning, Question, SearchIndex};

use crate::data::{Case, Data, Split};
use crate::figures::{Figures, Searcher};

/// Our search, with every route as sure as a success makes it.
pub(crate) struct Ours(SearchIndex);

impl Ours {
    pub(crate) fn new(data: &Data, learned: &[(usize, &str)]) -> Self {
        let mut index = SearchIndex::new();
        for tool in &data.tools {
            index.put_tool(&tool.name, &tool.description);
        }
        let confidence = Confidence::new(1.0).expect("0..=1");
        for (tool, query) in learned {
            let tool = &data.tools[*tool].name;
            let id = RouteId::of(tool, &Route::fold(query));
            index.put_route(id, tool, query, confidence);
        }
        Self(index)
    }

    /// Ranks by words and, where there are cosines, by meaning.
    pub(crate) fn find(&self, data: &Data, query: &str, meaning: &Meaning) -> Vec<usize> {
        let question = Question::new(query).expect("a question with words");
        let found = self.0.find(&question, data.tools.len(), meaning, |_| true);
        found.matches.iter().map(|each| data.place(&each.tool)).collect()
    }
}

impl Searcher for Ours {
    fn order(&self, data: &Data, query: &str) -> Vec<usize> {
        self.find(data, query, &Meaning::default())
    }
}

/// The sets, the project's own first.
pub(crate) fn sets() -> [Data; 3] {
    let own = Split { asked: [4, 0], tenths: 10 };
    let split = |asked| Split { asked: [asked; 2], tenths: 3 };
    [
        Data::read("own", &["tools.jsonl", "queries.jsonl"], own),
        Data::read("metatool", &["metatool.jsonl"], split(8)),
        Data::read("functions", &["functions.jsonl"], split(5)),
    ]
}

/// Returns true if a tool is in the half of which something is learned.
pub(crate) type Half = fn(&Data, usize) -> bool;

/// The ways in which a set is cut into halves, by tools and by servers where it has some: each with the cases
/// of the half of which nothing is learned, and what is found of them before.
pub(crate) fn halves<'a>(
    data: &'a Data,
    cases: &[&'a Case],
) -> impl Iterator<Item = (&'static str, Half, Vec<&'a Case>, Figures)> {
    let has_servers = data.tools.iter().any(|tool| !tool.server.is_empty());
    let halves: [(&str, Half); 2] = [
        ("tools", |data, tool| hash(data.tools[tool].name.as_str().bytes()).is_multiple_of(2)),
        ("servers", |data, tool| hash(data.tools[tool].server.bytes()).is_multiple_of(2)),
    ];
    let halves = halves.into_iter().filter(move |(name, _)| has_servers || *name == "tools");
    halves.map(|(name, is_seen)| {
        let unseen = cases.iter().copied().filter(|case| !is_seen(data, case.tool));
        let unseen: Vec<&Case> = unseen.collect();
        let before = Figures::of(&Ours::new(data, &[]), data, &unseen);
        (name, is_seen, unseen, before)
    })
}
