//! Scans of many tools, and what is seen before it is decided what they change.

use std::collections::BTreeMap;
use std::sync::Arc;

use staleness::ids::{Level, SourceId};
use staleness::scan::{ApplyScan, Found, ProjectRef, Scan, SourceReading};
use staleness::source::SourceState;
use staleness::store::View;
use staleness::{Registry, Timestamp};

use crate::START;

/// A scan of one source that lists the tools with these numbers.
///
/// # Panics
/// Never: the names are valid.
#[must_use]
pub fn scan_of(place: &ProjectRef, tools: impl Iterator<Item = usize>) -> Scan {
    let id = SourceId {
        project: None,
        client: "bench".into(),
        level: Level::Live,
        part: "tools".into(),
    };
    let found = tools
        .filter_map(|at| Found::server_tool(&format!("server{}", at % 12), &format!("tool{at}")));
    let reading = SourceReading {
        id,
        path: "live".into(),
        state: SourceState::Read,
        root_is_there: true,
        error: None,
        found: found.collect(),
    };
    Scan {
        project: place.clone(),
        sources: vec![reading],
        indexes: Vec::new(),
        read_under: BTreeMap::new(),
        at: Timestamp::from_millis(START + 1_000),
        session: None,
        client: None,
    }
}

/// What the step sees when it has looked as often as it wants.
///
/// # Panics
/// When the store reports an error.
#[must_use]
pub fn seen(registry: &Registry, step: &ApplyScan) -> View {
    let preview = staleness::store::Preview(Arc::new(ApplyScan { scan: step.scan.clone() }));
    pollster::block_on(registry.store().view(Arc::new(preview))).expect("a view")
}
