//! Outcomes and their three indexes.

use std::collections::BTreeMap;

use redb::{ReadableTable, ReadableTableMetadata, Table, TableDefinition};
use staleness_core::outcome::Outcome;
use staleness_core::store::table::Bad;
use staleness_core::store::{OutcomeCut, OutcomeFilter, OutcomeRange, StoreError, View};
use staleness_core::time::Timestamp;

use super::{Collection, get, keep_all, table};
use crate::codec::{decode, encode};
use crate::error::from_storage;
use crate::tables::{OUTCOMES, OUTCOMES_COUNTED, OUTCOMES_IDENTITY, OUTCOMES_SERVED, Tx};

/// The table of outcomes.
#[derive(Debug)]
pub(crate) struct Outcomes;

impl Collection for Outcomes {
    type Key = u64;
    type Row = Outcome;
    const TABLE: TableDefinition<'static, u64, &'static [u8]> = OUTCOMES;
    const PAGE: usize = 1_000;

    fn row(&seq: &u64, value: &[u8]) -> Result<Outcome, StoreError> {
        let row: Result<Outcome, Bad> = decode(value);
        let row = row.and_then(|row| if row.seq == seq { Ok(row) } else { Err(Bad("key")) });
        row.map_err(|bad| bad.in_row("outcomes", seq))
    }

    fn keep(row: Outcome, view: &mut View) {
        view.outcomes.insert(row.seq, row);
    }
}

type Rows<'t> = Table<'t, u64, &'static [u8]>;
type Served<'t> = Table<'t, (i64, u64), (&'static str, &'static str)>;

/// Adds the outcomes matching the filters to the view.
pub(crate) fn load(tx: &Tx, filters: &[OutcomeFilter], view: &mut View) -> Result<(), StoreError> {
    if filters.is_empty() {
        return Ok(());
    }
    let (rows, identities) = (table(tx, OUTCOMES)?, table(tx, OUTCOMES_IDENTITY)?);
    for filter in filters {
        match filter {
            OutcomeFilter::Op(tool, op) => {
                let identity = Outcome::identity_of(tool, op);
                let found = (identity, 0)..=(identity, u64::MAX);
                for entry in identities.range(found).map_err(from_storage)? {
                    let (key, _) = entry.map_err(from_storage)?;
                    let row = indexed(&rows, key.value().1)?;
                    // The identity is a hash, so another op may match.
                    if row.tool == *tool && row.op == *op {
                        Outcomes::keep(row, view);
                    }
                }
            }
            OutcomeFilter::LastOfProject { project, limit } => {
                let (project, index) = (project.as_str(), table(tx, OUTCOMES_COUNTED)?);
                let found =
                    index.range((project, 0)..=(project, u64::MAX)).map_err(from_storage)?;
                for entry in found.rev().take(*limit as usize) {
                    let (key, _) = entry.map_err(from_storage)?;
                    Outcomes::keep(indexed(&rows, key.value().1)?, view);
                }
            }
            OutcomeFilter::LastPerServer { since } => {
                for seq in last_per_server(&table(tx, OUTCOMES_SERVED)?, *since)? {
                    Outcomes::keep(indexed(&rows, seq)?, view);
                }
            }
            OutcomeFilter::FirstAndLast { limit } => {
                let limit = *limit as usize;
                let all = || rows.iter().map_err(from_storage);
                for entry in all()?.take(limit).chain(all()?.rev().take(limit)) {
                    let (seq, value) = entry.map_err(from_storage)?;
                    Outcomes::keep(Outcomes::row(&seq.value(), value.value())?, view);
                }
            }
            OutcomeFilter::Spread { limit } => spread(&rows, u64::from(*limit), view)?,
            OutcomeFilter::All => keep_all::<Outcomes>(&rows, view)?,
        }
    }
    Ok(())
}

/// Returns the last outcome of each server in recording order, because clocks may jump. Only visits outcomes
/// since `since`.
fn last_per_server(index: &Served<'_>, since: Timestamp) -> Result<Vec<u64>, StoreError> {
    let mut last: BTreeMap<(String, String), u64> = BTreeMap::new();
    for entry in index.range((since.as_millis(), 0)..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        let (seq, (scope, server)) = (key.value().1, value.value());
        let seen = last.entry((scope.to_owned(), server.to_owned())).or_default();
        *seen = seq.max(*seen);
    }
    Ok(last.into_values().collect())
}

fn spread(rows: &Rows<'_>, limit: u64, view: &mut View) -> Result<(), StoreError> {
    let Some((first, _)) = rows.first().map_err(from_storage)? else { return Ok(()) };
    let mut next = rows.last().map_err(from_storage)?;
    let span = next.as_ref().map_or(0, |(last, _)| last.value() - first.value());
    let Some(step) = span.checked_div(limit) else { return Ok(()) };
    while let Some((seq, value)) = next {
        let seq = seq.value();
        Outcomes::keep(Outcomes::row(&seq, value.value())?, view);
        let Some(until) = seq.checked_sub(step + 1) else { break };
        next = rows
            .range(..=until)
            .map_err(from_storage)?
            .next_back()
            .transpose()
            .map_err(from_storage)?;
    }
    Ok(())
}

