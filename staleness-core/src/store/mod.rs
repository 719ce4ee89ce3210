//! The store contract: everything that a backend implements.
//!
//! A unit of work is a value, a [`Step`]: a selection of rows to read, and a pure function from these rows to
//! changes. Backends know collections and transactions; all thresholds and decisions stay in this crate.
//!
//! # Writing a backend
//!
//! Depend on `staleness-core` and `async-trait`, and implement [`RegistryStore`] under `#[async_trait]`.
//! [`collections!`] calls a macro of yours with every collection, so that reading and writing need to be written only
//! once, for any [`Row`]:
//!
//! ```
//! use staleness_core::store::{Change, ChangeSet, Filter, Row, Selection, View};
//!
//! /// Adds the selected rows of one collection. A database looks up `pick.filter.key()`, or scans.
//! fn get<R: Row>(stored: &View, selection: &Selection, found: &mut View) {
//!     for pick in R::picks(selection) {
//!         let rows = R::rows(stored).iter();
//!         let rows = rows.filter(|(key, row)| pick.filter.matches(key, Some(row)));
//!         let rows = rows.take(pick.filter.most()).map(|(key, row)| (key.clone(), row.clone()));
//!         R::rows_mut(found).extend(rows);
//!     }
//! }
//!
//! /// Writes the changes of one collection.
//! fn put<R: Row>(changes: &ChangeSet, stored: &mut View) {
//!     for change in R::changes(changes) {
//!         match change {
//!             Change::Put(row) => R::rows_mut(stored).insert(row.key().clone(), row.clone()),
//!             Change::Delete(key) => R::rows_mut(stored).remove(key),
//!         };
//!     }
//! }
//!
//! macro_rules! of_all {
//!     ($($field:ident: $row:ty,)*) => {
//!         fn load(stored: &View, selection: &Selection) -> View {
//!             let mut found = View::default();
//!             (found.revision, found.floor) = (stored.revision, stored.floor);
//!             $(get::<$row>(stored, selection, &mut found);)*
//!             found
//!         }
//!
//!         fn write(changes: &ChangeSet, stored: &mut View) {
//!             $(put::<$row>(changes, stored);)*
//!         }
//!     };
//! }
//! staleness_core::collections!(of_all);
//! # let _ = (load, write);
//! ```
//!
//! `load` also reads the other fields of a [`Selection`]: tool summaries, outcomes, journal entries, counts and the
//! generation. `write` also removes [`OutcomeRange`]s, appends the outcomes, removes the journal entries of the
//! revisions in `pruned`, raises the floor and appends the journal entries.
//!
//! A query is `query.run(load)` on one snapshot. A step runs inside one transaction:
//!
//! 1. `step.run(load)` returns the rows read, the union of all selections, and a [`ChangeSet`]. An empty change set
//!    commits nothing and does not raise the revision.
//! 2. [`ChangeSet::check`] returns [`StoreError::Misstep`] if the step writes a row that it did not lock. This check is
//!    optional.
//! 3. Call [`ChangeSet::number`] once. It assigns sequence numbers to outcomes and a revision to the commit. Store the
//!    highest sequence number ever assigned in addition to the rows, because its outcome may be removed.
//! 4. Write the rows and commit with the durability of [`Step::durability`]. Raise the generation if
//!    [`ChangeSet::moves_generation`] returns true.
//! 5. Return a [`Commit`]: the revision, the rows read, and the numbered change set.
//!
//! A step may panic. In this case nothing may be written, and the store must stay usable. Records and change sets
//! implement serde and contain no number that JSON cannot represent. To replay a change set, as a log does, run a step
//! that selects its [`ChangeSet::locks`] and decides [`Decision::Write`]: it gets the same numbers. A log may replay
//! into a [`MemoryStore`](crate::MemoryStore), which can serve its reads.
//!
//! A backend with in-memory maps can use [`View::last_of_project`], [`View::last_per_server`] and
//! [`JournalCheck`](crate::journal::JournalCheck).
//!
//! The crate `staleness-conformance` is the test suite: call `main!` with a name, the `Capabilities` and a function
//! that opens the store in one of four ways. `examples/log-store` is a complete backend in one file. To use it:
//! `Registry::new(Arc::new(store), policy)`.
//!
//! # Stores in files
//!
//! `staleness-lock` has what such a store needs: a fair lock between processes, a new file that gets its name only when
//! it is complete, the check for planted links, and a way to keep blocking work off the threads of a runtime.
//!
//! - A new store begins with a random generation, so that caches of an earlier file at the same path are invalid.
//! - Missing parent folders of a new store are created. Files and folders are accessible only to their owner (0600,
//!   0700).
//! - A new store is written to `PATH.new` and renamed. A file that a killed process left there is replaced.
//! - Symbolic links are resolved before the names of files beside the store are formed.
//! - Anything at the path other than a file, such as a socket or a pipe, is [`StoreError::NotAStore`], and no file is
//!   created beside it. An empty file is [`StoreError::Corrupt`]. A truncated file is one or the other.
//! - A store in a read-only folder can be queried.

