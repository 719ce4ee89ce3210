//! The journal.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};

use super::ids::{agent_id, item_key, op_id, project_id, session_id, tool_key, work_key};
use super::{Reach, maybe, number, scope, text, timestamp};

/// A revision.
pub fn revision() -> BoxedStrategy<Revision> {
    number().prop_map(Revision).boxed()
}

/// A tool, a project, or anything else that a journal may speak of.
pub fn subject(reach: Reach) -> BoxedStrategy<Subject> {
    let tool = tool_key(reach).prop_map(|key| Subject::tool(&key));
    let project = project_id(reach).prop_map(|id| Subject::project(&id));
    let item = item_key(reach).prop_map(|key| Subject::item(&key));
    let work = work_key(reach).prop_map(|key| Subject::work(&key));
    match reach {
        Reach::Pool => prop_oneof![3 => tool, 1 => project, 1 => item, 1 => work].boxed(),
        Reach::Wide => {
            let other = (select(&SubjectKind::ALL[..]), scope(reach), text(40))
                .prop_map(|(kind, scope, id)| Subject { kind, scope, id });
            prop_oneof![tool, project, item, work, other].boxed()
        }
    }
}

/// An entry that is not stored yet.
pub fn journal_entry(reach: Reach) -> BoxedStrategy<JournalEntry> {
    let what = (timestamp(reach), subject(reach), select(&Action::ALL[..]));
    let why = (maybe(text(20)), maybe(text(20)), text(60), maybe(text(300)));
    let who = (maybe(session_id(reach)), maybe(agent_id(reach)), maybe(op_id(reach)));
    (what, why, who)
        .prop_map(|(what, why, who)| {
            let (at, subject, action) = what;
            let (from, to, cause, note) = why;
            let (session, actor, op) = who;
            JournalEntry {
                revision: Revision(0),
                index: 0,
                at,
                subject,
                action,
                from,
                to,
                cause,
                note,
                session,
                actor,
                op,
            }
        })
        .boxed()
}
