//! The store contract: what a backend implements, and nothing more.
//!
//! A unit of work is a value, a [`Step`]: what it must see, and a pure function from what it saw
//! to what it wants written. Backends know collections and transactions; every threshold and every
//! decision stays in this crate.
//!
//! # Writing a backend
//!
//! Implement [`RegistryStore`]. A query is `query.run(load)`, where `load` answers one [`Selection`] from the
//! snapshot: [`collections!`] calls a macro of yours with every collection, and of each `R` the rows that
//! [`Filter::matches`] for any of `R::picks(selection)`, of each pick at most [`Filter::most`], go to
//! `R::rows_mut(view)`. A step, inside one transaction:
//!
//! 1. `step.run(load)` returns what was seen, everything that was selected, and a [`ChangeSet`]. An empty one
//!    commits nothing: the revision stays.
//! 2. [`ChangeSet::check`] finds what the step writes and did not lock, a [`StoreError::Misstep`]; a backend that would
//!    not notice may leave it out, the suite's steps are right.
//! 3. [`ChangeSet::number`], once, gives outcomes their sequence numbers and the commit its revision. The last sequence
//!    number is the highest that was ever given, also after its outcome was removed: keep it beside the rows.
//! 4. Write the rows and commit as safely as [`Step::durability`] says. Raise the generation where
//!    [`ChangeSet::moves_generation`].
//! 5. Answer [`Commit`]: the revision, what was seen, and the numbered change set.
//!
//! A step may panic; nothing may be written then, and the store goes on. Records and change sets implement serde and
//! hold no number that JSON lacks. To write a change set again, as a log does, run a step that selects its
//! [`ChangeSet::locks`] and decides [`Decision::Write`]: it gets the same numbers.
//!
//! The crate `staleness-conformance` is the suite: `main!` with a function that opens the store, and what it offers as
//! `Capabilities` (a store for one thread need not offer `runtime`). `examples/log-store` is a whole backend in one file.

mod blobs;
mod change;
mod draft;
mod drive;
mod dry;
mod error;
mod filter;
mod preview;
mod row;
mod selection;
mod strict;
pub mod table;
mod view;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

pub use crate::collections;
pub use crate::refusal::Refusal;
pub(crate) use crate::text::{pack, unpack};
pub(crate) use blobs::{
    credits_from_bytes, credits_to_bytes, level_to_number, listings_from_bytes, listings_to_bytes,
    ring_from_bytes, ring_to_bytes,
};
pub use change::{Change, ChangeSet, OutcomeRange};
pub use draft::Draft;
pub(crate) use dry::DryStore;
pub use error::StoreError;
pub use filter::*;
pub(crate) use preview::Preview;
pub use row::{Filter, Row};
pub use selection::{Access, OutcomeCut, Pick, Selection};
pub use view::{OutcomeCounts, View};
pub(crate) use view::{last_per_server, meant};

use crate::journal::Revision;

/// The durability of a commit once it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// It survives the death of the process. A power cut may lose the last such commits, never
    /// corrupt the store. For outcomes, counters, and what files can tell again.
    Normal,
    /// It survives a power cut. For what a person decided.
    Full,
}

/// The decision of a step after a look.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Look again with this as well, in the same snapshot; with the first look at most [`View::MAX_LOOKS`] times.
    Need(Selection),
    /// Write this; an empty change set commits nothing.
    Write(ChangeSet),
}

/// A unit of work as a value.
///
/// To ensure correctness an implementation must
/// - decide from `self` and the view alone: no I/O, clock or randomness; it may be asked again,
/// - write only rows that its selections lock, and create only rows whose key they lock,
/// - carry an op id where it appends, and write nothing when that op was seen.
pub trait Step: fmt::Debug + Send + Sync + 'static {
    /// Returns the rows to look at first.
    fn selection(&self) -> Selection;

    /// Returns the changes to write, or what else to look at, given what it saw.
    ///
    /// # Errors
    /// A [`Refusal`] when the work must not be done; nothing is written then.
    fn decide(&self, view: &View) -> Result<Decision, Refusal>;

    /// Returns the durability that its commit needs: [`Durability::Full`] unless a step says otherwise.
    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// A question as a value: what it looks at, in as many looks as it takes.
pub trait Query: fmt::Debug + Send + Sync + 'static {
    /// Returns the rows to look at first.
    fn selection(&self) -> Selection;

    /// Returns what else to look at, given what it saw; `None` when that is enough.
    fn more(&self, view: &View) -> Option<Selection>;
}

impl Query for Selection {
    fn selection(&self) -> Selection {
        self.clone()
    }

    fn more(&self, _: &View) -> Option<Selection> {
        None
    }
}

/// A step that was carried out: what it saw and what it wrote. Reports are derived from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The store's revision after the commit. Only commits with journal entries raise it.
    pub revision: Revision,
    /// Everything that the step saw.
    pub view: View,
    /// The changes that were written, with sequence numbers and revisions filled in.
    pub changes: ChangeSet,
}

/// A place that keeps a registry. Implemented by each backend, used through
/// [`crate::Registry`].
///
/// To ensure correctness an implementation must
/// - carry out every step as if alone, across threads and processes,
/// - show a step or query one consistent snapshot, however many looks it takes,
/// - acknowledge a commit only when it survives what its [`Durability`] promises,
/// - leave the store as it was whenever it returns an error other than [`StoreError::Unknown`],
/// - give appended outcomes increasing sequence numbers in the order of the change set, and raise
///   the revision by one for each commit with journal entries,
/// - keep the journal's floor, and find in a check whatever is missing above it,
/// - survive a panic of a step or query, and write nothing of it,
/// - not block the threads of an asynchronous runtime, unless it says that it is for programs without one.
#[async_trait]
pub trait RegistryStore: fmt::Debug + Send + Sync + 'static {
    /// Answers a query from one snapshot.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when others hold the store for too long; else what is wrong with it.
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError>;

    /// Carries out a step: load, decide, write, commit.
    ///
    /// # Errors
    /// [`StoreError::Refused`] when the step refuses, [`StoreError::Busy`] when others hold the store
    /// for too long, [`StoreError::Unknown`] when the commit may have happened; else what is wrong.
    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError>;

    /// Visits everything that the selection names, a bounded number of rows at a time, from one
    /// snapshot and in the order of the keys, until the visitor breaks. Rows of different
    /// collections may come in different views; no row comes twice.
    ///
    /// # Errors
    /// As [`RegistryStore::view`]; pages that were visited stay visited.
    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError>;

    /// Writes a consistent copy of the store to a new file while others may write.
    ///
    /// # Errors
    /// [`StoreError::Unsupported`] where there is nothing to copy; [`StoreError::Io`] when the file
    /// is there already or cannot be written.
    async fn backup(&self, to: &Path) -> Result<(), StoreError>;

    /// Verifies the stored data: structure, and that every record can be read.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with what is wrong.
    async fn check(&self) -> Result<(), StoreError>;

    /// Waits until the revision is another than `seen`, by whoever's commit, and answers what it is then:
    /// for processes that live long and want to know soon.
    ///
    /// `None`, at once, where nobody tells this store of others' commits, or for the time being: ask for
    /// the revision a little later, and come back. It may be dropped while it waits.
    async fn changed(&self, seen: Revision) -> Option<Revision>;
}
