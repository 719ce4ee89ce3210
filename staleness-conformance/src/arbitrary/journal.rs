//! Strategies for the journal.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};

use super::ids::{
    agent_id, client_id, item_key, op_id, project_id, session_id, tool_key, work_key,
};
use super::{Reach, maybe, number, scope, text, timestamp};

/// Generates a revision.
pub fn revision() -> BoxedStrategy<Revision> {
    number().prop_map(Revision).boxed()
}

/// Generates any subject of a journal entry.
pub fn subject(reach: Reach) -> BoxedStrategy<Subject> {
    let tool = tool_key(reach).prop_map(|key| Subject::tool(&key));
    let project = project_id(reach).prop_map(|id| Subject::project(&id));
    let item = item_key(reach).prop_map(|key| Subject::item(&key));
    let work = work_key(reach).prop_map(|key| Subject::work(&key));
    match reach {
        Reach::Pool => prop_oneof![3 => tool, 1 => project, 1 => item, 1 => work].boxed(),
        Reach::Wide => {
            let kind = select(&SubjectKind::ALL[..]);
            let other = record!(Subject { kind: kind, scope: scope(reach), id: text(40) });
            prop_oneof![tool, project, item, work, other].boxed()
        }
    }
}

/// Generates an entry that is not stored yet.
pub fn journal_entry(reach: Reach) -> BoxedStrategy<JournalEntry> {
    record!(JournalEntry {
        revision: Just(Revision(0)),
        index: Just(0),
        at: timestamp(reach),
        subject: subject(reach),
        action: select(&Action::ALL[..]),
        from: maybe(text(20)),
        to: maybe(text(20)),
        cause: text(60),
        note: maybe(text(300)),
        session: maybe(session_id(reach)),
        actor: maybe(agent_id(reach)),
        op: maybe(op_id(reach)),
        clients: prop::collection::vec(client_id(reach), 0..3),
    })
}
