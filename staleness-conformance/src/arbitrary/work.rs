//! Work items, sessions and cursors.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::session::{Cursor, Session};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};

use super::ids::{agent_id, cursor_key, session_id, session_key, work_key};
use super::{Reach, maybe, revision, text, timestamp};

/// A work item; its state need not be one of its kind.
pub fn work(reach: Reach) -> BoxedStrategy<Work> {
    let longest = match reach {
        Reach::Pool => 12,
        Reach::Wide => 300,
    };
    let state = || select(&WorkStatus::ALL[..]);
    let what =
        (work_key(reach), select(&WorkKind::ALL[..]), state(), maybe(state()), text(longest));
    let who = (maybe(text(20)), maybe(text(20)), maybe(text(20)));
    let sort = (select(&NoteType::ALL[..]), any::<bool>());
    let when = (timestamp(reach), timestamp(reach), maybe(timestamp(reach)));
    let step = (text(longest), timestamp(reach)).prop_map(|(text, at)| WorkStep { text, at });
    let lists = (referred(), prop::collection::vec(step, 0..4));
    (what, who, sort, when, lists)
        .prop_map(|(what, who, sort, when, lists)| {
            let (key, kind, status, before, text) = what;
            let (author, from, to) = who;
            let (note, generated) = sort;
            let (created_at, updated_at, expires_at) = when;
            let (refs, steps): (BTreeSet<String>, _) = lists;
            Work {
                key,
                kind,
                status,
                before,
                text,
                author,
                from,
                to,
                note,
                generated,
                created_at,
                updated_at,
                expires_at,
                refs,
                steps,
            }
        })
        .boxed()
}

/// Ids that work refers to; often some of a few.
pub(super) fn referred() -> BoxedStrategy<BTreeSet<String>> {
    let id = prop_oneof![2 => select(vec!["x", "y", "[]"]).prop_map(String::from), 1 => text(20)];
    prop::collection::btree_set(id, 0..4).boxed()
}

/// A session.
pub fn session(reach: Reach) -> BoxedStrategy<Session> {
    (
        session_key(reach),
        agent_id(reach),
        timestamp(reach),
        maybe(timestamp(reach)),
        revision(),
        any::<bool>(),
    )
        .prop_map(|(key, agent, started_at, ended_at, from_revision, first_contact)| Session {
            key,
            agent,
            started_at,
            ended_at,
            from_revision,
            first_contact,
        })
        .boxed()
}

/// A cursor.
pub fn cursor(reach: Reach) -> BoxedStrategy<Cursor> {
    (cursor_key(reach), revision(), maybe(session_id(reach)), timestamp(reach))
        .prop_map(|(key, revision, session, moved_at)| Cursor { key, revision, session, moved_at })
        .boxed()
}
