//! The tables of outcomes and of the journal: append-only except for pruning.

use super::blobs::{credits_from_bytes, credits_to_bytes};
use super::{Bad, Cell, Cells, Kind, Record};
use crate::ids::ToolKey;
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::outcome::{Mark, Outcome};

columns! {
    "outcomes": Outcome, key 1, |row|
    [
        seq number = row.seq;
        identity copy = Cell::bits(row.identity());
        scope scope = row.tool.scope;
        tool id = row.tool.name;
        server maybe_id = row.server;
        mark parsed(Mark::from_word) = row.mark.as_str();
        at time = row.at;
        project id = row.project;
    ]
    [
        op id = row.op;
        credits blob(credits_from_bytes) = credits_to_bytes(&row.credits);
        session maybe_id = row.session;
        agent maybe_id = row.agent;
        client maybe_id = row.client;
        duration_ms maybe_bits = row.duration_ms;
    ]
    Self {
        tool: ToolKey { scope, name: tool },
        seq, server, mark, at, project, op, credits, session, agent, client, duration_ms,
    }
}

columns! {
    "journal": JournalEntry, key 2, |row|
    [
        revision number = row.revision.0;
        idx small = row.index;
        kind parsed(SubjectKind::from_word) = row.subject.kind.as_str();
        scope scope = row.subject.scope;
        subject string = row.subject.id;
        op maybe_id = row.op;
    ]
    [
        at time = row.at;
        action parsed(Action::from_word) = row.action.as_str();
        before maybe_string = row.from;
        after maybe_string = row.to;
        cause string = row.cause;
        note maybe_string = row.note;
        session maybe_id = row.session;
        actor maybe_id = row.actor;
        clients list = row.clients;
    ]
    Self {
        revision: Revision(revision),
        index: idx,
        subject: Subject { kind, scope, id: subject },
        from: before,
        to: after,
        op, at, action, cause, note, session, actor, clients,
    }
}
