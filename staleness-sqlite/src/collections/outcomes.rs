//! Statements for outcomes.

use std::ops::ControlFlow;

use rusqlite::OptionalExtension;
use staleness_core::outcome::Outcome;
use staleness_core::store::table::{Cell, Record as _};
use staleness_core::store::{OutcomeCut, OutcomeFilter, OutcomeRange, StoreError, View};

use super::rows::{all, rows, select};
use super::{clamped, execute};
use crate::error::from_sqlite;
use crate::transaction::Transaction;

/// Checks if any outcome has this identity. Usually none has, and this statement is faster to prepare than the one that
/// reads the outcome.
const KNOWS_IDENTITY: &str =
    "SELECT 1 FROM outcomes INDEXED BY outcomes_identity WHERE identity = ?1";

/// Selects the last outcome of each server in recording order, because clocks may jump. Only visits outcomes
/// since `?1`.
const LAST_PER_SERVER: &str = " WHERE seq IN (SELECT max(seq) FROM outcomes INDEXED BY \
    outcomes_served WHERE at >= ?1 AND server IS NOT NULL AND mark IN ('S', 'F', 'O') GROUP BY scope, server)";
/// Selects the first and the last outcomes, without visiting those between.
const FIRST_AND_LAST: &str = " WHERE seq IN (SELECT seq FROM (SELECT seq FROM outcomes ORDER BY seq LIMIT ?1) \
    UNION SELECT seq FROM (SELECT seq FROM outcomes ORDER BY seq DESC LIMIT ?1))";
/// Visits no other outcomes than those that it selects.
const SPREAD: &str = " WHERE seq IN (WITH RECURSIVE spread(seq, width) AS \
    (SELECT max(seq), (max(seq) - (SELECT min(seq) FROM outcomes)) / ?1 + 1 FROM outcomes UNION ALL \
    SELECT (SELECT max(seq) FROM outcomes WHERE seq <= spread.seq - width), width \
    FROM spread WHERE spread.seq IS NOT NULL) SELECT seq FROM spread LIMIT ?1)";
/// Selects the oldest of the newest outcomes, which a cut keeps. `?1` is the number of kept outcomes minus one.
const BOUND: &str = "SELECT seq FROM outcomes ORDER BY seq DESC LIMIT 1 OFFSET ?1";
const CUT: &str = "DELETE FROM outcomes WHERE seq IN \
    (SELECT seq FROM outcomes WHERE seq < ?1 AND at <= ?2 ORDER BY seq LIMIT ?3)";
const OF_TOOL: &str = "DELETE FROM outcomes WHERE scope = ?1 AND tool = ?2";
const OF_PROJECT: &str = "DELETE FROM outcomes WHERE project = ?1";

pub(crate) fn load(
    tx: &Transaction<'_>,
    filters: &[OutcomeFilter],
    view: &mut View,
) -> Result<(), StoreError> {
    let (mut ops, mut asked) = (Vec::new(), Vec::new());
    for filter in filters {
        match filter {
            OutcomeFilter::Op(tool, op) => ops.push((filter, Outcome::identity_of(tool, op))),
            _ => asked.push(filter),
        }
    }
    if !ops.is_empty() {
        tx.with(KNOWS_IDENTITY, |knows| {
            for (filter, identity) in ops {
                if knows.exists((identity.cast_signed(),)).map_err(from_sqlite)? {
                    asked.push(filter);
                }
            }
            Ok(())
        })?;
    }
    asked.into_iter().try_for_each(|filter| find(tx, filter, view))
}

fn find(tx: &Transaction<'_>, filter: &OutcomeFilter, view: &mut View) -> Result<(), StoreError> {
    let mut keep = |outcome: Outcome| {
        // The identity is a hash, so another op may match.
        let meant = match filter {
            OutcomeFilter::Op(tool, op) => outcome.tool == *tool && outcome.op == *op,
            _ => true,
        };
        if meant {
            view.outcomes.insert(outcome.seq, outcome);
        }
        ControlFlow::Continue(())
    };
    let (index, condition, args) = match filter {
        OutcomeFilter::Op(tool, op) => {
            let identity = Outcome::identity_of(tool, op);
            (Some("outcomes_identity"), " WHERE identity = ?1", vec![Cell::bits(identity)])
        }
        OutcomeFilter::LastOfProject { project, limit } => (
            Some("outcomes_counted"),
            " WHERE project = ?1 AND mark IN ('S', 'F') ORDER BY seq DESC LIMIT ?2",
            vec![Cell::text(project.as_str()), Cell::int(*limit)],
        ),
        OutcomeFilter::LastPerServer { since } => (None, LAST_PER_SERVER, vec![Cell::time(*since)]),
        OutcomeFilter::FirstAndLast { limit } => (None, FIRST_AND_LAST, vec![Cell::int(*limit)]),
        OutcomeFilter::Spread { limit } => (None, SPREAD, vec![Cell::int(*limit)]),
        OutcomeFilter::All => return all(tx, Outcome::read, &mut keep),
    };
    let sql = select::<Outcome>(index, condition);
    rows(tx, &sql, &args, Outcome::read, &mut keep)
}

/// Returns the lowest sequence number that a cut always keeps, or `None` if it keeps all outcomes.
fn bound(tx: &Transaction<'_>, cut: &OutcomeCut) -> Result<Option<i64>, StoreError> {
    let Some(offset) = cut.keep_newest.checked_sub(1) else {
        return Ok(Some(i64::MAX));
    };
    tx.with(BOUND, |statement| {
        statement.query_row((clamped(offset),), |row| row.get(0)).optional().map_err(from_sqlite)
    })
}

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
