//! Statements for outcomes.

use std::collections::BTreeSet;

use staleness_core::outcome::Outcome;
use staleness_core::store::{OutcomeCut, OutcomeFilter, OutcomeRange, StoreError, View};
use tokio_postgres::Row;

use super::Reader;
use super::logs::{clamped, read, select};
use crate::table::with;
use crate::values::{Arg, Statement};

/// Returns the statements that load the outcomes matching the filters. All filters by op share one statement, because a
/// batch has thousands of them.
pub(crate) fn questions<'s>(
    workspace: &str,
    filters: &'s [OutcomeFilter],
) -> Vec<(Statement, Reader<'s>)> {
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
        let hashes = ops
            .iter()
            .map(|(tool, op)| Some(Outcome::identity_of(tool, op).cast_signed()))
            .collect();
        let statement =
            select::<Outcome>(workspace, "AND identity = ANY($2)", vec![Arg::Ints(hashes)]);
        // The identity is a hash, so another op may match.
        let read = move |row: &Row, view: &mut View| {
            let outcome: Outcome = read(row)?;
            if ops.contains(&(&outcome.tool, &outcome.op)) {
                view.outcomes.insert(outcome.seq, outcome);
            }
            Ok(())
        };
        all.push((statement, Box::new(read)));
    }
    for filter in others {
        all.push((one(workspace, filter), Box::new(keep)));
    }
    all
}

fn one(workspace: &str, filter: &OutcomeFilter) -> Statement {
    let (condition, args) = match filter {
        OutcomeFilter::LastOfProject { project, limit } => (
            "AND project = $2 AND mark IN ('S', 'F') ORDER BY seq DESC LIMIT $3",
            vec![Arg::text(project.as_str()), Arg::Int((*limit).into())],
        ),
        // The last one in recording order, because clocks may jump.
        OutcomeFilter::LastPerServer { since } => (
            "AND seq IN (SELECT max(seq) FROM staleness.outcomes WHERE workspace = $1 AND at >= $2 \
             AND server IS NOT NULL AND mark IN ('S', 'F', 'O') GROUP BY scope, server)",
            vec![Arg::Int(since.as_millis())],
        ),
        OutcomeFilter::FirstAndLast { limit } => (
            "AND seq IN ((SELECT seq FROM staleness.outcomes WHERE workspace = $1 ORDER BY seq LIMIT $2) \
             UNION (SELECT seq FROM staleness.outcomes WHERE workspace = $1 ORDER BY seq DESC LIMIT $2))",
            vec![Arg::Int((*limit).into())],
        ),
        OutcomeFilter::Spread { limit } => (
            "AND seq IN (WITH RECURSIVE spread(seq, width) AS (SELECT max(seq), \
             (max(seq) - min(seq)) / nullif($2, 0) + 1 FROM staleness.outcomes WHERE workspace = $1 UNION ALL \
             SELECT (SELECT max(seq) FROM staleness.outcomes WHERE workspace = $1 AND seq <= spread.seq - width), \
             width FROM spread WHERE spread.seq IS NOT NULL) SELECT seq FROM spread LIMIT $2)",
            vec![Arg::Int((*limit).into())],
        ),
        OutcomeFilter::All | OutcomeFilter::Op(..) => ("", Vec::new()),
    };
    select::<Outcome>(workspace, condition, args)
}

pub(crate) fn keep(row: &Row, view: &mut View) -> Result<(), StoreError> {
    let outcome: Outcome = read(row)?;
    view.outcomes.insert(outcome.seq, outcome);
    Ok(())
}

/// Matches outcomes older than the newest ones, which a cut keeps. `$3` is the number of kept outcomes minus one.
const BEYOND: &str = "AND seq < (SELECT seq FROM staleness.outcomes WHERE workspace = $1 \
    ORDER BY seq DESC LIMIT 1 OFFSET $3)";

/// Returns the condition that keeps the newest outcomes. Its parameters start at `$2`, which is the cut's
/// time.
fn beyond(cut: &OutcomeCut) -> (&'static str, Vec<Arg>) {
    let until = Arg::Int(cut.until.as_millis());
    match cut.keep_newest.checked_sub(1) {
        None => ("", vec![until]),
        Some(offset) => (BEYOND, vec![until, Arg::Int(clamped(offset))]),
    }
}

pub(crate) fn remove(workspace: &str, range: &OutcomeRange) -> Statement {
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
    Statement { sql, args: with(workspace, args) }
}
