//! The tables of outcomes and of the journal: append-only except for pruning.

use super::rows::scope;
use super::{Bad, Cell, Cells, Record};
use crate::ids::ToolKey;
use crate::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use crate::outcome::{Mark, Outcome};
use crate::store::{credits_from_bytes, credits_to_bytes};

impl Record for Outcome {
    const TABLE: &'static str = "outcomes";
    const COLUMNS: &'static [&'static str] = &[
        "seq",
        "identity",
        "scope",
        "tool",
        "server",
        "mark",
        "at",
        "project",
        "op",
        "credits",
        "session",
        "agent",
        "client",
        "duration_ms",
    ];
    const KEY: usize = 1;
    const INDEXED: usize = 8;

    fn indexed(&self) -> Vec<Cell<'_>> {
        vec![
            Cell::bits(self.seq),
            Cell::bits(self.identity()),
            scope(&self.tool.scope),
            Cell::text(self.tool.name.as_str()),
            Cell::maybe_text(self.server.as_ref().map(|server| server.as_str())),
            Cell::text(mark_to_text(self.mark)),
            Cell::time(self.at),
            Cell::text(self.project.as_str()),
        ]
    }

    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
        cells.extend([
            Cell::text(self.op.as_str()),
            Cell::blob(credits_to_bytes(&self.credits)),
            Cell::maybe_text(self.session.as_ref().map(|session| session.as_str())),
            Cell::maybe_text(self.agent.as_ref().map(|agent| agent.as_str())),
            Cell::maybe_text(self.client.as_ref().map(|client| client.as_str())),
            Cell::Int(self.duration_ms.map(u64::cast_signed)),
        ]);
    }

    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let seq = cells.small()?;
        cells.skip(1);
        let tool = ToolKey { scope: cells.scope()?, name: cells.id()? };
        let (server, mark) = (cells.maybe_id()?, cells.parsed(mark_from_text)?);
        let (at, project) = (cells.time()?, cells.id()?);
        Ok(Self {
            seq,
            op: cells.id()?,
            tool,
            server,
            credits: cells.blob(credits_from_bytes)?,
            mark,
            at,
            project,
            session: cells.maybe_id()?,
            agent: cells.maybe_id()?,
            client: cells.maybe_id()?,
            duration_ms: cells.maybe_bits()?,
        })
    }
}

const fn mark_to_text(mark: Mark) -> &'static str {
    match mark {
        Mark::Success => "S",
        Mark::Failure => "F",
        Mark::Interrupted => "I",
        Mark::Offline => "O",
        Mark::Unknown => "U",
    }
}

fn mark_from_text(text: &str) -> Option<Mark> {
    Mark::ALL.into_iter().find(|mark| mark_to_text(*mark) == text)
}

impl Record for JournalEntry {
    const TABLE: &'static str = "journal";
    const COLUMNS: &'static [&'static str] = &[
        "revision", "idx", "kind", "scope", "subject", "op", "at", "action", "before", "after",
        "cause", "note", "session", "actor", "clients",
    ];
    const KEY: usize = 2;
    const INDEXED: usize = 6;

    fn indexed(&self) -> Vec<Cell<'_>> {
        vec![
            Cell::bits(self.revision.0),
            Cell::int(self.index),
            Cell::text(self.subject.kind.as_str()),
            scope(&self.subject.scope),
            Cell::text(&self.subject.id),
            Cell::maybe_text(self.op.as_ref().map(|op| op.as_str())),
        ]
    }

    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
        cells.extend([
            Cell::time(self.at),
            Cell::text(self.action.as_str()),
            Cell::maybe_text(self.from.as_deref()),
            Cell::maybe_text(self.to.as_deref()),
            Cell::text(&self.cause),
            Cell::maybe_text(self.note.as_deref()),
            Cell::maybe_text(self.session.as_ref().map(|session| session.as_str())),
            Cell::maybe_text(self.actor.as_ref().map(|actor| actor.as_str())),
            Cell::packed(&self.clients),
        ]);
    }

    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let (revision, index) = (Revision(cells.small()?), cells.small()?);
        let kind = cells.parsed(SubjectKind::from_word)?;
        let subject = Subject { kind, scope: cells.scope()?, id: cells.string()? };
        let op = cells.maybe_id()?;
        Ok(Self {
            revision,
            index,
            at: cells.time()?,
            subject,
            action: cells.parsed(Action::from_word)?,
            from: cells.maybe_string()?,
            to: cells.maybe_string()?,
            cause: cells.string()?,
            note: cells.maybe_string()?,
            session: cells.maybe_id()?,
            actor: cells.maybe_id()?,
            clients: cells.list()?,
            op,
        })
    }
}
