//! Registries of a given size.

use std::fs;
use std::path::{Path, PathBuf};

use staleness::ids::{Level, OpId, SourceId, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::Use;
use staleness::scan::{Found, ProjectRef};
use staleness::{Registry, Timestamp, Wait};
use staleness_conformance::support;

/// The time at which benchmarks begin, in milliseconds.
pub const START: i64 = 1_790_000_000_000;

/// Opens or creates the registry at a URL such as `sqlite:/path`.
pub fn registry(url: &str) -> Registry {
    staleness::open(url).expect("the registry opens")
}

/// Applies a scan of one global source.
pub fn scan(
    registry: &Registry,
    project: ProjectRef,
    (level, part): (Level, &str),
    found: Vec<Found>,
    at: Timestamp,
) {
    let id = SourceId { project: None, client: "bench".into(), level, part: part.into() };
    support::scan(registry, project, [(id, found)], at).expect("a scan");
}

/// Generates uses of `tools` MCP tools of 12 servers in turn, all successful, one per second. Their ids begin
/// with `op`.
pub fn uses<'a>(
    project: &'a ProjectRef,
    op: &'a str,
    tools: usize,
    range: std::ops::Range<usize>,
) -> impl Iterator<Item = Use> + use<'a> {
    range.map(move |at| {
        let tool = at % tools;
        Use::new(
            OpId::new(format!("{op}-{at:012}")).expect("a valid id"),
            ToolName::new(format!("mcp__server{}__tool{tool}", tool % 12)).expect("a valid name"),
            OutcomeKind::Success,
            Timestamp::from_millis(START + at as i64 * 1_000),
            project.clone(),
        )
    })
}

/// Records the uses `range` of `tools` tools in batches.
pub fn fill(
    registry: &Registry,
    project: &ProjectRef,
    tools: usize,
    range: std::ops::Range<usize>,
) {
    for from in range.clone().step_by(2_000) {
        let some = uses(project, "seed", tools, from..(from + 2_000).min(range.end));
        registry.tools().record_all(some.collect()).wait().expect("uses are recorded");
    }
}

/// Copies a closed store, including its log.
pub fn twin(store: &Path) -> PathBuf {
    let to = store.with_extension("twin");
    fs::copy(store, &to).expect("the store is copied");
    let beside = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    // Delete the log of an earlier copy.
    let _ = fs::remove_file(beside(&to));
    if beside(store).exists() {
        fs::copy(beside(store), beside(&to)).expect("the log is copied");
    }
    to
}
