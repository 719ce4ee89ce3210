//! Outcomes.

use std::collections::BTreeSet;

use staleness_core::ids::{AgentId, ClientId, ServerKey, SessionId, ToolKey};
use staleness_core::outcome::{Mark, Outcome, outcome_identity};
use staleness_core::store::{
    OutcomeCounts, OutcomeCut, OutcomeFilter, OutcomeRange, StoreError, View, credits_from_bytes,
    credits_to_bytes,
};
use tokio_postgres::Row;

use super::Reader;
use crate::cells::{Bad, Cells, corrupt};
use crate::table::with;
use crate::values::{Arg, Batch, Statement};

const COLUMNS: &str = "identity, op, scope, tool, server, credits, mark, at, project, session, \
    agent, client, duration_ms";

/// The statements that load what filters name, with what is done with their rows. Those that name ops
/// are one statement together: a batch names thousands.
pub(crate) fn questions<'s>(
    workspace: &str,
    filters: &'s [OutcomeFilter],
) -> Result<Vec<(Statement, Reader<'s>)>, StoreError> {
    let mut ops = BTreeSet::new();
    let mut others = BTreeSet::new();
    for filter in filters {
        match filter {
            OutcomeFilter::Op(tool, op) => {
                ops.insert((tool, op));
            }
            other => {
                others.insert(other);
            }
        }
    }
    let mut all: Vec<(Statement, Reader<'s>)> = Vec::new();
    if !ops.is_empty() {
        let hashes =
            ops.iter().map(|(tool, op)| Some(outcome_identity(tool, op).cast_signed())).collect();
        let statement = selecting(workspace, "AND identity = ANY($2)", vec![Arg::Ints(hashes)]);
        // The identity is a hash.
        let read = move |row: &Row, view: &mut View| {
            let outcome = read(row)?;
            if ops.contains(&(&outcome.tool, &outcome.op)) {
                view.outcomes.insert(outcome.seq, outcome);
            }
            Ok(())
        };
        all.push((statement, Box::new(read)));
    }
    for filter in others {
        all.push((select(workspace, filter)?, Box::new(keep)));
    }
    Ok(all)
}

fn select(workspace: &str, filter: &OutcomeFilter) -> Result<Statement, StoreError> {
    let (condition, args) = match filter {
        OutcomeFilter::LastOfProject { project, limit } => (
            "AND project = $2 AND mark IN ('S', 'F') ORDER BY seq DESC LIMIT $3",
            vec![Arg::text(project.as_str()), Arg::Int((*limit).into())],
        ),
        // The last one by order of recording, not by time: clocks jump.
        OutcomeFilter::LastPerServer { since } => (
            "AND seq IN (SELECT max(seq) FROM staleness.outcomes WHERE workspace = $1 AND at >= $2 \
             AND server IS NOT NULL AND mark <> 'I' GROUP BY scope, server)",
            vec![Arg::Int(since.as_millis())],
        ),
        OutcomeFilter::All => ("", Vec::new()),
        _ => return Err(StoreError::Unsupported("this filter of outcomes")),
    };
    Ok(selecting(workspace, condition, args))
}

fn selecting(workspace: &str, condition: &str, args: Vec<Arg>) -> Statement {
    let sql =
        format!("SELECT seq, {COLUMNS} FROM staleness.outcomes WHERE workspace = $1 {condition}");
    Statement { sql, args: with(workspace, args) }
}

/// Every outcome in the order of recording.
pub(crate) fn select_all(workspace: &str) -> Statement {
    selecting(workspace, "ORDER BY seq", Vec::new())
}

/// Adds a row to a view.
pub(crate) fn keep(row: &Row, view: &mut View) -> Result<(), StoreError> {
    let outcome = read(row)?;
    view.outcomes.insert(outcome.seq, outcome);
    Ok(())
}

/// Reads a row.
pub(crate) fn read(row: &Row) -> Result<Outcome, StoreError> {
    cells(&mut Cells::new(row)).map_err(|bad| corrupt("outcomes", row, 1, bad))
}

fn cells(cells: &mut Cells<'_>) -> Result<Outcome, Bad> {
    let seq = cells.small("seq")?;
    let identity = cells.bits("identity")?;
    let outcome = Outcome {
        seq,
        op: cells.id("op")?,
        tool: ToolKey { scope: cells.scope("scope")?, name: cells.id("tool")? },
        server: cells.maybe_id("server")?,
        credits: credits_from_bytes(cells.blob("credits")?).ok_or(Bad("credits"))?,
        mark: cells.parsed("mark", mark_from_text)?,
        at: cells.time("at")?,
        project: cells.id("project")?,
        session: cells.maybe_id("session")?,
        agent: cells.maybe_id("agent")?,
        client: cells.maybe_id("client")?,
        duration_ms: cells.maybe_int("duration_ms")?.map(i64::cast_unsigned),
    };
    if outcome.identity() == identity { Ok(outcome) } else { Err(Bad("identity")) }
}

fn mark_from_text(text: &str) -> Option<Mark> {
    let mut letters = text.chars();
    let mark = Mark::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(mark)
}

/// Outcomes older than the newest that stay; nothing is when there are no more than those.
const BEYOND: &str = "AND seq < (SELECT seq FROM staleness.outcomes WHERE workspace = $1 \
    ORDER BY seq DESC LIMIT 1 OFFSET $3)";

/// What a cut leaves out, as a condition with its parameters from `$2`.
fn beyond(cut: &OutcomeCut) -> (&'static str, Vec<Arg>) {
    let until = Arg::Int(cut.until.as_millis());
    match cut.keep_newest.checked_sub(1) {
        None => ("", vec![until]),
        Some(offset) => (BEYOND, vec![until, Arg::Int(clamped(offset))]),
    }
}

/// Counts the outcomes, and those that a cut would remove. Reads the whole table.
pub(crate) fn count(workspace: &str, cut: &OutcomeCut) -> Statement {
    let (condition, args) = beyond(cut);
    let sql = format!(
        "SELECT count(*), count(*) FILTER (WHERE at <= $2 {condition}) \
         FROM staleness.outcomes WHERE workspace = $1"
    );
    Statement { sql, args: with(workspace, args) }
}

/// What [`count`] answers.
pub(crate) fn counted(row: &Row) -> Result<OutcomeCounts, StoreError> {
    let mut cells = Cells::new(row);
    let mut read = || Ok(OutcomeCounts { total: cells.small("total")?, cut: cells.small("cut")? });
    read().map_err(|bad| corrupt("outcomes", row, 0, bad))
}

/// The statement that removes a range.
pub(crate) fn remove(workspace: &str, range: &OutcomeRange) -> Result<Statement, StoreError> {
    let (sql, args) = match range {
        OutcomeRange::Cut { cut, limit } => {
            let (condition, mut args) = beyond(cut);
            args.push(Arg::Int(clamped(*limit)));
            let last = args.len() + 1;
            let sql = format!(
                "DELETE FROM staleness.outcomes WHERE workspace = $1 AND seq IN \
                 (SELECT seq FROM staleness.outcomes WHERE workspace = $1 AND at <= $2 {condition} \
                 ORDER BY seq LIMIT ${last})"
            );
            (sql, args)
        }
        OutcomeRange::OfTool(key) => (
            "DELETE FROM staleness.outcomes WHERE workspace = $1 AND scope = $2 AND tool = $3"
                .into(),
            vec![Arg::text(key.scope.as_key()), Arg::text(key.name.as_str())],
        ),
        OutcomeRange::OfProject(id) => (
            "DELETE FROM staleness.outcomes WHERE workspace = $1 AND project = $2".into(),
            vec![Arg::text(id.as_str())],
        ),
    };
    Ok(Statement { sql, args: with(workspace, args) })
}

/// The statements that append outcomes. Their numbers end with the workspace's last, which the same
/// transaction has raised already.
pub(crate) fn append(workspace: &str, outcomes: &[Outcome]) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut batch = Batch::default();
    for (index, row) in outcomes.iter().enumerate() {
        batch.bits(row.identity());
        batch.text(row.op.as_str());
        batch.text(row.tool.scope.as_key());
        batch.text(row.tool.name.as_str());
        batch.maybe_text(row.server.as_ref().map(ServerKey::as_str));
        batch.blob(credits_to_bytes(&row.credits));
        batch.text(row.mark.letter().encode_utf8(&mut [0; 4]));
        batch.time(row.at);
        batch.text(row.project.as_str());
        batch.maybe_text(row.session.as_ref().map(SessionId::as_str));
        batch.maybe_text(row.agent.as_ref().map(AgentId::as_str));
        batch.maybe_text(row.client.as_ref().map(ClientId::as_str));
        batch.maybe_int(row.duration_ms.map(u64::cast_signed));
        batch.end_row();
        let is_last = index + 1 == outcomes.len();
        if batch.is_full() || is_last {
            let first = index + 1 - batch.rows();
            let from = clamped((outcomes.len() - first) as u64);
            statements.push(numbered(
                "outcomes",
                "w.last_seq - $2 + n",
                workspace,
                from,
                &mut batch,
            ));
        }
    }
    statements
}

