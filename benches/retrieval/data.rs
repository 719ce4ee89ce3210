//! The labelled set: tools as public servers describe them, and queries written for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use staleness::ids::ToolName;
use staleness_core::route::Route;

/// Queries of each tool that are kept for testing; the others are for learning.
const TESTED: usize = 4;

/// A tool, as its server describes it.
#[derive(Debug, Deserialize)]
struct ToolLine {
    tool: String,
    server: String,
    description: String,
}

/// A query and what it asks for.
#[derive(Debug, Deserialize)]
struct QueryLine {
    query: String,
    tool: String,
    /// Tools that would do as well.
    #[serde(default)]
    also: Vec<String>,
}

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: ToolName,
    pub(crate) server: String,
    pub(crate) description: String,
}

/// A query with its answer.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) query: String,
    /// The tool it was written for, by its place.
    pub(crate) tool: usize,
    /// Every tool that is right.
    pub(crate) accepted: BTreeSet<usize>,
}

/// Everything.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) tools: Vec<Tool>,
    places: BTreeMap<ToolName, usize>,
    /// Cases to learn from, by the place of the tool, in the order in which they are learned.
    pub(crate) learn: Vec<Vec<Case>>,
    pub(crate) test: Vec<Case>,
}

impl Data {
    /// Reads the set and splits it: the queries of each tool, in the order of their hashes, the last
    /// four for testing.
    ///
    /// # Panics
    /// When a file is missing or malformed, a tool unknown, or a query there twice.
    pub(crate) fn read(folder: &Path) -> Self {
        let tools: Vec<Tool> = lines::<ToolLine>(&folder.join("tools.jsonl"))
            .map(|line| Tool {
                name: ToolName::new(line.tool).expect("a valid name"),
                server: line.server,
                description: line.description,
            })
            .collect();
        let places: BTreeMap<ToolName, usize> =
            tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        assert_eq!(places.len(), tools.len(), "a tool is there twice");
        let place = |name: String| places[&ToolName::new(name).expect("a valid name")];
        let mut by_tool: Vec<Vec<Case>> = tools.iter().map(|_| Vec::new()).collect();
        let mut seen = BTreeSet::new();
        for line in lines::<QueryLine>(&folder.join("queries.jsonl")) {
            assert!(seen.insert(Route::fold(&line.query)), "{} is there twice", line.query);
            let tool = place(line.tool);
            let accepted = line.also.into_iter().map(place).chain([tool]).collect();
            by_tool[tool].push(Case { query: line.query, tool, accepted });
        }
        let (mut learn, mut test) = (Vec::new(), Vec::new());
        for mut cases in by_tool {
            cases.sort_by_cached_key(|case| hash(&Route::fold(&case.query)));
            test.extend(cases.split_off(cases.len() - TESTED));
            learn.push(cases);
        }
        Self { tools, places, learn, test }
    }

    /// The place of a tool.
    pub(crate) fn place(&self, tool: &ToolName) -> usize {
        self.places[tool]
    }

    /// Queries for which more than one tool is right.
    pub(crate) fn ambiguous(&self) -> usize {
        let all = self.learn.iter().flatten().chain(&self.test);
        all.filter(|case| case.accepted.len() > 1).count()
    }

    /// The first `most` learned queries of each tool that `wanted` lets pass.
    pub(crate) fn learned(
        &self,
        most: usize,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, &str)> {
        let tools = self.learn.iter().enumerate().filter(|(tool, _)| wanted(*tool));
        tools
            .flat_map(|(tool, cases)| {
                cases.iter().take(most).map(move |case| (tool, case.query.as_str()))
            })
            .collect()
    }
}

fn lines<T: for<'de> Deserialize<'de>>(file: &Path) -> impl Iterator<Item = T> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let all: Vec<T> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    all.into_iter()
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo): the same everywhere.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
