//! Labelled data sets: tool descriptions, and queries that ask for the tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use staleness::ids::ToolName;
use staleness_core::route::Route;

/// A tool with its server's description.
#[derive(Debug, Deserialize)]
struct ToolLine {
    tool: String,
    #[serde(default)]
    server: String,
    description: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Tool(ToolLine),
    Query(QueryLine),
}

#[derive(Debug, Deserialize)]
struct QueryLine {
    query: String,
    tool: String,
    /// Other tools that are also right.
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: ToolName,
    /// The server, or empty if there is none.
    pub(crate) server: String,
    pub(crate) description: String,
}

/// A query with its answer.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) query: String,
    /// The index of the tool that the query was written for.
    pub(crate) tool: usize,
    /// All tools that count as right.
    pub(crate) accepted: BTreeSet<usize>,
}

/// A data set.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) name: &'static str,
    pub(crate) tools: Vec<Tool>,
    places: BTreeMap<ToolName, usize>,
    /// Cases to learn from, by tool index, in learning order.
    pub(crate) learn: Vec<Vec<Case>>,
    /// Cases for tuning. Empty if instead each case of `learn` is asked after learning the others.
    pub(crate) choose: Vec<Case>,
    pub(crate) test: Vec<Case>,
}

/// The split of a tool's queries, in file order, which is by hash: the first for testing, the next for
/// tuning, the rest for learning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// Maximum number of queries for testing, and for tuning.
    pub(crate) asked: [usize; 2],
    /// Maximum share of a tool's queries for each of these, in tenths.
    pub(crate) tenths: usize,
}

impl Data {
    /// Reads a data set from files and splits it.
    pub(crate) fn read(name: &'static str, files: &[&str], split: Split) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("retrieval/data");
        let (mut tools, mut queries) = (Vec::new(), Vec::new());
        for line in files.iter().flat_map(|file| lines(&folder.join(file))) {
            match line {
                Line::Query(line) => queries.push(line),
                Line::Tool(ToolLine { tool, server, description }) => {
                    let name = ToolName::new(tool).expect("a valid name");
                    tools.push(Tool { name, server, description });
                }
            }
        }
        let places: BTreeMap<ToolName, usize> =
            tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        assert_eq!(places.len(), tools.len(), "a tool is there twice");
        let place = |name: String| places[&ToolName::new(name).expect("a valid name")];
        let mut by_tool: Vec<Vec<Case>> = tools.iter().map(|_| Vec::new()).collect();
        let mut seen = BTreeSet::new();
        for line in queries {
            assert!(seen.insert(Route::fold(&line.query)), "{} is there twice", line.query);
            let tool = place(line.tool);
            let accepted = line.also.into_iter().map(place).chain([tool]).collect();
            by_tool[tool].push(Case { query: line.query, tool, accepted });
        }
        let (mut learn, mut choose, mut test) = (Vec::new(), Vec::new(), Vec::new());
        for mut cases in by_tool {
            let share = (cases.len() * split.tenths + 5) / 10;
            for (asked, most) in [&mut test, &mut choose].into_iter().zip(split.asked) {
                let count = most.min(share).min(cases.len());
                asked.extend(cases.drain(..count));
            }
            learn.push(cases);
        }
        Self { name, tools, places, learn, choose, test }
    }

    /// Returns the index of a tool.
    pub(crate) fn place(&self, tool: &ToolName) -> usize {
        self.places[tool]
    }

    /// Returns the first `most` learned queries of each tool for which `wanted` returns true.
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

fn lines(file: &Path) -> Vec<Line> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let line = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(line).collect()
}
