//! Reports of imports.

use serde::Serialize;

use crate::transfer::Record;

/// The number of records of each collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TransferCounts {
    /// Projects.
    pub projects: u64,
    /// Sources.
    pub sources: u64,
    /// Tools.
    pub tools: u64,
    /// Definitions of tools.
    pub definitions: u64,
    /// Items of knowledge.
    pub knowledge: u64,
    /// Work items.
    pub work: u64,
    /// Sessions.
    pub sessions: u64,
    /// Cursors.
    pub cursors: u64,
    /// Routes.
    pub routes: u64,
    /// Vectors of routes.
    pub vectors: u64,
    /// Outcomes.
    pub outcomes: u64,
    /// Journal entries.
    pub journal: u64,
}

/// The result of an import, or of its dry run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Records that were written.
    pub imported: TransferCounts,
    /// Records that already existed, or that are older than the existing ones.
    pub skipped: TransferCounts,
    /// True if the store was not empty, so that records were merged into it.
    pub merged: bool,
}

impl TransferCounts {
    /// Returns the count for the collection of a record.
    pub(super) const fn of(&mut self, record: &Record) -> &mut u64 {
        match record {
            Record::Project(_) => &mut self.projects,
            Record::Source(_) => &mut self.sources,
            Record::Tool(_) => &mut self.tools,
            Record::Definition(_) => &mut self.definitions,
            Record::Item(_) => &mut self.knowledge,
            Record::Work(_) => &mut self.work,
            Record::Session(_) => &mut self.sessions,
            Record::Cursor(_) => &mut self.cursors,
            Record::Route(_) => &mut self.routes,
            Record::Vector(_) => &mut self.vectors,
            Record::Outcome(_) => &mut self.outcomes,
            Record::Journal(_) => &mut self.journal,
        }
    }
}
