//! Strategies for projects and sources.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::project::Project;
use staleness_core::source::{Source, SourceState};

use super::ids::{project_id, source_id};
use super::{Reach, digest, maybe, number, revision, text, timestamp};

/// Generates a project.
pub fn project(reach: Reach) -> BoxedStrategy<Project> {
    record!(Project {
        id: project_id(reach),
        root: text(300),
        first_seen_at: timestamp(reach),
        last_seen_at: timestamp(reach),
        config_digest: digest(),
        told: revision(),
    })
}

/// Generates a source.
pub fn source(reach: Reach) -> BoxedStrategy<Source> {
    record!(Source {
        id: source_id(reach),
        path: text(300),
        state: select(&SourceState::ALL[..]),
        found: prop_oneof![0..3u32, Just(u32::MAX)],
        digest: digest(),
        readings: number(),
        last_read_at: maybe(timestamp(reach)),
        last_scan_at: timestamp(reach),
        error: maybe(text(Source::MAX_ERROR_CHARS)),
    })
}
