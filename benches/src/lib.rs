//! Shared parts of the benchmarks: registries of a given size, and medians.

use std::path::Path;

use staleness::ids::{OpId, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::Use;
use staleness::scan::ProjectRef;
use staleness::{BlockingRegistry, Timestamp};

/// The time at which the benchmarks begin.
pub const START: i64 = 1_790_000_000_000;

/// Opens, or creates, the SQLite registry at `path`.
///
/// # Panics
/// When it cannot be opened: a benchmark has no use for an error.
#[must_use]
pub fn registry(path: &Path) -> BlockingRegistry {
    staleness::open(&format!("sqlite:{}", path.display())).expect("the registry opens").blocking()
}

/// Uses of `tools` distinct MCP tools of 12 servers, round robin, all successes, one a second.
///
/// # Panics
/// Never: the names are valid.
pub fn uses(
    project: &ProjectRef,
    tools: usize,
    range: std::ops::Range<usize>,
) -> impl Iterator<Item = Use> + '_ {
    range.map(move |at| {
        let tool = at % tools;
        Use::new(
            OpId::new(format!("seed-{at}")).expect("a valid id"),
            ToolName::new(format!("mcp__server{}__tool{tool}", tool % 12)).expect("a valid name"),
            OutcomeKind::Success,
            Timestamp::from_millis(START + at as i64 * 1_000),
            project.clone(),
        )
    })
}

/// Records `outcomes` uses of `tools` tools in batches.
///
/// # Panics
/// When the registry reports an error.
pub fn fill(registry: &BlockingRegistry, project: &ProjectRef, tools: usize, outcomes: usize) {
    let mut from = 0;
    while from < outcomes {
        let to = (from + 2_000).min(outcomes);
        registry.record_all(uses(project, tools, from..to).collect()).expect("uses are recorded");
        from = to;
    }
}

/// The value below which the share `q` of the sorted samples lies.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
}