/// A statement that inserts rows behind numbers that the workspace gives; `number` says how from `w`, the
/// row of the workspace, `$2` and `n`, the place in the batch from 1.
pub(super) fn numbered(
    table: &str,
    number: &str,
    workspace: &str,
    second: i64,
    batch: &mut Batch,
) -> Statement {
    let columns = std::mem::take(batch).into_columns();
    let (keys, names) = match table {
        "journal" => ("revision, idx", super::journal::COLUMNS),
        _ => ("seq", COLUMNS),
    };
    let parameters: Vec<String> =
        (3..columns.len() + 3).map(|parameter| format!("${parameter}")).collect();
    let new: Vec<String> = names.split(", ").map(|name| format!("new.{name}")).collect();
    let sql = format!(
        "INSERT INTO staleness.{table}(workspace, {keys}, {names}) SELECT $1, {number}, {} \
         FROM staleness.workspaces AS w, unnest({}) WITH ORDINALITY AS new({names}, n) \
         WHERE w.workspace = $1",
        new.join(", "),
        parameters.join(", "),
    );
    let mut args = vec![Arg::Int(second)];
    args.extend(columns);
    Statement { sql, args: with(workspace, args) }
}

/// A number that Postgres can compare; what is beyond its range is clamped. For limits and bounds.
pub(crate) fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
