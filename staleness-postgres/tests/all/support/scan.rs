//! A scan of very many tools.

#![allow(dead_code, reason = "no test uses all of it")]

use staleness_core::ids::{Level, SourceId, ToolName};
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::tool::ToolKind;
use staleness_core::{Registry, Timestamp};

/// The number of tools.
pub(crate) const TOOLS: usize = 10_000;

/// The sources that list them, and the servers that have them.
const SOURCES: usize = 12;

/// The name of a tool, and the server that has it.
pub(crate) fn tool(number: usize) -> (String, String) {
    let server = format!("server{}", number % SOURCES);
    (format!("mcp__{server}__tool{number}"), server)
}

/// Applies a scan of a project in which every source lists its tools; how many of those were new.
pub(crate) fn scan(registry: &Registry, project: &ProjectRef, at: i64) -> usize {
    let source = |number: usize| {
        let found = (number..TOOLS).step_by(SOURCES).map(|number| {
            Found::new(ToolName::new(tool(number).0).expect("a name"), ToolKind::McpTool)
        });
        let (client, part) = ("claude-code".into(), format!("part{number}"));
        (SourceId { project: None, client, level: Level::User, part }, found.collect())
    };
    let (sources, at) = ((0..SOURCES).map(source), Timestamp::from_millis(at));
    let scan = staleness_conformance::support::scan(registry, project.clone(), sources, at);
    scan.expect("it is applied").added.len()
}