fn indexed(rows: &Rows<'_>, seq: u64) -> Result<Outcome, StoreError> {
    get::<Outcomes>(rows, &seq)?.ok_or_else(|| Bad("the row").in_row("outcomes", seq))
}

/// Visits the sequence numbers of outcomes within a cut, oldest first, until `visit` returns false.
fn each_cut(
    rows: &Rows<'_>,
    cut: &OutcomeCut,
    mut visit: impl FnMut(u64) -> bool,
) -> Result<(), StoreError> {
    let older = rows.len().map_err(from_storage)?.saturating_sub(cut.keep_newest);
    let older = usize::try_from(older).unwrap_or(usize::MAX);
    for entry in rows.iter().map_err(from_storage)?.take(older) {
        let (seq, value) = entry.map_err(from_storage)?;
        let row = Outcomes::row(&seq.value(), value.value())?;
        if row.at <= cut.until && !visit(seq.value()) {
            break;
        }
    }
    Ok(())
}

pub(crate) fn remove(tx: &Tx, range: &OutcomeRange) -> Result<(), StoreError> {
    let mut rows = table(tx, OUTCOMES)?;
    let mut gone = Vec::new();
    match range {
        OutcomeRange::Cut { limit: 0, .. } => {}
        OutcomeRange::Cut { cut, limit } => each_cut(&rows, cut, |seq| {
            gone.push(seq);
            (gone.len() as u64) < *limit
        })?,
        OutcomeRange::OfTool(key) => gone = seqs(&rows, |row| row.tool == *key)?,
        OutcomeRange::OfProject(id) => gone = seqs(&rows, |row| row.project == *id)?,
    }
    if gone.is_empty() {
        return Ok(());
    }
    let mut indexes = Indexes::open(tx)?;
    for seq in gone {
        if let Some(old) = rows.remove(seq).map_err(from_storage)? {
            indexes.remove(&Outcomes::row(&seq, old.value())?)?;
        }
    }
    Ok(())
}

fn seqs(rows: &Rows<'_>, wanted: impl Fn(&Outcome) -> bool) -> Result<Vec<u64>, StoreError> {
    let mut found = Vec::new();
    for entry in rows.iter().map_err(from_storage)? {
        let (seq, value) = entry.map_err(from_storage)?;
        if wanted(&Outcomes::row(&seq.value(), value.value())?) {
            found.push(seq.value());
        }
    }
    Ok(found)
}

/// Returns true if the outcome is in the index `outcomes_counted`.
pub(crate) const fn is_counted(row: &Outcome) -> bool {
    row.mark.is_counted()
}

/// Returns scope and server if the outcome is in the index `outcomes_served`.
pub(crate) fn served(row: &Outcome) -> Option<(&str, &str)> {
    let server = row.server.as_ref().filter(|_| row.mark.is_conclusive())?;
    Some((row.tool.scope.as_key(), server.as_str()))
}

/// The indexes of outcomes. Every append or removal changes at least one.
struct Indexes<'t> {
    identity: Table<'t, (u64, u64), ()>,
    counted: Table<'t, (&'static str, u64), ()>,
    served: Served<'t>,
}

impl<'t> Indexes<'t> {
    fn open(tx: &'t Tx) -> Result<Self, StoreError> {
        Ok(Self {
            identity: table(tx, OUTCOMES_IDENTITY)?,
            counted: table(tx, OUTCOMES_COUNTED)?,
            served: table(tx, OUTCOMES_SERVED)?,
        })
    }

    fn insert(&mut self, row: &Outcome) -> Result<(), StoreError> {
        self.identity.insert((row.identity(), row.seq), ()).map_err(from_storage)?;
        if is_counted(row) {
            self.counted.insert((row.project.as_str(), row.seq), ()).map_err(from_storage)?;
        }
        if let Some(served) = served(row) {
            self.served.insert((row.at.as_millis(), row.seq), served).map_err(from_storage)?;
        }
        Ok(())
    }

    fn remove(&mut self, row: &Outcome) -> Result<(), StoreError> {
        self.identity.remove((row.identity(), row.seq)).map_err(from_storage)?;
        if is_counted(row) {
            self.counted.remove((row.project.as_str(), row.seq)).map_err(from_storage)?;
        }
        if served(row).is_some() {
            self.served.remove((row.at.as_millis(), row.seq)).map_err(from_storage)?;
        }
        Ok(())
    }
}

/// Appends outcomes that are already numbered.
pub(crate) fn append(tx: &Tx, outcomes: &[Outcome]) -> Result<(), StoreError> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let mut rows = table(tx, OUTCOMES)?;
    let mut indexes = Indexes::open(tx)?;
    for row in outcomes {
        let value = encode(row)?;
        rows.insert(row.seq, value.as_slice()).map_err(from_storage)?;
        indexes.insert(row)?;
    }
    Ok(())
}