mod change;
mod collections;
mod confined;
mod draft;
mod drive;
mod dry;
mod edit;
mod error;
mod pager;
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
pub use crate::refusal::{Conflict, Invalid, Refusal};
pub(crate) use crate::text::{pack, unpack};
pub use change::{Change, ChangeSet, OutcomeRange};
pub use collections::*;
pub(crate) use confined::Confined;
pub use draft::Draft;
pub(crate) use dry::DryStore;
pub(crate) use edit::Edit;
pub use error::StoreError;
pub use pager::Pager;
pub use row::{Filter, Row};
pub use selection::{Access, OutcomeCut, Pick, Selection};
pub use view::View;
pub(crate) use view::{last_per_server, meant};

use crate::journal::Revision;

/// The durability of a commit once it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// Survives a crash of the process. A power cut may lose the last such commits but never corrupts the store. Used
    /// for outcomes, counters, and data that can be read again from files.
    Normal,
    /// Survives a power cut. Used for decisions by a person.
    Full,
}

/// The decision of a step after reading its selection.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Read this selection as well, from the same snapshot, and decide again. At most [`View::MAX_LOOKS`] reads in
    /// total are allowed.
    Need(Selection),
    /// Write these changes. An empty change set commits nothing.
    Write(ChangeSet),
}

/// A unit of work as a value.
///
/// To ensure correctness an implementation must
/// - decide from `self` and the view alone, without I/O, clock or randomness, because it may be called again,
/// - write only rows that its selections lock, and create only rows whose keys its selections lock,
/// - carry an op id if it appends, and write nothing if the same op was seen before.
pub trait Step: fmt::Debug + Send + Sync + 'static {
    /// Returns the rows to read first.
    fn selection(&self) -> Selection;

    /// Returns the changes to write, or more rows to read.
    ///
    /// # Errors
    /// A [`Refusal`] if the work must not be done. In this case nothing is written.
    fn decide(&self, view: &View) -> Result<Decision, Refusal>;

    /// Returns the durability of the commit: [`Durability::Full`] by default.
    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// A read-only question as a value. It may read several selections.
pub trait Query: fmt::Debug + Send + Sync + 'static {
    /// Returns the rows to read first.
    fn selection(&self) -> Selection;

    /// Returns more rows to read, or `None` if the view is complete.
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

/// The result of a step: the rows it read and the changes it wrote. Reports are derived from these.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The store's revision after the commit. Only commits with journal entries raise it.
    pub revision: Revision,
    /// The rows that the step read.
    pub view: View,
    /// The changes written, with sequence numbers and revisions.
    pub changes: ChangeSet,
}

/// A store for a registry. Backends implement it; [`crate::Registry`] uses it.
///
/// To ensure correctness an implementation must
/// - run every step as if alone, across threads and processes,
/// - give each step or query one consistent snapshot for all its reads,
/// - acknowledge a commit only when it has the [`Durability`] that the step requires,
/// - leave the store unchanged whenever it returns an error other than [`StoreError::Unknown`],
/// - assign increasing sequence numbers to appended outcomes in the order of the change set, and raise the
///   revision by one for each commit with journal entries,
/// - store the journal's floor, and detect missing entries above it in a check,
/// - survive a panic of a step or query, and write none of its changes,
/// - not block the threads of an async runtime, unless it is documented as synchronous.
#[async_trait]
pub trait RegistryStore: fmt::Debug + Send + Sync + 'static {
    /// Answers a query from one snapshot.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if other users hold the store for too long, or any other error of the store.
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError>;

    /// Runs a step: load, decide, write, commit.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the step refuses, [`StoreError::Busy`] if other users hold the store for too
    /// long, [`StoreError::Unknown`] if the commit may have happened, or any other error of the store.
    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError>;

    /// Visits whole collections from one snapshot, in key order and in pages of at most 1,000 rows, until the visitor
    /// breaks. The order of the collections is that of [`collections!`], then the outcomes, then the journal, so that
    /// an export can be written as the pages arrive. No row arrives twice, and an empty collection gives no view. Each
    /// view has the revision and the floor.
    ///
    /// # Errors
    /// Those of [`Selection::check_whole`] and of [`RegistryStore::view`]. Pages before the error were already visited.
    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError>;

    /// Writes a consistent copy of the store to a new file. Others may write to the store meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Unsupported`] if the store cannot be copied; [`StoreError::Io`] if the file already
    /// exists or cannot be written.
    async fn backup(&self, to: &Path) -> Result<(), StoreError>;

    /// Verifies the stored data: its structure, and that every record can be read.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with a description of the damage.
    async fn check(&self) -> Result<(), StoreError>;
}
