//! Outcomes.

use std::ops::ControlFlow;

use rusqlite::{OptionalExtension, Row};
use staleness_core::ids::{
    AgentId, ClientId, OpId, ProjectId, ServerKey, SessionId, ToolKey, ToolName,
};
use staleness_core::outcome::{Mark, Outcome, outcome_identity};
use staleness_core::store::{
    OutcomeCounts, OutcomeCut, OutcomeFilter, OutcomeRange, StoreError, View, credits_from_bytes,
    credits_to_bytes,
};

use super::{clamped, each, execute, one};
use crate::cells::{Bad, Cells, corrupt};
use crate::error::from_sqlite;
use crate::transaction::Transaction;

// The `+`: see the tools.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT +seq, +identity, +op, +scope, +tool, +server, +credits, +mark, +at, +project, \
             +session, +agent, +client, +duration_ms FROM outcomes",
            $tail
        )
    };
}

/// Whether there may be one: almost always there is none, and this prepares in a third of the time.
const KNOWS_IDENTITY: &str =
    "SELECT 1 FROM outcomes INDEXED BY outcomes_identity WHERE identity = ?1";

const BY_IDENTITY: &str = select!(" INDEXED BY outcomes_identity WHERE identity = ?1");
const LAST_OF_PROJECT: &str = select!(
    " INDEXED BY outcomes_counted WHERE project = ?1 AND mark IN ('S', 'F') \
     ORDER BY seq DESC LIMIT ?2"
);
/// The last one by order of recording, not by time: clocks jump. Only the outcomes since then are
/// visited, whatever the table holds.
const LAST_PER_SERVER: &str = select!(
    " WHERE seq IN (SELECT max(seq) FROM outcomes INDEXED BY outcomes_served \
     WHERE at >= ?1 AND server IS NOT NULL AND mark <> 'I' GROUP BY scope, server)"
);
const ALL: &str = select!(" ORDER BY seq");
const COUNT: &str = "SELECT count(*) FROM outcomes";
const COUNT_CUT: &str = "SELECT count(*) FROM outcomes WHERE seq < ?1 AND at <= ?2";
/// The oldest of the newest that stay.
const BOUND: &str = "SELECT seq FROM outcomes ORDER BY seq DESC LIMIT 1 OFFSET ?1";
const CUT: &str = "DELETE FROM outcomes WHERE seq IN \
    (SELECT seq FROM outcomes WHERE seq < ?1 AND at <= ?2 ORDER BY seq LIMIT ?3)";
const OF_TOOL: &str = "DELETE FROM outcomes WHERE scope = ?1 AND tool = ?2";
const OF_PROJECT: &str = "DELETE FROM outcomes WHERE project = ?1";
const APPEND: &str = "INSERT INTO outcomes(seq, identity, op, scope, tool, server, credits, mark, \
    at, project, session, agent, client, duration_ms) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &OutcomeFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut keep = |outcome: Outcome| {
        view.outcomes.insert(outcome.seq, outcome);
        ControlFlow::Continue(())
    };
    match filter {
        OutcomeFilter::Op(tool, op) => {
            let identity = outcome_identity(tool, op).cast_signed();
            let mut known = false;
            each(tx, KNOWS_IDENTITY, (identity,), |_| {
                known = true;
                Ok(ControlFlow::Break(()))
            })?;
            if !known {
                return Ok(());
            }
            rows(tx, BY_IDENTITY, (identity,), |outcome| {
                // The identity is a hash.
                if outcome.tool == *tool && outcome.op == *op {
                    keep(outcome)
                } else {
                    ControlFlow::Continue(())
                }
            })
        }
        OutcomeFilter::LastOfProject { project, limit } => {
            rows(tx, LAST_OF_PROJECT, (project.as_str(), *limit), keep)
        }
        OutcomeFilter::LastPerServer { since } => {
            rows(tx, LAST_PER_SERVER, (since.as_millis(),), keep)
        }
        OutcomeFilter::All => all(tx, keep),
    }
}

