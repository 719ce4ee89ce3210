//! Batches of records that are written in one commit.

use staleness::RegistryError;
use staleness_core::registry::{ImportReport, TransferCounts};

use crate::error::CliError;

/// Collects records of one collection and writes them in batches.
pub(super) struct Batch<T, W> {
    rows: Vec<T>,
    most: usize,
    count: fn(&mut TransferCounts) -> &mut u64,
    write: W,
}

impl<T, W: FnMut(Vec<T>) -> Result<usize, RegistryError>> Batch<T, W> {
    /// Creates a batch of at most `most` records. `count` selects the counter; `write` writes the records and
    /// returns how many were new.
    pub(super) const fn new(
        most: usize,
        count: fn(&mut TransferCounts) -> &mut u64,
        write: W,
    ) -> Self {
        Self { rows: Vec::new(), most, count, write }
    }

    pub(super) fn take(&mut self, row: T, report: &mut ImportReport) -> Result<(), CliError> {
        self.rows.push(row);
        if self.rows.len() == self.most { self.write(report) } else { Ok(()) }
    }

    /// Writes the remaining records.
    pub(super) fn write(&mut self, report: &mut ImportReport) -> Result<(), CliError> {
        let rows = std::mem::take(&mut self.rows);
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
