//! A scan of very many tools.

#![allow(dead_code, reason = "no test uses all of it")]

use staleness_core::ids::{Level, SourceId, ToolName};
use staleness_core::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::time::Timestamp;
use staleness_core::tool::ToolKind;
use staleness_core::{Registry, Wait};

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
        SourceReading {
            id: SourceId {
                project: None,
                client: "claude-code".into(),
                level: Level::User,
                part: format!("part{number}"),
            },
            path: format!("/home/{number}"),
            state: SourceState::Read,
            root_is_there: true,
            error: None,
            found: found.collect(),
        }
    };
    let scan = Scan {
        read_under: registry.tools().readings(&project.id).wait().expect("readings"),
        sources: (0..SOURCES).map(source).collect(),
        project: project.clone(),
        indexes: Vec::new(),
        at: Timestamp::from_millis(at),
        session: None,
        client: None,
    };
    registry.tools().apply_scan(scan).wait().expect("it is applied").added.len()
}