/// Every outcome in the order of recording.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Outcome) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Outcome) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let seq: i64 = row.get(0).unwrap_or_default();
            corrupt("outcomes", seq, bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Outcome, Bad> {
    let mut cells = Cells::new(row);
    let seq = cells.small("seq")?;
    let identity = cells.int("identity")?.cast_unsigned();
    let outcome = Outcome {
        seq,
        op: cells.parsed("op", OpId::new)?,
        tool: ToolKey { scope: cells.scope("scope")?, name: cells.parsed("tool", ToolName::new)? },
        server: cells.maybe_parsed("server", ServerKey::new)?,
        credits: credits_from_bytes(cells.blob("credits")?).ok_or(Bad("credits"))?,
        mark: cells.parsed("mark", mark_from_text)?,
        at: cells.time("at")?,
        project: cells.parsed("project", ProjectId::new)?,
        session: cells.maybe_parsed("session", SessionId::new)?,
        agent: cells.maybe_parsed("agent", AgentId::new)?,
        client: cells.maybe_parsed("client", ClientId::new)?,
        duration_ms: cells.maybe_int("duration_ms")?.map(i64::cast_unsigned),
    };
    if outcome.identity() == identity { Ok(outcome) } else { Err(Bad("identity")) }
}

fn mark_from_text(text: &str) -> Option<Mark> {
    let mut letters = text.chars();
    let mark = Mark::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(mark)
}

const fn mark_to_text(mark: Mark) -> &'static str {
    match mark {
        Mark::Success => "S",
        Mark::Failure => "F",
        Mark::Interrupted => "I",
        Mark::Offline => "O",
    }
}

/// How many outcomes there are, and how many a cut would remove. Reads the whole table.
pub(crate) fn count(tx: &Transaction<'_>, cut: &OutcomeCut) -> Result<OutcomeCounts, StoreError> {
    let number = |sql: &'static str, params: &[&dyn rusqlite::ToSql]| {
        one(tx, sql, params, |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
    };
    let total = number(COUNT, &[])?;
    let cut = match bound(tx, cut)? {
        Some(bound) => number(COUNT_CUT, &[&bound, &cut.until.as_millis()])?,
        None => 0,
    };
    Ok(OutcomeCounts { total, cut })
}

/// Outcomes below this number are not among the newest that stay. `None`: all of them stay.
fn bound(tx: &Transaction<'_>, cut: &OutcomeCut) -> Result<Option<i64>, StoreError> {
    let Some(offset) = cut.keep_newest.checked_sub(1) else {
        return Ok(Some(i64::MAX));
    };
    tx.with(BOUND, |statement| {
        statement.query_row((clamped(offset),), |row| row.get(0)).optional().map_err(from_sqlite)
    })
}

/// Removes a range.
pub(crate) fn remove(tx: &Transaction<'_>, range: &OutcomeRange) -> Result<(), StoreError> {
    match range {
        OutcomeRange::Cut { cut, limit } => match bound(tx, cut)? {
            Some(bound) => execute(tx, CUT, (bound, cut.until.as_millis(), clamped(*limit)))?,
            None => 0,
        },
        OutcomeRange::OfTool(key) => execute(tx, OF_TOOL, (key.scope.as_key(), key.name.as_str()))?,
        OutcomeRange::OfProject(id) => execute(tx, OF_PROJECT, (id.as_str(),))?,
    };
    Ok(())
}

/// Appends outcomes that have their numbers.
pub(crate) fn append(tx: &Transaction<'_>, outcomes: &[Outcome]) -> Result<(), StoreError> {
    for row in outcomes {
        execute(
            tx,
            APPEND,
            (
                clamped(row.seq),
                row.identity().cast_signed(),
                row.op.as_str(),
                row.tool.scope.as_key(),
                row.tool.name.as_str(),
                row.server.as_ref().map(ServerKey::as_str),
                credits_to_bytes(&row.credits),
                mark_to_text(row.mark),
                row.at.as_millis(),
                row.project.as_str(),
                row.session.as_ref().map(SessionId::as_str),
                row.agent.as_ref().map(AgentId::as_str),
                row.client.as_ref().map(ClientId::as_str),
                row.duration_ms.map(u64::cast_signed),
            ),
        )?;
    }
    Ok(())
}
