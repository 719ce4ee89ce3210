//! Resuming an unfinished copy.

use super::{ImportReport, Importer, Placed};
use crate::registry::{Admin, RegistryError};
use crate::transfer::Record;

impl Admin<'_> {
    /// Creates an import that continues a copy. The registry is empty or contains a part of the original,
    /// perhaps in an older state. For each result of a [`Comparison`](crate::transfer::Comparison), in the
    /// order of an export: [put](Importer::put) a missing record, [replace](Importer::replace) an older one,
    /// [skip](Importer::skip) an identical one. The result is a verbatim copy.
    ///
    /// A record is written only if the row in its place is still as it was compared. So changes made by
    /// others in the meantime are not lost, but then the two sides differ.
    #[must_use]
    pub fn copier(self) -> Importer {
        let mut importer = Importer::begin(self.0, ImportReport::default(), false);
        importer.copying = true;
        importer
    }
}

impl Importer {
    /// Counts a record that already exists in identical form.
    pub fn skip(&mut self, record: Record) {
        *self.report.skipped.of(&record) += 1;
        if let Record::Journal(entry) = record {
            let revision = entry.revision;
            // Later identical entries are counted from here.
            self.numbered(entry);
            if self.revisions.last() != Some(&(revision, revision)) {
                self.revisions.push((revision, revision));
            }
        }
    }

    /// Takes the next record of a copy, like [`Importer::put`], to replace the row `seen`.
    pub async fn replace(&mut self, row: Record, seen: &Record) -> Result<(), RegistryError> {
        self.take(Placed { row, seen: Some(seen.clone()) }).await
    }
}
