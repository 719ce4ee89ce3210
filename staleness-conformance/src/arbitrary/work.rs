//! Strategies for work items, sessions and cursors.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::session::{Cursor, Session};
use staleness_core::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

use super::ids::{agent_id, cursor_key, session_id, session_key, work_key};
use super::{Reach, longest, maybe, revision, text, timestamp};

/// Generates a work item. The state need not be valid for the kind.
pub fn work(reach: Reach) -> BoxedStrategy<Work> {
    let longest = longest(reach);
    let claim = record!(Claim {
        agent: agent_id(reach),
        session: maybe(session_id(reach)),
        at: timestamp(reach),
        until: timestamp(reach),
    });
    let step = record!(WorkStep { text: text(longest), at: timestamp(reach) });
    record!(Work {
        key: work_key(reach),
        kind: select(&WorkKind::ALL[..]),
        status: select(&WorkStatus::ALL[..]),
        before: maybe(select(&WorkStatus::ALL[..])),
        text: text(longest),
        author: maybe(text(20)),
        from: maybe(text(20)),
        to: maybe(text(20)),
        note: select(&NoteType::ALL[..]),
        generated: any::<bool>(),
        by_person: any::<bool>(),
        created_at: timestamp(reach),
        updated_at: timestamp(reach),
        expires_at: maybe(timestamp(reach)),
        refs: referred(),
        after: referred(),
        claim: maybe(claim),
        steps: prop::collection::vec(step, 0..4),
    })
}

/// Generates ids to which work refers, often from a small pool.
pub(crate) fn referred() -> BoxedStrategy<BTreeSet<String>> {
    let id = prop_oneof![2 => select(vec!["x", "y", "[]"]).prop_map(String::from), 1 => text(20)];
    prop::collection::btree_set(id, 0..4).boxed()
}

/// Generates a session.
pub fn session(reach: Reach) -> BoxedStrategy<Session> {
    record!(Session {
        key: session_key(reach),
        agent: agent_id(reach),
        started_at: timestamp(reach),
        ended_at: maybe(timestamp(reach)),
        from_revision: revision(),
        first_contact: any::<bool>(),
        told_at: maybe(timestamp(reach)),
    })
}

/// Generates a cursor.
pub fn cursor(reach: Reach) -> BoxedStrategy<Cursor> {
    record!(Cursor {
        key: cursor_key(reach),
        revision: revision(),
        session: maybe(session_id(reach)),
        moved_at: timestamp(reach),
    })
}
