//! Projects and sources.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::project::{Project, Told};
use staleness_core::source::{Source, SourceState};

use super::ids::{project_id, session_id, source_id};
use super::{Reach, digest, maybe, number, revision, text, timestamp};

/// A project.
pub fn project(reach: Reach) -> BoxedStrategy<Project> {
    let told = (revision(), maybe(session_id(reach)), revision())
        .prop_map(|(revision, session, from)| Told { revision, session, from });
    (project_id(reach), text(300), timestamp(reach), timestamp(reach), digest(), told)
        .prop_map(|(id, root, first_seen_at, last_seen_at, config_digest, told)| Project {
            id,
            root,
            first_seen_at,
            last_seen_at,
            config_digest,
            told,
        })
        .boxed()
}

/// A source.
pub fn source(reach: Reach) -> BoxedStrategy<Source> {
    (
        source_id(reach),
        text(300),
        select(&SourceState::ALL[..]),
        prop_oneof![0..3u32, Just(u32::MAX)],
        digest(),
        number(),
        maybe(timestamp(reach)),
        timestamp(reach),
    )
        .prop_map(|(id, path, state, found, digest, readings, last_read_at, last_scan_at)| Source {
            id,
            path,
            state,
            found,
            digest,
            readings,
            last_read_at,
            last_scan_at,
        })
        .boxed()
}
