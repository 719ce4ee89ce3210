//! Batches of records that are written in one commit.

use staleness::RegistryError;
use staleness_core::registry::{ImportReport, TransferCounts};

use crate::error::CliError;

/// Maximum number of records of a batch.
const MAX_ROWS: usize = 500;
/// Maximum size of the lines of a batch, in bytes, so that other writers wait only briefly.
const MAX_BYTES: usize = 4 << 20;

/// Collects records of one collection and writes them in batches.
pub(super) struct Batch<T, W> {
    rows: Vec<T>,
    bytes: usize,
    count: fn(&mut TransferCounts) -> &mut u64,
    write: W,
}

impl<T, W: FnMut(Vec<T>) -> Result<usize, RegistryError>> Batch<T, W> {
    /// Creates an empty batch. `count` selects the counter; `write` writes the records and returns how many were
    /// new.
    pub(super) const fn new(count: fn(&mut TransferCounts) -> &mut u64, write: W) -> Self {
        Self { rows: Vec::new(), bytes: 0, count, write }
    }

    /// Adds the record of a line with this many bytes.
    pub(super) fn take(
        &mut self,
        row: T,
        bytes: usize,
        report: &mut ImportReport,
    ) -> Result<(), CliError> {
        self.rows.push(row);
        self.bytes += bytes;
        let is_full = self.rows.len() == MAX_ROWS || self.bytes >= MAX_BYTES;
        if is_full { self.write(report) } else { Ok(()) }
    }

    /// Writes the remaining records.
    pub(super) fn write(&mut self, report: &mut ImportReport) -> Result<(), CliError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let all = rows.len() as u64;
        let written = (self.write)(rows)? as u64;
        *(self.count)(&mut report.imported) += written;
        *(self.count)(&mut report.skipped) += all - written;
        Ok(())
    }
}
